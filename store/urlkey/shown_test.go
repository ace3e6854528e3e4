package urlkey

import "testing"

func TestShown(t *testing.T) {
	for url, want := range map[string]string{
		"dom:https://a.example/?q":      "https://a.example/?q",
		"screenshot:http://a.example/":  "http://a.example/",
		"https://a.example/dom:http://": "",
		"domain:https://a.example/":     "",
	} {
		if page, ok := Shown(url); page != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", url, page, ok, want)
		}
	}
}

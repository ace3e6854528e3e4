package urlkey

import "testing"

func TestShown(t *testing.T) {
	for url, want := range map[string]string{
		"dom:https://a.example/?q":      "https://a.example/?q",
		"screenshot:http://a.example/":  "http://a.example/",
		"https://a.example/dom:http://": "",
		"domain:https://a.example/":     "",
		"dom:ftp://a.example/":          "",
		"screenshot:":                   "",
		"":                              "",
	} {
		if page, ok := Shown(url); page != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", url, page, ok, want)
		}
	}
}

// TestWithShown shows that the scope of one page gets what a browser made of it, and
// that other scopes have that already, or stay as they are.
func TestWithShown(t *testing.T) {
	for _, tt := range []struct{ scope, url, has string }{
		{"http://a.example/x", "http://a.example/x", "yes"},
		{"http://a.example/x", "dom:http://a.example/x", "yes"},
		{"http://a.example/x", "screenshot:http://a.example/x", "yes"},
		{"http://u@a.example/x", "dom:http://u@a.example/x", "yes"},
		{"http://a.example/x", "dom:https://a.example/x", "no"},
		{"http://a.example/x", "dom:http://a.example/xy", "no"},
		{"dom:http://a.example/x", "dom:http://a.example/x", "yes"},
		{"dom:http://a.example/x", "http://a.example/x", "no"},
		{"a.example", "screenshot:http://b.a.example/", "yes"},
		{"a.example/x", "dom:https://a.example/xy", "yes"},
		{"dns:a.example", "dns:a.example", "yes"},
	} {
		s, err := ParseScope(tt.scope)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.WithShown().Contains(Key(tt.url)); got != (tt.has == "yes") {
			t.Errorf("%s has %s: %v, want %s", tt.scope, tt.url, got, tt.has)
		}
	}
}

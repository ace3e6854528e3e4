package urlkey

import "testing"

func TestWithoutUsers(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"CRAWL 'http://me:secret@a.example/x', 'https://b.example:80/'", "CRAWL 'http://a.example/x', 'https://b.example:80/'"},
		{"CRAWL 'https://token@a.example/'", "CRAWL 'https://a.example/'"},
		{"PROXY 'http://:secret@p.example:3128'", "PROXY 'http://p.example:3128'"},
		{"SELECT 'a:b@c', 'http://a.example/x:y@z'", "SELECT 'a:b@c', 'http://a.example/x:y@z'"},
		{"", ""},
	} {
		if got := WithoutUsers(c.text); got != c.want {
			t.Errorf("of %q stays %q, want %q", c.text, got, c.want)
		}
	}
}

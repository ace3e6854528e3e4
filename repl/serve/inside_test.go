package serve

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// TestInside sends the requests of a browser for a page, for parts that the archive has
// and has not, and for what is not replay.
func TestInside(t *testing.T) {
	s, _ := testServer(t, nil,
		pageOf("http://a.example/dir/page", "20260102030404", 200, "Content-Type: text/html\r\n", "<p>text<img src=i.gif><img src=none.gif>"),
		pageOf("http://a.example/dir/i.gif", "20260102030404", 200, "Content-Type: image/gif\r\n", "GIF"),
	)
	x, err := NewInside(s.o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	v := x.Visit("http://a.example/dir/page", at("20260102030404"))
	head := []byte("Accept: text/html\r\nSec-Fetch-Dest: document\r\n")
	answer, body, err := v.Send(t.Context(), "GET", v.URL, head, nil)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(string(answer), "\r\n\r\n") || !strings.Contains(string(body), "<p>text") {
		t.Fatalf("%s: %q %q, %v", v.URL, answer, body, err)
	}
	origin := v.URL[:strings.Index(v.URL, "/2026")]
	for _, c := range []struct{ address, want string }{
		{origin + "/20260102030404im_/http://a.example/dir/i.gif", "HTTP/1.1 200"},
		{origin + "/20260102030404im_/http://a.example/dir/none.gif", "HTTP/1.1 404"},
		{origin + "/20260102030404im_/http://a.example/dir/none.gif", "HTTP/1.1 404"},
		{origin + "/favicon.ico", "HTTP/1.1 302"},
		{"http://127.0.0.1:1/http://favicon.ico/", "HTTP/1.1 404"},
	} {
		answer, _, err := v.Send(t.Context(), "GET", c.address, nil, nil)
		if err != nil || !strings.HasPrefix(string(answer), c.want) {
			t.Errorf("%s: %q, %v; want %s", c.address, answer, err, c.want)
		}
	}
	for _, address := range []string{"http://else.example/x", strings.Replace(origin, "http:", "https:", 1) + "/", "http://127.0.0.1:8080/"} {
		if answer, _, err := v.Send(t.Context(), "GET", address, nil, nil); err == nil {
			t.Errorf("%s: %q, want an error", address, answer)
		}
	}
	parts, missing := v.Asked()
	if parts != 5 || !slices.Contains(missing, "http://a.example/dir/none.gif") || slices.Contains(missing, "http://a.example/dir/i.gif") || len(missing) != 4 {
		t.Errorf("%d parts, missing %q", parts, missing)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := v.Send(ended, "GET", v.URL, head, nil); err == nil {
		t.Error("no error after the context has ended")
	}
}

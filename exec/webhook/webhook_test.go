package webhook

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// post returns a Post of a small body to the given URL.
func post(t *testing.T, url string) *Post {
	t.Helper()
	u, err := Parse(url, false)
	if err != nil {
		t.Fatal(err)
	}
	return &Post{URL: u, Type: "text/csv", Key: "news-1-2", Body: strings.NewReader("a,b\n"), Size: 4, Agent: "test"}
}

// TestSend sends a body and shows what the server gets.
func TestSend(t *testing.T) {
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h := r.Header
		got <- strings.Join([]string{r.Method, r.RequestURI, h.Get("Content-Type"), h.Get("Content-Length"), h.Get("Content-Encoding"), h.Get("Idempotency-Key"), h.Get("User-Agent"), string(body)}, "|")
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	status, err := post(t, server.URL+"/in?x=1").Send(t.Context())
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("status %d, error %v", status, err)
	}
	if got, want := <-got, "POST|/in?x=1|text/csv|4||news-1-2|test|a,b\n"; got != want {
		t.Errorf("the server got %q, want %q", got, want)
	}
	plain := post(t, server.URL)
	plain.Key, plain.Gzip, plain.Body, plain.Size = "", true, strings.NewReader(""), 0
	if _, err := plain.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := <-got, "POST|/|text/csv|0|gzip||test|"; got != want {
		t.Errorf("the server got %q, want %q", got, want)
	}
}

// TestRefused sends to servers that do not accept the body. The error names the URL and the
// status. A redirect is not followed.
func TestRefused(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return
		case "/found": // a browser follows this with a GET
			http.Redirect(w, r, other.URL, http.StatusFound)
			return
		}
		http.Error(w, "no\x1b[2J room\nleft", http.StatusInsufficientStorage)
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/in":    "the server answered 507 Insufficient Storage: no[2J room",
		"/moved": "the server answered 307 Temporary Redirect",
		"/found": "the server answered 302 Found",
	} {
		_, err := post(t, server.URL+path).Send(t.Context())
		if want = "POST " + server.URL + path + ": " + want; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	server.Close()
	if _, err := post(t, server.URL).Send(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "POST "+server.URL+": ") {
		t.Errorf("%v, want an error that names the URL", err)
	}
}

// TestTimeout sends to a server that does not answer.
func TestTimeout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done() // the client leaves
	}))
	defer server.Close()
	p := post(t, server.URL)
	p.Timeout = time.Millisecond
	if _, err := p.Send(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "no answer within 1ms") {
		t.Errorf("%v, want that no answer came", err)
	}
}

// TestRemote shows to which hosts a body may be sent. The address that a name leads to
// counts, and not the name.
func TestRemote(t *testing.T) {
	for _, c := range []struct {
		url    string
		remote bool
		want   string // the error; "" for none
	}{
		{"http://127.0.0.1:80/", false, ""},
		{"http://127.7.7.7/", false, ""},
		{"http://[::1]/", false, ""},
		{"http://[::ffff:127.0.0.1]/", false, ""},
		{"http://localhost/", false, ""},
		{"http://10.0.0.1/", false, "address 10.0.0.1 is not on this machine: SET webhooks = any allows it"},
		{"http://0.0.0.0/", false, "address 0.0.0.0 is not on this machine: SET webhooks = any allows it"},
		{"http://[::]/", false, "address :: is not on this machine: SET webhooks = any allows it"},
		{"http://10.0.0.1/", true, ""},
		{"http://me:secret@localhost/", false, "the URL contains a name or password, which would be stored with the statement: leave it out"},
		{"http:///in", false, `the URL "http:///in" has no host`},
		{"http://[::1/", false, `parse "http://[::1/": missing ']' in host`},
	} {
		_, err := Parse(c.url, c.remote)
		if got := errorText(err); got != c.want {
			t.Errorf("%s, remote %v: %q, want %q", c.url, c.remote, got, c.want)
		}
	}
	// Parse did not see the address of this Post, as if a name led to it.
	p := post(t, "http://localhost/")
	p.URL.Host = "192.0.2.1:80"
	var refused *remoteError
	if _, err := p.Send(t.Context()); !errors.As(err, &refused) || refused.Addr != netip.MustParseAddr("192.0.2.1") {
		t.Errorf("%v, want that 192.0.2.1 is refused", err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestIs shows which names are URLs of web servers.
func TestIs(t *testing.T) {
	for name, want := range map[string]bool{
		"http://a/": true, "HTTPS://a": true, "http:/a": false, "s3://a/": false, "a.csv": false, "http": false, "x/http://a": false,
	} {
		if got := Is(name); got != want {
			t.Errorf("Is(%q) = %v", name, got)
		}
	}
}

package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// TestNotModified shows that a page which the archive has is asked for only if
// it is another, and that one which is not leads where it led.
func TestNotModified(t *testing.T) {
	w := newWeb(t, map[string]string{"B": "C", "C": ""})
	fresh := 0
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"one"` {
			out.WriteHeader(http.StatusNotModified)
			return
		}
		fresh++
		out.Header().Set("ETag", `"one"`)
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out, "<a href=/B>B</a>")
	}
	a := newArchive(t)
	for range 3 {
		if _, err := Run(t.Context(), a, w.options(), Env{}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := w.pagesAsked(), "ABCABCABC"; got != want || fresh != 1 {
		t.Errorf("asked for %s, want %s; A was sent %d times", got, want, fresh)
	}
	if got, want := fetches(t, a)["/A"], "ok not_modified not_modified"; got != want {
		t.Errorf("A is %q, want %q", got, want)
	}
	if got := stored(t, a, w.URL+"/A"); got != "<a href=/B>B</a>" {
		t.Errorf("the archive has %q", got)
	}
}

// statusFocus is a Focus that notes the status of each page with links.
type statusFocus struct{ statuses []int }

func (f *statusFocus) Judge(p *report.FocusedPage) (report.FocusVerdict, error) {
	f.statuses = append(f.statuses, p.Status)
	return report.FocusVerdict{}, nil
}

// TestFocusOfUnchanged shows that a focus gets the status of the page, also if the server
// says that the page is unchanged: the condition status = 200 must be true of the page again.
func TestFocusOfUnchanged(t *testing.T) {
	w := newWeb(t, map[string]string{"B": ""})
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") != "" {
			out.WriteHeader(http.StatusNotModified)
			return
		}
		htmlPage("<a href=/B>B</a>")(out, r)
	}
	a, f := newArchive(t), new(statusFocus)
	o := w.options()
	o.Focus = f
	for range 2 {
		if _, err := Run(t.Context(), a, o, Env{}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{200, 200}; !slices.Equal(f.statuses, want) {
		t.Errorf("the focus got the statuses %v, want %v", f.statuses, want)
	}
}

// bodyless is an archive that cannot read the bodies that it has.
type bodyless struct{ archive }

func (a bodyless) Past(ctx context.Context) (Past, error) {
	p, err := a.archive.Past(ctx)
	return bodylessPast{p}, err
}

type bodylessPast struct{ Past }

func (bodylessPast) Payload(context.Context, record.Ref) (record.Payload, error) {
	return record.Payload{}, errors.New("the disk is broken")
}

// TestNotModifiedUnread shows that a page which has not changed is asked for once more,
// as if it were new, if the archive's copy cannot be read.
func TestNotModifiedUnread(t *testing.T) {
	w := newWeb(t, map[string]string{"B": ""})
	var asked []string
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		tag := r.Header.Get("If-None-Match")
		asked = append(asked, tag)
		if tag != "" {
			out.WriteHeader(http.StatusNotModified)
			return
		}
		out.Header().Set("ETag", `"one"`)
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out, "<a href=/B>B</a>")
	}
	a := newArchive(t)
	for range 2 {
		if _, err := Run(t.Context(), bodyless{a}, w.options(), Env{}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"", `"one"`, ""}; !slices.Equal(asked, want) {
		t.Errorf("A was asked for with the tags %q, want %q", asked, want)
	}
	if got, want := w.pagesAsked(), "ABAAB"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	if got, want := fetches(t, a)["/A"], "ok ok"; got != want {
		t.Errorf("A is %q, want %q", got, want)
	}
}

// stored is the last body that the archive has of a URL; "" if it has none.
func stored(t *testing.T, a archive, url string) string {
	p, err := a.Past(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	k, err := p.Known(t.Context(), url, record.MaxTime)
	if err != nil {
		t.Fatal(err)
	}
	if k.Time == record.NoTime {
		return ""
	}
	body, err := p.Payload(t.Context(), k.Ref)
	if err != nil {
		t.Fatal(err)
	}
	return string(body.Body)
}

// TestCookies shows that a site gets back the cookies that it set, and that another
// run begins without cookies.
func TestCookies(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "BC", "C": ""})
	var got []string
	w.pages["/B"] = func(out http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Cookie"))
		out.Header().Add("Set-Cookie", "visit=1; Path=/")
		out.Header().Add("Set-Cookie", "shop=x y; Path=/elsewhere")
	}
	w.pages["/C"] = func(out http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Cookie")) }
	a := newArchive(t)
	for range 2 {
		if _, err := Run(t.Context(), a, w.options(), Env{}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"", "visit=1", "", "visit=1"}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("cookies sent %q, want %q", got, want)
	}
}

// TestPasswords shows that a password goes to the host that it is for, and to no
// other.
func TestPasswords(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "B", "B": ""})
	var other atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			other.Add(1)
		}
	}))
	defer elsewhere.Close()
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); name != "me" || password != "#1" {
			out.WriteHeader(http.StatusUnauthorized)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, "<a href=/B>B</a> <a href=%s/>elsewhere</a>", strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1))
	}
	o := w.options()
	o.Within = []urlkey.Scope{scope(t, "127.0.0.1"), scope(t, "localhost")}
	o.Netrc = filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(o.Netrc, []byte("# ours\nmachine 127.0.0.1 login me password #1 # the first\ndefault login x password y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newArchive(t)
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	if got := w.pagesAsked(); got != "AB" || other.Load() != 0 {
		t.Errorf("asked for %s, want AB; %d passwords went elsewhere", got, other.Load())
	}
}

// TestProxy shows that a proxy is asked in place of the servers, also for what is
// sent under TLS, and that addresses which are not public are not asked of it.
func TestProxy(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "B", "B": ""})
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.RequestURI)
		if r.Method == http.MethodConnect || r.Header.Get("Proxy-Authorization") == "" {
			out.WriteHeader(http.StatusForbidden)
			return
		}
		r.URL.Host = strings.TrimPrefix(w.URL, "http://")
		res, err := http.Get(r.URL.String())
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		out.Header().Set("Content-Type", res.Header.Get("Content-Type"))
		out.WriteHeader(res.StatusCode)
		io.Copy(out, res.Body)
	}))
	defer proxy.Close()
	o := w.options()
	o.AllowPrivate = false
	o.Proxy = proxy.URL
	o.Seeds = []string{"http://site.example/A", "https://secure.example/", "http://10.0.0.1/", "http://localhost/"}
	o.Netrc = filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(o.Netrc, []byte("machine 127.0.0.1 login me password x"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.IgnoreRobots = true
	a := newArchive(t)
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for list, err := range a.Fetches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			got[f.URL] = f.Outcome.String()
		}
	}
	for u, want := range map[string]string{
		"http://site.example/A": "ok", "http://site.example/B": "ok", "https://secure.example/": "unreachable", "http://10.0.0.1/": "filtered", "http://localhost/": "filtered",
	} {
		if got[u] != want {
			t.Errorf("%s: %s, want %s", u, got[u], want)
		}
	}
	if all := strings.Join(asked, " "); !strings.Contains(all, "CONNECT secure.example:443") || strings.Contains(all, "10.0.0.1") || strings.Contains(all, "localhost") {
		t.Errorf("the proxy was asked for %s", all)
	}
}

// TestNoArchive shows that with that policy a page which asks for no copy is not
// kept, leads on, and is told of.
func TestNoArchive(t *testing.T) {
	w := newWeb(t, map[string]string{"B": "", "C": "", "D": ""})
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out, "<meta name=robots content=noarchive><a href=/B>B</a>")
	}
	w.pages["/B"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		out.Header().Add("X-Robots-Tag", "otherbot: nofollow")
		out.Header().Add("X-Robots-Tag", "noarchive")
		fmt.Fprint(out, "<a href=/C>C</a>")
	}
	for _, skip := range []bool{false, true} {
		a := newArchive(t)
		o := w.options()
		o.SkipNoArchive = skip
		if _, err := Run(t.Context(), a, o, Env{}); err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{false: "ok", true: "filtered"}[skip]
		got := fetches(t, a)
		if got["/A"] != want || got["/B"] != want || got["/C"] != "ok" {
			t.Errorf("skip %v: %v", skip, got)
		}
		for _, p := range []string{"/A", "/B"} {
			if has := stored(t, a, w.URL+p) != ""; has == skip {
				t.Errorf("skip %v: the archive has %s: %v", skip, p, has)
			}
		}
		if stored(t, a, w.URL+"/C") == "" {
			t.Errorf("skip %v: the archive has no /C", skip)
		}
	}
}

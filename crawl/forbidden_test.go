package crawl

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// TestForbiddenParts shows a page that requests 550 URLs that robots.txt, the rules, the
// block-list or the guard forbid. No server gets any of these requests; each is refused with a
// reason, and is a row of the log.
func TestForbiddenParts(t *testing.T) {
	const each = 50
	var page strings.Builder
	kinds := []struct {
		method, pattern, dest string
		outcome               report.Outcome
	}{
		{"get", "http://a.example/secret/%d", "", report.OutcomeRobotsDenied},
		{"get", "https://other.example/secret/%d", "", report.OutcomeRobotsDenied},
		{"get", "http://a.example/excluded/%d", "", report.OutcomeFiltered},
		{"get", "http://ads.example/%d", "", report.OutcomeFiltered},
		{"get", "http://a.example/%d.zip", "", report.OutcomeFiltered},
		{"get", "http://blocked.example/%d", "", report.OutcomeFiltered},
		{"get", "http://inside.example/%d", "", report.OutcomeFiltered},
		{"get", "http://10.0.0.%d/", "", report.OutcomeFiltered},
		{"delete", "http://a.example/delete/%d", "", report.OutcomeFiltered},
		{"get", "http://other.example/page/%d", "document", report.OutcomeFiltered},
		{"get", "file:///etc/%d", "", report.OutcomeFiltered},
	}
	for _, k := range kinds {
		for i := range each {
			fmt.Fprintf(&page, "<!-- %s "+k.pattern+" %s -->", k.method, i+1, k.dest)
		}
	}
	text := strings.ReplaceAll(page.String(), "  -->", " -->")
	w := newWeb(t, nil)
	w.robots = "User-agent: *\nDisallow: /secret\n"
	w.pages["/"] = func(out http.ResponseWriter, r *http.Request) {
		if r.Host != "a.example" {
			t.Errorf("the host %s got a request", r.Host)
		}
		htmlPage("%s", text)(out, r)
	}
	a, b := newArchive(t), new(fakeBrowser)
	block(t, a, "blocked.example")
	env := w.hosts(b.env())
	public := env.Lookup
	env.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		if host == "inside.example" {
			return []netip.Addr{netip.MustParseAddr("192.168.1.1")}, nil
		}
		return public(ctx, host)
	}
	scope := func(text string) urlkey.Scope {
		s, err := urlkey.ParseScope(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// The robots.txt of other.example is asked for over TLS, which the server does not
	// speak; so it is unreachable, which denies as well.
	o := report.CrawlOptions{
		Name: "test", Statement: "CRAWL", Seeds: []string{"http://a.example/"}, Depth: 0, Workers: 1, Agent: "infomall", Render: new(report.Render),
		Exclude: []urlkey.Scope{scope("a.example/excluded"), scope("ads.example")}, ExcludeMatch: []*regexp.Regexp{regexp.MustCompile(`\.zip$`)},
	}
	if _, err := Run(t.Context(), a, o, env); err != nil {
		t.Fatal(err)
	}
	if len(b.errs) != each*len(kinds) {
		t.Errorf("%d of %d requests were refused", len(b.errs), each*len(kinds))
	}
	for _, p := range w.asked {
		if p != "/" && p != "/robots.txt" {
			t.Errorf("the server was asked for %s", p)
		}
	}
	list := rows(t, a)
	for _, k := range kinds {
		for i := range each {
			u, err := urlkey.Canonical(fmt.Sprintf(k.pattern, i+1))
			if err != nil {
				t.Fatal(err)
			}
			got := list[u]
			if len(got) != 1 || got[0].Reason == "" || got[0].Bytes >= 0 {
				t.Fatalf("%s: rows %+v", u, got)
			}
			if got[0].Outcome != k.outcome && !strings.HasPrefix(u, "https://other.example/") {
				t.Errorf("%s: %s, want %s", u, got[0].Outcome, k.outcome)
			}
		}
	}
}

// block has the block-list of the archive keep out the scope.
func block(t *testing.T, a archive, scope string) {
	t.Helper()
	s, err := task.NewBlockScope(scope, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Archive.Create(); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if _, err := v.Delete(t.Context(), task.DeleteOptions{
		Targets: func(func(task.Target, error) bool) {},
		Forever: &task.Forever{Scopes: []task.BlockScope{s}, From: record.MinTime, To: record.MaxTime + 1},
	}); err != nil {
		t.Fatal(err)
	}
}

// TestPartsBeyondLimit shows a page after which the crawl has the bytes of its LIMIT. No
// server gets a request of the page; each is refused, and is a row of the log.
func TestPartsBeyondLimit(t *testing.T) {
	const parts = 50
	var page strings.Builder
	for i := range parts {
		fmt.Fprintf(&page, "<!-- get http://%c.example/%d -->", 'a'+i%2, i)
	}
	w := newWeb(t, nil)
	w.pages["/"] = htmlPage("%s", page.String())
	a, b := newArchive(t), new(fakeBrowser)
	o := w.options()
	o.Seeds, o.Depth, o.Render, o.MaxBytes = []string{"http://a.example/"}, 0, new(report.Render), int64(page.Len())
	if _, err := Run(t.Context(), a, o, w.hosts(b.env())); err != nil {
		t.Fatal(err)
	}
	if got := w.pagesAsked(); got != "" || len(b.shown) != 1 || len(b.errs) != parts { // "" is the path of the page
		t.Errorf("asked for %q; %d pages were shown, %d of %d requests refused", got, len(b.shown), len(b.errs), parts)
	}
	list := rows(t, a)
	for i := range parts {
		u := fmt.Sprintf("http://%c.example/%d", 'a'+i%2, i)
		if got := list[u]; len(got) != 1 || got[0].Outcome != report.OutcomeFiltered || !strings.Contains(got[0].Reason, "LIMIT") {
			t.Errorf("%s: rows %+v", u, got)
		}
	}
}

package checkreplay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"infomall/crawl/report"
	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store/record"
)

// archive is an archive in memory.
type archive struct{ *relationtest.Archive }

// Snapshot returns the archive.
func (a archive) Snapshot(context.Context) (relation.Snapshot, error) { return a.Archive, nil }

// browser shows the pages that a test gives it.
type browser struct {
	pages    map[string]session.Replayed
	pictures bool
	asked    []string
	closed   int
}

func (b *browser) Show(ctx context.Context, url string, t record.Time) (*session.Replayed, error) {
	b.asked = append(b.asked, url+" "+t.Std().UTC().Format("20060102"))
	p, ok := b.pages[url]
	if !ok {
		return nil, errors.New("the page ended its process in the browser")
	}
	return &p, ctx.Err()
}

func (b *browser) Close() error {
	b.closed++
	return nil
}

// capture returns a capture of a URL with a body.
func capture(url, mime, body string, day int) relationtest.Capture {
	c := relationtest.Capture{URL: url, Time: record.At(time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)), Status: 200, Mime: mime, Body: body, Head: "HTTP/1.1 200 OK\r\nContent-Type: " + mime + "\r\n\r\n"}
	if strings.HasPrefix(url, "dom:") || strings.HasPrefix(url, "screenshot:") {
		c.Head, c.Status = "", 0
	}
	return c
}

// sessionOf returns a session for captures, whose browser is b; nil means none.
func sessionOf(b *browser, captures ...relationtest.Capture) *session.Session {
	o := session.Options{Archive: archive{relationtest.New(captures...)}, Settings: session.DefaultSettings()}
	if b != nil {
		o.Replay = func(_ context.Context, o session.ReplayOptions) (session.Replay, error) {
			b.pictures = o.Pictures
			return b, nil
		}
	}
	return exec.New(o)
}

// open runs a statement.
func open(t *testing.T, ctx context.Context, s *session.Session, statement string) (*session.Result, error) {
	t.Helper()
	st, err := lang.ParseOne(statement, "")
	if err != nil {
		t.Fatal(err)
	}
	return s.Run(ctx, st)
}

// rowsOf returns url, seen, text, parts, missing, status, note and missing_urls of each row.
func rowsOf(t *testing.T, res *session.Result) (rows []string) {
	t.Helper()
	for b, err := range res.Rows {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			row := ""
			for _, col := range []int{0, 2, 3, 4, 5, 7, 8, 9} {
				row += fmt.Sprintf("%s|", strings.ReplaceAll(b.Cols[col].At(i).String(), "\n", " "))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// TestRows compares pages with the document after load, with the response, and with
// nothing, and has one that the browser does not show.
func TestRows(t *testing.T) {
	const html = "text/html"
	b := &browser{pages: map[string]session.Replayed{
		"http://a.example/":  {DOM: []byte("<p>apples and pears"), Parts: 3, Ended: "done"},
		"http://b.example/":  {DOM: []byte("<p>nothing is there"), Parts: 2, Missing: []string{"http://b.example/x", "http://b.example/y"}, Ended: "time"},
		"https://c.example/": {DOM: []byte("<p>plain text"), Ended: "done"},
	}}
	s := sessionOf(b,
		capture("http://a.example/", html, "<script>build()</script>", 2),
		capture("dom:http://a.example/", html, "<p>an older document", 1),
		capture("dom:http://a.example/", html, "<p>apples and pears", 3),
		capture("http://a.example/pic.png", "image/png", "PNG", 2),
		capture("http://b.example/", html, "<script>build()</script>", 2),
		capture("dom:http://b.example/", html, "<p>plums", 2),
		capture("https://c.example/", html, "<p>plain text", 1),
		capture("https://c.example/", html, "<p>plain text", 5),
		capture("http://d.example/", html, "<p>crashes", 1),
	)
	res, err := open(t, t.Context(), s, "CHECK REPLAY")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(rowsOf(t, res), "\n")
	for _, want := range []string{
		"http://a.example/|dom|1|3|0|complete||",
		"http://b.example/|dom|0|2|2|incomplete|the visit ended by its limit of time|http://b.example/x http://b.example/y|",
		"https://c.example/|response|1|0|0|complete||",
		"http://d.example/|response||||failed|the page ended its process in the browser||",
	} {
		if !strings.Contains(strings.NewReplacer("NULL", "", "'", "").Replace(got), want) {
			t.Errorf("no row %s in\n%s", want, got)
		}
	}
	if len(b.asked) != 4 || b.closed != 1 || b.pictures {
		t.Errorf("asked for %q, closed %d times, pictures %v", b.asked, b.closed, b.pictures)
	}
	if want := "https://c.example/ 20260105"; b.asked[2] != want && b.asked[3] != want {
		t.Errorf("asked for %q, want %q among them", b.asked, want)
	}
}

// crawler has the crawls of a test.
type crawler struct {
	session.Crawler
	list []report.Crawl
}

func (c crawler) Crawls(context.Context) ([]report.Crawl, error) { return c.list, nil }

// TestOtherClicks shows that the row of an incomplete page names the settings that the crawl
// of the page had and the session has not.
func TestOtherClicks(t *testing.T) {
	day := func(n int) record.Time { return record.At(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)) }
	shop := report.Crawl{Name: "shop", Started: day(2), Finished: day(4), Clicks: &report.Clicks{Consent: "/rules/notices.tsv"}}
	plain := report.Crawl{Name: "plain", Started: day(1), Finished: record.NoTime}
	early := report.Crawl{Name: "early", Started: day(1), Finished: day(2), Clicks: &report.Clicks{More: "/rules/more.tsv"}}
	const note = "crawl shop had consent_rules = '/rules/notices.tsv', and this session has '': SET consent_rules = '/rules/notices.tsv' to click like the crawl"
	for _, c := range []struct {
		name, dom string
		set       func(*session.Settings)
		want      string
	}{
		{"another rule", "<p>accept our notice", nil, "incomplete|" + note + "|"},
		{"complete", "<p>apples and pears", nil, "|complete||"},
		{"the same rule", "<p>accept our notice", func(s *session.Settings) { s.ConsentRules = "/rules/notices.tsv" }, "incomplete||"},
		{"a further rule", "<p>accept our notice", func(s *session.Settings) { s.ConsentRules, s.MoreRules = "/rules/notices.tsv", "/rules/more.tsv" },
			"incomplete|crawl shop had more_rules = '', and this session has '/rules/more.tsv': SET more_rules = '' to click like the crawl|"},
	} {
		b := &browser{pages: map[string]session.Replayed{"http://a.example/": {DOM: []byte(c.dom), Ended: "done"}}}
		o := session.Options{Settings: session.DefaultSettings(), Crawler: crawler{list: []report.Crawl{plain, early, shop}}}
		o.Archive = archive{relationtest.New(capture("http://a.example/", "text/html", "<p>apples and pears", 3))}
		o.Replay = func(context.Context, session.ReplayOptions) (session.Replay, error) { return b, nil }
		if c.set != nil {
			c.set(&o.Settings)
		}
		res, err := open(t, t.Context(), exec.New(o), "CHECK REPLAY")
		if err != nil {
			t.Fatal(err)
		}
		unquoted := strings.NewReplacer("NULL", "", "'", "")
		if got := unquoted.Replace(strings.Join(rowsOf(t, res), "\n")); !strings.Contains(got, unquoted.Replace(c.want)) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestStops ends the statement after its first row, and by its context: no further page is
// opened, and the browser is closed.
func TestStops(t *testing.T) {
	captures := []relationtest.Capture{
		capture("http://a.example/", "text/html", "<p>a", 1), capture("http://b.example/", "text/html", "<p>b", 1),
		capture("screenshot:http://b.example/", "image/png", "PNG", 1),
	}
	shown := map[string]session.Replayed{"http://a.example/": {DOM: []byte("<p>a")}, "http://b.example/": {DOM: []byte("<p>b")}}
	b := &browser{pages: shown}
	res, err := open(t, t.Context(), sessionOf(b, captures...), "CHECK REPLAY")
	if err != nil {
		t.Fatal(err)
	}
	for range res.Rows {
		break
	}
	if len(b.asked) != 1 || b.closed != 1 || !b.pictures {
		t.Errorf("asked for %q, closed %d times, pictures %v", b.asked, b.closed, b.pictures)
	}
	ctx, stop := context.WithCancel(t.Context())
	b = &browser{pages: shown}
	if res, err = open(t, ctx, sessionOf(b, captures...), "CHECK REPLAY IN 'b.example'"); err != nil {
		t.Fatal(err)
	}
	stop()
	for _, err := range res.Rows {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that the context has ended", err)
		}
	}
	if b.closed != 1 {
		t.Errorf("closed %d times", b.closed)
	}
}

// TestRefused shows the errors, and that no browser is started if there is no page.
func TestRefused(t *testing.T) {
	page := capture("http://a.example/", "text/html", "<p>a", 1)
	if _, err := open(t, t.Context(), sessionOf(nil, page), "CHECK REPLAY"); err == nil || !strings.Contains(err.Error(), "cannot be opened in a browser here") {
		t.Errorf("without a browser: %v", err)
	}
	if _, err := open(t, t.Context(), sessionOf(nil, page), "CHECK REPLAY KNOWN AT 2026"); err == nil || !strings.Contains(err.Error(), "takes no KNOWN AT") {
		t.Errorf("KNOWN AT: %v", err)
	}
	res, err := open(t, t.Context(), sessionOf(nil, page), "CHECK REPLAY IN 'b.example'")
	if err != nil {
		t.Fatal(err)
	}
	if rows := rowsOf(t, res); rows != nil || len(res.Notes) != 1 {
		t.Errorf("rows %q, notes %q", rows, res.Notes)
	}
}

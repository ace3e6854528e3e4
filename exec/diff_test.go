package exec_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
	"infomall/lang"
	"infomall/lang/ast"
)

// newsPage is a page of paragraphs, each of which is a block.
func newsPage(title string, paragraphs ...string) string {
	var b strings.Builder
	b.WriteString("<html><head><title>" + title + "</title></head><body>\n<h1>" + title + "</h1>\n<p>What the departments report this week.</p>\n")
	for _, p := range paragraphs {
		b.WriteString("<p>" + p + "</p>\n")
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

// news are paragraphs that have no words in common but little ones.
var news = []string{
	"The library of the university opens its new reading room in September.",
	"Entrance examinations take place on three days; candidates bring two pencils.",
	"Volunteers came back from the province after six weeks of rebuilding schools.",
	"A lecture on condensed matter, given in room 201, ends the physics term.",
}

// newsSite is a page that is edited once a month in a known way, and others.
func newsSite() *relationtest.Archive {
	page := func(url, day string, body string) relationtest.Capture {
		return relationtest.Capture{URL: "http://x.cn/" + url, Time: at(day), Status: 200, Mime: html, Body: body}
	}
	gone := page("", "2008-06-01", "<p>Not here</p>")
	gone.Status = 404
	edited := strings.Replace(news[3], "room 201", "the old hall", 1)
	moved := newsPage("News", news[2], news[0], news[1], edited)
	gif := func(day, body string) relationtest.Capture {
		return relationtest.Capture{URL: "http://x.cn/i.gif", Time: at(day), Status: 200, Mime: "image/gif", Body: body}
	}
	return relationtest.New(
		page("", "2008-01-01", newsPage("News", news[1], news[2], news[3])),
		page("", "2008-01-20", newsPage("News", news[1], news[2], news[3])),
		page("", "2008-02-01", newsPage("News", news[0], news[1], news[2], news[3])),
		page("", "2008-03-01", newsPage("News", news[0], news[1], news[2], edited)),
		page("", "2008-04-01", moved),
		page("", "2008-05-01", strings.Replace(moved, "<body>", `<body bgcolor="white">`, 1)),
		gone,
		page("", "2008-07-01", newsPage("News", news[0])),
		relationtest.Capture{URL: "http://x.cn/plain.txt", Time: at("2008-01-01"), Status: 200, Mime: "text/plain", Body: "one\n\ntwo <b>"},
		gif("2008-01-01", "GIF89a"), gif("2008-02-01", "GIF89a-2"),
		relationtest.Capture{URL: "http://x.cn/no", Time: at("2008-01-01"), Status: 200, Mime: html, NoBody: true, Body: "?"},
		relationtest.Capture{URL: "http://x.cn/no", Time: at("2008-02-01"), Status: 200, Mime: html, Body: "!"},
	)
}

var update = flag.Bool("update", false, "rewrite the expected answers")

// TestPages shows what DIFF, BLAME and SHOW PAGE give for each edit of the page, and
// note. Cases of testdata/pages.txt are parted by lines of dashes, a statement
// and its answer by an empty line; lines of notes begin with #.
func TestPages(t *testing.T) {
	const name, rule = "testdata/pages.txt", "\n----\n"
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(archive{newsSite()})
	var out []string
	for _, c := range strings.Split(strings.TrimSuffix(string(file), "\n"), rule) {
		src, want, _ := strings.Cut(c, "\n\n")
		rows, notes, err := ask(s, src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got := strings.TrimSuffix(rows, "\n")
		for _, n := range notes {
			got += "\n# " + n
		}
		if got != want && !*update {
			t.Errorf("%s\ngot\n%s\nwant\n%s", src, got, want)
		}
		out = append(out, src+"\n\n"+got)
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(out, rule)+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDiffErrors shows what DIFF and BLAME refuse, with place and remedy.
func TestDiffErrors(t *testing.T) {
	s := newSession(archive{newsSite()})
	for _, c := range []struct{ src, want string }{
		{"DIFF 'y.cn'", "1:6: no capture of http://y.cn/"},
		{"DIFF 'http://'", "1:6: "},
		{"DIFF 'x.cn' TO 2007", "1:16: no capture of http://x.cn/ at or before 2007-12-31T23:59:59.999Z (the first is of 2008-01-01T00:00:00Z)"},
		{"DIFF 'x.cn' FROM 2007 TO 2008", "1:18: no capture of http://x.cn/ at or before 2007-12-31T23:59:59.999Z (the first is of 2008-01-01T00:00:00Z)"},
		{"DIFF 'x.cn' TO 2008-01", "1:6: the version of http://x.cn/ captured 2008-01-20T00:00:00Z is the first, and there is none to compare it with (SHOW PAGE shows it)"},
		{"DIFF 'x.cn' FROM 2008 TO 2008-06", "1:18: FROM, read at its end 2008-12-31T23:59:59.999Z, lies after TO, which ends 2008-06-30T23:59:59.999Z (write FROM 2008-06 TO 2008)"},
		{"DIFF 'x.cn' TO 'soon'", `1:16: "soon" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{"BLAME 'y.cn'", "1:7: no capture of http://y.cn/"},
		{"BLAME 'x.cn' AT 2007", "1:17: no capture of http://x.cn/ at or before 2007-12-31T23:59:59.999Z (the first is of 2008-01-01T00:00:00Z)"},
		{"BLAME 'x.cn/no' AT 2008-01", "1:1: the archive has no body for the capture of 2008-01-01T00:00:00Z: its original is not here"},
		{"DIFF 'x.cn/no'", "1:1: the archive has no body for the capture of 2008-01-01T00:00:00Z: its original is not here"},
	} {
		_, _, err := ask(s, c.src)
		var fault *ast.Error
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}

// TestBlameEnds shows that BLAME ends with the error of its context, whenever the
// context ends while BLAME reads, and asks no more of the archive then.
func TestBlameEnds(t *testing.T) {
	st, err := lang.ParseOne("BLAME 'x.cn' AS words", "")
	if err != nil {
		t.Fatal(err)
	}
	calls, _, err := runWatched(newsSite(), st, 0, 0)
	if err != nil || calls < 8 {
		t.Fatalf("it asks the archive %d times, want 8 or more; %v", calls, err)
	}
	for n := 1; n < calls; n++ {
		after, rows, err := runWatched(newsSite(), st, n, 0)
		if !errors.Is(err, context.Canceled) || after > 1 || rows > 0 {
			t.Errorf("cancelled at call %d of %d, it asks %d times more, yields %d rows and ends with %v", n, calls, after, rows, err)
		}
	}
}

// TestDiffIsChanges shows that DIFF tells of the blocks that the relation
// changes has, by either profile.
func TestDiffIsChanges(t *testing.T) {
	s := newSession(archive{newsSite()})
	for _, profile := range []string{"modern", "classic"} {
		for _, set := range []string{"SET level = leaves", "SET profile = " + profile} {
			if _, _, err := ask(s, set); err != nil {
				t.Fatal(err)
			}
		}
		for _, day := range []string{"2008-02-01", "2008-03-01", "2008-04-01", "2008-05-01", "2008-06-01", "2008-07-01"} {
			rows, _, err := ask(s, "SELECT op || ' ' || block AS change FROM changes IN 'http://x.cn/' BETWEEN "+day+" AND "+day)
			if err != nil {
				t.Fatal(err)
			}
			diff, _, err := ask(s, "DIFF 'x.cn' TO "+day)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := diffHeads(diff), strings.TrimPrefix(rows, "change\n"); got != want {
				t.Errorf("%s, %s: DIFF tells of\n%schanges has\n%s", profile, day, got, want)
			}
		}
	}
}

// diffHeads are the operation and the block of each paragraph of a DIFF.
func diffHeads(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		f := strings.Fields(line)
		switch f[0] {
		case "added", "edited", "moved", "removed":
			b.WriteString(f[0] + " " + f[1] + "\n")
		}
	}
	return b.String()
}

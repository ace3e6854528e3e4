package exec_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/relation/relationtest"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/store/record"
)

// The model tells the story of a page the plain way: it holds all visits of three pages
// in memory and compares each with the one before.

// storyVisit is one capture of a page as the model knows it.
type storyVisit struct {
	url        string
	time       record.Time
	status     int    // 200, 404 or 301
	location   string // of a redirect
	title      string
	paragraphs []int // which of storyParagraphs the page has, ascending
}

// storyParagraphs are paragraphs without a word in common, and storyLocations where
// redirects lead.
var (
	storyParagraphs = []string{
		"Alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo.",
		"Lima mike november oscar papa quebec romeo sierra tango uniform victor.",
		"Whiskey xray yankee zulu cobalt nickel copper silver gold mercury lead.",
		"Apple pear cherry plum peach grape melon lemon orange banana mango kiwi.",
		"Only four words here.",
	}
	storyTitles    = []string{"First title", "Second title"}
	storyLocations = []string{"http://x.cn/b", "http://x.cn/cc"}
)

// movable reports whether a paragraph is long enough to be recognised on other pages.
func movable(p int) bool { return len(strings.Fields(storyParagraphs[p])) >= 5 }

// body gives what the server sends.
func (v *storyVisit) body() string {
	switch v.status {
	case 404:
		return "<p>Not here</p>"
	case 301:
		return ""
	}
	var b strings.Builder
	b.WriteString("<html><head><title>" + v.title + "</title></head><body>\n<h1>Heading</h1>\n" + v.fixed("begin"))
	for _, p := range v.paragraphs {
		b.WriteString("<p>" + storyParagraphs[p] + "</p>\n")
	}
	return b.String() + v.fixed("end") + "</body></html>\n"
}

// fixed gives two paragraphs that the page always has, and no other page.
func (v *storyVisit) fixed(word string) string {
	var b strings.Builder
	for _, n := range []string{"one", "two"} {
		b.WriteString("<p>")
		for i := range 11 {
			fmt.Fprintf(&b, "%s%s%s%d ", word, n, string(rune('a'+len(v.url)%26)), i)
		}
		b.WriteString("</p>\n")
	}
	return b.String()
}

// same reports whether two visits found the same.
func (v *storyVisit) same(o *storyVisit) bool {
	return v.status == o.status && v.body() == o.body()
}

// drawVisits makes the visits of three pages, each in the order of time.
func drawVisits(t *rapid.T) map[string][]storyVisit {
	pages := make(map[string][]storyVisit)
	for _, url := range []string{"http://x.cn/", "http://x.cn/b", "http://x.cn/cc"} {
		at := modelStart
		v := storyVisit{url: url, status: 200, title: storyTitles[0], paragraphs: []int{0, 1}}
		for range rapid.IntRange(0, 9).Draw(t, "visits of "+url) {
			at += record.Time(rapid.IntRange(1, 40).Draw(t, "days")) * day1
			v.time = at
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				v.status = 404
			case 1:
				v.status, v.location = 301, rapid.SampledFrom(storyLocations).Draw(t, "location")
			case 2:
				v.title = rapid.SampledFrom(storyTitles).Draw(t, "title")
			case 3:
			default:
				v.status = 200
				v.paragraphs = nil
				for p := range storyParagraphs {
					if rapid.Bool().Draw(t, "has") {
						v.paragraphs = append(v.paragraphs, p)
					}
				}
			}
			pages[url] = append(pages[url], v)
		}
	}
	return pages
}

// away is when a page of the host was first seen with a paragraph that it did not have at
// the visit before, and when it was first seen without it; the zero time is never.
type away struct{ came, left record.Time }

// spansOf gives the spans of visits of a page that found a paragraph.
func spansOf(visits []storyVisit, p int) (list []away) {
	has := false
	for i := range visits {
		v := &visits[i]
		now := v.status == 200 && slices.Contains(v.paragraphs, p)
		switch {
		case now && !has:
			list = append(list, away{came: v.time})
		case has && !now:
			list[len(list)-1].left = v.time
		}
		has = now
	}
	return list
}

// elsewhere gives the page to which a paragraph went that was first missed at seen, or
// from which it came if added is set: the one at which that was seen nearest to seen.
func elsewhere(pages map[string][]storyVisit, p int, seen record.Time, added bool) (url string) {
	if !movable(p) {
		return ""
	}
	best := 31*day1 + 1
	for _, other := range storyLocations {
		for _, s := range spansOf(pages[other], p) {
			at := s.came
			if added {
				if at = s.left; s.came > seen {
					continue
				}
			}
			if apart := max(at-seen, seen-at); at != 0 && apart < best {
				best, url = apart, other
			}
		}
	}
	return url
}

// story gives the rows of the story of the first page, with ALL.
func story(pages map[string][]storyVisit) string {
	var b strings.Builder
	b.WriteString("not_before|time|what|text|old_text|url|edits|reason\n")
	null := cell(value.Value{})
	orNull := func(s string) string {
		if s == "" {
			return null
		}
		return s
	}
	visits := pages["http://x.cn/"]
	title := ""
	for i := range visits {
		v := &visits[i]
		put := func(what, text, old, url string, edits int, reason string) {
			before := null
			if i > 0 {
				before = day(visits[i-1].time)
			}
			fmt.Fprintf(&b, "%s|%s|%s|%s|%s|%s|%d|%s\n", before, day(v.time), what, orNull(text), orNull(old), orNull(url), edits, orNull(reason))
		}
		// groups puts an entry for each page to which, or from which, paragraphs went.
		groups := func(list []int, added bool) {
			var urls []string
			count, first := map[string]int{}, map[string]int{}
			for _, p := range list {
				if url := elsewhere(pages, p, v.time, added); url != "" {
					if count[url]++; count[url] == 1 {
						urls, first[url] = append(urls, url), p
					}
				}
			}
			for _, url := range urls {
				if added {
					put("came from", storyParagraphs[first[url]], "", url, count[url], "")
				} else {
					put("moved to", "", storyParagraphs[first[url]], url, count[url], "")
				}
			}
		}
		state := map[int]string{200: "200 page", 404: "404 missing", 301: "301 redirect"}
		leads := ""
		if v.status == 301 {
			leads = v.location
		}
		if i == 0 {
			if v.status == 200 {
				put("first seen", v.title, "", "", 1, "")
				groups(v.paragraphs, true)
			} else {
				put("first seen", state[v.status], "", leads, 1, "")
			}
		} else {
			o := &visits[i-1]
			switch {
			case v.status != o.status:
				switch {
				case v.status == 404:
					old := o.title
					if o.status != 200 {
						old = ""
					}
					put("gone", state[404], old, "", 1, "")
				case o.status == 404 && v.status == 200:
					put("back", v.title, "", "", 1, "")
				case v.status == 301:
					put("redirect", state[301], state[o.status], leads, 1, "")
				default:
					put("status", state[v.status], state[o.status], "", 1, "")
				}
				if v.status == 200 {
					groups(v.paragraphs, true)
				} else if o.status == 200 {
					groups(o.paragraphs, false)
				}
			case v.status == 301 && v.location != o.location:
				put("redirect", "", o.location, leads, 1, "")
			case v.status == 200 && !v.same(o):
				if v.title != title {
					put("title", v.title, title, "", 1, "")
				}
				changed := false
				for _, p := range v.paragraphs {
					if !slices.Contains(o.paragraphs, p) {
						changed = true
						if url := elsewhere(pages, p, v.time, true); url != "" {
							put("came from", storyParagraphs[p], "", url, 1, "")
						} else {
							put("added", storyParagraphs[p], "", "", 1, "")
						}
					}
				}
				for _, p := range o.paragraphs {
					if !slices.Contains(v.paragraphs, p) {
						changed = true
						if url := elsewhere(pages, p, v.time, false); url != "" {
							put("moved to", "", storyParagraphs[p], url, 1, "")
						} else {
							put("removed", "", storyParagraphs[p], "", 1, "")
						}
					}
				}
				if !changed {
					put("layout", "", "", "", 1, "markup")
				}
			}
		}
		if v.status == 200 {
			title = v.title
		}
	}
	return b.String()
}

// storyArchive is an archive of the visits.
func storyArchive(pages map[string][]storyVisit) *relationtest.Archive {
	var list []relationtest.Capture
	for _, visits := range pages {
		for i := range visits {
			v := &visits[i]
			c := relationtest.Capture{URL: v.url, Time: v.time, Status: v.status, Mime: html, Body: v.body()}
			if v.status == 301 {
				c.Location = v.location
			}
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b relationtest.Capture) int { return cmp.Compare(a.Time, b.Time) })
	return relationtest.New(list...)
}

// TestStoryModel shows that the story of a page with random visits is what the model
// tells: paragraphs come and go, to other pages and from them, the title changes, the
// page goes, comes back and leads elsewhere.
func TestStoryModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := drawVisits(t)
		if len(pages["http://x.cn/"]) == 0 {
			return
		}
		s := newSession(archive{storyArchive(pages)})
		s.Settings().Level = "leaves"
		got, _, err := ask(s, "SHOW STORY 'x.cn' ALL")
		if err != nil {
			t.Fatal(err)
		}
		var rows strings.Builder
		for line := range strings.Lines(got) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
			rows.WriteString(strings.Join(slices.Concat(f[:3], f[5:]), "|") + "\n")
		}
		if want := story(pages); rows.String() != want {
			t.Fatalf("got\n%swant\n%svisits %+v", rows.String(), want, pages)
		}
	})
}

// TestStoryOfBlockModel shows that the story of each block is what the story of the page
// says of it, and that the story of a block of the first version begins with that. The
// page is always there.
func TestStoryOfBlockModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := drawVisits(t)
		visits := pages["http://x.cn/"]
		if len(visits) == 0 {
			return
		}
		for i := range visits {
			visits[i].status = 200
		}
		s := newSession(archive{storyArchive(pages)})
		s.Settings().Level = "leaves"
		all, _, err := ask(s, "SHOW STORY 'x.cn' ALL")
		if err != nil {
			t.Fatal(err)
		}
		const what, identity = 2, 4
		of := make(map[string]string) // the rows of each block
		for line := range strings.Lines(all) {
			// The entries of the first version stand for several blocks.
			f := strings.Split(line, "|")
			if id := f[identity]; id != "identity" && id != "-" && f[0] != "-" {
				of[id] += line
			}
		}
		blocks, _, err := ask(s, "SELECT DISTINCT identity FROM blocks IN '=x.cn' WHERE url = 'http://x.cn/'")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range strings.Split(strings.TrimSpace(blocks), "\n")[1:] {
			got, _, err := ask(s, "SHOW STORY 'x.cn' OF BLOCK '"+id+"' ALL")
			if err != nil {
				t.Fatal(err)
			}
			_, rows, _ := strings.Cut(got, "\n")
			first, rest, _ := strings.Cut(rows, "\n")
			if f := strings.Split(first, "|"); f[0] == "-" {
				if f[what] != "first seen" && f[what] != "came from" {
					t.Fatalf("the story of %s begins with %s", id, first)
				}
				rows = rest
			}
			if rows != of[id] {
				t.Fatalf("block %s: got\n%swant\n%svisits %+v", id, rows, of[id], visits)
			}
		}
	})
}

// TestStoryOfLostBlock shows that the story of a block says nothing more of its page
// once the page has lost it.
func TestStoryOfLostBlock(t *testing.T) {
	at := func(days int) record.Time { return modelStart + record.Time(days)*day1 }
	body := func(paragraphs ...int) string {
		return (&storyVisit{status: 200, title: "T", paragraphs: paragraphs}).body()
	}
	s := newSession(archive{relationtest.New(
		relationtest.Capture{URL: "http://x.cn/", Time: at(0), Status: 200, Mime: html, Body: body(0, 1)},
		relationtest.Capture{URL: "http://x.cn/", Time: at(1), Status: 200, Mime: html, Body: body(0, 1, 2)},
		relationtest.Capture{URL: "http://x.cn/", Time: at(2), Status: 404, Mime: html, Body: "<p>Not here</p>"},
		relationtest.Capture{URL: "http://x.cn/", Time: at(3), Status: 404, Mime: html, Body: "<p>Still not here</p>"},
		relationtest.Capture{URL: "http://x.cn/", Time: at(4), Status: 200, Mime: html, Body: body(0, 1, 2)},
	)})
	s.Settings().Level = "leaves"
	got, _, err := ask(s, "SHOW STORY 'x.cn' ALL")
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(got, "|added|")
	identity := strings.Split(got[i:], "|")[3]
	got, _, err = ask(s, "SHOW STORY 'x.cn' OF BLOCK '"+identity+"' ALL")
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, line := range strings.Split(strings.TrimSpace(got), "\n")[1:] {
		entries = append(entries, strings.Join(strings.Split(line, "|")[:3], "|"))
	}
	want := []string{day(at(0)) + "|" + day(at(1)) + "|added", day(at(1)) + "|" + day(at(2)) + "|gone"}
	if !slices.Equal(entries, want) {
		t.Errorf("got %q, want %q", entries, want)
	}
}

// TestStoryEnds shows that SHOW STORY ends with the error of its context, whenever the
// context ends while it reads, and asks no more of the archive then.
func TestStoryEnds(t *testing.T) {
	st, err := lang.ParseOne("SHOW STORY 'x.cn' ALL", "")
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

// TestStoryWithoutBodies shows that a version whose body the archive does not have is
// passed over: what changed, changed after the version before it.
func TestStoryWithoutBodies(t *testing.T) {
	at := func(days int) record.Time { return modelStart + record.Time(days)*day1 }
	body := func(paragraphs ...int) string {
		return (&storyVisit{status: 200, title: "T", paragraphs: paragraphs}).body()
	}
	s := newSession(archive{relationtest.New(
		relationtest.Capture{URL: "http://x.cn/", Time: at(0), Status: 200, Mime: html, Body: body(0, 1)},
		relationtest.Capture{URL: "http://x.cn/", Time: at(1), Status: 200, Mime: html, Body: body(0, 1)},
		relationtest.Capture{URL: "http://x.cn/", Time: at(2), Status: 200, Mime: html, Body: body(0, 2), NoBody: true},
		relationtest.Capture{URL: "http://x.cn/", Time: at(3), Status: 200, Mime: html, Body: body(0, 2), NoBody: true},
		relationtest.Capture{URL: "http://x.cn/", Time: at(4), Status: 200, Mime: html, Body: body(0, 1, 3)},
	)})
	got, _, err := ask(s, "SHOW STORY 'x.cn'")
	if err != nil {
		t.Fatal(err)
	}
	if want := day(at(1)) + "|" + day(at(4)) + "|added|"; !strings.Contains(got, want) {
		t.Errorf("got\n%swant a row with %s", got, want)
	}
}

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
	"infomall/lang"
	"infomall/store/record"
)

// linkVisit is one capture of a page that has links to other pages.
type linkVisit struct {
	page  int
	day   int
	links [pathPages]bool
}

const pathPages = 4

func pathURL(page int) string { return fmt.Sprintf("http://p%d.cn/", page) }

func (v *linkVisit) body() string {
	var b strings.Builder
	b.WriteString("<p>Links</p>")
	for to, has := range v.links {
		if has {
			fmt.Fprintf(&b, `<a href="%s">to %d</a>`, pathURL(to), to)
		}
	}
	return b.String()
}

// arrivalDay is the plain model of SHOW PATH DURING: day by day, it follows each link of
// each version that was seen on that day or before and after it. It returns -1 if the
// page to is never reached.
func arrivalDay(visits []linkVisit, from, to, begin, end int) int {
	var reached [pathPages]bool
	reached[from] = true
	for day := begin; day <= end; day++ {
		for range pathPages {
			for i := range visits {
				first := &visits[i]
				if i > 0 && visits[i-1].page == first.page && visits[i-1].links == first.links {
					continue // the version began before
				}
				last := i
				for last+1 < len(visits) && visits[last+1].page == first.page && visits[last+1].links == first.links {
					last++
				}
				// A visit after the range is not known.
				for last > i && visits[last].day > end {
					last--
				}
				if !reached[first.page] || day < first.day || day > visits[last].day {
					continue
				}
				for n, has := range first.links {
					reached[n] = reached[n] || has
				}
			}
		}
		if reached[to] {
			return day
		}
	}
	return -1
}

// TestPathDuringModel shows that SHOW PATH … DURING arrives when the plain model does,
// over random visits of pages with random links.
func TestPathDuringModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := func(day int) record.Time { return modelStart + record.Time(day)*day1 }
		var visits []linkVisit
		seen := map[[2]int]bool{}
		for range rapid.IntRange(1, 14).Draw(t, "visits") {
			v := linkVisit{page: rapid.IntRange(0, pathPages-1).Draw(t, "page"), day: rapid.IntRange(0, 12).Draw(t, "day")}
			for n := range v.links {
				v.links[n] = rapid.IntRange(0, 2).Draw(t, "link") == 0
			}
			if !seen[[2]int{v.page, v.day}] {
				seen[[2]int{v.page, v.day}] = true
				visits = append(visits, v)
			}
		}
		slices.SortFunc(visits, func(a, b linkVisit) int { return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.day, b.day)) })
		var captures []relationtest.Capture
		for i := range visits {
			captures = append(captures, relationtest.Capture{URL: pathURL(visits[i].page), Time: at(visits[i].day), Status: 200, Mime: html, Body: visits[i].body()})
		}
		from, to := rapid.IntRange(0, pathPages-1).Draw(t, "a"), rapid.IntRange(0, pathPages-1).Draw(t, "b")
		begin := rapid.IntRange(0, 12).Draw(t, "during")
		end := begin + rapid.IntRange(0, 12).Draw(t, "and")
		src := fmt.Sprintf("SHOW PATH '%s' TO '%s' DURING %s AND %s", pathURL(from), pathURL(to), at(begin).Std().Format("2006-01-02"), at(end).Std().Format("2006-01-02"))
		got, _, err := ask(newSession(archive{relationtest.New(captures...)}), src)
		if err != nil && !strings.Contains(err.Error(), "is not a page at that time") {
			t.Fatalf("%s: %v", src, err)
		}
		want := arrivalDay(visits, from, to, begin, end)
		if err != nil {
			if want >= 0 && from != to {
				t.Fatalf("%s: %v, want a path that arrives at %s\n%+v", src, err, day(at(want)), visits)
			}
			return
		}
		lines := strings.Split(strings.TrimSpace(got), "\n")[1:]
		if want < 0 {
			if len(lines) > 0 {
				t.Fatalf("%s\ngot\n%swant no path\n%+v", src, got, visits)
			}
			return
		}
		if len(lines) == 0 {
			t.Fatalf("%s: no path, want one that arrives at %s\n%+v", src, day(at(want)), visits)
		}
		if last := strings.Split(lines[len(lines)-1], "|"); last[1] != pathURL(to) || last[2] != day(at(want)) {
			t.Fatalf("%s\ngot\n%swant the arrival %s\n%+v", src, got, day(at(want)), visits)
		}
	})
}

// TestPathDuringEnds shows that SHOW PATH … DURING ends with the error of its context.
func TestPathDuringEnds(t *testing.T) {
	st, err := lang.ParseOne("SHOW PATH 'a.cn' TO 'c.cn' DURING 2008-05 AND 2008-09", "")
	if err != nil {
		t.Fatal(err)
	}
	calls, _, err := runWatched(linkedSite(), st, 0, 0)
	if err != nil || calls < 3 {
		t.Fatalf("it asks the archive %d times, want 3 or more; %v", calls, err)
	}
	for n := 1; n < calls; n++ {
		if after, _, err := runWatched(linkedSite(), st, n, 0); !errors.Is(err, context.Canceled) || after > 1 {
			t.Errorf("cancelled at call %d of %d, it asks %d times more and ends with %v", n, calls, after, err)
		}
	}
}

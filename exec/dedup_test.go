package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
)

// wordsFrom are n words of a text that has no end, from one of them on.
func wordsFrom(from, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("w%d", (from+i)*7919%100003))
	}
	return strings.Join(list, " ")
}

// reprintedSite has an article on three hosts, once with another sentence behind
// it, two pages of one frame with articles of their own, a short page on two hosts, of
// which all text is compared, and pages without words.
func reprintedSite() *relationtest.Archive {
	page := func(url, day, text string) relationtest.Capture {
		frame := "<div class=header>" + wordsFrom(90000, 80) + "</div>"
		return relationtest.Capture{URL: url, Time: at(day), Status: 200, Mime: html, Body: "<html><body>" + frame + "<div class=content><p>" + text + "</p></div></body></html>"}
	}
	article := wordsFrom(1000, 300)
	return relationtest.New(
		page("http://a.cn/article", "2008-06-02", article),
		page("http://b.cn/reprint", "2008-06-01", article),
		page("http://c.cn/again", "2008-06-03", article+" "+wordsFrom(5000, 20)),
		page("http://a.cn/own", "2008-06-01", wordsFrom(2000, 200)),
		page("http://a.cn/other", "2008-06-01", wordsFrom(3000, 200)),
		relationtest.Capture{URL: "http://a.cn/short", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p>" + wordsFrom(7000, 20)},
		relationtest.Capture{URL: "http://b.cn/short", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p>" + wordsFrom(7000, 20)},
		relationtest.Capture{URL: "http://a.cn/empty", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p></p>"},
		relationtest.Capture{URL: "http://b.cn/empty", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p> </p>"},
	)
}

// TestDedup finds the reprints, the earliest first, by either method.
func TestDedup(t *testing.T) {
	for _, c := range []struct{ statement, query, want string }{
		{"DEDUP", "SELECT group_id, url, method, representative, similarity = 1, similarity > 0.8, containment FROM duplicates",
			"1|http://a.cn/article|minhash|false|true|true|1\n2|http://a.cn/short|minhash|true|true|true|1\n1|http://b.cn/reprint|minhash|true|true|true|1\n" +
				"2|http://b.cn/short|minhash|false|true|true|1\n1|http://c.cn/again|minhash|false|false|true|1\n"},
		{"DEDUP METHOD simhash DISTANCE 3 SIMILARITY 0.95", "SELECT url, distance FROM duplicates", "http://a.cn/article|0\nhttp://a.cn/short|0\nhttp://b.cn/reprint|0\nhttp://b.cn/short|0\n"},
		{"DEDUP METHOD keywords", "SELECT url, group_id, length(keywords) > 10 FROM duplicates",
			"http://a.cn/article|1|true\nhttp://a.cn/short|2|true\nhttp://b.cn/reprint|1|true\nhttp://b.cn/short|2|true\n"},
		{"DEDUP METHOD containment SIMILARITY 0.9", "SELECT group_id, url, representative, containment, similarity = 1 FROM duplicates",
			"2|http://a.cn/article|false|1|true\n1|http://a.cn/short|true|1|true\n2|http://b.cn/reprint|true|1|true\n1|http://b.cn/short|false|1|true\n2|http://c.cn/again|false|1|false\n"},
		{"DEDUP SIMILARITY 0.99", "SELECT url FROM duplicates", "http://a.cn/article\nhttp://a.cn/short\nhttp://b.cn/reprint\nhttp://b.cn/short\n"},
		{"DEDUP IN 'a.cn'", "SELECT url FROM duplicates", ""},
		{"DEDUP AT 2008-06-02", "SELECT url, time FROM duplicates SINCE 2008-06-02", "http://a.cn/article|2008-06-02\n"},
		{"DEDUP OF blocks IN 'b.cn', 'c.cn'", "SELECT count(*) > 1, count(block) = count(*), count_if(representative) = count(DISTINCT group_id) FROM duplicates", "true|true|true\n"},
	} {
		s := newSession(archive{reprintedSite()})
		if _, _, err := ask(s, c.statement); err != nil {
			t.Errorf("%s: %v", c.statement, err)
			continue
		}
		got, _, err := ask(s, c.query)
		if _, rows, _ := strings.Cut(got, "\n"); rows != c.want || err != nil {
			t.Errorf("%s; %s\ngot\n%s\nerror %v, want\n%s", c.statement, c.query, rows, err, c.want)
		}
	}
}

// TestDedupProgress shows that DEDUP reports a share of its work after the texts were read, too.
func TestDedupProgress(t *testing.T) {
	for _, c := range []struct {
		statement string
		phases    []string
	}{
		{"DEDUP", []string{"dedup: compare", "dedup: groups"}},
		{"DEDUP METHOD keywords", []string{"dedup: compare", "dedup: groups"}},
		{"DEDUP METHOD simhash", []string{"dedup: compare", "dedup: groups"}},
		{"DEDUP METHOD containment", []string{"dedup: sample", "dedup: compare", "dedup: groups"}},
	} {
		s := newSession(archive{reprintedSite()})
		var phases []string
		s.SetProgress(func(p session.Progress) {
			if !strings.HasPrefix(p.What, "dedup: ") {
				return // the reading of texts, if it takes long
			}
			if p.Total == 0 || p.Done > p.Total {
				t.Errorf("%s: reported %+v", c.statement, p)
			}
			phases = append(phases, p.What)
		})
		if _, _, err := ask(s, c.statement); err != nil {
			t.Errorf("%s: %v", c.statement, err)
		}
		if !slices.Equal(slices.Compact(phases), c.phases) {
			t.Errorf("%s: reported %q, want %q", c.statement, phases, c.phases)
		}
	}
}

// TestDedupTemplate has pages of a site that share a frame ten times as long as
// what each says: that makes no two of them duplicates, by any method.
func TestDedupTemplate(t *testing.T) {
	menu := ""
	for i := range 60 {
		menu += fmt.Sprintf(`<li><a href="/section%d.htm">%s</a></li>`, i, wordsFrom(90000+5*i, 5))
	}
	var site []relationtest.Capture
	for i := range 12 {
		body := `<html><body><div class="header"><h1>` + wordsFrom(80000, 12) + `</h1></div><div class="nav"><ul>` + menu + `</ul></div>` +
			`<div class="content"><p>` + wordsFrom(1000*i, 70) + `</p></div><div class="footer">` + wordsFrom(70000, 300) + `</div></body></html>`
		site = append(site, relationtest.Capture{URL: fmt.Sprintf("http://a.cn/%d", i), Time: at("2008-06-01"), Status: 200, Mime: html, Body: body})
	}
	for _, st := range []string{"DEDUP", "DEDUP SIMILARITY 0.5", "DEDUP METHOD simhash DISTANCE 16 SIMILARITY 0.5", "DEDUP METHOD keywords SIMILARITY 0.3", "DEDUP METHOD containment SIMILARITY 0.5"} {
		s := newSession(archive{relationtest.New(site...)})
		got, _, err := ask(s, st)
		if err != nil || !strings.Contains(got, "|12|12|0|0|0|0|0|") {
			t.Errorf("%s: %s, error %v, want 12 pages compared and no group", st, got, err)
		}
	}
}

// TestDedupWork has the summary, EXPLAIN and the errors.
func TestDedupWork(t *testing.T) {
	s := newSession(archive{reprintedSite()})
	for _, c := range []struct{ src, want string }{
		{"DEDUP", "pages|minhash|7|9|2|3|2|"},
		{"EXPLAIN DEDUP METHOD simhash", "compare fingerprints that differ in 3 bits at most, confirm what shares 0.8 of its shingles; among a million: tables of fingerprints: 8"},
		{"EXPLAIN DEDUP SIMILARITY $n", "0.3 to 1"},
		{"EXPLAIN DEDUP", "read only texts that are not among the 9 compared at 2009-01-01T12:00:00Z"},
		{"EXPLAIN DEDUP SIMILARITY 0.9", "compare by "},
		{"EXPLAIN DEDUP METHOD keywords", "compare by the 5 keywords that weigh most, confirm what shares 0.5"},
		{"EXPLAIN DEDUP METHOD containment", "confirm if one has 0.8 of those of the other"},
		{"DEDUP DISTANCE 2", "minhash has no DISTANCE"},
		{"DEDUP METHOD keywords DISTANCE 2", "keywords has no DISTANCE"},
		{"DEDUP METHOD simhash DISTANCE 17", "DISTANCE takes a whole number from 0 to 16, not 17"},
		{"DEDUP SIMILARITY 1.5", "SIMILARITY takes a number from 0.3 to 1, not 1.5"},
		{"SELECT * FROM duplicates LATEST", "duplicates takes only ranges of time"},
	} {
		got, _, err := ask(s, c.src)
		if err != nil {
			got = "\n" + err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot\n%s\nwant %s", c.src, got, c.want)
		}
	}
}

// quotingSite has two articles, a page that quotes both whole, one that quotes
// half of one, and a copy of the first article that came later.
func quotingSite() *relationtest.Archive {
	page := func(url, day, text string) relationtest.Capture {
		return relationtest.Capture{URL: url, Time: at(day), Status: 200, Mime: html, Body: "<html><body><div class=content><p>" + text + "</p></div></body></html>"}
	}
	one, two := wordsFrom(1000, 100), wordsFrom(3000, 100)
	return relationtest.New(
		page("http://a.cn/one", "2008-06-02", one),
		page("http://b.cn/two", "2008-06-02", two),
		page("http://c.cn/both", "2008-06-03", wordsFrom(5000, 900)+" "+one+" "+two),
		page("http://d.cn/half", "2008-06-03", wordsFrom(7000, 900)+" "+wordsFrom(1000, 50)),
		page("http://e.cn/one", "2008-06-04", one),
	)
}

// TestQuoted finds what a page quotes, though the page is ten times as long, and
// a page that quotes two in both groups; what fingerprints cannot see.
func TestQuoted(t *testing.T) {
	for _, c := range []struct{ statement, want string }{
		{"DEDUP METHOD containment", "1|http://a.cn/one|true|1\n2|http://b.cn/two|true|1\n1|http://c.cn/both|false|1\n2|http://c.cn/both|false|1\n1|http://e.cn/one|false|1\n"},
		{"DEDUP METHOD containment SIMILARITY 0.4", "1|http://a.cn/one|true|1\n2|http://b.cn/two|true|1\n1|http://c.cn/both|false|1\n2|http://c.cn/both|false|1\n1|http://d.cn/half|false|0.48\n1|http://e.cn/one|false|1\n"},
		{"DEDUP", "1|http://a.cn/one|true|1\n1|http://e.cn/one|false|1\n"},
		{"DEDUP METHOD simhash", "1|http://a.cn/one|true|1\n1|http://e.cn/one|false|1\n"},
	} {
		s := newSession(archive{quotingSite()})
		if _, _, err := ask(s, c.statement); err != nil {
			t.Errorf("%s: %v", c.statement, err)
			continue
		}
		got, _, err := ask(s, "SELECT group_id, url, representative, round(containment, 2) FROM duplicates")
		if _, rows, _ := strings.Cut(got, "\n"); rows != c.want || err != nil {
			t.Errorf("%s\ngot\n%s\nerror %v, want\n%s", c.statement, rows, err, c.want)
		}
	}
}

// TestDedupAgain compares a site at one moment after the other, which reads only
// the texts that came in between: each time the same is found as by a comparison
// of all.
func TestDedupAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		var texts []string // of which a page has one, changed a little
		for range 3 {
			texts = append(texts, randomWords(r, 60+r.IntN(60)))
		}
		var site []relationtest.Capture
		for i := range 4 + r.IntN(8) {
			for day := 1; day <= 4; day++ {
				if r.IntN(2) > 0 {
					continue
				}
				words := strings.Fields(texts[r.IntN(len(texts))])
				for range r.IntN(6) {
					words[r.IntN(len(words))] = fmt.Sprintf("x%d", r.IntN(1e6))
				}
				c := relationtest.Capture{URL: fmt.Sprintf("http://%c.cn/%d", 'a'+i%3, i), Time: at(fmt.Sprintf("2008-06-%02d", day)), Status: 200, Mime: html}
				if c.Body = "<p>" + strings.Join(words[:len(words)-r.IntN(30)], " ") + "</p>"; r.IntN(8) == 0 {
					c.Status, c.Body = 404, "gone"
				}
				site = append(site, c)
			}
		}
		st := rapid.SampledFrom([]string{"DEDUP %s SIMILARITY 0.7", "DEDUP %s METHOD simhash DISTANCE 8 SIMILARITY 0.5", "DEDUP %s OF blocks SIMILARITY 0.6"}).Draw(t, "statement")
		again := newSession(archive{relationtest.New(site...)})
		for _, when := range []string{"AT 2008-06-02", "IN 'b.cn' AT 2008-06-03", "SINCE 2008-06-01", "AT 2008-06-01", "LATEST"} {
			statement := fmt.Sprintf(st, when)
			whole := newSession(archive{relationtest.New(site...)})
			want := foundBy(t, whole, statement)
			if got := foundBy(t, again, statement); got != want {
				t.Fatalf("%s\ngot\n%s\nwant\n%s", statement, got, want)
			}
		}
	})
}

func randomWords(r *rand.Rand, n int) string {
	var list []string
	for range n {
		list = append(list, fmt.Sprintf("w%d", r.IntN(1e6)))
	}
	return strings.Join(list, " ")
}

// foundBy runs a DEDUP and gives its figures and what it found.
func foundBy(t *rapid.T, s *session.Session, statement string) string {
	row, _, err := ask(s, statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	f := strings.Split(strings.Split(row, "\n")[1], "|")
	// Not those of how many texts were read, and how long it took.
	figures := strings.Join(append(f[:3:3], f[4:len(f)-1]...), "|")
	if f[4] == "0" {
		return figures // the relation has nothing of it
	}
	got, _, err := ask(s, "SELECT group_id, url, time, block, method, distance, similarity, containment, representative FROM duplicates WHERE computed = (SELECT max(computed) FROM duplicates)")
	if err != nil {
		t.Fatal(err)
	}
	return figures + "\n" + got
}

// TestDedupReads reads no text twice, but those of groups that have changed.
func TestDedupReads(t *testing.T) {
	s := newSession(archive{reprintedSite()})
	for _, c := range []struct{ src, want string }{
		{"DEDUP AT 2008-06-01", "pages|minhash|5|7|1|1|"},
		{"DEDUP AT 2008-06-02", "pages|minhash|6|2|2|2|"}, // the article, and its reprint to compare it with
		{"DEDUP AT 2008-06-02", "pages|minhash|6|0|2|2|"},
		{"DEDUP IN 'a.cn' AT 2008-06-02", "pages|minhash|4|0|0|0|"},
		{"DEDUP SIMILARITY 0.9", "pages|minhash|7|9|"},
	} {
		if got, _, err := ask(s, c.src); err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot\n%s\nerror %v, want %s", c.src, got, err, c.want)
		}
	}
}

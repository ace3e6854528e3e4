package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"infomall/exec/op/optest"
)

// reprintedSite has an article on three hosts, once with another sentence behind
// it, two pages of one frame with articles of their own, and pages of nearly no
// words.
func reprintedSite() *optest.Archive {
	words := func(from, n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("w%d", (from+i)*7919%100003))
		}
		return strings.Join(list, " ")
	}
	page := func(url, day, text string) optest.Capture {
		frame := "<div class=header>" + words(90000, 80) + "</div>"
		return optest.Capture{URL: url, Time: at(day), Status: 200, Mime: html, Body: "<html><body>" + frame + "<div class=content><p>" + text + "</p></div></body></html>"}
	}
	article := words(1000, 300)
	return optest.New(
		page("http://a.cn/article", "2008-06-02", article),
		page("http://b.cn/reprint", "2008-06-01", article),
		page("http://c.cn/again", "2008-06-03", article+" "+words(5000, 20)),
		page("http://a.cn/own", "2008-06-01", words(2000, 200)),
		page("http://a.cn/other", "2008-06-01", words(3000, 200)),
		optest.Capture{URL: "http://a.cn/short", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p>" + words(7000, 20)},
		optest.Capture{URL: "http://b.cn/short", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p>" + words(7000, 20)},
		optest.Capture{URL: "http://a.cn/empty", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p></p>"},
		optest.Capture{URL: "http://b.cn/empty", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p> </p>"},
	)
}

// TestDedup finds the reprints, the earliest first, by either method.
func TestDedup(t *testing.T) {
	for _, c := range []struct{ statement, query, want string }{
		{"DEDUP", "SELECT group_id, url, method, representative, similarity = 1, similarity > 0.8, containment FROM duplicates",
			"1|http://a.cn/article|minhash|false|true|true|1\n1|http://b.cn/reprint|minhash|true|true|true|1\n1|http://c.cn/again|minhash|false|false|true|1\n"},
		{"DEDUP METHOD simhash DISTANCE 3 SIMILARITY 0.95", "SELECT url, distance FROM duplicates", "http://a.cn/article|0\nhttp://b.cn/reprint|0\n"},
		{"DEDUP SIMILARITY 0.99", "SELECT url FROM duplicates", "http://a.cn/article\nhttp://b.cn/reprint\n"},
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

// TestDedupTemplate has pages of a site that share a frame ten times as long as
// what each says: that makes no two of them duplicates, by any method.
func TestDedupTemplate(t *testing.T) {
	words := func(from, n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("w%d", (from+i)*7919%100003))
		}
		return strings.Join(list, " ")
	}
	menu := ""
	for i := range 60 {
		menu += fmt.Sprintf(`<li><a href="/section%d.htm">%s</a></li>`, i, words(90000+5*i, 5))
	}
	var site []optest.Capture
	for i := range 12 {
		body := `<html><body><div class="header"><h1>` + words(80000, 12) + `</h1></div><div class="nav"><ul>` + menu + `</ul></div>` +
			`<div class="content"><p>` + words(1000*i, 70) + `</p></div><div class="footer">` + words(70000, 300) + `</div></body></html>`
		site = append(site, optest.Capture{URL: fmt.Sprintf("http://a.cn/%d", i), Time: at("2008-06-01"), Status: 200, Mime: html, Body: body})
	}
	for _, st := range []string{"DEDUP", "DEDUP SIMILARITY 0.5", "DEDUP METHOD simhash DISTANCE 16 SIMILARITY 0.5"} {
		s := newSession(archive{optest.New(site...)})
		got, _, err := ask(s, st)
		if err != nil || !strings.Contains(got, "simhash|12|0|0|0|0|") && !strings.Contains(got, "minhash|12|0|0|0|0|") {
			t.Errorf("%s: %s, error %v, want 12 pages compared and no group", st, got, err)
		}
	}
}

// TestDedupWork has the summary, EXPLAIN and the errors.
func TestDedupWork(t *testing.T) {
	s := newSession(archive{reprintedSite()})
	for _, c := range []struct{ src, want string }{
		{"DEDUP", "pages|minhash|5|1|2|1|"},
		{"EXPLAIN DEDUP METHOD simhash", "compare fingerprints that differ in 3 bits at most, confirm what shares 0.8 of its shingles; among a million: 4 tables"},
		{"EXPLAIN DEDUP SIMILARITY $n", "0.3 to 1"},
		{"DEDUP DISTANCE 2", "minhash has no DISTANCE"},
		{"DEDUP METHOD simhash DISTANCE 17", "DISTANCE takes a whole number from 0 to 16, not 17"},
		{"DEDUP SIMILARITY 1.5", "SIMILARITY takes a number from 0.3 to 1, not 1.5"},
		{"SELECT * FROM duplicates LATEST", "duplicates takes ranges of time only"},
	} {
		got, _, err := ask(s, c.src)
		if err != nil {
			got = "\n" + err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot\n%s\nwant %s", c.src, got, c.want)
		}
	}
	s.ReadOnly = true
	if _, _, err := ask(s, "DEDUP"); err == nil || !strings.Contains(err.Error(), "only reads") {
		t.Errorf("a session that only reads: error %v", err)
	}
}

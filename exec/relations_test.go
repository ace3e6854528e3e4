package exec_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/store/record"
)

// testPage reads a page of the published example.
func testPage(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// paperSite has the page of the published example, which changes after five
// days, goes and comes back, an image that changes and a page that is not here.
func paperSite(t *testing.T) *relationtest.Archive {
	before, after := testPage(t, "paper_before.html"), testPage(t, "paper_after.html")
	page := func(day, body string) relationtest.Capture {
		return relationtest.Capture{URL: "http://pku.edu.cn/", Time: at(day), Status: 200, Mime: html, Body: body}
	}
	gone := page("2008-07-01", "no such page")
	gone.Status = 404
	return relationtest.New(
		page("2008-06-01", before), page("2008-06-03", before), page("2008-06-06", after), gone, page("2008-07-02", before),
		page("2008-07-03", strings.Replace(before, "<title>Example", "<title>Exemplary", 1)),
		relationtest.Capture{URL: "http://pku.edu.cn/a.gif", Time: at("2008-06-01"), Status: 200, Mime: "image/gif", Body: "GIF89a1"},
		relationtest.Capture{URL: "http://pku.edu.cn/a.gif", Time: at("2008-06-02"), Status: 200, Mime: "image/gif", Body: "GIF89a22"},
		relationtest.Capture{URL: "http://pku.edu.cn/x", Time: at("2008-06-01"), Status: 200, Mime: html, Body: "<p>one two", NoBody: true},
		relationtest.Capture{URL: "http://pku.edu.cn/x", Time: at("2008-06-02"), Status: 200, Mime: html, Body: "<p>one two three"},
		relationtest.Capture{URL: "http://pku.edu.cn/x", Time: at("2008-06-03"), Status: 200, Mime: html, Body: "<p>five two six", NoBody: true},
		relationtest.Capture{URL: "http://pku.edu.cn/x", Time: at("2008-06-04"), Status: 200, Mime: html, Body: "<p>one two four"},
	)
}

// relationCases are asked of paperSite with profile classic, each at a level.
var relationCases = []struct{ level, src, want string }{
	// The published example: what changed, level by level.
	{"1", "SELECT blocks FROM 'http://pku.edu.cn/' BETWEEN 2008-06-05 AND 2008-06-30 WHERE changed AND bytes < 0",
		"url|time|block|identity|label|topic|change|changed|bytes|words|link_count|first_seen|digest|parent|depth|ordinal|host\n"},
	{"1", "SELECT block, change FROM blocks IN 'http://pku.edu.cn/' BETWEEN 2008-06-05 AND 2008-06-30 WHERE changed", "block|change\nC|edited\n"},
	{"2", "SELECT block, change FROM blocks IN 'http://pku.edu.cn/' BETWEEN 2008-06-05 AND 2008-06-30 WHERE changed", "block|change\nC.C|edited\n"},
	{"auto", "SELECT block, change FROM blocks IN 'http://pku.edu.cn/' BETWEEN 2008-06-05 AND 2008-06-30 WHERE changed", "block|change\nC.C|edited\n"},
	{"3", "SELECT block FROM blocks IN 'http://pku.edu.cn/' BETWEEN 2008-06-05 AND 2008-06-30 WHERE changed", "block\nC.C.2\nC.C.3\nC.C.4\nC.C.5\nC.C.6\n"},
	{"leaves", "SELECT block FROM blocks IN 'http://pku.edu.cn/' BETWEEN 2008-06-05 AND 2008-06-30 WHERE changed", "block\nC.C.2\nC.C.3\nC.C.4\nC.C.5\nC.C.6\n"},

	// The columns of a block.
	{"2", "SELECT block, identity, label, topic, change, words, link_count, first_seen, parent, depth, ordinal, host FROM blocks IN 'http://pku.edu.cn/' AT 2008-06-10 WHERE ordinal < 5",
		"block|identity|label|topic|change|words|link_count|first_seen|parent|depth|ordinal|host\n" +
			"T1|20080601T000000-1|header|Example University|same|7|1|2008-06-01|-|1|1|pku.edu.cn\n" +
			"T2|20080601T000000-2|nav|Departments Research|same|4|3|2008-06-01|-|1|2|pku.edu.cn\n" +
			"C.L|20080601T000000-4|nav|Institute 0|same|48|24|2008-06-01|C|2|3|pku.edu.cn\n" +
			"C.C|20080601T000000-5|main|News of the university|edited|90|6|2008-06-01|C|2|4|pku.edu.cn\n"},
	{"3", "SELECT text, html, bytes FROM blocks IN 'http://pku.edu.cn/' FIRST WHERE block = 'C.R.1'",
		"text|html|bytes\nLibrary The library is open on all days but holidays|<td><b>Library</b> The library is open <a href=\"/l\">on all days</a> but holidays</td>|85\n"},
	{"1", "SELECT block, words FROM blocks IN 'http://pku.edu.cn/' FIRST ORDER BY words DESC, block LIMIT 2", "block|words\nC|162\nB1|8\n"},
	{"1", "SELECT time, count(*) FROM blocks IN 'http://pku.edu.cn/' GROUP BY time", "time|count(*)\n2008-06-01|5\n2008-06-06|5\n2008-07-02|5\n2008-07-03|5\n"},
	{"1", "SELECT change, count(*) FROM blocks IN 'http://pku.edu.cn/' GROUP BY change", "change|count(*)\nadded|5\nedited|1\nfirst|5\nsame|9\n"},
	{"1", "SELECT count(DISTINCT identity), min(first_seen) FROM blocks IN 'http://pku.edu.cn/' SINCE 2008-07", "count(DISTINCT identity)|min(first_seen)\n5|2008-07-02\n"},
	{"1", "SELECT block FROM blocks IN 'http://pku.edu.cn/' AT 2008-07-01", "block\n"},
	{"1", "SELECT block FROM blocks WHERE url = 'http://pku.edu.cn/a.gif'", "block\n"},

	// Changes.
	{"3", "SELECT time, not_before, previous, op, block, identity, similarity < 0.5 AS little FROM changes IN 'http://pku.edu.cn/' BETWEEN 2008-06 AND 2008-06 LIMIT 2",
		"time|not_before|previous|op|block|identity|little\n" +
			"2008-06-06|2008-06-03|2008-06-01|edited|C.C.2|20080601T000000-7|true\n" +
			"2008-06-06|2008-06-03|2008-06-01|edited|C.C.3|20080601T000000-8|true\n"},
	{"3", "SELECT text, old_text, added_text, removed_text, bytes, old_bytes FROM changes IN 'http://pku.edu.cn/' WHERE block = 'C.C.2' AND op = 'edited'",
		"text|old_text|added_text|removed_text|bytes|old_bytes\n" +
			"News 2\nThe choir of the university sings in the concert hall on Sunday. more|News 2\nA team of students has won the contest in programming again. more|" +
			"The choir university sings the concert hall on Sunday|A team students has won contest programming again|113|109\n"},
	{"1", "SELECT time, op, block, topic, old_topic FROM changes IN 'http://pku.edu.cn/' SINCE 2008-07 WHERE block LIKE 'T%'",
		"time|op|block|topic|old_topic\n2008-07-01|removed|T1|-|Example University\n2008-07-01|removed|T2|-|Departments Research\n" +
			"2008-07-02|added|T1|Example University|-\n2008-07-02|added|T2|Departments Research|-\n"},
	{"1", "SELECT text, old_text, added_text, label FROM changes IN 'http://pku.edu.cn/' SINCE 2008-07 WHERE block = 'B2'",
		"text|old_text|added_text|label\n|Copyright by the university, all rights reserved||footer\n" +
			"Copyright by the university, all rights reserved||Copyright by the university, all rights reserved|footer\n"},
	{"1", "SELECT time, change FROM versions IN 'http://pku.edu.cn/' SINCE 2008-07-03", "time|change\n2008-07-03|layout\n"},
	{"1", "SELECT op FROM changes IN 'http://pku.edu.cn/' SINCE 2008-07-03", "op\n"},
	{"1", "SELECT op, block, bytes, old_bytes, text, old_text, added_text FROM changes WHERE url = 'http://pku.edu.cn/a.gif'",
		"op|block|bytes|old_bytes|text|old_text|added_text\nedited|B|8|7|||\n"},

	// A body that is not here tells nothing: the version behind it is compared
	// with the last one known.
	{"1", "SELECT time, change, text FROM blocks IN 'http://pku.edu.cn/x'", "time|change|text\n2008-06-02|first|one two three\n2008-06-04|edited|one two four\n"},
	{"1", "SELECT time, change, identity FROM blocks IN 'http://pku.edu.cn/x' SINCE 2008-06-04", "time|change|identity\n2008-06-04|edited|20080602T000000-1\n"},
	{"1", "SELECT time, op, added_text FROM changes IN 'http://pku.edu.cn/x'", "time|op|added_text\n2008-06-04|edited|four\n"},

	// Links.
	{"1", "SELECT target, anchor, kind, rel, nofollow, block, label, internal, written, before, after FROM links IN 'http://pku.edu.cn/' FIRST LIMIT 5",
		"target|anchor|kind|rel|nofollow|block|label|internal|written|before|after\n" +
			"http://pku.edu.cn/|Home page of the university|a|-|false|T1|header|true|/|Example University|\n" +
			"http://pku.edu.cn/a|About us|a|-|false|T2|nav|true|/a||Departments Research\n" +
			"http://pku.edu.cn/b|Departments|a|-|false|T2|nav|true|/b|About us|Research\n" +
			"http://pku.edu.cn/c|Research|a|-|false|T2|nav|true|/c|About us Departments|\n" +
			"http://pku.edu.cn/sky.jpg||img|-|false|C|main|true|sky.jpg|ge of the university\nAbout us Departments Research|Institute 0\nInstitute 1\nInstitute 2\nInstitute 3\nI\n"},
	{"1", "SELECT label, count(*) FROM links IN 'http://pku.edu.cn/' FIRST GROUP BY label", "label|count(*)\nfooter|3\nheader|1\nmain|33\nnav|3\n"},
	{"1", "SELECT count(*) FROM links IN 'http://pku.edu.cn/' AT 2008-07-01", "count(*)\n0\n"},

	// Layouts.
	{"1", "SELECT host, bytes, first_seen, last_seen, version_count FROM layouts IN 'http://pku.edu.cn/' ORDER BY first_seen",
		"host|bytes|first_seen|last_seen|version_count\npku.edu.cn|365|2008-06-01|2008-07-02|3\npku.edu.cn|367|2008-07-03|2008-07-03|1\n"},
	{"1", "SELECT html FROM layouts IN 'http://pku.edu.cn/x'", "html\n<!--block-->\n"},

	// What pages say of themselves.
	{"1", "SELECT title, block_count > 1 AS parted, link_count, topic, author FROM versions IN 'http://pku.edu.cn/' LATEST",
		"title|parted|link_count|topic|author\nExemplary|true|40|Example University|-\n"},
	{"1", "SELECT title, text, block_count FROM versions IN 'http://pku.edu.cn/a.gif' LATEST", "title|text|block_count\n-|-|-\n"},
	{"1", "SELECT text, main, layout FROM versions IN 'http://pku.edu.cn/x' LATEST", "text|main|layout\none two four|one two four|<!--block-->\n"},
}

// TestRelations asks each question with batches of 1,024 and of one row, the
// latter with so little memory that sorts and groups spill.
func TestRelations(t *testing.T) {
	for _, rows := range []int{0, 1} {
		a := paperSite(t)
		a.BatchRows = rows
		s := newSession(archive{a})
		s.Settings().Profile = "classic"
		if rows == 1 {
			s.Settings().MemoryBytes = 100
		}
		for _, c := range relationCases {
			s.Settings().Level = c.level
			got, _, err := ask(s, c.src)
			if err != nil {
				t.Errorf("%s: %v", c.src, err)
			} else if got != c.want {
				t.Errorf("%s at level %s (batches of %d)\ngot\n%swant\n%s", c.src, c.level, rows, got, c.want)
			}
		}
	}
}

// counting is an archive that counts the bodies read.
type counting struct {
	*relationtest.Archive
	bodies int
}

func (a *counting) Snapshot(context.Context) (relation.Snapshot, error) { return a, nil }

func (a *counting) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	a.bodies++
	return a.Archive.Payload(ctx, ref)
}

// TestBodiesRead shows how little is read: no URL outside those chosen, nothing
// behind the rows wanted, history only where names of blocks are asked for, and
// no body twice.
func TestBodiesRead(t *testing.T) {
	needsNoWorkers(t, "a slow part is asked of a second worker, which reads the same bodies")
	var captures []relationtest.Capture
	for url := range 5 {
		for day := range 10 {
			captures = append(captures, relationtest.Capture{
				URL: fmt.Sprintf("http://a.cn/%d", url), Time: at("2008-06-01") + record.Time(day)*day1,
				Status: 200, Mime: html, Body: fmt.Sprintf("<p>page %d of day %d", url, day),
			})
		}
	}
	for _, c := range []struct {
		src  string
		want int
	}{
		{"SELECT identity FROM blocks", 50},
		{"SELECT identity, text, label FROM blocks WHERE changed", 50},
		{"SELECT text, old_text, added_text, topic FROM changes", 50},
		{"SELECT url, block, change, text FROM blocks LATEST", 10},
		{"SELECT op FROM changes IN 'http://a.cn/3' BETWEEN 2008-06-05 AND 2008-06-06", 3},
		{"SELECT op, identity FROM changes IN 'http://a.cn/3' BETWEEN 2008-06-05 AND 2008-06-06", 6},
		{"SELECT op FROM changes WHERE url = 'http://a.cn/3' AND time = 2008-06-05", 2},
		{"SELECT block FROM blocks LIMIT 1", 1},
		{"SELECT target FROM links LATEST", 5},
		{"SELECT title, text, main FROM versions LIMIT 2", 2},
		{"SELECT url, text, main FROM pages", 5},
		{"SELECT url, text FROM pages WHERE url = 'http://a.cn/3'", 1},
		{"SELECT url, text FROM pages ORDER BY last_seen DESC, url LIMIT 2", 2},
		{"SELECT host, bytes FROM hosts", 0},
		{"SELECT count(*) FROM blocks SINCE 2009", 0},
	} {
		a := &counting{Archive: relationtest.New(captures...)}
		if _, _, err := ask(newSession(a), c.src); err != nil {
			t.Errorf("%s: %v", c.src, err)
		} else if a.bodies != c.want {
			t.Errorf("%s: got %d bodies read, want %d", c.src, a.bodies, c.want)
		}
	}
}

var _ session.Archive = (*counting)(nil)

// drawBody draws a page of a few paragraphs, which are longer than what divides
// no further, in layouts that differ.
func drawBody(t *rapid.T) string {
	var w strings.Builder
	fmt.Fprintf(&w, "<html><body class=c%d><div>", rapid.IntRange(0, 1).Draw(t, "class"))
	words := []string{"river", "school", "choir", "market", "bridge"}
	for range rapid.IntRange(0, 5).Draw(t, "paragraphs") {
		a, b := rapid.SampledFrom(words).Draw(t, "a"), rapid.SampledFrom(words).Draw(t, "b")
		fmt.Fprintf(&w, "<div><h2>The %s</h2><p>%s</div>\n", a, strings.Repeat(a+" and "+b+" of our town. ", 8))
	}
	w.WriteString("</div>")
	return w.String()
}

// drawLife draws the captures of a few URLs.
func drawLife(t *rapid.T) []relationtest.Capture {
	pool := rapid.SliceOfN(rapid.Custom(drawBody), 1, 4).Draw(t, "bodies")
	pool = append(pool, "", "GIF89a1", "plain words")
	var captures []relationtest.Capture
	for i := range rapid.IntRange(1, 12).Draw(t, "captures") {
		c := relationtest.Capture{
			URL:    rapid.SampledFrom([]string{"http://a.cn/", "http://a.cn/b"}).Draw(t, "url"),
			Time:   at("2008-06-01") + record.Time(rapid.IntRange(0, 9).Draw(t, "day"))*day1 + record.Time(i),
			Status: rapid.SampledFrom([]int{200, 200, 200, 200, 404, 500}).Draw(t, "status"),
			Mime:   rapid.SampledFrom([]string{html, html, html, "image/gif", "text/plain"}).Draw(t, "mime"),
			Body:   rapid.SampledFrom(pool).Draw(t, "body"),
		}
		captures = append(captures, c)
	}
	return captures
}

// lines is the rows of an answer, without the header.
func lines(t *rapid.T, s *session.Session, src string) []string {
	got, _, err := ask(s, src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return strings.Split(strings.TrimSuffix(got, "\n"), "\n")[1:]
}

// TestChangesAgree draws lives of URLs and shows at every level that each
// version whose bytes changed has a change other than moved, unless it is one of
// layout, and no other version has; and that what is said of a version does not
// depend on the range or the columns asked for.
func TestChangesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := relationtest.New(drawLife(t)...)
		a.BatchRows = rapid.IntRange(1, 5).Draw(t, "batch")
		s := newSession(archive{a})
		s.Settings().Level = rapid.SampledFrom([]string{"auto", "1", "3", "leaves"}).Draw(t, "level")
		changed := map[string]bool{}
		for _, l := range lines(t, s, "SELECT url, time FROM changes WHERE op <> 'moved'") {
			changed[l] = true
		}
		digest := map[string]string{}
		for _, l := range lines(t, s, "SELECT url, time, change, digest FROM versions") {
			f := strings.Split(l, "|")
			before, known := digest[f[0]]
			digest[f[0]] = f[3]
			if !known || before == f[3] {
				continue // first, or only the kind is another
			}
			if got, want := changed[f[0]+"|"+f[1]], f[2] != "layout"; got != want {
				t.Fatalf("%s: changes has rows: %v, want %v", l, got, want)
			}
		}
		const columns = "url, time, block, identity, change, bytes, first_seen, digest, length(text)"
		all := lines(t, s, "SELECT "+columns+" FROM blocks")
		for _, day := range []string{"2008-06-03", "2008-06-06"} {
			want := slices.DeleteFunc(slices.Clone(all), func(l string) bool { return strings.Split(l, "|")[1] < day })
			if got := lines(t, s, "SELECT "+columns+" FROM blocks SINCE "+day); !slices.Equal(got, want) {
				t.Fatalf("since %s: got\n%q\nwant\n%q", day, got, want)
			}
		}
		with := lines(t, s, "SELECT url, time, op, block, similarity, length(text), identity IS NULL FROM changes SINCE 2008-06-05")
		without := lines(t, s, "SELECT url, time, op, block, similarity, length(text), false FROM changes SINCE 2008-06-05")
		if !slices.Equal(with, without) {
			t.Fatalf("changes with names\n%q\nand without\n%q", with, without)
		}
	})
}

// TestPagesOfVersions shows that the text of a page over a period is that of the
// version in force at its last visit, and that what a host stored is what those
// of its versions did that began in the period.
func TestPagesOfVersions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		captures := drawLife(t)
		for i := range captures {
			captures[i].Mime = html // a visit may say another than the version's first
		}
		a := relationtest.New(captures...)
		a.BatchRows = rapid.IntRange(1, 5).Draw(t, "batch")
		s := newSession(archive{a})
		from := rapid.IntRange(1, 9).Draw(t, "from")
		to := rapid.IntRange(from, 10).Draw(t, "to")
		period := fmt.Sprintf("BETWEEN 2008-06-%02d AND 2008-06-%02d", from, to)
		for _, q := range [][2]string{
			{"SELECT url, text, main FROM pages " + period,
				fmt.Sprintf("SELECT url, text, main FROM versions AT 2008-06-%02d WHERE url IN (SELECT url FROM captures %s)", to, period)},
			{"SELECT host, stored_bytes FROM hosts " + period + " WHERE stored_bytes > 0",
				"SELECT host, sum(stored_bytes) AS n FROM versions " + period + " GROUP BY host HAVING n > 0"},
			{"SELECT url, text FROM pages NEAREST 2008-06-05", "SELECT url, text FROM versions NEAREST 2008-06-05"},
		} {
			if got, want := lines(t, s, q[0]), lines(t, s, q[1]); !slices.Equal(got, want) {
				t.Fatalf("%s\ngot\n%q\nbut %s gives\n%q", q[0], got, q[1], want)
			}
		}
	})
}

// TestEachOfRelations shows that EACH gives of every relation, for each period,
// what AT gives for that.
func TestEachOfRelations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := relationtest.New(drawLife(t)...)
		a.BatchRows = rapid.IntRange(1, 5).Draw(t, "batch")
		s := newSession(archive{a})
		items := rapid.SampledFrom([]string{
			"url, first_seen, last_seen, version_count, change_count, title, status, as_of FROM pages",
			"url, text, main, as_of FROM pages",
			"url, change_rate, next_due, as_of FROM pages",
			"host, page_count, change_count, bytes, first_seen, last_seen, as_of FROM hosts",
			"host, bytes, stored_bytes, as_of FROM hosts",
			"host, digest, first_seen, last_seen, version_count, length(html), as_of FROM layouts",
			"url, time, block, identity, label, change, length(text), as_of FROM blocks",
			"url, time, block, text, as_of FROM blocks",
			"url, target, time, block, label, as_of FROM links",
			"url, time, op, block, identity, length(added_text), as_of FROM changes",
		}).Draw(t, "items")
		where := ""
		if strings.HasSuffix(items, "blocks") && rapid.Bool().Draw(t, "changed") {
			where = " WHERE changed"
		}
		var want []string
		for day := 1; day <= 12; day++ {
			want = append(want, lines(t, s, fmt.Sprintf("SELECT %s SINCE 2008-06 AT 2008-06-%02d%s", items, day, where))...)
		}
		got := lines(t, s, "SELECT "+items+" BETWEEN 2008-06-01 AND 2008-06-12 EACH day"+where)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s\ngot\n%s\nwant\n%s", items, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

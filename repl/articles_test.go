package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/exec/firstseen"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/spill"
	"infomall/store"
	"infomall/store/record"
	"infomall/store/record/task"
)

// newsVisit is one capture of a page of a small newspaper. It has an article or headlines.
type newsVisit struct {
	day, path, title string
	paragraphs       []string
	headlines        []string
}

// These are paragraphs of the newspaper.
const (
	storm   = "A storm crossed the northern coast on Monday night, and several thousand houses in the harbour towns were without power until the morning, the fire brigade said."
	repairs = "Repairs of the two bridges that were damaged will take at least three weeks, according to the office for roads, which closed both of them at once."
	damage  = "Insurance companies expect claims of forty million, a spokesman told this newspaper, and called it the worst night in nearly twelve years."
	market  = "The weekly market moves to the square in front of the old theatre in autumn, because the town hall will be rebuilt, and traders were not pleased about the news."
	stalls  = "There will be room for sixty stalls instead of ninety, so the council wants to draw lots among all those that ask for one before the end of May."
	notice  = "This newspaper is printed on paper made of old newspapers, and is delivered by bicycle to all houses between the river and the railway line, every day but Sunday."
)

// newsVisits are captures of the newspaper.
var newsVisits = []newsVisit{
	{day: "2008-05-01", path: "", headlines: []string{"Storm leaves thousands without power", "Market moves to the theatre square", "Older story about the harbour"}},
	{day: "2008-05-01", path: "storm.html", title: "Storm leaves thousands without power", paragraphs: []string{storm, repairs}},
	// The teasers stay, and one is new; another page shows them, too.
	{day: "2008-05-02", path: "", headlines: []string{"Market moves to the theatre square", "Storm leaves thousands without power!", "Council draws lots for the stalls"}},
	{day: "2008-05-02", path: "local/", headlines: []string{"COUNCIL draws lots for the stalls", "Library is open on Sundays again"}},
	// An edited article is none, another article at the same URL is one.
	{day: "2008-05-03", path: "storm.html", title: "Storm leaves thousands without power", paragraphs: []string{storm, repairs, damage}},
	{day: "2008-05-04", path: "storm.html", title: "Traders angry about new market", paragraphs: []string{market, stalls}},
	// An article that repeats another loses the lines of the other; what is left is too little.
	{day: "2008-05-05", path: "again.html", title: "What the storm has left", paragraphs: []string{storm, repairs}},
	{day: "2008-05-06", path: "more.html", title: "What the storm will cost us", paragraphs: []string{storm, repairs, damage, stalls + " " + market}},
	{day: "2008-06-01", path: "", headlines: []string{"Older story about the harbour", "Library is open on Sundays again", "Summer begins with heavy rain"}},
}

// html returns the page of a visit.
func (v *newsVisit) html() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>%s - The Harbour Post</title></head><body><div class=\"nav\"><a href=\"/\">Front page of the Harbour Post</a> <a href=\"/local/\">All local news of today</a></div><div class=\"content\">", v.title)
	if v.title != "" {
		fmt.Fprintf(&b, "<h1>%s</h1>", v.title)
	}
	for _, p := range v.paragraphs {
		fmt.Fprintf(&b, "<p>%s</p>\n", p)
	}
	for i, h := range v.headlines {
		fmt.Fprintf(&b, "<h3><a href=\"/%d.html\">%s</a></h3>\n", i, h)
	}
	fmt.Fprintf(&b, "<p>%s</p></div><div class=\"footer\">The Harbour Post</div></body></html>", notice)
	return b.String()
}

// importNews imports visits of the newspaper into a.
func importNews(t *testing.T, a *store.Archive, visits ...newsVisit) {
	t.Helper()
	var b strings.Builder
	for _, v := range visits {
		response := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + v.html()
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nWARC-Target-URI: http://post.example/%s\r\nWARC-Date: %sT08:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			slices.IndexFunc(newsVisits, func(o newsVisit) bool { return o.day == v.day && o.path == v.path }), v.path, v.day, len(response), response)
	}
	name := filepath.Join(t.TempDir(), "news.warc")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{name}}); err != nil {
		t.Fatal(err)
	}
}

// newsArchive returns an empty archive.
func newsArchive(t *testing.T) *store.Archive {
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
	t.Cleanup(func() { a.Close() })
	return a
}

// newsArticles are the rows of articles that newsVisits give, with those columns by which they
// can be told apart.
var newsArticles = []string{
	"'http://post.example/'|2008-05-01T08:00:00Z|'headline'|'Market moves to the theatre square'|NULL|",
	"'http://post.example/'|2008-05-01T08:00:00Z|'headline'|'Older story about the harbour'|NULL|",
	"'http://post.example/'|2008-05-01T08:00:00Z|'headline'|'Storm leaves thousands without power'|NULL|",
	"'http://post.example/'|2008-05-02T08:00:00Z|'headline'|'Council draws lots for the stalls'|NULL|",
	"'http://post.example/'|2008-06-01T08:00:00Z|'headline'|'Summer begins with heavy rain'|NULL|",
	"'http://post.example/local/'|2008-05-02T08:00:00Z|'headline'|'Library is open on Sundays again'|NULL|",
	"'http://post.example/more.html'|2008-05-06T08:00:00Z|'article'|'What the storm will cost us'|'" + stalls + " " + market + "'|",
	"'http://post.example/storm.html'|2008-05-01T08:00:00Z|'article'|'Storm leaves thousands without power'|'" + storm + "\n" + repairs + "'|",
	"'http://post.example/storm.html'|2008-05-04T08:00:00Z|'article'|'Traders angry about new market'|'" + market + "\n" + stalls + "'|",
}

// TestArticles shows which texts are new: in any order of import, with little memory, after a
// merge, and in a part of the scope and of the time.
func TestArticles(t *testing.T) {
	const query = "SELECT url, time, kind, title, text FROM articles"
	much, little := session.DefaultSettings(), session.DefaultSettings()
	little.MemoryBytes = 1 << 20
	for _, order := range []string{"forwards", "backwards", "two parts"} {
		a := newsArchive(t)
		switch order {
		case "forwards":
			importNews(t, a, newsVisits...)
		case "backwards":
			for _, v := range slices.Backward(newsVisits) {
				importNews(t, a, v)
			}
			if _, err := a.Merge(context.Background(), task.MergeOptions{}); err != nil {
				t.Fatal(err)
			}
		case "two parts":
			importNews(t, a, newsVisits[4:]...)
			importNews(t, a, newsVisits[:4]...)
		}
		for _, settings := range []session.Settings{much, little} {
			got := rowsOf(t, a, query+" ORDER BY url, time, title", session.Options{Settings: settings})
			if !slices.Equal(got, newsArticles) {
				t.Errorf("%s: got\n%s\nwant\n%s", order, strings.Join(got, "\n"), strings.Join(newsArticles, "\n"))
			}
		}
		for where, keep := range map[string]func(row string) bool{
			" SINCE 2008-05-02": func(row string) bool { return !strings.Contains(row, "2008-05-01T") },
			" BETWEEN 2008-05-02 AND 2008-05-05": func(row string) bool {
				return strings.Contains(row, "2008-05-02T") || strings.Contains(row, "2008-05-04T")
			},
			" WHERE time >= '2008-05-03' AND time < '2008-06'": func(row string) bool {
				return strings.Contains(row, "2008-05-04T") || strings.Contains(row, "2008-05-06T")
			},
			" IN 'post.example/local/*'":                   func(row string) bool { return strings.Contains(row, "/local/") },
			" WHERE url = 'http://post.example/more.html'": func(row string) bool { return strings.Contains(row, "/more.html") },
			" WHERE url LIKE '%storm%' AND text MATCH 'bridges'": func(row string) bool {
				return strings.Contains(row, "two bridges")
			},
		} {
			want := slices.DeleteFunc(slices.Clone(newsArticles), func(row string) bool { return !keep(row) })
			if got := rowsOf(t, a, query+where+" ORDER BY url, time, title", session.Options{Settings: much}); !slices.Equal(got, want) {
				t.Errorf("%s: %s: got\n%s\nwant\n%s", order, where, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// TestArticlesDeleted shows that a text is new at the next page that has it, if the captures that
// had it first are deleted.
func TestArticlesDeleted(t *testing.T) {
	a := newsArchive(t)
	importNews(t, a, newsVisits...)
	runMain(t, []string{"-a", a.Path(), "--yes", "-c", "DELETE FROM 'post.example/storm.html'"})
	got := rowsOf(t, a, "SELECT url, time FROM articles WHERE text CONTAINS 'storm crossed'", session.Options{Settings: session.DefaultSettings()})
	if want := []string{"'http://post.example/again.html'|2008-05-05T08:00:00Z|"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestArticlesGoOn reads articles after each of several imports, only from the captures that
// are new. The rows together are those of reading all at once. A capture that is older than
// others needs a new beginning.
func TestArticlesGoOn(t *testing.T) {
	a := newsArchive(t)
	known := firstseen.NewKnown(&spill.Memory{Bytes: 1 << 20})
	defer known.Close()
	read := func() (rows []string, err error) {
		snap, err := joined(a, nil).Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		r := relation.Reader{Snapshot: snap, Memory: spill.Memory{Bytes: 1 << 20}, FirstSeen: known}
		n := &relation.Request{Relation: relation.Articles, Window: relation.Always, During: record.MinTime, Choice: relation.Choice{AsOf: record.NoTime}}
		for _, name := range []string{"url", "time", "kind", "title", "text"} {
			n.Fields = append(n.Fields, relation.Articles.Column(name))
		}
		for b, err := range r.Read(context.Background(), n) {
			if err != nil {
				return rows, err
			}
			for i := range b.N {
				row := ""
				for _, c := range b.Cols {
					row += fmt.Sprintf("%v|", c.At(i))
				}
				rows = append(rows, row)
			}
		}
		return rows, nil
	}
	var all []string
	for _, part := range [][]newsVisit{newsVisits[:2], newsVisits[2:4], newsVisits[4:5], nil, newsVisits[6:]} {
		if part != nil {
			importNews(t, a, part...)
		}
		rows, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if part == nil && len(rows) > 0 {
			t.Errorf("nothing was imported, but there are rows: %q", rows)
		}
		all = append(all, rows...)
	}
	slices.Sort(all)
	want := rowsOf(t, a, "SELECT url, time, kind, title, text FROM articles", session.Options{Settings: session.DefaultSettings()})
	if slices.Sort(want); !slices.Equal(all, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
	importNews(t, a, newsVisits[5])
	if _, err := read(); !errors.Is(err, firstseen.ErrEarlier) {
		t.Errorf("an older capture: got the error %v, want %v", err, firstseen.ErrEarlier)
	}
}

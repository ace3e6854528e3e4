package repl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/store"
	"infomall/store/record/task"
)

func init() { relation.BestFrom = 1 } // the archives of tests are small

// wordQueries ask for words in every relation that has texts of pages.
var wordQueries = []string{
	"SELECT * FROM findings('%s')",
	"SEARCH '%s' WHERE score > 1",
	"SEARCH '%s'",
	"SEARCH '%s' LIMIT 1",
	"SEARCH '%s' IN 'www.lanshan.example' EACH month LIMIT 3",
	"SELECT url, first_seen, score FROM findings('%s') ORDER BY score DESC, first_seen LIMIT 2 OFFSET 1",
	"SELECT url, score FROM findings('%s') WHERE host = 'www.lanshan.example'",
	"SELECT p.url, f.first_seen, f.score FROM pages AS p JOIN findings('%s') AS f ON f.url = p.url",
	"SEARCH '%s' SINCE 2008-07-15 ORDER BY first_seen, url",
	"SEARCH '%s' IN 'www.lanshan.example/news' EACH month ORDER BY url, first_seen",
	"SELECT url, time, text MATCH '%s' AS m FROM versions",
	"SELECT url, time FROM versions WHERE text NOT MATCH '%s' OR kind = 'missing'",
	"SELECT url, snippet(main) FROM versions WHERE main MATCH '%s'",
	"SELECT url, score(text, 'a') FROM pages WHERE text MATCH '%s' AND NOT main MATCH '2008'",
	"SELECT url, time, block FROM blocks WHERE text MATCH '%s'",
	"SELECT url, time, block FROM changes WHERE added_text MATCH '%[1]s' OR removed_text MATCH '%[1]s' OR text NOT MATCH '%[1]s'",
	"SELECT a.url, b.text MATCH '%s' AS m FROM versions LATEST AS a JOIN versions FIRST AS b ON a.url = b.url",
	"SELECT host, count(*) AS n FROM versions GROUP BY host HAVING count(*) FILTER (WHERE text MATCH '%s') > 1",
	"SELECT a.url, a.time, l.anchor FROM versions AS a JOIN links AS l ON l.url = a.url AND l.time = a.time WHERE a.text MATCH '%[1]s' AND l.anchor MATCH '%[1]s'",
	"SELECT a.url, b.text MATCH '%[1]s' AS m FROM versions AS a LEFT JOIN versions FIRST AS b ON a.url = b.url AND b.text MATCH '%[1]s' WHERE NOT a.main MATCH '%[1]s' OR b.url IS NULL",
	"SELECT q.u, snippet(q.t) FROM (SELECT url AS u, text AS t, time FROM versions WHERE status = 200) AS q WHERE q.t MATCH '%[1]s' AND q.t NOT MATCH 'English'",
	"SELECT DISTINCT title FROM (SELECT title, main, snippet(text) AS s FROM versions WHERE text MATCH '2008') WHERE main MATCH '%s'",
	"SELECT url FROM pages AS p WHERE EXISTS (SELECT * FROM changes AS c WHERE c.url = p.url AND c.added_text MATCH '%[1]s') OR url IN (SELECT url FROM blocks WHERE text MATCH '%[1]s')",
	"SELECT month(as_of) AS m, count(*) AS n, max(score(text, '%[1]s')) AS best FROM versions EACH month WHERE text MATCH '%[1]s' GROUP BY m",
	"SELECT text MATCH '%s' AS m, count(*) AS n FROM versions GROUP BY m",
	"SELECT url, title, first_seen, copies FROM findings('%s')",
	"SELECT url, title, copies, score FROM findings('%s') WHERE host = 'www.lanshan.example' OR url LIKE '%%/lib/%%'",
	"SELECT count(*) AS n, min(time) AS t, max(host) AS h FROM versions WHERE text MATCH '%s'",
	"SELECT month(time) AS m, status, count(*) AS n FROM versions SINCE 2008-07 WHERE text MATCH '%s' AND main MATCH '2008' GROUP BY m, status ORDER BY m, status",
	"SELECT host, count(*) AS n, sum(bytes) AS b FROM versions IN 'lanshan.example' WHERE main MATCH '%s' GROUP BY host HAVING count(*) > 1 ORDER BY host",
	"SELECT count(*) AS n FROM versions WHERE text MATCH '%s' AND status = 200 AND text NOT MATCH 'English'",
	"WITH f AS (SELECT url, first_seen, copies FROM findings('%s') IN 'lanshan.example') SELECT f.url, f.copies, v.title FROM f JOIN versions LATEST AS v ON v.url = f.url WHERE f.url LIKE 'http://www%%'",
	"SELECT v.url, f.first_seen FROM (SELECT url FROM versions IN 'http://www.lanshan.example/') AS v JOIN findings('%s') AS f ON f.url = v.url",
	"SELECT url, copies FROM findings('%s') WHERE url = 'http://www.lanshan.example/' OR host = 'lib.lanshan.example'",
}

// TestWordsFromLeaves asks for words in two ways: by what the stored leaves say, and by
// reading every page. The rows, their order and their scores are equal, and they are the
// same before and after pools are merged and sealed.
func TestWordsFromLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("asks each of several hundred questions twice; not with -short")
	}
	a := demoArchive(t)
	ask := func(query string, plain bool) []string {
		t.Helper()
		return rowsOf(t, a, query, session.Options{Settings: session.DefaultSettings(), Plain: plain})
	}
	imported := make(map[string]string) // the rows of each query before any merge
	for _, state := range []string{"imported", "merged", "sealed"} {
		var err error
		switch state {
		case "merged":
			_, err = a.Merge(context.Background(), task.MergeOptions{})
		case "sealed":
			_, err = a.Merge(context.Background(), task.MergeOptions{Seal: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, question := range []string{"图书馆", "学校 新闻", `"2008年" -奥运`, "NEAR(招生 录取, 3)", `="English"`, "lib* OR 圖書", "~library OR ~notices", "nowhere"} {
			found := 0
			for _, query := range wordQueries {
				query = fmt.Sprintf(query, question)
				got, want := ask(query, false), ask(query, true)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %s gives\n%q, want\n%q", state, query, got, want)
				}
				if state == "imported" {
					imported[query] = fmt.Sprint(got)
				} else if fmt.Sprint(got) != imported[query] {
					t.Errorf("%s: %s gives\n%q, and before\n%s", state, query, got, imported[query])
				}
				found += len(got)
			}
			if found == 0 {
				t.Errorf("%s: no row for %s", state, question)
			}
		}
	}
}

// TestTies searches pages of which many have the same score, also at the last place that LIMIT
// leaves. Which of them are among the rows depends on the rest of ORDER BY.
func TestTies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pages.warc")
	r := rand.New(rand.NewPCG(1, 2))
	writePages(t, file, 600, func(i int) string { // hosts and days turn in other orders than the words
		return fmt.Sprintf("<title>%x</title><p>%s %x %x %x %x</p>", i, strings.Repeat("tie ", 1+i/3%3), r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32())
	})
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
	t.Cleanup(func() { a.Close() })
	if _, err := a.Import(t.Context(), task.ImportOptions{Patterns: []string{file}}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Merge(t.Context(), task.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, collapse := range []string{"on", "off"} {
		with := session.DefaultSettings()
		with.Collapse = collapse == "on"
		for _, query := range []string{
			"SEARCH 'tie'",
			"SEARCH 'tie' LIMIT 1",
			"SEARCH 'tie' LIMIT 5 OFFSET 7",
			"SEARCH 'tie' EACH day LIMIT 30",
			"SEARCH 'tie' WHERE host < 'h2' LIMIT 9",
			"SEARCH 'tie' ORDER BY score DESC LIMIT 9",
			"SEARCH 'tie' ORDER BY score DESC, url LIMIT 9",
			"SEARCH 'tie' ORDER BY score DESC, url DESC LIMIT 9",
			"SEARCH 'tie' ORDER BY score DESC, first_seen LIMIT 9",
			"SEARCH 'tie' ORDER BY score DESC, first_seen DESC, url LIMIT 9",
			"SEARCH 'tie' ORDER BY score LIMIT 9",
		} {
			if got, want := rowsOf(t, a, query, session.Options{Settings: with}), rowsOf(t, a, query, session.Options{Settings: with, Plain: true}); !slices.Equal(got, want) {
				t.Errorf("collapse %s: %s gives\n%s\nwant\n%s", collapse, query, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// TestBestFirst searches pages of which many are near-copies or have several forms of a URL. The best findings are
// the same whether all findings are made or only those of URLs that may have them.
func TestBestFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	texts := make([]string, 30) // near-copies have most of their paragraphs in common
	for i := range texts {
		texts[i] = "<p>" + strings.Repeat(fmt.Sprintf("w%x ", r.Uint32()), 2+r.IntN(60)) + "</p>"
	}
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
	t.Cleanup(func() { a.Close() })
	for month := range 3 {
		var records []visit
		for range 300 {
			at := r.IntN(60)
			body := fmt.Sprintf("<title>page %d %s</title><ul><li>%s<li>home</ul>", at, pick(r, "", "", "tie", "tie knot"), pick(r, "tie", "bow", "bow tie"))
			for _, text := range texts[at/3 : at/3+8] {
				if r.IntN(12) > 0 {
					body += text
				}
				if r.IntN(6) == 0 {
					body += "<p>" + pick(r, "tie", "a tie of a knot", "bow", "knot tie tie") + strings.Repeat(" more", r.IntN(4)) + "</p>"
				}
			}
			if r.IntN(10) == 0 {
				body = "" // the page is missing
			}
			records = append(records, visit{fmt.Sprintf("%s://%sh%d.example/p%d", pick(r, "http", "https"), pick(r, "", "", "www."), at%4, at), fmt.Sprintf("2008-%02d-%02dT%02d:00:00Z", 7+month, 1+r.IntN(28), r.IntN(24)), body})
		}
		file := filepath.Join(t.TempDir(), "pages.warc")
		writeVisits(t, file, records)
		if _, err := a.Import(t.Context(), task.ImportOptions{Patterns: []string{file}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Merge(t.Context(), task.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, collapse := range []string{"on", "off"} {
		with := session.DefaultSettings()
		with.Collapse = collapse == "on"
		for _, question := range []string{"tie", "tie knot", "tie -bow", `"bow tie" OR knot`, "ti*", "more"} {
			for _, rest := range []string{"LIMIT 1", "LIMIT 3", "LIMIT 20", "ORDER BY score DESC LIMIT 4", "ORDER BY score DESC, title LIMIT 4", "LATEST LIMIT 5", "EACH month LIMIT 5", "BETWEEN 2008-08 AND 2008-08 LIMIT 5", "IN 'h1.example' LIMIT 3"} {
				query := fmt.Sprintf("SEARCH '%s' %s", question, rest)
				if got, want := rowsOf(t, a, query, session.Options{Settings: with}), rowsOf(t, a, query, session.Options{Settings: with, Plain: true}); !slices.Equal(got, want) {
					t.Errorf("collapse %s: %s gives\n%s\nwant\n%s", collapse, query, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	}
}

// pick returns one of the texts.
func pick(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }

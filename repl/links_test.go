package repl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store/record/task"
)

// TestLinkGraphs ranks the demo's pages, and one page that asks robots not to
// follow a link, by the links that each WITHOUT leaves. Nodes and edges must be
// those of the relation links. The ranks must be equal to the last bit if the
// archive stores no links and pages are read instead.
func TestLinkGraphs(t *testing.T) {
	a := demoArchive(t)
	const response = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p><a href=/ rel=nofollow>home</a>"
	file := filepath.Join(t.TempDir(), "page.raw")
	text := fmt.Sprintf("version: 1.0\nurl: http://www.lanshan.example/followed-by-none\ndate: Tue, 15 Jul 2008 08:13:06 GMT\nlength: %d\n\n%s\n", len(response), response)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{file}}); err != nil {
		t.Fatal(err)
	}
	ask := func(a session.Archive, query string) (rows [][]string) {
		t.Helper()
		st, err := lang.ParseOne(query, "")
		if err != nil {
			t.Fatal(err)
		}
		s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings()})
		res, err := s.Run(context.Background(), st)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer res.Close()
		for b, err := range res.Rows {
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			for i := range b.N {
				var row []string
				for _, c := range b.Cols {
					row = append(row, fmt.Sprint(c.At(i)))
				}
				rows = append(rows, row)
			}
		}
		return rows
	}
	const from = "FROM links AT 2008-07 WHERE kind IN ('a', 'area', 'frame', 'iframe', 'meta-refresh') AND target IS NOT NULL"
	all := 0 // edges
	for i, c := range []struct{ clause, where, url, target string }{
		{"", "", "url", "target"},
		{"WITHOUT internal", " AND NOT internal", "url", "target"},
		{"WITHOUT nofollow", " AND NOT nofollow", "url", "target"},
		{"WITHOUT nav", " AND coalesce(label, '') <> 'nav'", "url", "target"},
		{"BY host", "", "host(url)", "host(target)"},
	} {
		var ranks [2][][]string
		for j, x := range []session.Archive{joined(a, nil), forgetful{joined(a, nil)}} {
			name := fmt.Sprintf("r%d_%d", i, j)
			made := ask(x, fmt.Sprintf("PAGERANK %s %s AT 2008-07 ITERATIONS 20", name, c.clause))[0]
			edges := ask(x, fmt.Sprintf("SELECT DISTINCT %s AS a, %s AS b %s%s AND %[1]s <> %[2]s AND %[2]s <> ''", c.url, c.target, from, c.where))
			nodes := ask(x, fmt.Sprintf("SELECT DISTINCT a FROM (SELECT %[1]s AS a %[3]s%[4]s UNION ALL SELECT %[2]s AS a %[3]s%[4]s UNION ALL SELECT %[1]s AS a FROM versions AT 2008-07 WHERE kind = 'page') WHERE a <> ''",
				c.url, c.target, from, c.where))
			if len(edges) == 0 || made[2] != fmt.Sprint(len(nodes)) || made[3] != fmt.Sprint(len(edges)) {
				t.Errorf("PAGERANK %s of archive %d has %s nodes and %s edges, want %d and %d", c.clause, j, made[2], made[3], len(nodes), len(edges))
			}
			if all = max(all, len(edges)); c.clause != "" && len(edges) == all {
				t.Errorf("PAGERANK %s leaves all %d edges: nothing is told", c.clause, all)
			}
			ranks[j] = ask(x, "SELECT url, rank FROM ranks WHERE ranking = '"+name+"' ORDER BY url")
		}
		if got, want := fmt.Sprint(ranks[0]), fmt.Sprint(ranks[1]); got != want || !strings.Contains(got, "http") {
			t.Errorf("PAGERANK %s: ranks %s, want %s", c.clause, got, want)
		}
	}
}

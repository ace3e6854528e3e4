package repl

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/exec"
	"infomall/exec/relation/all"
	"infomall/exec/relation/work"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store"
	"infomall/store/disk"
	"infomall/store/record/task"
	"infomall/store/search/index"
)

// rowsOf runs a statement on an archive and returns its rows, with bars between the
// values.
func rowsOf(t *testing.T, a *store.Archive, statement string, o session.Options) (rows []string) {
	t.Helper()
	st, err := lang.ParseOne(statement, "")
	if err != nil {
		t.Fatal(err)
	}
	o.Archive = joined(a, nil)
	res, err := exec.New(o).Run(context.Background(), st)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer res.Close()
	for b, err := range res.Rows {
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		for i := range b.N {
			row := ""
			for _, c := range b.Cols {
				row += fmt.Sprintf("%v|", c.At(i))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// TestTermsFromLeaves counts terms in two ways: from the stored leaves, only those that
// WHERE asks for, and by reading every page and counting all terms. The rows are equal,
// before and after pools are merged and sealed, with much and with little memory. A term
// of a script with spaces is in as many pages as MATCH finds.
func TestTermsFromLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	a := demoArchive(t)
	much, little := session.DefaultSettings(), session.DefaultSettings()
	little.MemoryBytes = 1 << 20
	terms := rowsOf(t, a, "SELECT term FROM terms WHERE term < 'a' OR term LIKE 'b%' OR term LIKE 'l%'", session.Options{Settings: much})
	if len(terms) < 20 {
		t.Fatalf("the demo has %d terms, want 20 or more", len(terms))
	}
	var first []string
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
		for _, query := range []string{
			"SELECT *, as_of FROM terms",
			"SELECT *, as_of FROM terms EACH month",
			"SELECT * FROM terms IN 'www.lanshan.example' BETWEEN 2008-07 AND 2008-07-20",
			"SELECT * FROM terms DURING 2008-07 AND 2008-08 WHERE term LIKE '图%' OR term IN ('a', 'english', '澜山大学')",
			"SELECT * FROM terms LATEST WHERE '图书馆' = term AND df > 1",
			"SELECT term, df FROM terms AT 2008-06 WHERE term LIKE '%书%' AND NOT new",
			"SELECT term, df FROM terms WHERE term NOT IN ('a') AND term NOT LIKE '图%'",
			"SELECT a.term, a.df, b.df FROM terms FIRST AS a LEFT JOIN terms LATEST AS b ON a.term = b.term WHERE b.term = '学校'",
		} {
			want := rowsOf(t, a, query, session.Options{Settings: much, Plain: true})
			if len(want) == 0 {
				t.Errorf("%s: no row for %s", state, query)
			}
			for _, settings := range []session.Settings{much, little} {
				if got := rowsOf(t, a, query, session.Options{Settings: settings}); !slices.Equal(got, want) {
					t.Errorf("%s: with %d bytes of memory, %s gives\n%q, want\n%q", state, settings.MemoryBytes, query, got, want)
				}
			}
		}
		all := rowsOf(t, a, "SELECT * FROM terms", session.Options{Settings: much})
		if first == nil {
			first = all
		}
		if !slices.Equal(all, first) {
			t.Errorf("%s: the terms are %q, want %q as before", state, all, first)
		}
	}
	for _, row := range terms {
		term := strings.TrimSuffix(row, "|")
		got := rowsOf(t, a, "SELECT df, first_seen, last_seen FROM terms WHERE term = "+term, session.Options{Settings: much})
		want := rowsOf(t, a, "SELECT count(*), min(time), max(last_seen) FROM versions WHERE kind = 'page' AND text MATCH "+term, session.Options{Settings: much})
		if !slices.Equal(got, want) {
			t.Errorf("the term %s has %q, and MATCH finds %q", term, got, want)
		}
	}
}

// TestDeletedTerms deletes pages with words that nobody else has. The words are in no
// relation at once, and after a merge in no file, decompressed or not. Queries that need
// temporary files leave none. (A stored ranking keeps the addresses of the pages that it
// ranks; no address here has a word.)
func TestDeletedTerms(t *testing.T) {
	const latin, chinese = "quetzalcoatlus", "囧博"
	dir, temp := t.TempDir(), t.TempDir()
	for i, w := range [...][2]string{{"学校", "比赛"}, {"北京", "天气"}, {"老师", "历史"}, {"电脑", "报纸"}, {"公司", "电影"}, {"农民", "市场"}} {
		page := fmt.Sprintf("<html><head><title>%s %[2]d</title><meta name=description content=%[1]s></head><body><div><p>%[3]s%[4]s%[5]s，%[1]s</p></div><div><p>common words <a href='/more'>%[1]s</a></p></div></body></html>",
			latin, i, w[0], chinese, w[1])
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.html", i)), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "other.html"), []byte("<html><body><p>common words stay here</p></body></html>"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
	defer a.Close()
	o := session.Options{Settings: session.DefaultSettings(), Confirm: func(context.Context, []string) error { return nil }}
	o.Settings.TempDir, o.Settings.MemoryBytes = temp, 1<<20
	run := func(statement string) []string {
		t.Helper()
		return rowsOf(t, a, statement, o)
	}
	run("IMPORT '" + dir + "/*.html' FORMAT html BASE 'http://www.a.example/' AT 2008-06")
	run("PAGERANK")
	run("DEDUP OF blocks")

	// words returns which of the words stand in rows of any relation.
	words := func() (found []string) {
		for _, r := range all.Relations() {
			if r.OfSession || r == work.Tombstones || r == work.Jobs {
				continue
			}
			source := r.Name
			if r.Asked {
				source += "('" + latin + " OR " + chinese + " OR common')"
			}
			var columns []string
			for _, c := range r.ColumnNames() {
				columns = append(columns, `"`+c+`"`)
			}
			for _, row := range run("SELECT " + strings.Join(columns, ", ") + " FROM " + source) {
				for _, w := range []string{latin, chinese} {
					if strings.Contains(row, w) {
						found = append(found, r.Name+" has "+w)
					}
				}
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	before := words()
	for _, want := range []string{"terms has " + latin, "terms has " + chinese, "findings has " + latin, "blocks has " + chinese, "links has " + latin, "versions has " + latin} {
		if !slices.Contains(before, want) {
			t.Errorf("before the words are deleted: %q, without %q", before, want)
		}
	}
	if !inFiles(t, a, latin) || !inFiles(t, a, chinese) {
		t.Fatal("before the words are deleted, they are in no file")
	}
	run("MERGE POOL ALL") // makes an index of words
	if files, err := filepath.Glob(filepath.Join(a.Path(), "search", "*.words")); err != nil || len(files) == 0 {
		t.Fatalf("no index of words was made: %v", err)
	}

	run("DELETE FROM 'www.a.example' WHERE url NOT LIKE '%other%'")
	if found := words(); len(found) > 0 {
		t.Errorf("after the words are deleted: %q", found)
	}
	if got := run("SELECT term FROM terms"); !slices.Contains(got, "'stay'|") {
		t.Errorf("the terms that are left are %q, without 'stay'", got)
	}
	run("MERGE POOL ALL")
	if found := words(); len(found) > 0 {
		t.Errorf("after the merge: %q", found)
	}
	for _, w := range []string{latin, chinese} {
		if inFiles(t, a, w) {
			t.Errorf("after the merge, a file has %s", w)
		}
	}
	if !inFiles(t, a, "stay here") {
		t.Error("a text that was not deleted is in no file")
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v (error %v)", left, err)
	}
}

// inFiles reports whether a text is in a file of the archive: as it is, in what the
// db-files in force hold compressed, or as a term of an index of words.
func inFiles(t *testing.T, a *store.Archive, text string) (found bool) {
	t.Helper()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	look := func(b []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(b), text)
	}
	for _, info := range v.Pin.Segments {
		s := v.Runs.Reader(info)
		for n := range uint32(info.Runs) {
			r, err := v.Runs.Run(s, n)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := r.Meta.Entries()
			look(fmt.Appendf(nil, "%+v", entries), err)
			kept, err := r.Facts()
			if err != nil {
				t.Fatal(err)
			}
			for i := range entries {
				look(entries[i].Head, nil)
				look(kept.Page(uint32(i)), nil)
				look(kept.Fold(uint32(i)), nil)
			}
			ends, err := r.Meta.BlockEnds()
			for i := range ends {
				look(r.Block(uint32(i)))
				look(kept.Block(uint32(i)), nil)
			}
			look(nil, err)
		}
	}
	err = filepath.WalkDir(a.Path(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			look(os.ReadFile(path))
		}
		if filepath.Ext(path) == ".words" {
			x, err := index.Open(disk.OS, path, nil)
			if err != nil {
				t.Fatal(err)
			}
			look(nil, x.Terms(func(term []byte, _ int) { look(term, nil) }))
			look(nil, x.Close())
		}
		return err
	})
	look(nil, err)
	return found
}

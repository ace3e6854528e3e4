package repl

import (
	"context"
	"path/filepath"
	"testing"

	"infomall/exec"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store"
	"infomall/store/record/task"
)

// pagesArchive returns an archive of 4,000 pages in several segments and many
// chunks. It is closed when the test ends.
func pagesArchive(t *testing.T) *store.Archive {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pages.warc")
	writeWARC(t, file, 4000)
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
	t.Cleanup(func() { a.Close() })
	for _, pattern := range []string{file, "../queries/demo/*.raw"} {
		if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{pattern}}); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// planOf returns the plan of a query.
func planOf(t *testing.T, s *session.Session, query string) plan.Node {
	t.Helper()
	script, err := lang.Parse(query, "test")
	if err != nil {
		t.Fatal(err)
	}
	n, err := plan.Build(script[0].(*ast.Query), s.Env())
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// snapshotOf returns the plan of a query and a snapshot that it can be read from, until the
// test ends.
func snapshotOf(t *testing.T, s *session.Session, query string) (plan.Node, relation.Snapshot) {
	t.Helper()
	n := planOf(t, s, query)
	snap, release, err := s.SnapshotFor(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return n, snap
}

// TestShare reads queries and asks after each batch for the share that is done. It
// never gets less, some queries are seen in the middle, and at the end all is done.
func TestShare(t *testing.T) {
	a := joined(pagesArchive(t), nil)
	s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings()})
	between := 0
	for _, query := range []string{
		"SELECT url, time FROM captures",
		"SELECT url, title, text FROM versions",
		"SELECT count(*), sum(bytes) FROM captures WHERE bytes > 10",
		"SELECT DISTINCT url FROM captures",
		"SELECT host, count(*) FROM captures GROUP BY host",
		"SELECT url FROM captures LIMIT 3",
		"SELECT a.url FROM captures a JOIN links b ON a.url = b.target",
		"SELECT url FROM captures UNION ALL SELECT url FROM versions",
		"SELECT url FROM versions IN 'lanshan.example' LATEST",
		"SELECT url FROM captures LATEST",
		"SELECT url FROM captures ORDER BY bytes DESC LIMIT 5",
		"SELECT * FROM changes",
		"SELECT url, score FROM findings('words')",
	} {
		snap, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		runner := &op.Runner{Reader: relation.Reader{Snapshot: snap}}
		runner.Memory.Bytes, runner.Memory.Dirs = 64<<20, []string{t.TempDir()}
		node := planOf(t, s, query)
		var work *relation.Work
		ended := false
		runner.Watch = func(ctx context.Context, w *relation.Work) func() {
			work = w
			e, err := s.Estimate(ctx, snap, node)
			if err != nil {
				t.Error(err)
			}
			w.Measure(e.Expected)
			return func() { ended = true }
		}
		rows, err := runner.Rows(t.Context(), node)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		last := -1.
		check := func() (done, total float64) {
			done, total = work.Share()
			if done < last || done > 1 {
				t.Errorf("%s: the share %g of %g bytes is read after %g was", query, done, total, last)
			}
			if last = done; done > 0 && done < 1 {
				between++
			}
			return done, total
		}
		for _, err := range rows {
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			check()
		}
		if done, total := check(); done != 1 || total == 0 {
			t.Errorf("%s: at the end the share %g of %g bytes is read", query, done, total)
		}
		if !ended || work.Rows() == 0 {
			t.Errorf("%s: it ended: %v, with %d rows", query, ended, work.Rows())
		}
		snap.Close()
	}
	if between < 10 {
		t.Errorf("only %d batches came when a part of a query was read", between)
	}
}

// TestToRead compares what EXPLAIN says of scans without WHERE with what they read.
// They read at most that much.
func TestToRead(t *testing.T) {
	a := joined(pagesArchive(t), nil)
	s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings()})
	for _, query := range []string{
		"SELECT * FROM captures",
		"SELECT url FROM captures",
		"SELECT digest FROM captures",
		"SELECT * FROM versions",
		"SELECT url, text FROM versions",
		"SELECT url, time FROM versions IN 'h7.example'",
		"SELECT url, html FROM versions IN 'h7.example', 'h8.example'",
		"SELECT url, title FROM 'lanshan.example' SINCE 2008-08",
		"SELECT count(*), max(bytes) FROM captures",
		"SELECT DISTINCT url FROM captures",
		"SELECT * FROM layouts",
	} {
		snap, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		snap.SetCache(0)
		node := planOf(t, s, query)
		said, err := relation.ToRead(t.Context(), snap, &plan.Sources(node)[0].Request)
		if err != nil {
			t.Fatal(err)
		}
		if before := snap.Stats(); before.Bytes+before.IndexBytes != 0 {
			t.Errorf("%s: %+v was read to find out what is to be read", query, before)
		}
		runner := &op.Runner{Reader: relation.Reader{Snapshot: snap}}
		runner.Memory.Bytes, runner.Memory.Dirs = 64<<20, []string{t.TempDir()}
		meter := op.NewMeter()
		runner.Meter = meter
		rows, err := runner.Rows(t.Context(), node)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		for _, err := range rows {
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
		var read int64
		plan.Walk(node, func(n plan.Node, _ int) {
			if _, ok := n.(*plan.Source); ok {
				read = meter.Of(n).Rows
			}
		})
		was := snap.Stats()
		if int64(was.Segments) > int64(said.Segments) || was.Chunks > said.Chunks || was.IndexBytes > said.IndexBytes || was.Bytes > said.FileBytes || read > said.Captures {
			t.Errorf("%s: %d rows and %+v were read, more than %+v", query, read, was, said)
		}
		if was.Chunks == 0 || was.Decoded < was.Bytes && was.Decoded > 0 {
			t.Errorf("%s: %+v", query, was)
		}
		snap.Close()
	}
}

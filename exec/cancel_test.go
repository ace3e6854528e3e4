package exec_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/exec/export"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/relation/relationtest"
	"infomall/lang"
	langast "infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// watched is an archive that counts what is asked of it, a batch or a body at a
// time, and can end the context of the one who asks.
type watched struct {
	*relationtest.Archive
	cancel   func()
	cancelAt int // 0 is never
	calls    int
	after    int // of these, once the context had ended
}

func (w *watched) Snapshot(context.Context) (relation.Snapshot, error) { return w, nil }

// call counts one thing asked for.
func (w *watched) call() {
	w.calls++
	if w.cancelAt > 0 && w.calls > w.cancelAt {
		w.after++
	}
	if w.calls == w.cancelAt {
		w.cancel()
	}
}

// countEach counts what a stream yields.
func countEach[T any](w *watched, in iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for x, err := range in {
			w.call()
			if !yield(x, err) {
				return
			}
		}
	}
}

func (w *watched) Scan(ctx context.Context, s record.Scan) record.Rows {
	return countEach(w, w.Archive.Scan(ctx, s))
}

func (w *watched) Tally(ctx context.Context, t record.Tally) record.Rows {
	return countEach(w, w.Archive.Tally(ctx, t))
}

func (w *watched) Seek(ctx context.Context, s record.Seek) ([]string, bool, error) {
	s.Columns |= s.By
	return w.Archive.SeekAmong(w.Scan(ctx, s.Scan), s)
}

func (w *watched) ResultRows(ctx context.Context, r task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	return countEach(w, w.Archive.ResultRows(ctx, r, ranges))
}

func (w *watched) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	w.call()
	return w.Archive.Payload(ctx, ref)
}

func (w *watched) Stored(ctx context.Context, ref record.Ref) (message.Stored, error) {
	w.call()
	return w.Archive.Stored(ctx, ref)
}

// cancelQueries read much, each by operators that others do not have. Relations
// and formats of EXPORT are added to them.
var cancelQueries = []string{
	"SELECT url, time FROM captures WHERE status = 200",
	"SELECT url, html FROM versions",
	"SELECT url, time FROM captures ORDER BY time DESC, url",
	"SELECT url, time FROM captures ORDER BY time DESC LIMIT 10",
	"SELECT url FROM captures LIMIT 100000 OFFSET 100",
	"SELECT DISTINCT url, status FROM captures",
	"SELECT DISTINCT url FROM captures",
	"SELECT url, count(*), count(DISTINCT mime), median(bytes) FROM captures GROUP BY url",
	"SELECT url FROM captures UNION ALL SELECT url FROM versions",
	"SELECT a.url, b.time FROM captures AS a JOIN versions AS b ON a.url = b.url",
	"SELECT a.url, b.time FROM versions AS a LEFT JOIN captures AS b ON a.url = b.url AND a.status = b.status",
	"SELECT url FROM captures WHERE url IN (SELECT url FROM versions WHERE status = 404)",
	"SELECT url FROM captures WHERE EXISTS (SELECT 1 FROM versions WHERE status = 404)",
	"SELECT (SELECT max(bytes) FROM versions) FROM captures",
	"SELECT a.url, b.time FROM versions AS a LEFT JOIN captures AS b ON a.url = b.url AND a.time < b.time",
	"SELECT url, lag(time) OVER (PARTITION BY host ORDER BY time), sum(bytes) OVER (PARTITION BY host) FROM captures",
	"SELECT url FROM captures EXCEPT SELECT url FROM versions WHERE status = 404",
	"SELECT url, (SELECT count(*) FROM versions AS v WHERE v.url = c.url AND v.time > c.time) FROM captures AS c",
	"SELECT q.u FROM (SELECT url AS u, count(*) AS n FROM captures GROUP BY url) AS q WHERE q.n > 1",
	"WITH big AS (SELECT url FROM captures WHERE bytes > 0) SELECT count(*) FROM big",
	"SELECT url, time FROM captures DURING 2008-07 AND 2008-08",
	"SELECT url, as_of FROM versions EACH month",
	"SELECT url, time FROM versions NEAREST 2008-07-10",
	"SELECT blocks FROM 'h0.cn', 'h1.cn', 'h2.cn' WHERE changed",
	"DELETE FROM '*' WHERE status = 999",
	"PAGERANK p",
	"DEDUP OF pages",
	"EXPLAIN ANALYZE SELECT url FROM captures",
}

// fewRows are relations of captures that this archive has few rows of, and those
// that want a clause.
var fewRows = []string{"periods", "pools", "files", "tombstones", "fetches", "frontier", "crawls", "workers", "history", "ranks", "duplicates", "clusters", "events", "reports"}

// endedCalls is the most batches and bodies that a query may still read after its context
// ended. Several nodes of a plan may each have begun to read one.
const endedCalls = 8

// endedRows is how many rows may come after the context ended: a batch, and as many
// rows as a sorter yields before it looks at the context again.
const endedRows = 4096 + 2*record.BatchRows

// called returns how a query names a relation: findings with words.
func called(relation string) string {
	if relation == "findings" {
		return relation + "('text')"
	}
	return relation
}

// TestEndedContext ends the context of statements that go over all relations,
// operators and formats, while they read and while they yield: they end with its
// error, and have read and yielded little more.
func TestEndedContext(t *testing.T) {
	needsNoWorkers(t, "workers read on until they hear that the context has ended; TestWorkersCancelled and TestWorkersEndedRows are about that")
	a := manyCaptures(1200, 600)
	a.BatchRows = 10
	seen := map[string]bool{}
	statements := slices.Clone(cancelQueries)
	for _, name := range all.Names() {
		if !slices.Contains(fewRows, name) {
			statements = append(statements, "SELECT * FROM "+called(name))
		}
	}
	for _, format := range export.Formats() {
		what := "url, time"
		if format == "edges" || format == "graphml" {
			what = "url AS source, url AS target"
		}
		statements = append(statements, fmt.Sprintf("EXPORT (SELECT %s FROM captures) TO '%s' FORMAT %s", what, filepath.Join(t.TempDir(), "out"), format))
	}
	for _, query := range []string{"SELECT url, last_seen FROM versions", "SELECT DISTINCT url FROM captures", "SELECT a.url, b.time FROM captures AS a JOIN versions AS b ON a.url = b.url"} {
		statements = append(statements, fmt.Sprintf("EXPORT PROVENANCE OF (%s) TO '%s'", query, filepath.Join(t.TempDir(), "out.wacz")))
	}
	for _, src := range statements {
		st, err := lang.ParseOne(src, "")
		if err != nil {
			t.Fatal(err)
		}
		switch st := st.(type) {
		case *langast.Query:
			note(t, seen, plan.Build, st)
		case *langast.ExportProvenance:
			note(t, seen, plan.Traced, st.Query)
		}
		calls, _, err := runWatched(a, st, 0, 0)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if calls == 0 {
			continue // its rows do not come of captures
		}
		if calls < 3*endedCalls {
			t.Errorf("%s asks the archive %d times, too few to tell; if it has few rows, it belongs to fewRows", src, calls)
		}
		for _, cancelAt := range []int{1, calls / 2} {
			checkEnded(t, src, fmt.Sprintf("call %d of %d", cancelAt, calls), a, st, cancelAt, 0)
		}
	}
	for _, name := range nodeTypes(t) {
		if !seen[name] {
			t.Errorf("no statement of cancelQueries has the operator %s", name)
		}
	}
}

// TestEndedContextRows ends the context of queries that hold their rows once they
// have the first of many.
func TestEndedContextRows(t *testing.T) {
	needsNoWorkers(t, "workers read on until they hear that the context has ended; TestWorkersCancelled and TestWorkersEndedRows are about that")
	a := manyCaptures(2*endedRows+1, 2*endedRows)
	for _, src := range []string{
		"SELECT url FROM captures",
		"SELECT url, time FROM captures ORDER BY time DESC, url",
		"SELECT DISTINCT url, time, status, mime FROM captures",
		"SELECT url, time, mime, status, count(*) FROM captures GROUP BY url, time, mime, status",
		"SELECT a.url, b.time FROM captures AS a JOIN captures AS b ON a.url = b.url",
	} {
		st, err := lang.ParseOne(src, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{64 << 20, 64 << 10} {
			checkEnded(t, src, "the first row", a, st, 0, memory)
		}
	}
}

// TestSmallMemory runs the statements of TestEndedContext with almost no memory:
// they give the same rows, or name the limit and how to raise it.
func TestSmallMemory(t *testing.T) {
	a := manyCaptures(150, 60)
	statements := slices.Clone(cancelQueries)
	for _, name := range all.Names() {
		statements = append(statements, "SELECT * FROM "+called(name))
	}
	for _, src := range statements {
		if strings.HasPrefix(src, "EXPLAIN") || strings.HasPrefix(src, "PAGERANK") || strings.HasPrefix(src, "DEDUP") {
			continue // these tell how long they took
		}
		s := newSession(archive{a})
		want, _, err := ask(s, src)
		if err != nil {
			if slices.Contains(cancelQueries, src) {
				t.Errorf("%s: %v", src, err)
			}
			continue // some relations want a clause
		}
		s.Settings().MemoryBytes = 1
		got, _, err := ask(s, src)
		if err != nil && !strings.Contains(err.Error(), "SET memory") || err == nil && got != want {
			t.Errorf("%s in one byte of memory: got error %v and\n%s\nwant the same rows, or an error that tells of SET memory, and not\n%s", src, err, got, want)
		}
	}
}

func checkEnded(t *testing.T, src, when string, a *relationtest.Archive, st langast.Statement, cancelAt int, memory int64) {
	t.Helper()
	after, rows, err := runWatched(a, st, cancelAt, memory)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s, ended at %s: got error %v; want that of the context", src, when, err)
	}
	if cancelAt > 0 && after > endedCalls {
		t.Errorf("%s, ended at %s: asked the archive %d times after; want at most %d", src, when, after, endedCalls)
	}
	if rows > endedRows {
		t.Errorf("%s, ended at %s: %d rows came after; want at most %d", src, when, rows, endedRows)
	}
}

// runWatched runs a statement with as much memory, 0 for the usual, and gives how
// often it asked the archive and how many rows it yielded: in all if cancelAt is
// 0 and no memory is named, else after its context ended. That is at a call, or at
// the first rows.
func runWatched(a *relationtest.Archive, st langast.Statement, cancelAt int, memory int64) (calls, rows int, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &watched{Archive: a, cancel: cancel, cancelAt: cancelAt}
	s := newSession(w)
	if memory > 0 {
		s.Settings().MemoryBytes = memory
	}
	res, err := s.Run(ctx, st)
	if err == nil {
		defer res.Close()
	}
	if err == nil && res.Rows != nil {
		for b, e := range res.Rows {
			if err = e; err != nil {
				break
			}
			if memory == 0 && cancelAt == 0 || ctx.Err() != nil {
				rows += b.N
			}
			if memory > 0 {
				cancel()
			}
		}
	}
	if cancelAt > 0 {
		return w.after, rows, err
	}
	return w.calls, rows, err
}

// note adds the operators of a query's plan to seen. build makes the plan.
func note(t *testing.T, seen map[string]bool, build func(*langast.Query, *expr.Env) (plan.Node, error), q *langast.Query) {
	t.Helper()
	node, err := build(q, &expr.Env{Now: at("2009-01-01")})
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	plan.Walk(node, func(n plan.Node, _ int) { seen[reflect.TypeOf(n).Elem().Name()] = true })
}

// nodeTypes are the types of plan that are operators, but those that read
// nothing of the archive.
func nodeTypes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("plan/*.go")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "Below" {
				types[fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name] = true
			}
		}
	}
	delete(types, "Row")
	delete(types, "File")
	return slices.Sorted(maps.Keys(types))
}

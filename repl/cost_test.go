package repl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/exec"
	"infomall/exec/cost"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/queries"
	"infomall/store"
	"infomall/store/record/task"
)

// costParams are values for the parameters of the saved queries on the demo archive.
const costParams = "scope=lanshan.example known=2020-01 within=14d since=2008 name=gone from=2008-06 to=2008-08 at=2008-08 before=2008-06 after=2008-08 " +
	"examples=www.lanshan.example least=0.5 url=http://www.lanshan.example/news/ words=图书馆 term=新馆 unit=month"

// costRow is the estimate of a query beside what it cost.
type costRow struct {
	file     string
	estimate *cost.Estimate
	rows     int64
	read     int64 // bytes
	seconds  float64
	took     float64 // seconds to estimate
}

// off returns by which factor an estimate is off, from 1. slack is added to both: below
// it, no difference counts.
func off(estimate, actual, slack float64) float64 {
	x := (estimate + slack) / (actual + slack)
	return max(x, 1/x)
}

func (r *costRow) rowsOff() float64 { return off(r.estimate.Rows, float64(r.rows), 2) }
func (r *costRow) bytesOff() float64 {
	return off(r.estimate.Bytes(), float64(r.read), 4<<10)
}
func (r *costRow) secondsOff() float64 { return off(r.estimate.Seconds, r.seconds, .002) }

// clock returns the time in which queries are measured. A test may replace it.
var clock = func() time.Duration { return time.Since(clockStart) }

var clockStart = time.Now()

// costsOf runs the saved queries on the archive at path with params, such as
// "scope=a.example at=2008", and returns what each SELECT in them was estimated to cost
// and has cost. rates are used, and learn. If changes is set, it also runs the statements
// of these scripts that write to the archive. Each query begins with an open archive and
// an empty cache, as in EXPLAIN ANALYZE. only names the scripts; none means all.
func costsOf(t *testing.T, path, params string, rates *cost.Rates, changes bool, only ...string) (rows []costRow) {
	t.Helper()
	files, err := fs.Glob(queries.FS, "*.iql")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for _, p := range strings.Fields(params) {
		name, value, _ := strings.Cut(p, "=")
		given[name] = value
	}
	given["file"] = regionsFile(t)
	for _, file := range files {
		if len(only) > 0 && !slices.Contains(only, strings.TrimSuffix(file, ".iql")) {
			continue
		}
		text, err := fs.ReadFile(queries.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		script, err := lang.Parse(string(text), file)
		if err != nil {
			t.Fatal(err)
		}
		settings := session.DefaultSettings()
		for _, st := range script {
			a := store.Open(path, store.Options{Warn: func(err error) { t.Error(err) }})
			archive := joined(a, nil)
			s := exec.New(session.Options{Archive: archive, Settings: settings, Params: given, Rates: rates, Jobs: archive})
			switch st := st.(type) {
			case *ast.Query:
				row := costRow{file: file}
				row.estimate, row.took = estimateOf(t, s, file, st)
				row.run(t, s, st)
				rows = append(rows, row)
			case *ast.Set, *ast.Reset:
				if _, err := s.Run(t.Context(), st); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			case *ast.PageRank, *ast.HITS, *ast.Dedup, *ast.Cluster, *ast.Train:
				if changes {
					res, err := s.Run(t.Context(), st)
					if err != nil {
						t.Fatalf("%s: %v", file, err)
					}
					res.Close()
				}
			}
			settings = *s.Settings()
			a.Close()
		}
	}
	return rows
}

// estimateOf returns the estimate of q, and how many seconds it took.
func estimateOf(t *testing.T, s *session.Session, file string, q *ast.Query) (*cost.Estimate, float64) {
	node, snap, release := built(t, s, file, q)
	defer release()
	snap.SetCache(0) // the query begins with an empty cache
	start := clock()
	e, err := s.Estimate(t.Context(), snap, node)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e, (clock() - start).Seconds()
}

// built returns the plan of q, and a snapshot for it.
func built(t *testing.T, s *session.Session, file string, q *ast.Query) (node plan.Node, snap relation.Snapshot, release func()) {
	node, err := plan.Build(q, s.Env())
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	snap, release, err = s.SnapshotFor(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	return node, snap, release
}

// run runs q and notes what it costs.
func (r *costRow) run(t *testing.T, s *session.Session, q *ast.Query) {
	node, snap, release := built(t, s, r.file, q)
	defer release()
	runtime.GC() // the garbage of the estimate is no work of the query
	start := clock()
	batches, err := s.Runner(snap, "select").Rows(t.Context(), node)
	if err != nil {
		t.Fatalf("%s: %v", r.file, err)
	}
	for b, err := range batches {
		if err != nil {
			t.Fatalf("%s: %v", r.file, err)
		}
		r.rows += int64(b.N)
	}
	r.seconds = (clock() - start).Seconds()
	read := snap.Stats()
	r.read = read.Bytes + read.IndexBytes
}

// costTable logs rows as a table, and returns how many files have only queries within the
// bar: rows and bytes within a factor of two, seconds within three.
func costTable(t *testing.T, rows []costRow) (good, all int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %11s %11s %6s  %11s %11s %6s  %8s %8s %6s  %6s %9s\n", "query", "rows said", "rows", "off", "bytes said", "bytes", "off", "s said", "s", "off", "took", "sample")
	bad := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		mark := ""
		if r.rowsOff() > 2 || r.bytesOff() > 2 || r.secondsOff() > 3 {
			mark = " *"
		}
		bad[r.file] = bad[r.file] || mark != ""
		fmt.Fprintf(&b, "%-14s %11.0f %11d %6.2f  %11.0f %11d %6.2f  %8.4f %8.4f %6.2f  %6.4f %9s%s\n", strings.TrimSuffix(r.file, ".iql"),
			r.estimate.Rows, r.rows, r.rowsOff(), r.estimate.Bytes(), r.read, r.bytesOff(), r.estimate.Seconds, r.seconds, r.secondsOff(), r.took, r.estimate.Sample, mark)
	}
	for _, is := range bad {
		all++
		if !is {
			good++
		}
	}
	t.Logf("%d of %d files within the bar\n%s", good, all, b.String())
	return good, all
}

// TestCost compares what the SELECTs of the saved queries are estimated to cost on the
// demo archive with what they cost, first by the guesses and then after it has learned
// from one run. Times are printed and not compared.
func TestCost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "archive")
	a := store.Open(path, store.Options{Warn: func(err error) { t.Error(err) }})
	if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{"../queries/demo/*.raw"}}); err != nil {
		t.Fatal(err)
	}
	a.Close()
	rates := new(cost.Rates)
	for pass, most := range []float64{100, 8} {
		rows := costsOf(t, path, costParams, rates, pass == 0)
		costTable(t, rows)
		for i := range rows {
			if r := &rows[i]; math.Max(r.rowsOff(), r.bytesOff()) > most {
				t.Errorf("%s, pass %d: rows are off by %.1f, bytes by %.1f", r.file, pass, r.rowsOff(), r.bytesOff())
			}
		}
	}
}

// TestCostSample shows that the rows of a query that would take long are counted on a sample:
// within a factor of two, although a guess knows nothing of the condition.
func TestCostSample(t *testing.T) {
	a := joined(pagesArchive(t), nil)
	s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings()})
	for _, c := range []struct {
		query string
		rows  float64
	}{
		{"SELECT url FROM versions IN 'example' WHERE url LIKE 'http://h%' AND html CONTAINS '3 words of page'", 4000. / 7},
		{"SELECT count(*) AS n FROM versions IN 'example' WHERE url LIKE 'http://h%' AND html NOT CONTAINS 'of page' GROUP BY url", 0},
	} {
		node, snap := snapshotOf(t, s, c.query)
		e, err := s.Estimate(t.Context(), snap, node)
		if err != nil {
			t.Fatal(err)
		}
		if got := off(e.Rows, c.rows, 100); e.Sample == "" || got > 2 {
			t.Errorf("%s: about %.0f rows by a sample of %q, want %.0f by a sample", c.query, e.Rows, e.Sample, c.rows)
		}
		t.Logf("%.0f rows by %s", e.Rows, e.Sample)
	}
}

// TestCostRefused shows that a session that can ask nobody refuses a query above warn_cost,
// before it reads anything, and that a damaged or missing file of rates does no harm.
func TestCostRefused(t *testing.T) {
	a := joined(pagesArchive(t), nil)
	settings := session.DefaultSettings()
	settings.WarnCost = session.CostLimit{Bytes: 1000}
	rates := &cost.Rates{Load: func() []byte { return []byte("infomall rates 1\nrows-x 1 1\n") }}
	s := exec.New(session.Options{Archive: a, Settings: settings, Rates: rates})
	st, err := lang.ParseOne("SELECT url FROM captures", "")
	if err != nil {
		t.Fatal(err)
	}
	var refused *session.CostError
	if _, err := s.Run(t.Context(), st); !errors.As(err, &refused) || refused.Limit != "1000" {
		t.Fatalf("the error is %v", err)
	}
	s.Settings().WarnCost = session.CostLimit{}
	res, err := s.Run(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range res.Rows {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !rates.Changed() {
		t.Error("nothing was measured")
	}
}

package exec_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"infomall/crawl/report"
	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store/record/task"
)

// statementTypes lists the types of lang/ast that are statements: those with the
// method statement.
func statementTypes(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../lang/ast/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "statement" || fn.Type.Params.NumFields() > 0 {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				names = append(names, star.X.(*ast.Ident).Name)
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("lang/ast has no types of statements")
	}
	return names
}

// TestStatementsDeclared compares the types of lang/ast that are statements with those
// that the grammar makes of testdata/statements.iql, and with those that are declared.
// HELP has all of them, in the order in which they are declared.
func TestStatementsDeclared(t *testing.T) {
	types := statementTypes(t)
	declared := map[*session.Spec]string{}
	for _, text := range someStatements(t) {
		st, err := lang.ParseOne(text, "")
		if err != nil {
			t.Fatal(err)
		}
		declared[exec.SpecOf(st)] = reflect.TypeOf(st).Elem().Name() // it panics if there is none
	}
	made := slices.Sorted(maps.Values(declared))
	if slices.Sort(types); !slices.Equal(made, types) {
		t.Errorf("lang/ast has\n%q, testdata/statements.iql\n%q", types, made)
	}
	if n := len(exec.Specs()); n != len(types) {
		t.Errorf("%d types are declared, lang/ast has %d", n, len(types))
	}
	topics := slices.DeleteFunc(lang.Topics(), func(topic string) bool { return topic == "EXPRESSIONS" })
	var names []string
	for _, s := range exec.Specs() {
		for i, n := range s.Names {
			if i == 0 || slices.Contains(topics, n) { // HELP on PAUSE CRAWL is also on RESUME CRAWL
				names = append(names, n)
			}
		}
	}
	if !slices.Equal(names, topics) {
		t.Errorf("declared are\n%q, HELP has\n%q", names, topics)
	}
}

// errChanges is how a guarded archive refuses to be changed.
var errChanges = errors.New("the archive is changed")

// changes is errChanges, unless changes are counted only.
func changes(dry bool) error {
	if dry {
		return nil
	}
	return errChanges
}

// guarded is an archive that can only be read.
type guarded struct{ archive }

// guardedSnapshot is a snapshot that counts deletions, and makes none.
type guardedSnapshot struct{ relation.Snapshot }

func (guardedSnapshot) Delete(_ context.Context, o task.DeleteOptions) (res task.DeleteResult, err error) {
	for range o.Targets {
		res.Pools = []task.RemovedPool{{Name: "2008-06"}}
	}
	return res, changes(o.Dry)
}

func (g guarded) Snapshot(ctx context.Context) (relation.Snapshot, error) {
	snap, err := g.archive.Snapshot(ctx)
	return guardedSnapshot{snap}, err
}
func (guarded) Import(context.Context, task.ImportOptions) ([]task.ImportResult, error) {
	return nil, errChanges
}
func (guarded) Move(context.Context, task.MoveOptions) ([]task.MoveResult, error) {
	return nil, errChanges
}

func (guarded) Copy(_ context.Context, o task.CopyOptions) ([]task.CopyResult, error) {
	return nil, changes(o.Dry)
}
func (guarded) Merge(_ context.Context, o task.MergeOptions) ([]task.MergeResult, error) {
	return nil, changes(o.Dry)
}
func (guarded) Repair(_ context.Context, o task.RepairOptions) ([]task.RepairResult, error) {
	return nil, changes(o.Dry)
}
func (guarded) Reindex(_ context.Context, o task.ReindexOptions) ([]task.ReindexResult, error) {
	return nil, changes(o.Dry)
}
func (guarded) Drop(_ context.Context, o task.DropOptions) (res task.DropResult, err error) {
	return res, changes(o.Dry)
}
func (guarded) Allow(_ context.Context, o task.AllowOptions) (res task.AllowResult, err error) {
	return res, changes(o.Dry)
}
func (guarded) Define(context.Context, func([]task.Definition) ([]task.Definition, error)) error {
	return errChanges
}
func (guarded) SaveResult(context.Context, task.Result, iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	return task.Result{}, errChanges
}
func (guarded) DropResult(context.Context, string, string) (int, error) { return 0, errChanges }

// guardedCrawler is a crawler that can only be asked.
type guardedCrawler struct{ untouchable }

func (guardedCrawler) Crawls(context.Context) ([]report.Crawl, error) { return nil, nil }
func (guardedCrawler) Jobs(context.Context) ([]task.Job, error)       { return nil, nil }
func (guardedCrawler) Crawl(context.Context, report.CrawlOptions) (report.CrawlResult, error) {
	return report.CrawlResult{}, errChanges
}
func (guardedCrawler) OrderCrawl(context.Context, string, func(*report.CrawlOrders)) error {
	return errChanges
}
func (guardedCrawler) GiveCrawl(context.Context, string, []string, bool) error { return errChanges }
func (guardedCrawler) BeginJob(context.Context, task.Job) (int64, func(task.Job) error, error) {
	return 0, nil, errChanges // a schedule runs as a job
}

// TestReadOnly runs statements against an archive that cannot be changed. Those that
// are declared to write want to change it, and a session that only reads refuses
// them. The others, and those that the session does not refuse, do not change it.
func TestReadOnly(t *testing.T) {
	writers := map[string]string{
		"IMPORT 'a.warc'": "IMPORT",
		"CRAWL 'http://a.cn/' AGENT 'x (mail@a.cn)'":  "CRAWL",
		"PAUSE CRAWL site":                            "PAUSE CRAWL",
		"RESUME CRAWL site":                           "RESUME CRAWL",
		"SET WORKERS 2 FOR CRAWL site":                "SET WORKERS",
		"SET DELAY 2s FOR CRAWL site":                 "SET DELAY",
		"RESET DELAY FOR CRAWL site":                  "RESET DELAY",
		"EXCLUDE 'a.cn' FROM CRAWL site":              "EXCLUDE",
		"INCLUDE 'a.cn' IN CRAWL site":                "INCLUDE",
		"ADD 'http://a.cn/' TO CRAWL site":            "ADD",
		"COPY POOL ALL TO 'copy'":                     "COPY POOL",
		"MERGE POOL ALL":                              "MERGE POOL",
		"MOVE POOL ALL TO 'tier'":                     "MOVE POOL",
		"SEAL POOL ALL":                               "SEAL POOL",
		"REPAIR POOL '2008-06' FROM 'copy'":           "REPAIR POOL",
		"REINDEX":                                     "REINDEX",
		"DROP POOL '2008-06'":                         "DROP POOL",
		"DELETE FROM 'a.cn'":                          "DELETE",
		"CREATE VIEW v AS SELECT 1":                   "CREATE VIEW",
		"CREATE METADATA long ON PAGE AS depth > 3":   "CREATE METADATA",
		"SAVE q AS SELECT 1":                          "SAVE",
		"DROP VIEW there":                             "DROP VIEW",
		"ALLOW 'a.cn'":                                "ALLOW",
		"RULE r ON 'a.cn' EXCLUDE":                    "RULE",
		"DROP RULE there":                             "DROP RULE",
		"DROP METADATA there":                         "DROP METADATA",
		"DROP GRAPH there":                            "DROP GRAPH",
		"DROP GAZETTEER":                              "DROP GAZETTEER",
		"SCHEDULE nightly EVERY 1d AS VERIFY":         "SCHEDULE",
		"UNSCHEDULE there":                            "UNSCHEDULE",
		"RUN SCHEDULE there":                          "RUN SCHEDULE",
		"WATCH new EVERY 1d AS SELECT url FROM pages": "WATCH",
		"UNWATCH seen":                                "UNWATCH",
		"RUN WATCH seen":                              "RUN WATCH",
		"PAGERANK":                                    "PAGERANK",
		"HITS FOR 'news' OVER '*'":                    "HITS",
		"HITS OVER '*'":                               "HITS",
		"DEDUP":                                       "DEDUP",
		"CLUSTER ON (SELECT url, text FROM versions) BY words": "CLUSTER",
		"DROP CLUSTERS there": "DROP CLUSTERS",
		"TRAIN n ON (SELECT 'one' AS text, 'a' AS class UNION ALL SELECT 'two', 'b') FOLDS 2": "TRAIN",
		"DROP CLASSIFIER there": "DROP CLASSIFIER",
		"EVENTS news":           "EVENTS",
		"DROP EVENTS there":     "DROP EVENTS",
	}
	memory := relationtest.New(relationtest.Capture{URL: "http://a.cn/", Time: at("2008-06-01"), Status: 200, Mime: html, Body: `<title>news</title><a href="http://b.cn/">b</a>`})
	run := func(src string, readOnly bool) error {
		s := sessionWith(guarded{archive{memory}}, func(o *session.Options) {
			o.Crawler, o.Jobs, o.ReadOnly = guardedCrawler{}, guardedCrawler{}, readOnly
		})
		_, _, err := ask(s, src)
		return err
	}
	s := newSession(archive{memory})
	for _, src := range []string{"CREATE VIEW there AS SELECT 1", "CREATE METADATA there ON PAGE AS depth", "SCHEDULE there EVERY 1d AS VERIFY", "WATCH seen EVERY 1d AS SELECT url FROM pages", "RULE there ON 'a.cn' EXCLUDE"} {
		if _, _, err := ask(s, src); err != nil {
			t.Fatal(err)
		}
	}
	for _, kept := range []task.Result{{Kind: task.ResultGraphs, Name: "there"}, {Kind: task.ResultEvents, Name: "there"}, {Kind: task.ResultClusters, Name: "there"}, {Kind: task.ResultClassifier, Name: "there"}, {Kind: task.ResultGazetteer, Name: "gazetteer"}} {
		if _, err := memory.SaveResult(t.Context(), kept, func(func(task.ResultRow, error) bool) {}); err != nil {
			t.Fatal(err)
		}
	}
	shown := map[*session.Spec]bool{}
	for src, name := range writers {
		if err := run(src, false); !errors.Is(err, errChanges) {
			t.Errorf("%s: got error %v, want %v", src, err, errChanges)
		}
		if err, want := run(src, true), "1:1: "+name+" writes, but this session is read-only"; err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", src, err, want)
		}
		st, err := lang.ParseOne(src, "")
		if err != nil {
			t.Fatal(err)
		}
		shown[exec.SpecOf(st)] = true
	}
	texts := someStatements(t)
	t.Chdir(t.TempDir())
	for _, src := range texts {
		st, err := lang.ParseOne(src, "")
		if err != nil {
			t.Fatal(err)
		}
		if spec := exec.SpecOf(st); spec.Writes && !shown[spec] {
			t.Errorf("%s is declared to write, and is not among those that are shown to", src)
		}
		if err := run(src, true); errors.Is(err, errChanges) {
			t.Errorf("%s changes the archive of a session that only reads", src)
		}
	}
}

package exec

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"infomall/exec/plan"
	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// Run runs one statement. What the writer of the statement can mend is an
// *ast.Error. NOW stands still from here on. For RUN see Expand. What works on
// the archive is noted as a job. What needs an archive where there is none is a
// *NoArchiveError.
func (s *Session) Run(ctx context.Context, st ast.Statement) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.mayWrite(st); err != nil {
		return nil, err
	}
	if needsArchive(st) && !s.Archive.Exists() {
		return nil, cmp.Or(s.Check(st), s.findArchive())
	}
	if s.Jobs != nil && !s.ReadOnly && works(st) {
		return s.runJob(ctx, st)
	}
	return s.run(ctx, st)
}

func (s *Session) run(ctx context.Context, st ast.Statement) (*Result, error) {
	switch st := st.(type) {
	case *ast.Query:
		return s.query(ctx, st)
	case *ast.Import:
		return s.importFiles(ctx, st)
	case *ast.Export:
		return s.export(ctx, st)
	case *ast.Crawl:
		return s.crawl(ctx, st)
	case *ast.OrderCrawl:
		return s.orderCrawl(ctx, st)
	case *ast.AddToCrawl:
		return s.addToCrawl(ctx, st)
	case *ast.Trace:
		return s.trace(ctx, st)
	case *ast.CopyPool:
		return s.copyPool(ctx, st)
	case *ast.Verify:
		return s.verify(ctx, st)
	case *ast.MergePool:
		return s.mergePool(ctx, st)
	case *ast.RepairPool:
		return s.repairPool(ctx, st)
	case *ast.Reindex:
		return s.reindex(ctx, st)
	case *ast.DropPool:
		return s.dropPool(ctx, st)
	case *ast.Delete:
		return s.deleteCaptures(ctx, st)
	case *ast.CreateView, *ast.CreateMetadata, *ast.Save:
		return s.define(ctx, st)
	case *ast.DropView:
		return s.undefine(ctx, record.KindView, &st.Name)
	case *ast.DropMetadata:
		return s.undefine(ctx, record.KindMetadata, &st.Name)
	case *ast.DropGraph:
		return s.dropGraph(ctx, st)
	case *ast.Run:
		return nil, errRun
	case *ast.Schedule:
		return s.schedule(ctx, st)
	case *ast.Unschedule:
		return s.unschedule(ctx, st)
	case *ast.RunSchedule:
		return s.runSchedule(ctx, st)
	case *ast.PageRank:
		return s.pageRank(ctx, st)
	case *ast.HITS:
		return s.hits(ctx, st)
	case *ast.Dedup:
		return s.dedup(ctx, st)
	case *ast.ShowPath:
		return s.showPath(ctx, st)
	case *ast.ExplainRank:
		return s.explainRank(ctx, st)
	case *ast.Recover:
		return s.recoverFile(ctx, st)
	case *ast.Explain:
		return s.explain(ctx, st)
	case *ast.Describe:
		return s.describe(st)
	case *ast.Show:
		return s.show(ctx, st)
	case *ast.ShowRobots:
		return s.showRobots(ctx, st)
	case *ast.ShowPage:
		return s.showPage(ctx, st)
	case *ast.Diff:
		return s.diff(ctx, st)
	case *ast.Set:
		return s.set(st)
	case *ast.Reset:
		return s.reset(st)
	case *ast.Help:
		return s.help(st)
	}
	panic(fmt.Sprintf("exec: unknown statement %T", st))
}

// writes is what a statement is called that writes to the archive, "" for others.
func writes(st ast.Statement) string {
	switch st := st.(type) {
	case *ast.Import:
		return "IMPORT"
	case *ast.Crawl:
		return "CRAWL"
	case *ast.OrderCrawl:
		return "an order to a crawl"
	case *ast.AddToCrawl:
		return "ADD"
	case *ast.CopyPool:
		return "COPY POOL"
	case *ast.MergePool:
		return strings.ToUpper(mergeWord(st)) + " POOL"
	case *ast.RepairPool:
		return "REPAIR POOL"
	case *ast.Reindex:
		return "REINDEX"
	case *ast.DropPool:
		return "DROP POOL"
	case *ast.Delete:
		return "DELETE"
	case *ast.CreateView:
		return "CREATE VIEW"
	case *ast.CreateMetadata:
		return "CREATE METADATA"
	case *ast.Save:
		return "SAVE"
	case *ast.DropView:
		return "DROP VIEW"
	case *ast.DropMetadata:
		return "DROP METADATA"
	case *ast.DropGraph:
		return "DROP GRAPH"
	case *ast.Schedule:
		return "SCHEDULE"
	case *ast.Unschedule:
		return "UNSCHEDULE"
	case *ast.RunSchedule:
		return "RUN SCHEDULE"
	case *ast.PageRank:
		return "PAGERANK"
	case *ast.HITS:
		return "HITS"
	case *ast.Dedup:
		return "DEDUP"
	}
	return ""
}

// now is the time by the session's clock.
func (s *Session) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// env is what is fixed for one statement.
func (s *Session) env() *plan.Env {
	return &plan.Env{
		Now: record.At(s.now()), Zone: s.Settings.Timezone, Params: s.Params,
		Level: s.Settings.cutLevel(), Profile: s.Settings.Profile, Plain: s.Plain,
		Table:   func(path string) (value.Table, error) { return rowio.OpenTable(path) },
		Defined: s.defined(),
	}
}

// done is the result of a statement that has nothing to show.
func done() *Result { return &Result{Kind: ResultNone, Close: func() {}} }

// table is a small result that is known at once.
type table struct {
	cols  []value.Column
	batch *value.Batch
}

func newTable(cols ...value.Column) *table {
	t := &table{cols: cols, batch: new(value.Batch)}
	for _, c := range cols {
		t.batch.Cols = append(t.batch.Cols, &value.Vector{Type: c.Type})
	}
	return t
}

// text and its like describe a column of a table.
func text(name string) value.Column { return value.Column{Name: name, Type: value.Text} }

func whole(name string) value.Column { return value.Column{Name: name, Type: value.Int} }

// add adds a row. Columns left out at its end are NULL.
func (t *table) add(row ...value.Value) {
	for i, c := range t.batch.Cols {
		if i < len(row) {
			c.AppendValue(row[i])
		} else {
			c.AppendValue(value.Value{})
		}
	}
	t.batch.N++
}

// result gives the table as a result. Err, if not nil, follows the rows.
func (t *table) result(kind ResultKind, err error) *Result {
	return &Result{
		Kind:    kind,
		Columns: t.cols,
		Rows: func(yield func(*value.Batch, error) bool) {
			if t.batch.N > 0 && !yield(t.batch, nil) {
				return
			}
			if err != nil {
				yield(nil, err)
			}
		},
		Close: func() {},
	}
}

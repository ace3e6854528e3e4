package export

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// followPoll is how often an EXPORT … FOLLOW looks for captures that have come in. Crawls
// make captures visible every few seconds.
const followPoll = 500 * time.Millisecond

// following is an EXPORT … FOLLOW statement that is ready to run.
type following struct {
	*export
	query *ast.Query // the query of the statement, with addedColumn among its columns
}

// readFollow makes a following of an EXPORT statement that has FOLLOW. It checks that the
// query is one whose rows can be written as they come in, and that the format is WARC.
func readFollow(e *export) (*following, error) {
	st := e.st
	if e.to.format != warcFormat {
		err := ast.Errorf(st.To, "FOLLOW writes captures to a WARC file, and not the format %s", e.to.format.name)
		err.Hint = "end the name of the file in .warc or .warc.gz"
		return nil, err
	}
	if err := followable(st.Query, e.s.Env().Known != 0); err != nil {
		return nil, err
	}
	q, sel := *st.Query, *st.Query.Select
	q.Select = &sel
	sel.Items = slices.Clip(sel.Items)
	if !slices.ContainsFunc(e.node.Columns(), func(c value.Column) bool { return c.Name == addedColumn && c.Type == value.Time }) {
		sel.Items = append(sel.Items, ast.Item{Span: sel.Span, Expr: column(sel.Span, addedColumn)})
	}
	f := &following{e, &q}
	_, err := f.plan(record.MinTime)
	return f, err
}

// addedColumn is the column of the relation captures that says when a capture was added.
// Captures that became visible together have the same time. It is later than the times of
// all captures that were there before.
const addedColumn = "added"

// followable returns an error if the rows of the query q cannot be written one by one as
// captures come in, for example because q counts them. past reports that the session reads
// the archive as it was known at an earlier time.
func followable(q *ast.Query, past bool) error {
	sel := q.Select
	fault := ""
	switch {
	case q.Search != nil:
		fault = "SEARCH"
	case len(q.With) > 0:
		fault = "WITH"
	case len(q.Sets) > 0:
		fault = "UNION, INTERSECT or EXCEPT"
	case len(q.OrderBy) > 0:
		fault = "ORDER BY"
	case q.Limit != nil || q.Offset != nil:
		fault = "LIMIT"
	case sel.Distinct:
		fault = "DISTINCT"
	case len(sel.Joins) > 0:
		fault = "JOIN"
	case len(sel.GroupBy) > 0 || sel.Having != nil:
		fault = "GROUP BY"
	case sel.From != nil && sel.From.Time.Choice != nil:
		fault = sel.From.Time.Choice.String()
	case sel.From != nil && sel.From.Time.Known != nil, past:
		fault = "KNOWN AT"
	case sel.From == nil || sel.From.Relation == nil || !strings.EqualFold(sel.From.Relation.Text, "captures"):
		err := ast.Errorf(q, "FOLLOW writes captures as they come in, and reads the relation captures only")
		err.Hint = "write EXPORT (SELECT url, time FROM captures …) TO … FOLLOW"
		return err
	default:
		return nil
	}
	err := ast.Errorf(q, "FOLLOW writes captures as they come in, so its query may not have %s", fault)
	err.Hint = "write EXPORT (SELECT url, time FROM captures IN … WHERE …) TO … FOLLOW"
	return err
}

// column returns the column with this name as an expression.
func column(at ast.Span, name string) *ast.Column {
	return &ast.Column{Span: at, Name: ast.Name{Span: at, Text: name}}
}

// plan returns the plan for the captures of the query that were added after the time t,
// ordered by the time at which they were added.
func (f *following) plan(t record.Time) (plan.Node, error) {
	at := f.query.Span
	names := []string{"url", "time", addedColumn}
	sel := &ast.Select{Span: at, From: &ast.Source{Span: at, Query: f.query}}
	q := &ast.Query{Span: at, Select: sel}
	for _, name := range names {
		sel.Items = append(sel.Items, ast.Item{Span: at, Expr: column(at, name)})
	}
	for _, name := range []string{addedColumn, "url", "time"} {
		q.OrderBy = append(q.OrderBy, ast.OrderItem{Span: at, Expr: column(at, name)})
	}
	if t > record.MinTime {
		sel.Where = &ast.Binary{Span: at, OpAt: at, Op: ">", X: column(at, addedColumn), Y: moment(at, t)}
	}
	return plan.Build(q, f.s.Env())
}

// moment returns the time t as a literal.
func moment(at ast.Span, t record.Time) *ast.Period {
	u := t.Std()
	return &ast.Period{
		Span: at, Text: u.Format("2006-01-02T15:04:05.000Z"), Unit: ast.UnitMilli, HasZone: true,
		Year: u.Year(), Month: int(u.Month()), Day: u.Day(), Hour: u.Hour(), Minute: u.Minute(), Second: u.Second(), Milli: u.Nanosecond() / int(time.Millisecond),
	}
}

// Would returns the lines for EXPLAIN: the file's name, what FOLLOW does, and the plan of the
// query.
func (f *following) Would(ctx context.Context) ([]string, error) {
	lines, err := f.export.Would(ctx)
	if err != nil {
		return nil, err
	}
	until := "until it is cancelled"
	if f.st.Follow.Crawl != nil {
		until = "until crawl " + f.st.Follow.Crawl.Text + " ends"
	}
	return slices.Insert(lines, 1, "follows the archive "+until), nil
}

// Run writes the captures that the query selects, and then those that come in, to the file.
// It returns when the crawl of the statement has ended, or when ctx ends. The result has one
// row, with the last file that was written, and the captures and bytes in all files.
func (f *following) Run(ctx context.Context) (*session.Result, error) {
	if _, err := f.ended(ctx); err != nil {
		return nil, err
	}
	archive, err := filepath.Abs(f.s.Archive().Local())
	if err != nil {
		return nil, err
	}
	out, err := openFollowed(f.to, followState{Query: f.st.Query.String(), Archive: archive}, f.s.Env().Now)
	if err != nil {
		return nil, err
	}
	defer out.close()
	progress := f.s.Report("export", "captures")
	seen := out.state.Added
	for {
		// The state of the crawl is read first: what the crawl has made visible until it ended
		// is in the snapshot that follow takes after that.
		ended, err := f.ended(ctx)
		if err == nil {
			seen, err = f.round(ctx, out, seen)
		}
		if err != nil {
			return nil, errors.Join(err, out.close())
		}
		if progress != nil {
			progress(out.state.Captures, 0)
		}
		if ended {
			break
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), out.close())
		case <-time.After(followPoll):
		}
	}
	if err := out.close(); err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("file"), session.Whole("captures"), session.Whole("bytes"))
	n := session.Count{Rows: out.state.Captures, Bytes: out.state.Bytes}
	t.Add(value.OfText(out.path()), value.OfInt(n.Rows), value.OfInt(n.Bytes))
	res := t.Work(n, nil)
	if out.bodyless > 0 {
		res.Notes = append(res.Notes, bodylessNote(out.bodyless))
	}
	return res, nil
}

// ended reports whether the crawl of FOLLOW CRAWL has ended. Without CRAWL it returns false.
// If there is no such crawl, ended returns an error.
func (f *following) ended(ctx context.Context) (bool, error) {
	name := f.st.Follow.Crawl
	if name == nil {
		return false, nil
	}
	if f.s.Crawler() == nil {
		return false, ast.Errorf(name, "this archive takes no crawls")
	}
	list, err := f.s.Crawler().Crawls(ctx)
	if err != nil {
		return false, err
	}
	var last *report.Crawl
	var names []string
	for i := range list {
		names = append(names, list[i].Name)
		if strings.EqualFold(list[i].Name, name.Text) && (last == nil || list[i].ID > last.ID) {
			last = &list[i]
		}
	}
	if last == nil {
		return false, expr.UnknownName(name, "crawl", name.Text, " in the archive", names)
	}
	return last.State == report.CrawlFinished || last.State == report.CrawlStopped, nil
}

// round writes the captures that were added after the time seen. It returns the time up to
// which all captures are now written.
func (f *following) round(ctx context.Context, out *followed, seen record.Time) (record.Time, error) {
	snap, release, err := f.s.SnapshotOrEmpty(ctx)
	if err != nil {
		return seen, err
	}
	defer release()
	now := snap.LastAdded()
	if now <= seen {
		return seen, nil
	}
	node, err := f.plan(seen)
	if err != nil {
		return seen, err
	}
	rows, err := f.s.Runner(snap, "export").Rows(ctx, node)
	if err != nil {
		return seen, err
	}
	c := &captureExport{snap: snap, at: 1, out: out, stop: func() {}}
	defer func() { c.stop() }()
	for b, err := range rows {
		if err != nil {
			return seen, err
		}
		for from, to := 0, 0; from < b.N; from = to {
			added := record.Time(b.Cols[2].At(from).Int)
			for to = from; to < b.N && record.Time(b.Cols[2].At(to).Int) == added; to++ {
			}
			if added != c.added {
				// All captures that were added at c.added are written.
				if err := out.commit(c.added); err != nil {
					return seen, err
				}
				c.stop()
				c = &captureExport{snap: snap, at: 1, out: out, added: added, stop: func() {}}
			}
			visits, err := c.visits(b, from, to)
			if err == nil {
				err = c.write(ctx, visits)
			}
			if err != nil {
				return seen, fmt.Errorf("export to %s: %w", out.path(), err)
			}
		}
	}
	return now, out.commit(c.added)
}

package export

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/lake"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// partitioned is an EXPORT statement that writes a data set, ready to run. A data set is
// many Parquet files in a folder or a bucket.
type partitioned struct {
	*export
	node   plan.Node // of the query with the columns of PARTITION BY at the end
	files  []int     // the columns that the files have
	by     []int     // the columns of PARTITION BY
	sorted []string  // the columns by which the rows of a partition are sorted
	folder string
	asked  *ast.Export // the statement without the name of the folder
}

// isDataSet reports whether a statement writes a data set and not one file: it has PARTITION
// BY, or the name in TO ends in /.
func isDataSet(st *ast.Export, path string) bool {
	return len(st.PartitionBy) > 0 || strings.HasSuffix(path, "/")
}

// sortColumns are the names of the columns by which the rows of a partition are sorted if
// the query has no ORDER BY. From each list, the first name that is a column of the query is
// taken.
var sortColumns = [][]string{{"url_surtkey", "urlkey", "url"}, {"fetch_time", "time"}}

// readPartitioned makes a partitioned of the export e, whose query is planned already.
func readPartitioned(e *export) (*partitioned, error) {
	st := e.st
	switch {
	case st.Follow != nil:
		return nil, ast.Errorf(st.Follow, "FOLLOW writes captures to a WARC file, and not to a folder")
	case st.Format != nil && e.to.format.name != "parquet":
		err := ast.Errorf(st.Format, "a folder gets files of the format parquet, and not %s", e.to.format.name)
		err.Hint = "leave FORMAT out, or write to one file, without PARTITION BY and without / at the end of its name"
		return nil, err
	}
	p := &partitioned{export: e, folder: strings.TrimRight(e.to.path, "/") + "/"}
	p.asked = &ast.Export{Query: st.Query, To: &ast.String{Value: "folder/"}, PartitionBy: st.PartitionBy}
	cols := e.node.Columns()
	var order []ast.OrderItem
	by := &ast.Select{Span: st.Query.Span, Items: []ast.Item{{Span: st.Query.Span, Star: true}}, From: &ast.Source{Span: st.Query.Span, Query: st.Query}}
	left := map[int]bool{} // columns of the query that the folders name
	for _, it := range st.PartitionBy {
		name, err := partitionName(&it)
		if err != nil {
			return nil, err
		}
		column, plain := it.Expr.(*ast.Column)
		for i, c := range cols {
			if strings.EqualFold(c.Name, name) {
				if !plain || !strings.EqualFold(column.Name.Text, name) {
					return nil, ast.Errorf(&it, "the query has a column %s, too; give the one of PARTITION BY another name", name)
				}
				left[i] = true
			}
		}
		by.Items = append(by.Items, ast.Item{Span: it.Span, Expr: it.Expr, Alias: &ast.Name{Span: it.Span, Text: name}})
		if slices.ContainsFunc(by.Items[1:len(by.Items)-1], func(o ast.Item) bool { return strings.EqualFold(o.Alias.Text, name) }) {
			return nil, ast.Errorf(&it, "PARTITION BY has two columns %s", name)
		}
		order = append(order, ordinal(it.Span, len(cols)+len(order)+1))
	}
	if len(left) == len(cols) {
		return nil, ast.Errorf(st.Query, "no column is left for the files: PARTITION BY has all that the query has")
	}
	for i, c := range cols {
		if !left[i] {
			p.files = append(p.files, i)
		}
		if first := slices.IndexFunc(cols, func(o value.Column) bool { return strings.EqualFold(o.Name, c.Name) }); first != i {
			return nil, ast.Errorf(st.Query, "the query has two columns %s, which other engines do not tell apart; give one another name by AS", cols[first].Name)
		}
	}
	if len(st.Query.OrderBy) == 0 {
		for _, i := range sortedBy(cols, left) {
			order = append(order, ordinal(st.Query.Span, i+1))
			p.sorted = append(p.sorted, cols[i].Name)
		}
	}
	q := &ast.Query{Span: st.Query.Span, Select: by}
	node, err := plan.Build(q, e.s.Env())
	if err != nil {
		return nil, err
	}
	// An empty text and NULL have the same folder, so they must come together.
	for i, c := range node.Columns()[len(cols):] {
		it := &by.Items[i+1]
		switch c.Type {
		case value.Text, value.URL:
			it.Expr = &ast.Call{Span: it.Span, Name: ast.Name{Span: it.Span, Text: "nullif"}, Args: []ast.Expr{it.Expr, &ast.String{Span: it.Span}}}
		case value.Float, value.Duration:
			err := ast.Errorf(it, "a folder can be named by texts, whole numbers, times and true or false, and %s is a %s", it.Alias.Text, c.Type)
			err.Hint = "write floor of a number, or a CASE that gives classes"
			return nil, err
		}
		p.by = append(p.by, len(cols)+i)
	}
	q.OrderBy = order
	p.node, err = plan.Build(q, e.s.Env())
	return p, err
}

// partitionName returns the name of a column of PARTITION BY. An expression without AS has none,
// which is an error.
func partitionName(it *ast.Item) (string, error) {
	if it.Alias != nil {
		return it.Alias.Text, nil
	}
	if c, ok := it.Expr.(*ast.Column); ok {
		return c.Name.Text, nil
	}
	err := ast.Errorf(it.Expr, "a column of PARTITION BY needs a name, and %s has none", it.Expr)
	err.Hint = fmt.Sprintf("write PARTITION BY %s AS name", it.Expr)
	return "", err
}

// sortedBy returns the indexes in cols of the columns by which the rows of a partition are sorted
// without ORDER BY: those of sortColumns, or if there are none, all columns of the files. left has
// the columns that the files do not have.
func sortedBy(cols []value.Column, left map[int]bool) (list []int) {
	for _, names := range sortColumns {
		for _, name := range names {
			i := slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == name })
			if i >= 0 && !left[i] {
				list = append(list, i)
				break
			}
		}
	}
	if list != nil {
		return list
	}
	for i := range cols {
		if !left[i] {
			list = append(list, i)
		}
	}
	return list
}

// ordinal returns the sort key that is the nth column of the result.
func ordinal(at ast.Span, n int) ast.OrderItem {
	return ast.OrderItem{Span: at, Expr: &ast.Number{Span: at, Text: strconv.Itoa(n), IsInt: true, Int: int64(n)}}
}

// Would returns the lines for EXPLAIN: the folder, then the plan of the query.
func (p *partitioned) Would(ctx context.Context) ([]string, error) {
	first := "export to " + p.folder + " as parquet"
	var names []string
	for _, i := range p.by {
		names = append(names, p.node.Columns()[i].Name)
	}
	if len(names) > 0 {
		first += ", by " + strings.Join(names, ", ")
	}
	lines, err := p.s.PlanLines(ctx, p.node)
	return append([]string{first}, lines...), err
}

// Run writes the query's rows to the files of the data set. Its result has one row, with the
// folder and how many files and rows it has, how many files were written and how many removed.
func (p *partitioned) Run(ctx context.Context) (*session.Result, error) {
	s := p.s
	place, err := s.OpenPlace(ctx, p.folder)
	if err != nil {
		return nil, err
	}
	// The snapshot is older than that of the query, so the state in the manifest is never
	// later than the rows.
	snap, release, err := s.SnapshotOrEmpty(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	origin, err := p.origin(ctx, snap.State(), snap.Pools)
	if err != nil {
		return nil, err
	}
	rows, err := s.Open(ctx, p.node)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	got, err := lake.Write(ctx, lake.Options{
		Place: place, Name: p.folder, Origin: origin, Columns: rows.Columns, Files: p.files, By: p.by, SortedBy: p.sorted,
		Zone: s.Env().Location(), Temp: s.Runner(snap, "export").TempFile, Report: s.Report("export", "rows"),
	}, rows.Rows)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("folder"), session.Whole("files"), session.Whole("rows"), session.Whole("bytes"), session.Whole("written"), session.Whole("removed"))
	t.Add(value.OfText(p.folder), value.OfInt(int64(got.Files)), value.OfInt(got.Rows), value.OfInt(got.Bytes), value.OfInt(int64(got.Written)), value.OfInt(int64(got.Removed)))
	res := t.Work(session.Count{Rows: got.Rows, Bytes: got.Bytes}, nil)
	res.Notes = rows.Notes
	return res, nil
}

// origin returns what the manifest says about the statement and the archive.
func (p *partitioned) origin(ctx context.Context, state string, pools func(context.Context) ([]record.Pool, error)) (lake.Origin, error) {
	s := p.s
	params, settings := asked(p.asked, s.Params(), s.Settings())
	o := lake.Origin{
		Statement: p.asked.String(), Parameters: params, Settings: settings, Pools: []string{},
		Time: s.Env().Now.Std().Format(time.RFC3339Nano), Archive: filepath.Base(s.Archive().Path()), State: state, Program: software + " " + s.Version(),
	}
	list, err := pools(ctx)
	for _, pool := range list {
		o.Pools = append(o.Pools, pool.Name)
	}
	slices.Sort(o.Pools)
	return o, err
}

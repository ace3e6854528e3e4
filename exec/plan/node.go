// Package plan turns the syntax tree of a query into a plan: a tree of nodes
// that package op runs. Names are resolved, types are known, and scopes and
// times have become ranges. The package reads no captures.
//
// # Plans
//
// A Node reads the rows of the nodes below it and yields rows; EXPLAIN prints
// one line per node. Its expressions are those of package expr: columns are
// indexes in the batches of the node below.
//
//	result: url, len        Project
//	  limit 10              Limit
//	    payload: text       Payload
//	      filter: …         Filter
//	        versions in …   Source
//
// # Sources
//
// A Source reads a relation of the archive, such as versions. Its Scope says
// which URLs, its Window which times, and its Choice which versions of each
// URL, such as the last. Narrowing adds to the ranges of a Source what WHERE
// implies, so that less is read.
//
// The scan of captures fills most columns. Others are late: they need the
// stored response of the row, such as the text of a page. Late columns stay
// NULL until a Payload node above has filled them for the rows that are left.
// For that, the source adds hidden columns, called refs, which say from which
// capture a row was made.
//
// A Tally says that a query only counts or groups the rows of a source, so that
// the store may count them without reading each.
//
// A Seek says that a query needs few rows: those with certain values of some
// columns, or the first in an order. The source then looks for the URLs of these
// rows by these columns alone, and reads rows of these URLs only. The nodes above
// test the rows again, so the URLs may be too many, but never too few.
//
// # Trails
//
// Traced makes a plan whose rows also say from which captures they were made. It rewrites
// a plan: each node passes on the refs of its sources, or a trail, a text with several
// of them. A Trail node makes this text of refs.
//
// # Queries within queries
//
// A derived input is a query, a view or a file that FROM reads. A subquery is a
// query within an expression. It is correlated if it reads columns of the query
// around it. Metadata are columns that users have defined by an expression.
package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Node is one step of a plan: it reads the rows of the nodes below and yields
// rows. It is one of *Row, *Source, *Payload, *Filter, *Group, *Sort, *Top,
// *Limit, *Project, *Distinct, *Union, *Join, *Window, *Trail and *File. The expressions in a
// node read the batches of the node below. Two nodes may read the same node,
// which then runs twice.
type Node interface {
	// Below returns the nodes that this node reads, or nil.
	Below() []Node
	// Columns describes the batches that the node yields.
	Columns() []value.Column
	// String returns the node's line of EXPLAIN.
	String() string
}

// Row is a node that yields one row without columns. A query without FROM, such
// as SELECT 1, reads it.
type Row struct{}

// Source is a node that reads a relation of the archive. The embedded Request
// says which columns and rows.
type Source struct {
	relation.Request
	// Seek, if not nil, lets the source look for URLs before it reads rows.
	Seek *Seek
}

// Seek says for which URLs a query needs rows: the URLs of captures for which all Conds are
// true. If First is above 0, only the first captures in an order count.
type Seek struct {
	Conds    []expr.Expr // over the columns of the source
	Fields   []int       // the columns that Conds read
	Words    []int       // columns that say whether a page has the words of a search; at least one is itself a condition of WHERE
	First    int         // how many rows the query needs
	By       int         // the column by which these rows are ordered; rows with equal values are ordered by URL
	Desc     bool
	wordings []string // the names of the columns, for EXPLAIN
}

// Payload is a node that fills late columns, those that need stored pages. For
// each row of In, it opens the stored response from which Source made the row,
// and fills the columns of Source with the indexes Fill.
type Payload struct {
	In     Node
	Source *Source
	Base   int // the index of the source's first column in the batches of In
	Fill   []int
}

// Filter is a node that yields the rows for which all conditions are true. It
// tests the conditions in order.
type Filter struct {
	In    Node
	Conds []expr.Expr
}

// Group is a node that yields one row per group of rows with equal Keys: the
// keys, then the aggregates. Without keys there is exactly one group, even if
// there are no rows. Groups come sorted by their keys, NULLs last.
type Group struct {
	In   Node
	Keys []expr.Expr
	Aggs []*Aggregate
	// Count is the column that says how many rows each row of In stands for;
	// nil if each stands for one.
	Count *expr.Col
	// Raw[i] reports that key i comes in the raw form of its column, which takes less memory
	// (see relation.Column.Raw). The Group converts it and yields the usual form. Raw is nil
	// if no key is raw.
	Raw []bool
	// Having is a condition over the columns of the Group, or nil. Only groups for
	// which it is true are yielded, and sorted.
	Having expr.Expr
}

// Aggregate is an aggregate function with its arguments. It computes one value
// from the rows of a group.
type Aggregate struct {
	ast.Span
	Func     AggregateFunc
	Distinct bool
	// Adjacent reports that equal values of Arg, a column, follow each other. A
	// Distinct Count then need not remember values.
	Adjacent bool
	Arg      expr.Expr // nil for count(*)
	By       expr.Expr // for ArgMin and ArgMax, otherwise nil
	Share    float64   // for Quantile and QuantileCont, from 0 to 1
	// Separator and OrderBy are for StringAgg.
	Separator string
	OrderBy   []Key
	T         value.Type
	Text      string // as written
}

// Key is one sort key of ORDER BY: an expression and a direction.
type Key struct {
	Expr  expr.Expr
	Order value.Order
}

// Sort is a node that yields the rows of In sorted by Keys. Rows with equal
// keys keep their order.
type Sort struct {
	In   Node
	Keys []Key
}

// Top is a node that yields the first N rows of In sorted by Keys. It keeps
// only these rows in memory.
type Top struct {
	In   Node
	Keys []Key
	N    int64
}

// Limit is a node that drops the first Skip rows of In and yields the next N. A
// negative N means all that follow.
type Limit struct {
	In      Node
	N, Skip int64
}

// Project is a node that yields, for each row of In, the values of Exprs as
// columns with the Names.
type Project struct {
	In    Node
	Exprs []expr.Expr
	Names []string
}

// Distinct is a node that yields the rows of In, except rows that equal an
// earlier row.
type Distinct struct {
	In       Node
	Adjacent bool // equal rows of In follow each other
}

// Union is a node that yields the rows of several queries, one query after the
// other. The columns of all have the same types.
type Union struct {
	Ins []Node
}

// Walk calls visit for n and all nodes below it, in the order in which EXPLAIN
// prints them. depth is 0 for n, 1 for the nodes that it reads, and so on.
func Walk(n Node, visit func(n Node, depth int)) { walk(n, 0, visit) }

func walk(n Node, depth int, visit func(Node, int)) {
	visit(n, depth)
	for _, below := range n.Below() {
		walk(below, depth+1, visit)
	}
}

// Over returns a copy of n, a node that reads one other node. The copy reads the rows of in instead.
func Over(n, in Node) Node {
	switch n := n.(type) {
	case *Payload:
		c := *n
		c.In = in
		return &c
	case *Filter:
		c := *n
		c.In = in
		return &c
	case *Group:
		c := *n
		c.In = in
		return &c
	case *Sort:
		c := *n
		c.In = in
		return &c
	case *Top:
		c := *n
		c.In = in
		return &c
	case *Limit:
		c := *n
		c.In = in
		return &c
	case *Project:
		c := *n
		c.In = in
		return &c
	case *Distinct:
		c := *n
		c.In = in
		return &c
	case *Window:
		c := *n
		c.In = in
		return &c
	}
	panic(fmt.Sprintf("plan: Over of %T", n))
}

// Sources returns the sources of the plan n, in the order in which Walk visits
// them. A source that two nodes read is listed twice.
func Sources(n Node) []*Source {
	var list []*Source
	Walk(n, func(n Node, _ int) {
		if s, ok := n.(*Source); ok {
			list = append(list, s)
		}
	})
	return list
}

// Below returns nil, because a Row reads no other node.
func (*Row) Below() []Node { return nil }

// Below returns nil, because a Source reads the archive and no other node.
func (*Source) Below() []Node { return nil }

// Below returns In: n fills the late columns of its rows.
func (n *Payload) Below() []Node { return []Node{n.In} }

// Below returns the node whose rows n filters.
func (n *Filter) Below() []Node { return []Node{n.In} }

// Below returns the node whose rows n groups.
func (n *Group) Below() []Node { return []Node{n.In} }

// Below returns the node whose rows n sorts.
func (n *Sort) Below() []Node { return []Node{n.In} }

// Below returns In, the node whose rows n sorts and cuts off after the first N.
func (n *Top) Below() []Node { return []Node{n.In} }

// Below returns the node whose rows n limits.
func (n *Limit) Below() []Node { return []Node{n.In} }

// Below returns In: the expressions of n read its rows.
func (n *Project) Below() []Node { return []Node{n.In} }

// Below returns In, from whose rows n drops repetitions.
func (n *Distinct) Below() []Node { return []Node{n.In} }

// Below returns the plans of the queries whose rows n yields.
func (n *Union) Below() []Node { return n.Ins }

// Columns returns nil, because a Row has no columns.
func (*Row) Columns() []value.Column { return nil }

// Columns returns the fields that n reads, then its hidden columns, which have
// no names.
func (n *Source) Columns() []value.Column {
	var cols []value.Column
	for _, f := range n.Fields {
		cols = append(cols, value.Column{Name: f.Name, Type: f.Type, Marked: f.Marked})
	}
	for range n.Hidden() {
		cols = append(cols, value.Column{Type: value.Int})
	}
	return cols
}

// Columns returns the columns of In: a Payload fills columns and adds none.
func (n *Payload) Columns() []value.Column { return n.In.Columns() }

// Columns returns the columns of In, because a Filter changes only which rows
// there are.
func (n *Filter) Columns() []value.Column { return n.In.Columns() }

// Columns returns the keys of the groups, then the aggregates.
func (n *Group) Columns() []value.Column {
	var cols []value.Column
	for _, k := range n.Keys {
		c := value.Column{Name: k.String(), Type: k.Type(), Unit: expr.StartUnit(k)}
		if col, ok := k.(*expr.Col); ok && c.Type == value.Time {
			// While a subquery is planned, the rows around it may have no columns yet.
			if below := n.In.Columns(); col.Index < len(below) {
				c.Unit = below[col.Index].Unit
			}
		}
		cols = append(cols, c)
	}
	for _, a := range n.Aggs {
		cols = append(cols, value.Column{Name: a.Text, Type: a.T})
	}
	return cols
}

// Columns returns the columns of In, because a Sort changes only the order of
// rows.
func (n *Sort) Columns() []value.Column { return n.In.Columns() }

// Columns returns the columns of In, because a Top changes only which rows
// there are, and their order.
func (n *Top) Columns() []value.Column { return n.In.Columns() }

// Columns returns the columns of In, because a Limit changes only which rows
// there are.
func (n *Limit) Columns() []value.Column { return n.In.Columns() }

// Columns returns the columns that n computes.
func (n *Project) Columns() []value.Column {
	cols := make([]value.Column, len(n.Exprs))
	for i, e := range n.Exprs {
		cols[i] = value.Column{Name: n.Names[i], Type: e.Type(), Marked: expr.Marked(e), Unit: expr.StartUnit(e)}
		if c, ok := e.(*expr.Col); ok {
			below := n.In.Columns()[c.Index]
			cols[i].Marked, cols[i].Unit = below.Marked, below.Unit
		}
	}
	return cols
}

// Columns returns the columns of In, because a Distinct changes only which rows
// there are.
func (n *Distinct) Columns() []value.Column { return n.In.Columns() }

// Columns returns the columns of the first query. Those of the others have the
// same types.
func (n *Union) Columns() []value.Column { return n.Ins[0].Columns() }

// String returns the line of EXPLAIN for the node.
func (*Row) String() string { return "one row" }

// String returns the line of EXPLAIN for n: the relation, which URLs, times and
// versions it reads, and its columns.
func (n *Source) String() string {
	var s strings.Builder
	s.WriteString(n.Relation.Name)
	if n.Unit != "" {
		s.WriteString("(" + n.Unit + ")")
	}
	if n.Question != nil {
		s.WriteString("(" + quote(n.Question.String()) + expr.Added(n.Question) + ")")
	}
	if n.Scope != "" {
		s.WriteString(" in " + n.Scope)
	}
	if n.Narrowed {
		s.WriteString(" keys " + rangesText(n.Ranges))
	}
	if n.Targets != nil {
		s.WriteString(", targets " + rangesText(n.Targets))
	}
	if n.Terms != nil {
		s.WriteString(", only " + n.Terms.String())
	}
	if n.Watch != "" {
		s.WriteString(" of " + quote(n.Watch))
	}
	if n.Batch > 0 {
		fmt.Fprintf(&s, ", batch %d", n.Batch)
	}
	if n.Window.From != record.MinTime {
		s.WriteString(" from " + stamp(n.Window.From))
	}
	if n.During != record.MinTime {
		s.WriteString(" during " + stamp(n.During) + " and on")
	}
	if n.Window.To <= record.MaxTime {
		s.WriteString(" before " + stamp(n.Window.To))
	}
	if n.Choice.Text != "" {
		s.WriteString(", " + n.Choice.Text)
	}
	if n.Known != 0 {
		s.WriteString(", known at " + stamp(n.Known))
	}
	if n.Once {
		s.WriteString(", each URL once")
	}
	if n.Best > 0 {
		fmt.Fprintf(&s, ", best %d", n.Best)
	}
	if n.Seek != nil {
		s.WriteString(", URLs sought by " + strings.Join(n.Seek.wordings, ", "))
	}
	if n.Relation.Cut {
		s.WriteString(n.cutText())
	}
	var names []string
	for _, f := range n.Fields {
		switch {
		case f.Late():
		case n.Raw && f.Raw():
			names = append(names, f.Name+" as bytes")
		case n.Keys && f.Keyed():
			names = append(names, f.Name+" as key")
		default:
			names = append(names, f.Name)
		}
	}
	if n.Tally != nil && n.Tally.Unit != "" && n.Index("time") >= 0 {
		names[slices.Index(names, "time")] += " by " + n.Tally.Unit
	}
	if n.Tally != nil && n.Tally.Ends {
		names[slices.Index(names, "time")] = "first and last time"
	}
	if n.Tally != nil {
		s.WriteString(", counted")
		for i, c := range n.Tally.Words {
			s.WriteString([]string{" where ", " and "}[min(i, 1)] + c.Name)
		}
	}
	if names != nil {
		s.WriteString(": " + strings.Join(names, ", "))
	}
	return s.String()
}

// cutText returns the part of n's line of EXPLAIN that says how pages are
// divided into blocks, such as ", level 2".
func (n *Source) cutText() string {
	text := ", level " + strconv.Itoa(n.Level)
	if n.Level == 0 {
		text = ", leaves"
	}
	if n.Profile != "" {
		text += ", " + n.Profile
	}
	return text
}

// String returns the line of EXPLAIN for n, such as "payload: text".
func (n *Payload) String() string {
	names := make([]string, len(n.Fill))
	for i, f := range n.Fill {
		names[i] = n.Source.Fields[f].Name
	}
	return "payload: " + strings.Join(names, ", ")
}

// String returns the line of EXPLAIN for n, such as "filter: status = 404".
func (n *Filter) String() string { return "filter: " + joined(n.Conds, " AND ") }

// String returns the line of EXPLAIN for n, such as "group by host: count(*)".
func (n *Group) String() string {
	var aggs []string
	for _, a := range n.Aggs {
		aggs = append(aggs, a.Text)
	}
	s := "group"
	if len(n.Keys) > 0 {
		s += " by " + joined(n.Keys, ", ")
	}
	if aggs != nil {
		s += ": " + strings.Join(aggs, ", ")
	}
	if n.Having != nil {
		s += "; having " + n.Having.String()
	}
	return s
}

// String returns the line of EXPLAIN for n, such as "sort: time DESC".
func (n *Sort) String() string { return "sort: " + keysText(n.Keys) }

// String returns the line of EXPLAIN for n, such as "top 10: time DESC".
func (n *Top) String() string { return fmt.Sprintf("top %d: %s", n.N, keysText(n.Keys)) }

// String returns the line of EXPLAIN for n, such as "limit 10, skip 20".
func (n *Limit) String() string {
	switch {
	case n.N < 0:
		return fmt.Sprintf("skip %d", n.Skip)
	case n.Skip == 0:
		return fmt.Sprintf("limit %d", n.N)
	}
	return fmt.Sprintf("limit %d, skip %d", n.N, n.Skip)
}

// String returns the line of EXPLAIN for n, such as "result: url, time".
func (n *Project) String() string { return "result: " + strings.Join(n.Names, ", ") }

// String returns the line of EXPLAIN for the node.
func (*Distinct) String() string { return "distinct" }

// String returns the line of EXPLAIN for the node.
func (*Union) String() string { return "union all" }

// joined returns the expressions in list as one text, with sep between them.
func joined(list []expr.Expr, sep string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.String()
	}
	return strings.Join(texts, sep)
}

// keysText returns sort keys as ORDER BY is written, such as "time DESC, url".
func keysText(keys []Key) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = k.Expr.String()
		if k.Order.Desc {
			texts[i] += " DESC"
		}
		if k.Order.NullsFirst {
			texts[i] += " NULLS FIRST"
		}
	}
	return strings.Join(texts, ", ")
}

// rangesText returns ranges of URL keys as a text for EXPLAIN. It shows three
// at most, and says how many more there are.
func rangesText(list []urlkey.Range) string {
	const shown = 3
	if len(list) == 0 {
		return "none"
	}
	var texts []string
	for _, r := range list[:min(len(list), shown)] {
		texts = append(texts, fmt.Sprintf("%q..%q", r.From, r.To))
	}
	if more := len(list) - shown; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, " ")
}

// stamp returns t as the query language writes a time, in UTC, such as
// 2008-06-15T10:30:00Z.
func stamp(t record.Time) string {
	return t.Std().Format("2006-01-02T15:04:05.999Z07:00")
}

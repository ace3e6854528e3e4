package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Node is one step of a plan: one of *Row, *Source, *Payload, *Filter, *Group,
// *Sort, *Top, *Limit, *Project, *Distinct, *Union, *Join and *File. Expressions in it read
// the batches of the node below. Two nodes may read the same one, which is then
// run twice.
type Node interface {
	// Below are the nodes that this one reads.
	Below() []Node
	// Columns describes the batches that the node yields.
	Columns() []value.Column
	// String is the node's line of EXPLAIN.
	String() string
}

// Row yields one row without columns: what SELECT 1 reads.
type Row struct{}

// Source reads a relation of the archive.
type Source struct {
	Relation *Relation
	// Fields are the columns wanted, in the order of the batch. Those that
	// need the payload are NULL until a Payload above has filled them.
	Fields []*Column
	// Refs adds the relation's hidden Int columns behind Fields, which name for
	// Payload what a row was made of.
	Refs bool

	Scope  string                // as asked for; "" is everything
	Ranges []urlkey.Range        // sorted, disjoint; nil is everything
	Match  func(key string) bool // nil where Ranges alone decide
	// Narrowed tells that WHERE has made Ranges less than Scope.
	Narrowed bool
	Window   Window
	// During is the start of DURING, whose rows also are what was in force then;
	// Window has no start with it. Else it is record.MinTime.
	During record.Time
	Choice Choice
	// Unit is that of periods(unit), in Choice.Zone.
	Unit string
	// Changed tells that only blocks are asked for that were added or edited; the
	// others may be left out.
	Changed bool
	// Tally, if not nil, tells that the rows are only counted.
	Tally *Tally
	// Level of the cut and Profile by which pages are divided, as in Env.
	Level   int
	Profile string
}

// Reads bounds the times of the captures that n may have to read: rows that
// depend on their URL's past need more than the window.
func (n *Source) Reads() Window {
	w := n.Window
	if n.Relation.History {
		w.From = record.MinTime
	}
	return w
}

// Window bounds capture times: From <= time < To. Captures at To or later do
// not exist for the query; those before From do, but are no rows.
type Window struct {
	From, To record.Time
}

// everything is the window that bounds nothing.
var everything = Window{record.MinTime, record.MaxTime + 1}

// Empty reports whether no time lies in w.
func (w Window) Empty() bool { return w.From >= w.To }

// ChoiceKind tells how many and which versions of each URL are wanted.
type ChoiceKind uint8

// The choices. AT is ChooseLast in a window that ends with the moment asked.
const (
	ChooseAll ChoiceKind = iota
	ChooseFirst
	ChooseLast
	ChooseNearest
	ChooseEach // the last one of every period
)

// Choice picks versions of each URL within the window.
type Choice struct {
	Kind   ChoiceKind
	Period Period         // what ChooseNearest wants to be near to
	AsOf   record.Time    // the moment asked for, or NoTime
	Unit   string         // of ChooseEach
	Zone   *time.Location // of the periods, for ChooseEach and periods(unit)
	text   string         // as EXPLAIN shows it
}

// Payload opens the stored response of each row and fills the fields at Fill.
type Payload struct {
	In     Node
	Source *Source
	Base   int // of the source's columns in the batches of In
	Fill   []int
}

// Filter keeps the rows for which all conditions are true, asked in order.
type Filter struct {
	In    Node
	Conds []Expr
}

// Group makes a row of each group of rows that agree in Keys: the keys, then
// the aggregates. Without keys there is exactly one group. Groups come in the
// order of their keys, NULLs last.
type Group struct {
	In   Node
	Keys []Expr
	Aggs []*Aggregate
	// Count tells how many rows each row of In stands for; nil where it is one.
	Count *Col
}

// Aggregate is one aggregate function over the rows of a group.
type Aggregate struct {
	ast.Span
	Func     AggregateFunc
	Distinct bool
	// Adjacent tells that equal values of Arg, a column, come one after the other,
	// so that those of a Distinct Count need not be remembered.
	Adjacent bool
	Arg      Expr // nil for count(*)
	By       Expr // of ArgMin and ArgMax, else nil
	// Separator and OrderBy are of StringAgg.
	Separator string
	OrderBy   []Key
	T         value.Type
	Text      string // as written
}

// Key is one key of an order.
type Key struct {
	Expr  Expr
	Order value.Order
}

// Sort puts rows in order. Equal ones stay in the order in which they came.
type Sort struct {
	In   Node
	Keys []Key
}

// Top is Sort of which only the first N rows are wanted.
type Top struct {
	In   Node
	Keys []Key
	N    int64
}

// Limit passes N rows after it has dropped Skip. N < 0 is no bound.
type Limit struct {
	In      Node
	N, Skip int64
}

// Project computes the columns of the result.
type Project struct {
	In    Node
	Exprs []Expr
	Names []string
}

// Distinct drops rows equal to one before.
type Distinct struct {
	In Node
}

// Union yields the rows of several queries, one query after the other. Their
// columns are of the same types.
type Union struct {
	Ins []Node
}

// Walk calls visit for n and the nodes that it reads, in the order in which
// EXPLAIN shows them, and tells how many nodes lie above each.
func Walk(n Node, visit func(n Node, depth int)) { walk(n, 0, visit) }

func walk(n Node, depth int, visit func(Node, int)) {
	visit(n, depth)
	for _, below := range n.Below() {
		walk(below, depth+1, visit)
	}
}

// Sources lists the sources that a plan reads, in the order of Walk; one that is
// read twice stands twice.
func Sources(n Node) []*Source {
	var list []*Source
	Walk(n, func(n Node, _ int) {
		if s, ok := n.(*Source); ok {
			list = append(list, s)
		}
	})
	return list
}

// Below is empty: nothing is read.
func (*Row) Below() []Node { return nil }

// Below is empty: the archive is read.
func (*Source) Below() []Node { return nil }

// Below is the node whose rows are completed.
func (n *Payload) Below() []Node { return []Node{n.In} }

// Below is the node whose rows are asked.
func (n *Filter) Below() []Node { return []Node{n.In} }

// Below is the node whose rows are grouped.
func (n *Group) Below() []Node { return []Node{n.In} }

// Below is the node whose rows are sorted.
func (n *Sort) Below() []Node { return []Node{n.In} }

// Below is the node whose rows are sorted.
func (n *Top) Below() []Node { return []Node{n.In} }

// Below is the node whose rows are counted.
func (n *Limit) Below() []Node { return []Node{n.In} }

// Below is the node that the expressions read.
func (n *Project) Below() []Node { return []Node{n.In} }

// Below is the node whose rows are compared.
func (n *Distinct) Below() []Node { return []Node{n.In} }

// Below are the queries whose rows are put together.
func (n *Union) Below() []Node { return n.Ins }

// Columns is empty.
func (*Row) Columns() []value.Column { return nil }

// Columns are the fields, and behind them, if Refs, the hidden ones.
func (n *Source) Columns() []value.Column {
	var cols []value.Column
	for _, f := range n.Fields {
		cols = append(cols, value.Column{Name: f.Name, Type: f.Type})
	}
	for range n.Hidden() {
		cols = append(cols, value.Column{Type: value.Int})
	}
	return cols
}

// Hidden is how many columns follow the fields.
func (n *Source) Hidden() int {
	switch {
	case n.Tally != nil:
		return 1
	case n.Refs:
		return n.Relation.RefColumns
	}
	return 0
}

// Columns are those of the node below.
func (n *Payload) Columns() []value.Column { return n.In.Columns() }

// Columns are those of the node below.
func (n *Filter) Columns() []value.Column { return n.In.Columns() }

// Columns are the keys, then the aggregates.
func (n *Group) Columns() []value.Column {
	var cols []value.Column
	for _, k := range n.Keys {
		cols = append(cols, value.Column{Name: k.String(), Type: k.Type()})
	}
	for _, a := range n.Aggs {
		cols = append(cols, value.Column{Name: a.Text, Type: a.T})
	}
	return cols
}

// Columns are those of the node below.
func (n *Sort) Columns() []value.Column { return n.In.Columns() }

// Columns are those of the node below.
func (n *Top) Columns() []value.Column { return n.In.Columns() }

// Columns are those of the node below.
func (n *Limit) Columns() []value.Column { return n.In.Columns() }

// Columns are those of the result.
func (n *Project) Columns() []value.Column {
	cols := make([]value.Column, len(n.Exprs))
	for i, e := range n.Exprs {
		cols[i] = value.Column{Name: n.Names[i], Type: e.Type()}
	}
	return cols
}

// Columns are those of the node below.
func (n *Distinct) Columns() []value.Column { return n.In.Columns() }

// Columns are those of the first query.
func (n *Union) Columns() []value.Column { return n.Ins[0].Columns() }

// String is the node's line of EXPLAIN.
func (*Row) String() string { return "one row" }

// String is the node's line of EXPLAIN.
func (n *Source) String() string {
	var s strings.Builder
	s.WriteString(n.Relation.Name)
	if n.Unit != "" {
		s.WriteString("(" + n.Unit + ")")
	}
	if n.Scope != "" {
		s.WriteString(" in " + n.Scope)
	}
	if n.Narrowed {
		s.WriteString(" keys " + rangesText(n.Ranges))
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
	if n.Choice.text != "" {
		s.WriteString(", " + n.Choice.text)
	}
	if n.Relation.Cut {
		s.WriteString(n.cutText())
	}
	var names []string
	for _, f := range n.Fields {
		if !f.Late() {
			names = append(names, f.Name)
		}
	}
	if n.Tally != nil && n.Tally.Unit != "" && n.field("time") >= 0 {
		names[slices.Index(names, "time")] += " by " + n.Tally.Unit
	}
	if n.Tally != nil && n.Tally.Ends {
		names[slices.Index(names, "time")] = "first and last time"
	}
	if n.Tally != nil {
		s.WriteString(", counted")
	}
	if names != nil {
		s.WriteString(": " + strings.Join(names, ", "))
	}
	return s.String()
}

// cutText is the level of the cut as EXPLAIN shows it.
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

// String is the node's line of EXPLAIN.
func (n *Payload) String() string {
	names := make([]string, len(n.Fill))
	for i, f := range n.Fill {
		names[i] = n.Source.Fields[f].Name
	}
	return "payload: " + strings.Join(names, ", ")
}

// String is the node's line of EXPLAIN.
func (n *Filter) String() string { return "filter: " + joined(n.Conds, " AND ") }

// String is the node's line of EXPLAIN.
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
	return s
}

// String is the node's line of EXPLAIN.
func (n *Sort) String() string { return "sort: " + keysText(n.Keys) }

// String is the node's line of EXPLAIN.
func (n *Top) String() string { return fmt.Sprintf("top %d: %s", n.N, keysText(n.Keys)) }

// String is the node's line of EXPLAIN.
func (n *Limit) String() string {
	switch {
	case n.N < 0:
		return fmt.Sprintf("skip %d", n.Skip)
	case n.Skip == 0:
		return fmt.Sprintf("limit %d", n.N)
	}
	return fmt.Sprintf("limit %d, skip %d", n.N, n.Skip)
}

// String is the node's line of EXPLAIN.
func (n *Project) String() string { return "result: " + strings.Join(n.Names, ", ") }

// String is the node's line of EXPLAIN.
func (*Distinct) String() string { return "distinct" }

// String is the node's line of EXPLAIN.
func (*Union) String() string { return "union all" }

func joined(list []Expr, sep string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.String()
	}
	return strings.Join(texts, sep)
}

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

// rangesText is the first of some ranges, and how many more there are.
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

// stamp prints a bound as a literal of the language that means the same in
// every zone.
func stamp(t record.Time) string {
	return t.Std().Format("2006-01-02T15:04:05.999Z07:00")
}

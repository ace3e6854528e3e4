package ast

import "fmt"

// Walk calls visit for n. If visit returns true, Walk does the same for each child
// of n, in the order in which they print. It does not visit a Name, which is a
// part of its node.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	for _, c := range children(n) {
		Walk(c, visit)
	}
}

// children returns the direct child nodes of n, in the order in which they print.
// It panics if it does not know the type of n.
func children(n Node) []Node {
	var l nodes
	switch n := n.(type) {
	case *Query:
		for i := range n.With {
			l = append(l, &n.With[i])
		}
		l = append(l, n.Select)
		for _, s := range n.Union {
			l = append(l, s)
		}
		for i := range n.OrderBy {
			l = append(l, &n.OrderBy[i])
		}
		l.exprs(n.Limit, n.Offset)
	case *With:
		l = append(l, n.Query)
	case *Select:
		for i := range n.Items {
			l = append(l, &n.Items[i])
		}
		if n.From != nil {
			l = append(l, n.From)
		}
		for i := range n.Joins {
			l = append(l, &n.Joins[i])
		}
		l.exprs(n.Where)
		l.exprs(n.GroupBy...)
		l.exprs(n.Having)
	case *Item:
		l.exprs(n.Expr)
	case *OrderItem:
		l.exprs(n.Expr)
	case *Source:
		if n.Query != nil {
			l = append(l, n.Query)
		}
		l.exprs(n.File)
		l.scopes(n.Scopes)
		l.time(&n.Time)
	case *Join:
		l = append(l, n.Source)
		l.exprs(n.On)
	case *Scope:
		l.exprs(n.From, n.To)
	case *TimeRange:
		l.exprs(n.A, n.B)
	case *TimeChoice:
		l.exprs(n.T)
	case *Import:
		l.exprs(n.Paths...)
		l.exprs(n.Base, n.Time)
	case *Export:
		l = append(l, n.Query)
		l.exprs(n.To)
	case *Crawl:
		l.scopes(n.In)
		l.exprs(n.Seeds...)
		l.exprs(n.Depth)
		for i := range n.Limits {
			l.exprs(n.Limits[i].N)
		}
		l.scopes(n.Within)
		for i := range n.Exclude {
			if x := &n.Exclude[i]; x.Match != nil {
				l.exprs(x.Match)
			} else {
				l = append(l, &x.Scope)
			}
		}
		l.exprs(n.For, n.Expand, n.Through, n.Workers, n.Delay, n.Rate, n.Agent, n.Proxy, n.TrapLimit, n.Time)
	case *OrderCrawl:
		l.exprs(n.Workers)
	case *AddToCrawl:
		l.exprs(n.URLs...)
	case *Trace:
		l.exprs(n.URL)
	case *CopyPool:
		l.exprs(n.Pool, n.To)
	case *Verify:
		l.exprs(n.Pool, n.Sample)
	case *MergePool:
		l.exprs(n.Pool)
	case *RepairPool:
		l.exprs(n.Pool, n.From)
	case *Reindex:
		l.exprs(n.Pool)
	case *DropPool:
		l.exprs(n.Pool)
	case *Delete:
		l.scopes(n.Scopes)
		if n.Range != nil {
			l = append(l, n.Range)
		}
		l.exprs(n.Where, n.Reason)
	case *CreateView:
		l = append(l, n.Query)
	case *CreateMetadata:
		l.exprs(n.Expr)
	case *Save:
		l = append(l, n.Query)
	case *Run:
		l.exprs(n.File)
		for i := range n.Args {
			l = append(l, &n.Args[i])
		}
	case *Arg:
		l.exprs(n.Value)
	case *PageRank:
		l.scopes(n.Scopes)
		l.time(&n.Time)
		l.exprs(n.Damping, n.Tolerance, n.Iterations)
		l.exprs(n.Seeds...)
	case *HITS:
		l.exprs(n.Words)
		l.scopes(n.Scopes)
		l.time(&n.Time)
		l.exprs(n.Keep, n.Iterations)
		l.exprs(n.Stop...)
	case *Dedup:
		l.scopes(n.Scopes)
		l.time(&n.Time)
		l.exprs(n.Distance, n.Similarity)
	case *ShowPath:
		l.exprs(n.From, n.To, n.Time)
	case *ExplainRank:
		l.exprs(n.URL)
	case *Recover:
		l.exprs(n.File, n.To)
	case *Explain:
		l = append(l, n.Statement)
	case *Schedule:
		l.exprs(n.Every, n.Cron, n.Budget, n.Per)
		l = append(l, n.Statement)
	case *ShowRobots:
		l.exprs(n.URL, n.Agent, n.Time)
	case *ShowPage:
		l.exprs(n.URL, n.Time)
	case *Diff:
		l.exprs(n.URL, n.From, n.To)
	case *Set:
		l.exprs(n.Value)
	case *DropView, *DropGraph, *DropMetadata, *Unschedule, *RunSchedule, *Describe, *Show, *Reset, *Help:
	case *String, *Number, *Size, *Duration, *Period, *Bool, *Null, *Param, *Now, *Today, *Column:
	case *Unary:
		l.exprs(n.X)
	case *Binary:
		l.exprs(n.X, n.Y)
	case *Between:
		l.exprs(n.X, n.A, n.B)
	case *In:
		l.exprs(n.X)
		l.exprs(n.List...)
		if n.Query != nil {
			l = append(l, n.Query)
		}
	case *Like:
		l.exprs(n.X, n.Y, n.Escape)
	case *Is:
		l.exprs(n.X, n.What)
	case *Within:
		l.exprs(n.X)
		l.scopes(n.Scopes)
	case *Case:
		l.exprs(n.X)
		for i := range n.Whens {
			l = append(l, &n.Whens[i])
		}
		l.exprs(n.Else)
	case *When:
		l.exprs(n.Cond, n.Then)
	case *Cast:
		l.exprs(n.X)
	case *Call:
		l.exprs(n.Args...)
		for i := range n.OrderBy {
			l = append(l, &n.OrderBy[i])
		}
		l.exprs(n.Filter)
	case *Subquery:
		l = append(l, n.Query)
	case *Exists:
		l = append(l, n.Query)
	default:
		panic(fmt.Sprintf("ast: unknown node %T", n))
	}
	return l
}

// nodes collects the child nodes of a node.
type nodes []Node

// exprs appends each of es that is not nil.
func (l *nodes) exprs(es ...Expr) {
	for _, e := range es {
		if e != nil {
			*l = append(*l, e)
		}
	}
}

func (l *nodes) time(t *TimeClause) {
	if t.Range != nil {
		*l = append(*l, t.Range)
	}
	if t.Choice != nil {
		*l = append(*l, t.Choice)
	}
}

func (l *nodes) scopes(ss []Scope) {
	for i := range ss {
		*l = append(*l, &ss[i])
	}
}

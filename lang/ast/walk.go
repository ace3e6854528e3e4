package ast

// Walk calls visit for n. If visit returns true, Walk does the same for each
// child of n, in the order in which they are printed. It does not visit a Name,
// because a Name is not a node but a part of its node.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	for _, c := range n.children(nil) {
		Walk(c, visit)
	}
}

// nodes collects the child nodes of a node. Its methods append to the list and
// return the longer list.
type nodes []Node

// exprs appends each expression of es that is not nil to l, and returns the
// longer list.
func (l nodes) exprs(es ...Expr) nodes {
	for _, e := range es {
		if e != nil {
			l = append(l, e)
		}
	}
	return l
}

func (l nodes) time(t *TimeClause) nodes {
	if t.Range != nil {
		l = append(l, t.Range)
	}
	if t.Choice != nil {
		l = append(l, t.Choice)
	}
	return l.exprs(t.Known)
}

func (l nodes) scopes(ss []Scope) nodes {
	for i := range ss {
		l = append(l, &ss[i])
	}
	return l
}

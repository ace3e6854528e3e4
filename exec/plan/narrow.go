package plan

import (
	"strings"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// narrow makes the source read less where the conditions of WHERE allow it: URL
// ranges of conditions on url, host and domain, bounds of those on time, blocks
// that changed. It is
// called when all fields are known. The conditions themselves are still asked; so a
// range may be too wide, never too narrow. What it cannot make use of it leaves
// alone.
func (n *Source) narrow(conds []ast.Expr, name string, env *Env) {
	if !n.Relation.Scoped {
		return
	}
	r := narrower{src: n, name: name, env: env}
	for _, e := range conds {
		if ranges, ok := r.ranges(e); ok {
			n.Ranges, n.Narrowed = r.within(ranges), true
		}
		r.bound(e)
		n.Changed = n.Changed || n.Relation == blocksRelation && r.isColumn(e, "changed")
	}
}

type narrower struct {
	src  *Source
	name string
	env  *Env
}

// ranges gives key ranges outside which e is not true, if it knows any.
func (r narrower) ranges(e ast.Expr) ([]urlkey.Range, bool) {
	switch e := e.(type) {
	case *ast.Binary:
		switch e.Op {
		case "AND":
			return r.both(e)
		case "OR":
			return r.either([]ast.Expr{e.X, e.Y})
		case "=":
			if text, ok := r.text(e.Y); ok {
				return r.equal(e.X, text)
			}
			if text, ok := r.text(e.X); ok {
				return r.equal(e.Y, text)
			}
		}
	case *ast.In:
		if !e.Not && e.Query == nil {
			return r.listed(e)
		}
	case *ast.Like:
		return r.like(e)
	case *ast.Within:
		if !e.Not && r.isColumn(e.X, "url") {
			return r.scoped(e.Scopes)
		}
	}
	return nil, false
}

func (r narrower) both(e *ast.Binary) ([]urlkey.Range, bool) {
	x, okX := r.ranges(e.X)
	y, okY := r.ranges(e.Y)
	switch {
	case okX && okY:
		return intersect(x, y), true
	case okX:
		return x, true
	}
	return y, okY
}

// either unites the ranges of all of list, if all have some.
func (r narrower) either(list []ast.Expr) ([]urlkey.Range, bool) {
	var all []urlkey.Range
	for _, e := range list {
		ranges, ok := r.ranges(e)
		if !ok {
			return nil, false
		}
		all = append(all, ranges...)
	}
	return urlkey.Merge(all), true
}

func (r narrower) listed(e *ast.In) ([]urlkey.Range, bool) {
	var all []urlkey.Range
	for _, item := range e.List {
		text, ok := r.text(item)
		if !ok {
			return nil, false
		}
		ranges, ok := r.equal(e.X, text)
		if !ok {
			return nil, false
		}
		all = append(all, ranges...)
	}
	return urlkey.Merge(all), true
}

// like gives the range of the URLs that begin with what stands before the first
// wildcard of a pattern. ILIKE has none, as it also finds other cases.
func (r narrower) like(e *ast.Like) ([]urlkey.Range, bool) {
	if e.Not || e.Fold || e.Escape != nil || !r.isColumn(e.X, "url") {
		return nil, false
	}
	text, ok := r.text(e.Y)
	if !ok {
		return nil, false
	}
	if wild := strings.IndexAny(text, "%_"); wild >= 0 {
		text = text[:wild]
	}
	prefix, ok := urlkey.PrefixRange(text)
	return []urlkey.Range{prefix}, ok
}

// equal gives the ranges of the URLs whose column e is text.
func (r narrower) equal(e ast.Expr, text string) ([]urlkey.Range, bool) {
	var scope urlkey.Scope
	var err error
	switch {
	case r.isColumn(e, "url"):
		u, err := urlkey.Canonical(text)
		if err != nil {
			return nil, false
		}
		key := urlkey.Key(u)
		return []urlkey.Range{{From: key, To: key + "\x00"}}, true
	case strings.ContainsAny(text, "/*=:"):
		return nil, false
	case r.isColumn(e, "host"):
		scope, err = urlkey.ParseScope("=" + text)
	case r.isColumn(e, "domain"):
		scope, err = urlkey.ParseScope(text)
	default:
		return nil, false
	}
	if err != nil {
		return nil, false
	}
	return urlkey.Union(scope), true
}

func (r narrower) scoped(list []ast.Scope) ([]urlkey.Range, bool) {
	scopes := make([]urlkey.Scope, len(list))
	for i, s := range list {
		scope, _, err := readScope(s, r.env)
		if err != nil {
			return nil, false
		}
		scopes[i] = scope
	}
	return urlkey.Union(scopes...), true
}

// text is the text of a constant.
func (r narrower) text(e ast.Expr) (string, bool) {
	switch e.(type) {
	case *ast.String, *ast.Param:
		s, err := ConstantText(e, r.env)
		return s, err == nil
	}
	return "", false
}

// isColumn reports whether e is the source's column called name.
func (r narrower) isColumn(e ast.Expr, name string) bool {
	c, ok := e.(*ast.Column)
	if !ok || c.Qualifier != nil && !equalName(c.Qualifier.Text, r.name) {
		return false
	}
	return equalName(c.Name.Text, name) && r.src.Relation.Column(name) != nil
}

// within is the part of the source's ranges that lies in ranges.
func (r narrower) within(ranges []urlkey.Range) []urlkey.Range {
	if r.src.Ranges == nil {
		return ranges
	}
	return intersect(r.src.Ranges, ranges)
}

// Within is n for what lies in ranges, sorted and disjoint.
func (n *Source) Within(ranges []urlkey.Range) *Source {
	less := *n
	less.Ranges = narrower{src: n}.within(ranges)
	return &less
}

// intersect gives what lies in both of two lists of sorted, disjoint ranges.
// The result is not nil, as that would be everything.
func intersect(a, b []urlkey.Range) []urlkey.Range {
	out := []urlkey.Range{}
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		both := urlkey.Range{From: max(x.From, y.From), To: lowerEnd(x.To, y.To)}
		if both.To == "" || both.From < both.To {
			out = append(out, both)
		}
		if both.To == x.To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// lowerEnd is the lesser of two ends, of which "" is the greatest.
func lowerEnd(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// bound uses a comparison of time to bound the window, where that changes no
// row that passes it. A choice is made before WHERE is asked, so it forbids it.
func (r narrower) bound(e ast.Expr) {
	if r.src.Choice.Kind != ChooseAll || r.src.During != record.MinTime {
		return
	}
	if r.src.Relation != capturesRelation && !r.src.Relation.OfVersions {
		return
	}
	w, ok := r.window(e)
	if !ok {
		return
	}
	r.src.Window.From = max(r.src.Window.From, w.From)
	if r.src.Relation == capturesRelation || !r.looksAhead() {
		r.src.Window.To = min(r.src.Window.To, w.To)
	}
}

// looksAhead reports whether a field of a version depends on later captures.
func (r narrower) looksAhead() bool {
	for _, f := range r.src.Fields {
		switch f.Name {
		case "last_seen", "next", "visits":
			return true
		}
	}
	return false
}

// window gives a window outside which e is not true, if it knows one.
func (r narrower) window(e ast.Expr) (Window, bool) {
	switch e := e.(type) {
	case *ast.Between:
		if e.Not || !r.isColumn(e.X, "time") {
			return Window{}, false
		}
		a, okA := r.period(e.A)
		b, okB := r.period(e.B)
		return Window{a.From, b.To}, okA && okB
	case *ast.Binary:
		if !r.isColumn(e.X, "time") {
			return Window{}, false
		}
		p, ok := r.period(e.Y)
		if !ok {
			return Window{}, false
		}
		w := everything
		switch e.Op {
		case "=":
			w = Window{p.From, p.To}
		case "<":
			w.To = p.From
		case "<=":
			w.To = p.To
		case ">":
			w.From = p.To
		case ">=":
			w.From = p.From
		default:
			return w, false
		}
		return w, true
	}
	return Window{}, false
}

func (r narrower) period(e ast.Expr) (Period, bool) {
	if !value.IsPeriod(e) {
		return Period{}, false
	}
	p, err := value.PeriodOf(e, r.env)
	return p, err == nil
}

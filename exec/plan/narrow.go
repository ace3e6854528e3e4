package plan

import (
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/relation/work"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words/term"
)

// narrow makes the source n read less, based on what the conditions of WHERE
// imply. Conditions on url, host and domain give ranges of keys, conditions on
// time make the window smaller, conditions on term say which terms are counted, and a
// condition on changed lets the source leave out unchanged rows.
//
// The conditions are still tested on each row. So a range may be too wide, but
// never too narrow, and narrow ignores conditions that it cannot use. It is
// called after all fields of n are known. If rows depend on captures of several URLs,
// conditions on URLs give no ranges. name is the qualifier of n's columns
// in conds.
func (n *Source) narrow(conds []ast.Expr, name string, env *expr.Env) {
	if n.Relation.Name == work.Watched.Name {
		for _, e := range conds {
			narrower{src: n, name: name, env: env}.watched(e)
		}
	}
	if !n.Relation.Scoped {
		return
	}
	r := narrower{src: n, name: name, env: env}
	for _, e := range conds {
		if ranges, ok := r.ranges(e); ok && !n.Joins() {
			n.Ranges, n.Narrowed = r.within(ranges), true
		}
		if n.Relation == relation.Links {
			to := r
			to.target = true
			if ranges, ok := to.ranges(e); ok {
				if n.Targets != nil {
					ranges = urlkey.Common(n.Targets, ranges)
				}
				n.Targets = ranges
			}
		}
		r.bound(e)
		if set := r.terms(e); set != nil {
			n.Terms = set
		}
		n.Changed = n.Changed || r.isColumn(e, "changed")
	}
}

// narrower finds out, for one source, which keys and times the conditions of
// WHERE imply.
type narrower struct {
	src  *Source
	name string // the qualifier of the source's columns
	env  *expr.Env
	// target says that the keys are those of the column target, and not of url.
	target bool
}

// isURL reports whether e is the column whose keys are looked for.
func (r narrower) isURL(e ast.Expr) bool {
	if r.target {
		return r.isColumn(e, "target")
	}
	return r.isColumn(e, "url")
}

// ranges returns ranges of URL keys outside which the condition e is not true.
// It returns false if e does not restrict keys in a way that it knows.
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
		if !e.Not && r.isURL(e.X) {
			return r.scoped(e.Scopes)
		}
	}
	return nil, false
}

// both returns ranges of URL keys outside which the condition e, which is x AND
// y, is not true. It returns false if it knows no such ranges for x or y.
func (r narrower) both(e *ast.Binary) ([]urlkey.Range, bool) {
	x, okX := r.ranges(e.X)
	y, okY := r.ranges(e.Y)
	switch {
	case okX && okY:
		return urlkey.Common(x, y), true
	case okX:
		return x, true
	}
	return y, okY
}

// either returns ranges of URL keys outside which none of the conditions in
// list is true. It returns false if it knows no such ranges for one of the
// conditions.
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

// listed returns ranges of URL keys outside which the condition e, which is x
// IN (…), is not true. It returns false if it knows no such ranges.
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

// like returns the range of the keys of URLs that begin with the text before
// the first wildcard, if e is url LIKE pattern. Outside this range e is not
// true. like returns false for ILIKE, which ignores case, and if it knows no
// range.
func (r narrower) like(e *ast.Like) ([]urlkey.Range, bool) {
	if e.Not || e.Fold || e.Escape != nil || !r.isURL(e.X) {
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

// equal returns ranges of URL keys outside which the condition e = text is not
// true. It returns false if it knows no such ranges. It knows some if e is the
// column url, host or domain.
func (r narrower) equal(e ast.Expr, text string) ([]urlkey.Range, bool) {
	switch {
	case r.isURL(e):
		u, err := urlkey.Canonical(text)
		if err != nil {
			return nil, false
		}
		key := urlkey.Key(u)
		return []urlkey.Range{{From: key, To: key + "\x00"}}, true
	case r.target:
		return nil, false
	case r.isColumn(e, "host"):
		return rangesOfSite("host", text)
	case r.isColumn(e, "domain"):
		return rangesOfSite("domain", text)
	}
	return nil, false
}

// rangesOfSite returns ranges of URL keys outside which column, host or domain, is not text. It
// returns false if it knows no such ranges.
func rangesOfSite(column, text string) ([]urlkey.Range, bool) {
	if strings.ContainsAny(text, "/*=:") {
		return nil, false
	}
	if column == "host" {
		text = "=" + text
	}
	scope, err := urlkey.ParseScope(text)
	if err != nil {
		return nil, false
	}
	return urlkey.Union(scope), true
}

// scoped returns the ranges of URL keys that lie in the scopes in list, for the
// condition url WITHIN scopes. It returns false if a scope is not valid.
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

// text returns the text of e if e is a string or a parameter, and otherwise
// false.
func (r narrower) text(e ast.Expr) (string, bool) {
	switch e.(type) {
	case *ast.String, *ast.Param:
		s, err := expr.ConstantText(e, r.env)
		return s, err == nil
	}
	return "", false
}

// isColumn reports whether e is the column of the source with this name.
func (r narrower) isColumn(e ast.Expr, name string) bool {
	c, ok := e.(*ast.Column)
	if !ok || c.Qualifier != nil && !strings.EqualFold(c.Qualifier.Text, r.name) {
		return false
	}
	return strings.EqualFold(c.Name.Text, name) && r.src.Relation.Column(name) != nil
}

// terms returns a set of terms such that the condition e is true only for rows with these
// terms. For term = 'a' OR term = 'b' the set is a and b. If e allows all terms, terms
// returns nil.
func (r narrower) terms(e ast.Expr) *term.Set {
	if r.src.Relation != relation.Terms {
		return nil
	}
	switch e := e.(type) {
	case *ast.Binary:
		switch e.Op {
		case "AND":
			if x := r.terms(e.X); x != nil {
				return x
			}
			return r.terms(e.Y)
		case "OR":
			x, y := r.terms(e.X), r.terms(e.Y)
			if x == nil || y == nil {
				return nil
			}
			return &term.Set{Equal: slices.Concat(x.Equal, y.Equal), Begins: slices.Concat(x.Begins, y.Begins)}
		case "=":
			if r.isColumn(e.X, "term") {
				return r.listedTerms([]ast.Expr{e.Y})
			}
			if r.isColumn(e.Y, "term") {
				return r.listedTerms([]ast.Expr{e.X})
			}
		}
	case *ast.In:
		if !e.Not && e.Query == nil && r.isColumn(e.X, "term") {
			return r.listedTerms(e.List)
		}
	case *ast.Like:
		if e.Not || e.Fold || e.Escape != nil || !r.isColumn(e.X, "term") {
			return nil
		}
		text, ok := r.text(e.Y)
		if !ok {
			return nil
		}
		wild := strings.IndexAny(text, "%_")
		switch {
		case wild == 0:
			return nil
		case wild > 0:
			return &term.Set{Begins: []string{text[:wild]}}
		}
		return &term.Set{Equal: []string{text}}
	}
	return nil
}

// listedTerms returns the terms of a list of expressions, or nil if one is not known.
func (r narrower) listedTerms(list []ast.Expr) *term.Set {
	s := &term.Set{}
	for _, e := range list {
		text, ok := r.text(e)
		if !ok {
			return nil
		}
		s.Equal = append(s.Equal, text)
	}
	return s
}

// within returns the key ranges that the source reads already, reduced to what
// lies in ranges too.
func (r narrower) within(ranges []urlkey.Range) []urlkey.Range {
	return r.src.Within(ranges).Ranges
}

// bound makes the window of the source smaller if e is a comparison of time and
// this cannot change the rows for which e is true. If the source has a choice
// such as AT, bound does nothing, because the choice is made within the window,
// before WHERE.
func (r narrower) bound(e ast.Expr) {
	if r.src.Choice.Kind != relation.ChooseAll || r.src.During != record.MinTime {
		return
	}
	if r.src.Relation.OwnTime != "" {
		return
	}
	w, ok := r.window(e)
	if !ok {
		return
	}
	r.src.Window.From = max(r.src.Window.From, w.From)
	if !r.looksAhead() {
		r.src.Window.To = min(r.src.Window.To, w.To)
	}
}

// looksAhead reports whether the query reads a column of versions that depends
// on captures after the first of the version, such as last_seen. The end of the
// window then must not move.
func (r narrower) looksAhead() bool {
	return slices.ContainsFunc(r.src.Fields, func(f *relation.Column) bool { return f.Ahead })
}

// window returns a time window outside which the condition e is not true. It
// returns false if e is not a comparison of the column time that it knows.
func (r narrower) window(e ast.Expr) (relation.Window, bool) {
	switch e := e.(type) {
	case *ast.Between:
		if e.Not || !r.isColumn(e.X, "time") {
			return relation.Window{}, false
		}
		a, okA := r.period(e.A)
		b, okB := r.period(e.B)
		return relation.Window{From: a.From, To: b.To}, okA && okB
	case *ast.Binary:
		if !r.isColumn(e.X, "time") {
			return relation.Window{}, false
		}
		p, ok := r.period(e.Y)
		if !ok {
			return relation.Window{}, false
		}
		w := relation.Always
		switch e.Op {
		case "=":
			w = relation.Window{From: p.From, To: p.To}
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
	return relation.Window{}, false
}

// period returns the period that e names, such as all of June for 2008-06. It
// returns false if e does not name one.
func (r narrower) period(e ast.Expr) (value.Period, bool) {
	if !value.IsPeriod(e) {
		return value.Period{}, false
	}
	p, err := value.PeriodOf(e, r.env)
	return p, err == nil
}

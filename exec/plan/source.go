package plan

import (
	"slices"
	"strings"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// place is anything that knows where it stands in the source.
type place interface{ At() ast.Span }

// newSource plans what a SELECT reads, before it is known which columns.
func newSource(s *ast.Source, r *Relation, env *Env) (*Source, error) {
	src := &Source{
		Relation: r, Window: everything, During: record.MinTime,
		Choice: Choice{AsOf: record.NoTime}, Level: env.Level, Profile: env.Profile,
	}
	if r == periodsRelation {
		return src, src.setPeriods(s, env)
	}
	if s.Unit != nil {
		err := ast.Errorf(s.Unit, "%s takes no unit", r.Name)
		err.Hint = "periods(month) does, and the choice EACH month"
		return nil, err
	}
	if !r.Scoped {
		if r.OwnTime == "" || len(s.Scopes) > 0 {
			return src, unscoped(s, r)
		}
		return src, src.setTime(s.Time, env)
	}
	if err := src.setScopes(s.Scopes, env); err != nil {
		return nil, err
	}
	if err := src.setTime(s.Time, env); err != nil {
		return nil, err
	}
	return src, nil
}

// unscoped refuses a scope or time for a relation that takes none.
func unscoped(s *ast.Source, r *Relation) error {
	var at place
	what := "time"
	switch {
	case len(s.Scopes) > 0:
		at, what = s.Scopes[0], "scope"
	case s.Time.Range != nil:
		at = s.Time.Range
	case s.Time.Choice != nil:
		at = s.Time.Choice
	default:
		return nil
	}
	err := ast.Errorf(at, "%s takes no %s", r.Name, what)
	err.Hint = "use WHERE"
	return err
}

// setScopes makes n's key ranges of the scopes as written.
func (n *Source) setScopes(list []ast.Scope, env *Env) error {
	if len(list) == 0 {
		return nil
	}
	scopes := make([]urlkey.Scope, len(list))
	texts := make([]string, len(list))
	exact := true
	for i, s := range list {
		scope, text, err := readScope(s, env)
		if err != nil {
			return err
		}
		scopes[i], texts[i] = scope, text
		exact = exact && scope.Exact()
	}
	n.Scope = strings.Join(texts, ", ")
	n.Ranges = urlkey.Union(scopes...)
	if exact {
		return nil
	}
	n.Match = func(key string) bool {
		for i := range scopes {
			if scopes[i].Contains(key) {
				return true
			}
		}
		return false
	}
	return nil
}

// readScope reads one scope and gives it with its text, parameters filled in.
func readScope(s ast.Scope, env *Env) (urlkey.Scope, string, error) {
	scope, err := (&Binder{Env: env}).Scope(&s)
	if err != nil {
		return scope, "", err
	}
	from, err := ConstantText(s.From, env)
	if err != nil || s.To == nil {
		return scope, quote(from), err
	}
	to, err := ConstantText(s.To, env)
	return scope, quote(from) + " .. " + quote(to), err
}

// ConstantText is the text of a string or a parameter.
func ConstantText(e ast.Expr, env *Env) (string, error) {
	switch e := e.(type) {
	case *ast.String:
		return e.Value, nil
	case *ast.Param:
		return env.Param(e)
	}
	err := ast.Errorf(e, "%s is no text", e)
	err.Hint = "write it in single quotes"
	return "", err
}

// ConstantCount reads a constant whole number that is not negative, which
// follows the word where.
func ConstantCount(e ast.Expr, where string, env *Env) (int64, error) {
	x, err := (&Binder{Where: where, Env: env}).BindAs(e, value.Int)
	if err != nil {
		return 0, err
	}
	c, ok := x.(*Const)
	if !ok || c.V.Type != value.Int || c.V.Int < 0 {
		return 0, ast.Errorf(e, "%s takes a whole number from 0, not %s", where, e)
	}
	return c.V.Int, nil
}

// ConstantNumber reads a constant number, which follows the word where.
func ConstantNumber(e ast.Expr, where string, env *Env) (float64, error) {
	x, err := (&Binder{Where: where, Env: env}).BindAs(e, value.Float)
	if err != nil {
		return 0, err
	}
	c, ok := x.(*Const)
	if !ok || c.V.Type != value.Float {
		return 0, ast.Errorf(e, "%s takes a number, not %s", where, e)
	}
	return c.V.Float, nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Asks reports whether n has one of these fields.
func (n *Source) Asks(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.field(name) >= 0 })
}

// use gives the index of the field c in n's batches, adding it if need be.
func (n *Source) use(c *Column) int {
	for i, f := range n.Fields {
		if f == c {
			return i
		}
	}
	n.Fields = append(n.Fields, c)
	return len(n.Fields) - 1
}

// Wants reports whether the column called name is among n's fields.
func (n *Source) Wants(name string) bool {
	return slices.ContainsFunc(n.Fields, func(c *Column) bool { return c.Name == name })
}

// Scan is the scan that gives n its captures, with the columns in needs beside
// those of n's fields.
func (n *Source) Scan(needs record.Columns) record.Scan {
	for _, f := range n.Fields {
		needs |= f.Needs
	}
	s := record.Scan{Ranges: n.Ranges, From: n.Window.From, To: n.Window.To, Columns: needs}
	if match := n.Match; match != nil {
		s.Skip = func(key, _ string) bool { return !match(key) }
	}
	return s
}

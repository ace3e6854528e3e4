package plan

import (
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// place is a part of a statement. Its method At returns its position in the
// text, for errors.
type place interface{ At() ast.Span }

// newSource returns a Source that reads the relation r as the source s in FROM
// says: its scopes and times. No columns are read so far.
func newSource(s *ast.Source, r *relation.Relation, env *expr.Env) (*Source, error) {
	src := &Source{Request: relation.Request{
		Relation: r, Window: relation.Always, During: record.MinTime,
		Choice: relation.Choice{AsOf: record.NoTime}, Level: env.Level, Profile: env.Profile,
		Collapse: env.Collapse, Zone: env.Location(), Refs: env.Traced && r.RefColumns > 0,
	}}
	if err := src.setKnown(s, env); err != nil {
		return nil, err
	}
	if r.ByUnit {
		return src, src.setPeriods(s, env)
	}
	if err := src.setQuestion(s, env); err != nil {
		return nil, err
	}
	if err := src.setTo(s.To, env); err != nil {
		return nil, err
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
	if err := src.setScopes(s.Scopes, env, false); err != nil {
		return nil, err
	}
	if err := src.setTime(s.Time, env); err != nil {
		return nil, err
	}
	return src, nil
}

// setKnown sets the time of KNOWN AT for n: the source reads the archive as it was known
// then. The time comes from the source s in FROM, or else from a KNOWN AT around it. A
// relation about the present state of the archive does not accept KNOWN AT.
func (n *Source) setKnown(s *ast.Source, env *expr.Env) (err error) {
	if n.Known, err = value.KnownAt(s.Time.Known, env); err != nil || n.Known == 0 || n.Relation.FollowsKnown() {
		return err
	}
	var at place = s
	if s.Time.Known != nil {
		at = s.Time.Known
	}
	fault := ast.Errorf(at, "%s is about the archive as it is now, and takes no KNOWN AT", n.Relation.Name)
	fault.Hint = "relations of captures take it, such as versions and links, and ranks and duplicates"
	return fault
}

// AsksWords reports whether n looks for words in the text of pages.
func (n *Source) AsksWords() bool {
	return n.Question != nil || slices.ContainsFunc(n.Fields, func(c *relation.Column) bool { return c.AsksWords })
}

// setQuestion sets the search query of n from the source s in FROM, such as 'words' in
// findings('words'). It returns an error if the relation needs a search query and s has
// none, or if s has one and the relation takes none.
func (n *Source) setQuestion(s *ast.Source, env *expr.Env) error {
	switch {
	case n.Relation.Asked && s.Question == nil:
		err := ast.Errorf(s.Relation, "%s needs the words to look for", n.Relation.Name)
		err.Hint = "write " + n.Relation.Name + "('words')"
		return err
	case !n.Relation.Asked && s.Question != nil:
		return ast.Errorf(s.Question, "%s takes no words", n.Relation.Name)
	case s.Question == nil:
		return nil
	}
	text, err := expr.ConstantText(s.Question, env)
	if err != nil {
		return err
	}
	if n.Question, err = expr.Question(text, s.Question, env); err == nil {
		env.Note(n.Question)
	}
	return err
}

// unscoped returns an error if the source s in FROM has a scope or a time
// clause, and otherwise nil. It serves sources r that do not accept these.
func unscoped(s *ast.Source, r *relation.Relation) error {
	var at place
	what := "time"
	switch {
	case len(s.Scopes) > 0:
		at, what = s.Scopes[0], "scope"
	case len(s.To) > 0:
		at, what = s.To[0], "TO"
	case s.Time.Range != nil:
		at = s.Time.Range
	case s.Time.Choice != nil:
		at = s.Time.Choice
	case s.Time.Known != nil && !r.FollowsKnown():
		err := ast.Errorf(s.Time.Known, "%s takes no KNOWN AT", r.Name)
		err.Hint = "write it where the relations are named"
		return err
	default:
		return nil
	}
	err := ast.Errorf(at, "%s takes no %s", r.Name, what)
	err.Hint = "use WHERE"
	return err
}

// setScopes sets the ranges of URL keys that n reads from the scopes in FROM, if there are
// any. If shown is set, the scope of a single page also includes what a browser stored when
// it showed the page.
func (n *Source) setScopes(list []ast.Scope, env *expr.Env, shown bool) error {
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
		if shown {
			scope = scope.WithShown()
		}
		scopes[i], texts[i] = scope, text
		exact = exact && scope.Exact()
	}
	n.Scope = strings.Join(texts, ", ")
	n.Ranges = urlkey.Union(scopes...)
	n.InScope = n.Ranges
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

// setTo restricts n, a source of links, to links whose targets are in the scopes after TO in
// FROM. list may be empty.
func (n *Source) setTo(list []ast.Scope, env *expr.Env) error {
	if len(list) == 0 {
		return nil
	}
	if n.Relation != relation.Links {
		err := ast.Errorf(list[0], "%s takes no TO", n.Relation.Name)
		err.Hint = "links does, and IN says of which URLs the rows are"
		return err
	}
	scopes := make([]urlkey.Scope, len(list))
	for i, s := range list {
		var err error
		if scopes[i], _, err = readScope(s, env); err != nil {
			return err
		}
	}
	n.Targets = urlkey.Union(scopes...)
	n.To = func(key string) bool {
		return slices.ContainsFunc(scopes, func(s urlkey.Scope) bool { return s.Contains(key) })
	}
	return nil
}

// readScope returns the scope s, which names a set of URLs, and its text with
// the values of parameters filled in.
func readScope(s ast.Scope, env *expr.Env) (urlkey.Scope, string, error) {
	scope, err := (&expr.Binder{Env: env}).Scope(&s)
	if err != nil {
		return scope, "", err
	}
	from, to, err := expr.ScopeTexts(&s, env)
	if s.To == nil {
		return scope, quote(from), err
	}
	return scope, quote(from) + " .. " + quote(to), err
}

// quote returns s as a text constant of the language: in single quotes, with
// each quote in s doubled.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// use returns the index of the column c in n's batches. If n does not read c so
// far, use adds it to the fields.
func (n *Source) use(c *relation.Column) int {
	for i, f := range n.Fields {
		if f == c {
			return i
		}
	}
	n.Fields = append(n.Fields, c)
	return len(n.Fields) - 1
}

package plan

import (
	"fmt"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// queriesMax bounds how deep queries may be nested. Queries that WITH names can read each
// other in a long chain, which counts as nesting.
const queriesMax = 200

// named is a linked list of the queries that WITH has named, the latest first;
// nil is the empty list. Each query is planned once, where WITH defines it. So
// its errors are reported even if nothing reads it, and it can read only names
// that were defined before. At the end of the list are the views that are being
// planned around the query, the innermost first.
type named struct {
	before *named
	name   *ast.Name
	node   Node // nil for a view that is being planned
	depth  int  // the depth to which the queries in node read each other
}

// define plans the queries in list, which one WITH has named, and returns the list n with
// these queries added.
func (n *named) define(list []ast.With, env *expr.Env) (*named, error) {
	outer := n
	for i := range list {
		w := &list[i]
		for old := n; old != outer; old = old.before { // this part of the list has no views
			if strings.EqualFold(old.name.Text, w.Name.Text) {
				return nil, ast.Errorf(w.Name, "WITH gives the name %q twice", w.Name.Text)
			}
		}
		node, err := build(w.Query, env, n)
		if err != nil {
			return nil, err
		}
		added := &named{before: n, name: &w.Name, node: node, depth: queries(node)}
		if added.depth > queriesMax {
			return nil, ast.Errorf(w.Name, "more than %d queries read each other", queriesMax)
		}
		n = added
	}
	return n, nil
}

// find returns the entry of the query that WITH has given this name, or nil.
// Case is ignored.
func (n *named) find(name string) *named {
	for ; n != nil && n.node != nil; n = n.before {
		if strings.EqualFold(n.name.Text, name) {
			return n
		}
	}
	return nil
}

// names returns the names that WITH has given, the latest first.
func (n *named) names() []string {
	var list []string
	for ; n != nil && n.node != nil; n = n.before {
		list = append(list, n.name.Text)
	}
	return list
}

// queries returns how deep the queries in a plan are nested: 1 for a query that reads
// relations only, 2 for a query that reads such a query.
func queries(n Node) int {
	deepest := 0
	for _, below := range n.Below() {
		deepest = max(deepest, queries(below))
	}
	if _, ok := n.(*Project); ok {
		deepest++
	}
	return deepest
}

// derived returns the input for a source in FROM that is not a relation of the
// archive: a query in parentheses, a name given by WITH, a view or a file. It
// returns nil, nil if the source is a relation.
func (b *builder) derived(from *ast.Source) (*input, error) {
	var in *input
	env, err := b.knownAt(from)
	if err != nil {
		return nil, err
	}
	bare := *from
	switch {
	case from.Query != nil:
		bare.Time.Known = nil
		node, err := build(b.withMatches(from.Query, nameOf(from)), env, b.with)
		if err != nil {
			return nil, err
		}
		in = derivedInput("a query", node)
	case from.File != nil:
		return b.file(from)
	case from.Relation != nil:
		if n := b.with.find(from.Relation.Text); n != nil {
			in = derivedInput(n.name.Text, n.node)
			in.name = n.name.Text
			break
		}
		bare.Time.Known = nil
		if in, err = b.view(from, env); in == nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return in, unscoped(&bare, in.rel)
}

// knownAt returns the Env with which the query or view in FROM is planned. It has the time
// of KNOWN AT, if FROM gives one.
func (b *builder) knownAt(from *ast.Source) (*expr.Env, error) {
	known, err := value.KnownAt(from.Time.Known, b.env)
	if err != nil || known == b.env.Known {
		return b.env, err
	}
	env := *b.env
	env.Known = known
	return &env, nil
}

// nameOf returns the name that FROM gives a source: its alias, or the name of the
// relation or view. It returns "" if it has none.
func nameOf(from *ast.Source) string {
	switch {
	case from.Alias != nil:
		return from.Alias.Text
	case from.Relation != nil:
		return from.Relation.Text
	}
	return ""
}

// derivedInput returns an input whose rows come from the plan in the parameter
// node. The parameter what describes the plan in errors, such as "a query".
func derivedInput(what string, node Node) *input {
	return &input{rel: derivedRelation(what, node), node: node, large: carriesPayload(node), filled: map[int]bool{}}
}

// derivedRelation returns a relation, with this name, that has the columns of
// the plan node, so that a query can read the plan like a relation. A column
// name that occurs again gets a number, as in url and url_1.
func derivedRelation(name string, node Node) *relation.Relation {
	r := &relation.Relation{Name: name}
	unique := newNames()
	for _, c := range node.Columns() {
		r.Columns = append(r.Columns, relation.Column{Name: unique.of(c.Name), Type: c.Type})
	}
	return r
}

// names makes column names unique. It maps each name that is taken, in lower
// case, to the last number that was added to it.
type names map[string]int

// newNames returns an empty names, in which no name is taken.
func newNames() names { return names{} }

// of returns name, or if that name is taken, name with a number, as in url_1. From then on
// the result is taken.
func (n names) of(name string) string {
	unique := name
	for key := strings.ToLower(name); ; {
		if _, ok := n[strings.ToLower(unique)]; !ok {
			break
		}
		n[key]++
		unique = fmt.Sprintf("%s_%d", name, n[key])
	}
	n[strings.ToLower(unique)] = 0
	return unique
}

// carriesPayload reports whether the plan n reads late columns, those that need
// stored pages, so that its rows may contain the texts of pages.
func carriesPayload(n Node) bool {
	found := false
	Walk(n, func(n Node, _ int) {
		_, is := n.(*Payload)
		found = found || is
	})
	return found
}

package plan

import (
	"fmt"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/lang/ast"
)

// queriesMax bounds how deep queries read each other. Names given by WITH can
// make long chains of queries without nesting.
const queriesMax = 200

// named is a list of the queries that WITH has named, the latest first; nil is
// the empty list. Each query is planned once, at its definition. So its errors
// are reported even if nothing reads it, and it can read only the names before
// it. The list ends with the views that are being planned around the query, the
// innermost first.
type named struct {
	before *named
	name   *ast.Name
	node   Node // nil for a view that is being planned
	depth  int  // how deep queries read each other below it
}

// define returns the list n with the queries of one WITH added.
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

// find returns the query with this name, or nil.
func (n *named) find(name string) *named {
	for ; n != nil && n.node != nil; n = n.before {
		if strings.EqualFold(n.name.Text, name) {
			return n
		}
	}
	return nil
}

// names returns the names that WITH has given.
func (n *named) names() []string {
	var list []string
	for ; n != nil && n.node != nil; n = n.before {
		list = append(list, n.name.Text)
	}
	return list
}

// queries returns how deep the queries of a plan read each other.
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

// derived returns the input for a query in parentheses, a name given by WITH, a
// view or a file. It returns nil, nil for a relation of the archive.
func (b *builder) derived(from *ast.Source) (*input, error) {
	var in *input
	switch {
	case from.Query != nil:
		node, err := build(from.Query, b.env, b.with)
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
		var err error
		if in, err = b.view(from.Relation); in == nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return in, unscoped(from, in.rel)
}

// derivedInput returns an input that reads a plan. what describes it in errors.
func derivedInput(what string, node Node) *input {
	return &input{rel: derivedRelation(what, node), node: node, large: carriesPayload(node), filled: map[int]bool{}}
}

// derivedRelation describes the rows of a plan as a relation. A column name
// that occurs again gets a number, as in url and url_1, so that each column can
// be named.
func derivedRelation(name string, node Node) *relation.Relation {
	r := &relation.Relation{Name: name}
	unique := newNames()
	for _, c := range node.Columns() {
		r.Columns = append(r.Columns, relation.Column{Name: unique.of(c.Name), Type: c.Type})
	}
	return r
}

// names makes names unique. It maps each name taken, in lower case, to the last
// number added to it.
type names map[string]int

// newNames returns names of which none is taken.
func newNames() names { return names{} }

// of returns name, with a number added if it is taken, and takes it.
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

// carriesPayload reports whether rows of a plan may contain the texts of pages.
func carriesPayload(n Node) bool {
	found := false
	Walk(n, func(n Node, _ int) {
		_, is := n.(*Payload)
		found = found || is
	})
	return found
}

package plan

import (
	"fmt"
	"strings"

	"infomall/lang/ast"
)

// queriesMax bounds how deep queries read each other. Names given by WITH can
// make long chains of them without nesting.
const queriesMax = 200

// named is a list of the queries that WITH has given names, the latest first;
// nil is the empty list. Each is planned once, where it is defined: so its
// faults are told though nobody reads it, and it sees only those before it.
type named struct {
	before *named
	name   *ast.Name
	node   Node
	depth  int // of queries that read each other
}

// define adds the queries of one WITH to the list.
func (n *named) define(list []ast.With, env *Env) (*named, error) {
	outer := n
	for i := range list {
		w := &list[i]
		for old := n; old != outer; old = old.before {
			if equalName(old.name.Text, w.Name.Text) {
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

// find gives the query called name, or nil.
func (n *named) find(name string) *named {
	for ; n != nil; n = n.before {
		if equalName(n.name.Text, name) {
			return n
		}
	}
	return nil
}

// names lists the names.
func (n *named) names() []string {
	var list []string
	for ; n != nil; n = n.before {
		list = append(list, n.name.Text)
	}
	return list
}

// queries counts the queries of a plan, which read each other.
func queries(n Node) int {
	count := 0
	for ; n != nil; n = n.Below() {
		if _, ok := n.(*Project); ok {
			count++
		}
	}
	return count
}

// derived plans a FROM that reads another query, in brackets or by the name
// that WITH has given it. It reports whether from is one.
func (b *builder) derived(from *ast.Source) (bool, error) {
	var node Node
	what := "a query"
	if from.Query != nil {
		var err error
		if node, err = build(from.Query, b.env, b.with); err != nil {
			return true, err
		}
	} else if from.Relation != nil {
		n := b.with.find(from.Relation.Text)
		if n == nil {
			return false, nil
		}
		node, what = n.node, n.name.Text
		if from.Alias == nil {
			b.name = what
		}
	} else {
		return false, nil
	}
	b.rel = derivedRelation(what, node)
	b.top, b.large = node, carriesPayload(node)
	return true, unscoped(from, b.rel)
}

// derivedRelation describes the rows of a query. A name that stands again gets
// a number, as url and url_1, so that each column can be named.
func derivedRelation(name string, node Node) *Relation {
	r := &Relation{Name: name}
	taken := map[string]int{} // names in lower case, and the last number given
	for _, c := range node.Columns() {
		unique := c.Name
		for key := strings.ToLower(c.Name); ; {
			if _, ok := taken[strings.ToLower(unique)]; !ok {
				break
			}
			taken[key]++
			unique = fmt.Sprintf("%s_%d", c.Name, taken[key])
		}
		taken[strings.ToLower(unique)] = 0
		r.Columns = append(r.Columns, Column{Name: unique, Type: c.Type})
	}
	return r
}

// carriesPayload reports whether rows of a plan may hold stored pages.
func carriesPayload(n Node) bool {
	for ; n != nil; n = n.Below() {
		if _, ok := n.(*Payload); ok {
			return true
		}
	}
	return false
}

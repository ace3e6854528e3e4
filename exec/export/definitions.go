package export

import (
	"strings"

	"infomall/exec/value"
	"infomall/lang/ast"
)

// definitions returns the statements that define the views and metadata columns that q
// reads, directly or through other definitions. Each statement comes after the definitions
// that it reads.
func definitions(q *ast.Query, d *value.Defined) []string {
	u := &usedDefinitions{defined: d, done: map[string]bool{}}
	u.add(q)
	return u.list
}

// usedDefinitions collects the definitions of the views and metadata columns that a query
// reads.
type usedDefinitions struct {
	defined *value.Defined
	done    map[string]bool // by name, in lower case
	list    []string
}

// add adds the definitions of all views and metadata columns that n reads.
func (u *usedDefinitions) add(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Source:
			if n.Relation != nil {
				u.view(n.Relation.Text)
			}
		case *ast.Column:
			u.metadata(n.Name.Text)
		}
		return true
	})
}

// view adds the definition of the view with this name, if there is one.
func (u *usedDefinitions) view(name string) {
	for _, v := range u.defined.Views {
		if strings.EqualFold(v.Name, name) && u.first(name) {
			u.add(v.Query)
			u.list = append(u.list, (&ast.CreateView{Name: ast.Name{Text: v.Name}, Query: v.Query}).String())
		}
	}
}

// metadata adds the definitions of the metadata columns with this name.
func (u *usedDefinitions) metadata(name string) {
	for _, m := range u.defined.Metadata {
		if strings.EqualFold(m.Name, name) && u.first(name+" "+m.On.String()) {
			u.add(m.Expr)
			u.list = append(u.list, (&ast.CreateMetadata{Name: ast.Name{Text: m.Name}, On: m.On, Expr: m.Expr}).String())
		}
	}
}

// first reports whether it is called for the first time with this name.
func (u *usedDefinitions) first(name string) bool {
	name = strings.ToLower(name)
	again := u.done[name]
	u.done[name] = true
	return !again
}

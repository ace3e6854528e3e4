package query

import (
	"context"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/relation/work"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// Describe is the statement DESCRIBE, which describes a relation, view,
// function or setting.
var Describe = session.Declare("DESCRIBE", session.Answers|session.Anywhere, readDescribe)

// description is a DESCRIBE statement with its result, which readDescribe computes.
type description struct {
	s   *session.Session
	res *session.Result
}

// readDescribe makes a description of a DESCRIBE statement, with its result. A
// name that means nothing is an error.
func readDescribe(s *session.Session, st *ast.Describe) (*description, error) {
	d := &description{s: s}
	var err error
	d.res, err = d.describe(st)
	return d, err
}

// Run returns the table that readDescribe made.
func (d *description) Run(context.Context) (*session.Result, error) { return d.res, nil }

// Would returns one line for EXPLAIN.
func (d *description) Would(context.Context) ([]string, error) { return wouldPrint() }

// describe returns a table that describes the relation, view, function or
// setting with the name in the statement. A name that is none of these is an
// error.
func (d *description) describe(st *ast.Describe) (*session.Result, error) {
	name := st.Name.Text
	if r := all.Find(name); r != nil {
		if r == work.Watched {
			r = d.s.Watched()
		}
		return d.describeRelation(r)
	}
	if f := expr.FindFunction(name); f != nil {
		t := session.NewTable(functionColumns...)
		t.Add(functionRow(f)...)
		return t.Result(), nil
	}
	if set := session.SettingNamed(name); set != nil {
		t := session.NewTable(settingColumns...)
		t.Add(settingRow(set, d.s.Settings())...)
		return t.Result(), nil
	}
	defined, err := d.s.Defined()()
	if err != nil {
		return nil, err
	}
	names := all.Names()
	for _, v := range defined.Views {
		if strings.EqualFold(v.Name, name) {
			return d.describeView(&st.Name, v.Query)
		}
		names = append(names, v.Name)
	}
	for _, f := range expr.Functions() {
		names = append(names, f.Name)
	}
	return nil, unknownThing(&st.Name, append(names, session.SettingNames()...))
}

// unknownThing returns the error for a name that DESCRIBE does not know. names
// are the names that DESCRIBE knows; the hint suggests the nearest of them.
func unknownThing(name *ast.Name, names []string) error {
	err := ast.Errorf(name, "no relation, view, function or setting %q", name.Text)
	if near := ast.Nearest(name.Text, names); near != "" {
		err.Hint = "did you mean " + near + "?"
	} else {
		err.Hint = "SHOW RELATIONS, SHOW VIEWS, SHOW FUNCTIONS and SHOW SETTINGS list them"
	}
	return err
}

// describeRelation returns a table with one row per column of a relation, then
// one row per metadata column that CREATE METADATA has added to it.
func (d *description) describeRelation(r *relation.Relation) (*session.Result, error) {
	t := session.NewTable(columnColumns...)
	for i := range r.Columns {
		t.Add(columnRow(&r.Columns[i])...)
	}
	defined, err := d.s.Defined()()
	if err != nil {
		return nil, err
	}
	for _, m := range defined.Metadata {
		if plan.MetadataRelation(m.On) != r.Name {
			continue
		}
		kind, err := plan.MetadataType(&ast.Name{Text: m.Name}, m.On, m.Expr, d.s.Env())
		if err != nil {
			return nil, err
		}
		t.Add(value.OfText(m.Name), value.OfText(kind.String()), value.OfBool(true), value.OfText("metadata: "+m.Expr.String()))
	}
	return t.Result(), nil
}

// describeView returns a table with one row per column of a view. name is the
// view's name in the statement, and q the view's query.
func (d *description) describeView(name *ast.Name, q *ast.Query) (*session.Result, error) {
	node, err := plan.Build(q, d.s.Env())
	if err != nil {
		return nil, plan.ViewError(name, name.Text, err)
	}
	t := session.NewTable(columnColumns[:2]...)
	for _, c := range node.Columns() {
		t.Add(value.OfText(c.Name), value.OfText(c.Type.String()))
	}
	return t.Result(), nil
}

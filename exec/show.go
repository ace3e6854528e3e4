package exec

import (
	"context"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// shown are the words after SHOW.
var shown = []string{"RELATIONS", "COLUMNS", "FUNCTIONS", "SETTINGS", "POOLS", "FILES", "TOMBSTONES", "CRAWLS", "WORKERS", "SCHEDULES", "JOBS", "HISTORY", "VIEWS", "QUERIES", "METADATA", "GRAPHS", "PAGE", "PATH", "ROBOTS"}

// ShownNames lists the words after SHOW.
func ShownNames() []string { return shown }

// show lists what the statement names.
func (s *Session) show(ctx context.Context, st *ast.Show) (*Result, error) {
	switch strings.ToLower(st.What.Text) {
	case "relations":
		return showRelations(), nil
	case "columns":
		return showColumns(), nil
	case "functions":
		return showFunctions(), nil
	case "settings":
		return s.showSettings(), nil
	case "views":
		return s.showViews(ctx)
	case "queries":
		return s.showQueries(ctx)
	case "metadata":
		return s.showMetadata(ctx)
	}
	node, err := s.shownPlan(st)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, node)
}

// shownPlan is the plan of a SHOW that is a query, or nil for the others.
func (s *Session) shownPlan(st *ast.Show) (plan.Node, error) {
	switch what := strings.ToLower(st.What.Text); what {
	case "pools", "files", "tombstones", "crawls", "workers", "schedules", "jobs", "history", "graphs":
		name := ast.Name{Span: st.What.Span, Text: what}
		return plan.Build(&ast.Query{Span: st.Span, Select: &ast.Select{
			Span:  st.Span,
			Items: []ast.Item{{Span: st.Span, Star: true}},
			From:  &ast.Source{Span: st.Span, Relation: &name},
		}}, s.env())
	case "relations", "columns", "functions", "settings", "views", "queries", "metadata":
		return nil, nil
	}
	return nil, plan.UnknownName(&st.What, "list", st.What.Text, " to show", shown)
}

func showRelations() *Result {
	t := newTable(text("relation"), text("row"))
	for _, r := range plan.Relations() {
		t.add(value.OfText(r.Name), value.OfText(r.Doc))
	}
	return t.result(ResultRows, nil)
}

func showColumns() *Result {
	t := newTable(append([]value.Column{text("relation")}, columnColumns...)...)
	for _, r := range plan.Relations() {
		for i := range r.Columns {
			t.add(append([]value.Value{value.OfText(r.Name)}, columnRow(&r.Columns[i])...)...)
		}
	}
	return t.result(ResultRows, nil)
}

// columnColumns are the columns that describe a column.
var columnColumns = []value.Column{text("column"), text("type"), {Name: "payload", Type: value.Bool}, text("meaning")}

func columnRow(c *plan.Column) []value.Value {
	return []value.Value{value.OfText(c.Name), value.OfText(c.Type.String()), value.OfBool(c.Payload || c.Aside), value.OfText(c.Doc)}
}

func showFunctions() *Result {
	t := newTable(functionColumns...)
	for _, f := range plan.Functions() {
		t.add(functionRow(f)...)
	}
	return t.result(ResultRows, nil)
}

var functionColumns = []value.Column{text("function"), text("signature"), {Name: "aggregate", Type: value.Bool}, text("meaning")}

func functionRow(f *plan.Function) []value.Value {
	return []value.Value{value.OfText(f.Name), value.OfText(f.Signature()), value.OfBool(f.Aggregate), value.OfText(f.Doc)}
}

func (s *Session) showSettings() *Result {
	t := newTable(settingColumns...)
	for i := range settings {
		t.add(settings[i].row(&s.Settings)...)
	}
	return t.result(ResultRows, nil)
}

// describe shows one relation, function or setting.
func (s *Session) describe(st *ast.Describe) (*Result, error) {
	name := st.Name.Text
	if r := plan.FindRelation(name); r != nil {
		return s.describeRelation(r)
	}
	if f := plan.FindFunction(name); f != nil {
		t := newTable(functionColumns...)
		t.add(functionRow(f)...)
		return t.result(ResultRows, nil), nil
	}
	if set := setting(name); set != nil {
		t := newTable(settingColumns...)
		t.add(set.row(&s.Settings)...)
		return t.result(ResultRows, nil), nil
	}
	d, err := s.defined()()
	if err != nil {
		return nil, err
	}
	names := plan.RelationNames()
	for _, v := range d.Views {
		if strings.EqualFold(v.Name, name) {
			return s.describeView(&st.Name, v.Query)
		}
		names = append(names, v.Name)
	}
	for _, f := range plan.Functions() {
		names = append(names, f.Name)
	}
	return nil, unknownThing(&st.Name, append(names, settingNames()...))
}

// unknownThing is the error of a name that DESCRIBE does not know.
func unknownThing(name *ast.Name, names []string) error {
	err := ast.Errorf(name, "no relation, view, function or setting %q", name.Text)
	if near := ast.Nearest(name.Text, names); near != "" {
		err.Hint = "did you mean " + near + "?"
	} else {
		err.Hint = "SHOW RELATIONS, SHOW VIEWS, SHOW FUNCTIONS and SHOW SETTINGS list them"
	}
	return err
}

// describeRelation lists the columns of a relation, and the metadata on it.
func (s *Session) describeRelation(r *plan.Relation) (*Result, error) {
	t := newTable(columnColumns...)
	for i := range r.Columns {
		t.add(columnRow(&r.Columns[i])...)
	}
	d, err := s.defined()()
	if err != nil {
		return nil, err
	}
	for _, m := range d.Metadata {
		if plan.MetadataRelation(m.On) != r.Name {
			continue
		}
		kind, err := plan.MetadataType(&ast.Name{Text: m.Name}, m.On, m.Expr, s.env())
		if err != nil {
			return nil, err
		}
		t.add(value.OfText(m.Name), value.OfText(kind.String()), value.OfBool(true), value.OfText("metadata: "+m.Expr.String()))
	}
	return t.result(ResultRows, nil), nil
}

// describeView lists the columns of a view.
func (s *Session) describeView(name *ast.Name, q *ast.Query) (*Result, error) {
	node, err := plan.Build(q, s.env())
	if err != nil {
		return nil, plan.ViewError(name, name.Text, err)
	}
	t := newTable(columnColumns[:2]...)
	for _, c := range node.Columns() {
		t.add(value.OfText(c.Name), value.OfText(c.Type.String()))
	}
	return t.result(ResultRows, nil), nil
}

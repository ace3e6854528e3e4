package exec

import (
	"context"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// lists has the words after SHOW, each with the function that returns its list. If the
// function is nil, the list is all rows of the relation with the name of the word.
var lists = []struct {
	word string
	show func(*Session, context.Context) (*Result, error)
}{
	{"RELATIONS", func(*Session, context.Context) (*Result, error) { return showRelations(), nil }},
	{"COLUMNS", func(*Session, context.Context) (*Result, error) { return showColumns(), nil }},
	{"FUNCTIONS", func(*Session, context.Context) (*Result, error) { return showFunctions(), nil }},
	{"SETTINGS", func(s *Session, _ context.Context) (*Result, error) { return s.showSettings(), nil }},
	{"POOLS", nil},
	{"FILES", nil},
	{"TOMBSTONES", nil},
	{"CRAWLS", nil},
	{"WORKERS", nil},
	{"SCHEDULES", nil},
	{"JOBS", nil},
	{"HISTORY", nil},
	{"VIEWS", (*Session).showViews},
	{"QUERIES", (*Session).showQueries},
	{"METADATA", (*Session).showMetadata},
	{"GRAPHS", nil},
}

// ShownNames returns the words that may follow SHOW, in upper case.
func ShownNames() []string {
	var words []string
	for _, l := range lists {
		words = append(words, l.word)
	}
	return append(words, "PAGE", "PATH", "ROBOTS")
}

// shownList is a SHOW list statement, such as SHOW POOLS, whose clauses were read.
type shownList struct {
	s    *Session
	what string                                           // the word after SHOW, in upper case
	show func(*Session, context.Context) (*Result, error) // nil for a relation
	node plan.Node                                        // the plan of a relation; otherwise nil
}

// readShow reads a SHOW list statement.
func readShow(s *Session, st *ast.Show) (*shownList, error) {
	for _, l := range lists {
		if !strings.EqualFold(l.word, st.What.Text) {
			continue
		}
		if l.show != nil {
			return &shownList{s: s, what: l.word, show: l.show}, nil
		}
		name := ast.Name{Span: st.What.Span, Text: strings.ToLower(l.word)}
		node, err := plan.Build(&ast.Query{Span: st.Span, Select: &ast.Select{
			Span:  st.Span,
			Items: []ast.Item{{Span: st.Span, Star: true}},
			From:  &ast.Source{Span: st.Span, Relation: &name},
		}}, s.env())
		return &shownList{s: s, what: l.word, node: node}, err
	}
	return nil, expr.UnknownName(&st.What, "list", st.What.Text, " to show", ShownNames())
}

// needsArchive reports whether the list is one that only an archive has: VIEWS or
// METADATA. Whether a relation needs an archive is found out when it is read.
func (l *shownList) needsArchive() bool { return l.what == "VIEWS" || l.what == "METADATA" }

// Run returns the list as rows.
func (l *shownList) Run(ctx context.Context) (*Result, error) {
	if l.show != nil {
		return l.show(l.s, ctx)
	}
	return l.s.open(ctx, l.node)
}

// Would returns the plan if the list is a relation, otherwise what wouldPrint returns.
func (l *shownList) Would(ctx context.Context) ([]string, error) {
	if l.show != nil {
		return wouldPrint()
	}
	return l.s.planLines(ctx, l.node)
}

func showRelations() *Result {
	t := newTable(text("relation"), text("row"))
	for _, r := range relation.All() {
		t.add(value.OfText(r.Name), value.OfText(r.Doc))
	}
	return t.result(ResultRows, nil)
}

func showColumns() *Result {
	t := newTable(append([]value.Column{text("relation")}, columnColumns...)...)
	for _, r := range relation.All() {
		for i := range r.Columns {
			t.add(append([]value.Value{value.OfText(r.Name)}, columnRow(&r.Columns[i])...)...)
		}
	}
	return t.result(ResultRows, nil)
}

// columnColumns are the columns of SHOW COLUMNS, apart from the first, and of DESCRIBE
// of a relation. Each row describes one column.
var columnColumns = []value.Column{text("column"), text("type"), {Name: "payload", Type: value.Bool}, text("meaning")}

func columnRow(c *relation.Column) []value.Value {
	return []value.Value{value.OfText(c.Name), value.OfText(c.Type.String()), value.OfBool(c.Payload || c.Aside), value.OfText(c.Doc)}
}

func showFunctions() *Result {
	t := newTable(functionColumns...)
	for _, f := range expr.Functions() {
		t.add(functionRow(f)...)
	}
	return t.result(ResultRows, nil)
}

var functionColumns = []value.Column{text("function"), text("signature"), {Name: "aggregate", Type: value.Bool}, text("meaning")}

func functionRow(f *expr.Function) []value.Value {
	return []value.Value{value.OfText(f.Name), value.OfText(f.Signature()), value.OfBool(f.Aggregate), value.OfText(f.Doc)}
}

func (s *Session) showSettings() *Result {
	t := newTable(settingColumns...)
	for i := range settings {
		t.add(settings[i].row(&s.Settings)...)
	}
	return t.result(ResultRows, nil)
}

// description is a DESCRIBE statement with its result, which readDescribe computes.
type description struct{ res *Result }

// readDescribe reads a DESCRIBE statement and computes its result.
func readDescribe(s *Session, st *ast.Describe) (*description, error) {
	res, err := s.describe(st)
	return &description{res}, err
}

func (d *description) Run(context.Context) (*Result, error) { return d.res, nil }

func (d *description) Would(context.Context) ([]string, error) { return wouldPrint() }

// describe returns the description of the relation, view, function or setting that the
// statement names.
func (s *Session) describe(st *ast.Describe) (*Result, error) {
	name := st.Name.Text
	if r := relation.Find(name); r != nil {
		return s.describeRelation(r)
	}
	if f := expr.FindFunction(name); f != nil {
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
	names := relation.Names()
	for _, v := range d.Views {
		if strings.EqualFold(v.Name, name) {
			return s.describeView(&st.Name, v.Query)
		}
		names = append(names, v.Name)
	}
	for _, f := range expr.Functions() {
		names = append(names, f.Name)
	}
	return nil, unknownThing(&st.Name, append(names, settingNames()...))
}

// unknownThing returns the error for a name that DESCRIBE does not know. names are the
// names that it knows; the nearest is the hint.
func unknownThing(name *ast.Name, names []string) error {
	err := ast.Errorf(name, "no relation, view, function or setting %q", name.Text)
	if near := ast.Nearest(name.Text, names); near != "" {
		err.Hint = "did you mean " + near + "?"
	} else {
		err.Hint = "SHOW RELATIONS, SHOW VIEWS, SHOW FUNCTIONS and SHOW SETTINGS list them"
	}
	return err
}

// describeRelation returns one row per column of a relation, then one per metadata
// column of it.
func (s *Session) describeRelation(r *relation.Relation) (*Result, error) {
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

// describeView returns one row per column of a view. q is the view's query.
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

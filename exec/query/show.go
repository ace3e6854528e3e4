package query

import (
	"context"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Show is the statement SHOW with the name of a list, such as SHOW POOLS.
var Show = session.Declare("SHOW", session.Answers|session.Anywhere, readShow)

// lists has the words after SHOW that do not name relations. show returns the
// list.
var lists = []struct {
	word string
	show func(*shownList, context.Context) (*session.Result, error)
}{
	{"RELATIONS", (*shownList).relations},
	{"COLUMNS", (*shownList).columns},
	{"FUNCTIONS", (*shownList).functions},
	{"SETTINGS", (*shownList).settings},
	{"VIEWS", (*shownList).views},
	{"QUERIES", (*shownList).queries},
	{"METADATA", (*shownList).metadata},
}

// Lists returns the words that may follow SHOW, in upper case: those of lists, and the second
// words of statements such as SHOW PAGE.
func Lists() []string {
	words := shownWords()
	for _, t := range lang.Topics() {
		if second, ok := strings.CutPrefix(t, "SHOW "); ok {
			words = append(words, second)
		}
	}
	return words
}

// shownWords returns the words after SHOW that name a list, in upper case.
func shownWords() []string {
	var words []string
	for _, l := range lists {
		words = append(words, l.word)
	}
	for _, r := range all.Relations() {
		if r.Shown {
			words = append(words, strings.ToUpper(r.Name))
		}
	}
	return words
}

// shownList is a SHOW statement with the name of a list, such as SHOW POOLS,
// whose clauses were read.
type shownList struct {
	s    *session.Session
	what string                                                     // the word after SHOW, in upper case
	show func(*shownList, context.Context) (*session.Result, error) // nil for a relation
	node plan.Node                                                  // the plan of a relation; otherwise nil
}

// readShow makes a shownList of a SHOW statement with the name of a list. If
// the list is a relation, it plans the query for it. An unknown name is an
// error.
func readShow(s *session.Session, st *ast.Show) (*shownList, error) {
	for _, l := range lists {
		if strings.EqualFold(l.word, st.What.Text) {
			return &shownList{s: s, what: l.word, show: l.show}, nil
		}
	}
	if r := all.Find(st.What.Text); r != nil && r.Shown {
		node, err := plan.Build(&ast.Query{Span: st.Span, Select: &ast.Select{
			Span:  st.Span,
			Items: []ast.Item{{Span: st.Span, Star: true}},
			From:  &ast.Source{Span: st.Span, Relation: &ast.Name{Span: st.What.Span, Text: r.Name}},
		}}, s.Env())
		return &shownList{s: s, what: strings.ToUpper(r.Name), node: node}, err
	}
	if session.SettingNamed(st.What.Text) != nil {
		return &shownList{s: s, what: st.What.Text, show: (*shownList).setting}, nil
	}
	return nil, expr.UnknownName(&st.What, "list", st.What.Text, " to show", Lists())
}

// NeedsArchive reports whether only an archive has the list, which is so for
// VIEWS and METADATA. For a relation it is false: reading the relation finds
// out whether it needs an archive.
func (l *shownList) NeedsArchive() bool { return l.what == "VIEWS" || l.what == "METADATA" }

// Run returns the list as rows.
func (l *shownList) Run(ctx context.Context) (*session.Result, error) {
	if l.show != nil {
		return l.show(l, ctx)
	}
	return l.s.Open(ctx, l.node)
}

// Would returns the lines for EXPLAIN: the plan of the query if the list is a
// relation, otherwise the line of wouldPrint.
func (l *shownList) Would(ctx context.Context) ([]string, error) {
	if l.show != nil {
		return wouldPrint()
	}
	return l.s.PlanLines(ctx, l.node)
}

// relations returns the list of SHOW RELATIONS: one row per relation.
func (l *shownList) relations(context.Context) (*session.Result, error) {
	t := session.NewTable(session.Text("relation"), session.Text("row"))
	for _, r := range all.Relations() {
		t.Add(value.OfText(r.Name), value.OfText(r.Doc))
	}
	return t.Result(), nil
}

// columns returns the list of SHOW COLUMNS: one row per column of each
// relation.
func (l *shownList) columns(context.Context) (*session.Result, error) {
	t := session.NewTable(append([]value.Column{session.Text("relation")}, columnColumns...)...)
	for _, r := range all.Relations() {
		for i := range r.Columns {
			t.Add(append([]value.Value{value.OfText(r.Name)}, columnRow(&r.Columns[i])...)...)
		}
	}
	return t.Result(), nil
}

// columnColumns are the columns of the table that DESCRIBE makes for a
// relation. SHOW COLUMNS has them after a first column with the relation. Each
// row describes one column.
var columnColumns = []value.Column{session.Text("column"), session.Text("type"), {Name: "payload", Type: value.Bool}, session.Text("meaning")}

// columnRow returns the row that describes the column c, for columnColumns.
func columnRow(c *relation.Column) []value.Value {
	return []value.Value{value.OfText(c.Name), value.OfText(c.Type.String()), value.OfBool(c.Payload || c.Aside), value.OfText(c.Doc)}
}

// functions returns the list of SHOW FUNCTIONS: one row per function.
func (l *shownList) functions(context.Context) (*session.Result, error) {
	t := session.NewTable(functionColumns...)
	for _, f := range expr.Functions() {
		t.Add(functionRow(f)...)
	}
	return t.Result(), nil
}

// functionColumns are the columns of SHOW FUNCTIONS, and of DESCRIBE of a
// function.
var functionColumns = []value.Column{session.Text("function"), session.Text("signature"), {Name: "aggregate", Type: value.Bool}, session.Text("meaning")}

// functionRow returns the row that describes the function f, for
// functionColumns.
func functionRow(f *expr.Function) []value.Value {
	return []value.Value{value.OfText(f.Name), value.OfText(f.Signature()), value.OfBool(f.Aggregate), value.OfText(f.Doc)}
}

// settings returns the list of SHOW SETTINGS: one row per setting.
func (l *shownList) settings(context.Context) (*session.Result, error) {
	t := session.NewTable(settingColumns...)
	for _, k := range session.AllSettings() {
		t.Add(settingRow(&k, l.s.Settings())...)
	}
	return t.Result(), nil
}

// setting returns the row of SHOW SETTINGS for one setting, as in SHOW timezone.
func (l *shownList) setting(context.Context) (*session.Result, error) {
	t := session.NewTable(settingColumns...)
	t.Add(settingRow(session.SettingNamed(l.what), l.s.Settings())...)
	return t.Result(), nil
}

// settingColumns are the columns of SHOW SETTINGS, and of DESCRIBE of a
// setting.
var settingColumns = []value.Column{session.Text("setting"), session.Text("value"), session.Text("default"), session.Text("meaning")}

// settingRow returns the row that describes the setting k, for settingColumns.
// s has the current values of the settings.
func settingRow(k *session.Setting, s *session.Settings) []value.Value {
	def := session.DefaultSettings()
	return []value.Value{value.OfText(k.Name), value.OfText(k.Get(s)), value.OfText(k.Get(&def)), value.OfText(k.Doc)}
}

// views returns the list of SHOW VIEWS: one row per view that the archive
// defines.
func (l *shownList) views(ctx context.Context) (*session.Result, error) {
	list, err := l.s.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("view"), session.Text("query"), value.Column{Name: "created", Type: value.Time})
	for _, d := range session.SortDefinitions(list, task.KindView) {
		st, err := session.ParseDefinition(&d)
		if err != nil {
			return nil, err
		}
		t.Add(value.OfText(d.Name), value.OfText(st.(*ast.CreateView).Query.String()), value.OfTime(d.Created))
	}
	return t.Result(), nil
}

// metadata returns the list of SHOW METADATA: one row per metadata column that
// the archive defines.
func (l *shownList) metadata(ctx context.Context) (*session.Result, error) {
	list, err := l.s.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("metadata"), session.Text("relation"), session.Text("type"), session.Text("expression"), value.Column{Name: "created", Type: value.Time})
	for _, d := range session.SortDefinitions(list, task.KindMetadata) {
		st, err := session.ParseDefinition(&d)
		if err != nil {
			return nil, err
		}
		m := st.(*ast.CreateMetadata)
		kind, err := plan.MetadataType(&m.Name, m.On, m.Expr, l.s.Env())
		if err != nil {
			return nil, err
		}
		t.Add(value.OfText(d.Name), value.OfText(plan.MetadataRelation(m.On)), value.OfText(kind.String()), value.OfText(m.Expr.String()), value.OfTime(d.Created))
	}
	return t.Result(), nil
}

// queries returns the list of SHOW QUERIES: one row per saved query of the
// archive, then one row per script that comes with the program.
func (l *shownList) queries(ctx context.Context) (*session.Result, error) {
	list, err := l.s.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("query"), session.Text("parameters"), session.Text("from"), session.Text("meaning"), value.Column{Name: "created", Type: value.Time})
	for _, d := range session.SortDefinitions(list, task.KindQuery) {
		st, err := session.ParseDefinition(&d)
		if err != nil {
			return nil, err
		}
		save := st.(*ast.Save)
		var params []string
		for _, n := range save.Params {
			params = append(params, n.Text)
		}
		t.Add(value.OfText(d.Name), value.OfText(strings.Join(params, ", ")), value.OfText("archive"), value.OfText(save.Query.String()), value.OfTime(d.Created))
	}
	shipped, err := l.s.Shipped()
	if err != nil {
		return nil, err
	}
	for i := range shipped {
		x := &shipped[i]
		t.Add(value.OfText(x.Name), value.OfText(strings.Join(x.Params(), ", ")), value.OfText("program"), value.OfText(x.Title()))
	}
	return t.Result(), nil
}

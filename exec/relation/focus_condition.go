package relation

import (
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// FocusCondition is the condition of EXPAND WHERE, which CRAWL evaluates for each link
// and the page that contains it.
type FocusCondition struct {
	Where expr.Expr // its columns are indexes in Columns
	// Columns are the columns that Where reads.
	Columns []*Column
	// OfLink reports that some of these columns differ from link to link of a
	// page.
	OfLink bool
}

// focusColumns are the columns that EXPAND WHERE may name: the facts known of a
// page after it was fetched and before its links are followed. Columns that
// need the page's text are marked Payload.
var focusColumns = []Column{
	{Name: "url", Type: value.URL},
	{Name: "layer", Type: value.Int},
	{Name: "status", Type: value.Int},
	{Name: "mime", Type: value.Text},
	{Name: "bytes", Type: value.Int},
	{Name: "similarity", Type: value.Float},
	{Name: "title", Type: value.Text, Payload: true},
	{Name: "lang", Type: value.Text, Payload: true},
	{Name: "text", Type: value.Text, Payload: true},
	{Name: "main", Type: value.Text, Payload: true},
	{Name: "description", Type: value.Text, Payload: true},
	{Name: "keywords", Type: value.Text, Payload: true},
	{Name: "page_type", Type: value.Text, Payload: true},
	{Name: "headers", Type: value.Text, Payload: true},
	{Name: "target", Type: value.URL},
	{Name: "anchor", Type: value.Text},
	{Name: "label", Type: value.Text},
	{Name: "promise", Type: value.Float},
}

// focusOfLink are the columns that describe a link and not its page.
var focusOfLink = []string{"target", "anchor", "label", "promise"}

// FocusColumns returns the names of the columns that EXPAND WHERE may name.
func FocusColumns() []string {
	names := make([]string, len(focusColumns))
	for i := range focusColumns {
		names[i] = focusColumns[i].Name
	}
	return names
}

// BindFocus binds the condition of an EXPAND WHERE.
func BindFocus(e ast.Expr, env *expr.Env) (*FocusCondition, error) {
	f := new(FocusCondition)
	bind := &expr.Binder{Where: "EXPAND WHERE", Env: env, Column: func(c *ast.Column, _ value.Type) (expr.Expr, error) {
		if c.Qualifier != nil {
			err := ast.Errorf(c.Qualifier, "the columns of EXPAND WHERE are of no relation")
			err.Hint = "write " + c.Name.String()
			return nil, err
		}
		i := slices.IndexFunc(focusColumns, func(k Column) bool { return strings.EqualFold(k.Name, c.Name.Text) })
		if i < 0 {
			err := expr.UnknownName(&c.Name, "column", c.Name.Text, " in EXPAND WHERE", FocusColumns())
			if err.Hint == "" {
				err.Hint = "there are " + strings.Join(FocusColumns(), ", ")
			}
			return nil, err
		}
		return f.column(&focusColumns[i]), nil
	}}
	var err error
	f.Where, err = bind.BindBool(e)
	return f, err
}

// column returns c as an expression. It adds c to f.Columns if necessary.
func (f *FocusCondition) column(c *Column) *expr.Col {
	i := slices.Index(f.Columns, c)
	if i < 0 {
		i = len(f.Columns)
		f.Columns = append(f.Columns, c)
		f.OfLink = f.OfLink || slices.Contains(focusOfLink, c.Name)
	}
	return &expr.Col{Index: i, Name: c.Name, T: c.Type}
}

package plan

import (
	"errors"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// defined returns the views and metadata columns (columns computed by an expression) that
// users have defined in the archive. If there are none, the result is empty, not nil.
func defined(env *expr.Env) (*value.Defined, error) {
	if env.Defined == nil {
		return &value.Defined{}, nil
	}
	return env.Defined()
}

// view returns an input that reads the view that FROM names, planned with env. It returns
// nil, nil if there is no such view, or if a relation of the archive has the name.
func (b *builder) view(from *ast.Source, env *expr.Env) (*input, error) {
	name := from.Relation
	if all.Find(name.Text) != nil {
		return nil, nil
	}
	d, err := defined(b.env)
	if err != nil {
		return nil, err
	}
	for _, v := range d.Views {
		if strings.EqualFold(v.Name, name.Text) {
			v.Query = b.withMatches(v.Query, nameOf(from))
			return b.readView(name, &v, env)
		}
	}
	return nil, nil
}

// readView returns an input that reads the query of the view v, planned with env. at is
// the name of the view in the statement, and errors point at it. A view that reads
// itself is an error.
func (b *builder) readView(at *ast.Name, v *value.View, env *expr.Env) (*input, error) {
	within := b.with.views()
	var path []string
	for n := within; n != nil; n = n.before {
		path = append([]string{n.name.Text}, path...)
		if strings.EqualFold(n.name.Text, v.Name) {
			return nil, ast.Errorf(at, "view %s reads itself: %s", v.Name, strings.Join(append(path, v.Name), " reads "))
		}
	}
	node, err := build(v.Query, env, &named{before: within, name: &ast.Name{Span: at.Span, Text: v.Name}})
	if err != nil {
		if within != nil {
			return nil, err // only the outermost view is named in the error
		}
		return nil, ViewError(at, v.Name, err)
	}
	if queries(node) > queriesMax {
		return nil, ast.Errorf(at, "more than %d queries read each other", queriesMax)
	}
	in := derivedInput(v.Name, node)
	in.name, in.view = v.Name, true
	return in, nil
}

// views returns the end of the list n: the views that are being planned around
// the query, the innermost first. It returns nil if there are none.
func (n *named) views() *named {
	for n != nil && n.node != nil {
		n = n.before
	}
	return n
}

// ViewError returns an error for err, which occurred in the query of a view.
// The result names the view and points at its name in the statement, because
// the position in err belongs to the text of the view. If err is not an
// *ast.Error, ViewError returns it unchanged.
func ViewError(at *ast.Name, view string, err error) error {
	var placed *ast.Error
	if !errors.As(err, &placed) {
		return err
	}
	msg := placed.Msg
	if !strings.HasPrefix(msg, "view ") {
		msg = "view " + view + ": " + msg
	}
	return &ast.Error{Span: at.Span, Msg: msg, Hint: placed.Hint}
}

// metadataRelation returns the relation to which users add metadata columns of
// this kind: pages, versions or blocks.
func metadataRelation(on ast.MetadataOn) *relation.Relation {
	switch on {
	case ast.OnPage:
		return relation.Pages
	case ast.OnVersion:
		return relation.Versions
	}
	return relation.Blocks
}

// expandMetadata replaces each metadata column in the query (a column that a
// user has defined) by its expression. b.items must be complete, because in
// ORDER BY an alias wins over a metadata column.
func (b *builder) expandMetadata() error {
	var failed error
	expand := func(e ast.Expr, known func(*ast.Column) bool) ast.Expr {
		return ast.ReplaceColumns(e, func(c *ast.Column) ast.Expr {
			if known != nil && known(c) {
				return nil
			}
			x, err := b.metadata(c)
			if err != nil && failed == nil {
				failed = err
			}
			return x
		})
	}
	sel, query := *b.sel, *b.query
	for i := range b.items {
		b.items[i].expr = expand(b.items[i].expr, nil)
	}
	sel.Where, sel.Having = expand(sel.Where, nil), expand(sel.Having, nil)
	sel.GroupBy, sel.Joins, query.OrderBy = nil, nil, nil
	for _, e := range b.sel.GroupBy {
		sel.GroupBy = append(sel.GroupBy, expand(e, nil))
	}
	for _, j := range b.sel.Joins {
		j.On = expand(j.On, nil)
		sel.Joins = append(sel.Joins, j)
	}
	for _, o := range b.query.OrderBy {
		o.Expr = expand(o.Expr, func(c *ast.Column) bool { return b.alias(c) != nil })
		query.OrderBy = append(query.OrderBy, o)
	}
	b.sel, b.query = &sel, &query
	return failed
}

// metadata returns the expression of the metadata column that c names, with the
// position of c. It returns nil if c is a column of an input, which wins over
// metadata, or if there is no such metadata column.
func (b *builder) metadata(c *ast.Column) (ast.Expr, error) {
	if b.has(c) {
		return nil, nil
	}
	among, err := b.qualified(c)
	if err != nil {
		among = nil // c may be of the outer query; otherwise binding returns the error
	}
	d, err := defined(b.env)
	if err != nil {
		return nil, err
	}
	var found ast.Expr
	for _, in := range among {
		for _, m := range d.Metadata {
			if in.rel != metadataRelation(m.On) || !strings.EqualFold(m.Name, c.Name.Text) {
				continue
			}
			if found != nil {
				err := ast.Errorf(c, "several sources have metadata %q", c.Name.Text)
				err.Hint = "write the name of one and a dot before it"
				return nil, err
			}
			found = b.expansion(in, &m, c.Span)
		}
	}
	if found == nil && b.outer != nil {
		return b.outer.metadata(c)
	}
	return found, nil
}

// expansion returns a copy of the expression of the metadata column m in which
// each column is resolved to the column of the given input. All parts of the
// copy have the position at.
func (b *builder) expansion(in *input, m *value.Metadata, at ast.Span) ast.Expr {
	return ast.CopyAt(m.Expr, at, func(c *ast.Column) ast.Expr {
		x := &ast.Column{Span: at, Name: ast.Name{Span: at, Text: c.Name.Text}}
		if col := in.rel.Column(c.Name.Text); col != nil {
			if b.stars == nil {
				b.stars = map[*ast.Column]starred{}
			}
			b.stars[x] = starred{in, col}
		}
		return x
	})
}

// MetadataType returns the type of values of a metadata column with this name
// and the expression e. It returns an *ast.Error if e is not valid, or if the
// relation has a column with this name.
func MetadataType(name *ast.Name, on ast.MetadataOn, e ast.Expr, env *expr.Env) (value.Type, error) {
	r := metadataRelation(on)
	if r.Column(name.Text) != nil {
		return value.Null, ast.Errorf(name, "relation %s has a column %q", r.Name, name.Text)
	}
	bind := &expr.Binder{Where: "metadata", Env: env, Column: func(c *ast.Column, _ value.Type) (expr.Expr, error) {
		if c.Qualifier != nil {
			err := ast.Errorf(c.Qualifier, "metadata is made of columns of %s alone", r.Name)
			err.Hint = "write " + c.Name.String()
			return nil, err
		}
		col := r.Column(c.Name.Text)
		if col == nil {
			return nil, expr.UnknownName(&c.Name, "column", c.Name.Text, " in relation "+r.Name, r.ColumnNames())
		}
		return &expr.Col{Name: col.Name, T: col.Type}, nil
	}}
	x, err := bind.Bind(e)
	if err != nil {
		return value.Null, err
	}
	return x.Type(), nil
}

// MetadataRelation returns the name of the relation to which users add metadata
// columns of this kind: "pages", "versions" or "blocks".
func MetadataRelation(on ast.MetadataOn) string { return metadataRelation(on).Name }

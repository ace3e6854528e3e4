package plan

import (
	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/lang/ast"
)

// Captures returns a plan that yields the captures that a DELETE statement
// removes, and the source of captures in this plan. A row of the plan has the
// source's fields, one of which is url, and then the refs, which identify the
// capture. Each error is an *ast.Error.
func Captures(st *ast.Delete, env *expr.Env) (Node, *Source, error) {
	name := ast.Name{Span: st.Span, Text: relation.Captures.Name}
	url := &ast.Column{Span: st.Span, Name: ast.Name{Span: st.Span, Text: "url"}}
	q := &ast.Query{Span: st.Span, Select: &ast.Select{
		Span:  st.Span,
		Items: []ast.Item{{Span: st.Span, Expr: url}},
		From:  &ast.Source{Span: st.Span, Relation: &name, Scopes: st.Scopes, Time: ast.TimeClause{Range: st.Range}},
		Where: st.Where,
	}}
	b := &builder{env: env, query: q, sel: q.Select}
	if err := b.from(); err != nil {
		return nil, nil, err
	}
	if err := b.inputs[0].src.setScopes(st.Scopes, env, true); err != nil {
		return nil, nil, err
	}
	if err := b.listItems(); err != nil {
		return nil, nil, err
	}
	b.layout()
	if err := b.where(); err != nil {
		return nil, nil, err
	}
	in := b.inputs[0]
	in.src.narrow(in.asked, in.name, env)
	in.src.Refs = true
	for n := b.top; n != Node(in.src); n = n.Below()[0] {
		if _, ok := n.(*Filter); !ok {
			return nil, nil, ast.Errorf(st.Where, "the WHERE of DELETE may only test captures, and reads nothing else")
		}
	}
	return b.top, in.src, nil
}

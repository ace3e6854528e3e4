package lang

import (
	"slices"
	"strings"

	"infomall/lang/ast"
)

// create returns the tree of CREATE VIEW or CREATE METADATA.
func (b *builder) create(s *createSyntax) ast.Statement {
	at := spanOfAll(s.Tokens)
	replace := s.Replace != nil
	if replace {
		s.View, s.Metadata = s.Replace.View, s.Replace.Metadata
	}
	if v := s.View; v != nil {
		view := &ast.CreateView{Span: at, Replace: replace, Name: newName(&v.Name), Query: v.Query.tree()}
		b.declared(view.Query, nil, "a view has none", "SAVE "+view.Name.String()+" ($name) AS … takes it when it is run")
		return view
	}
	m := &ast.CreateMetadata{Span: at, Replace: replace, Name: newName(&s.Metadata.Name), Expr: s.Metadata.Expr}
	for _, on := range []ast.MetadataOn{ast.OnPage, ast.OnVersion, ast.OnBlock} {
		if foldASCII(s.Metadata.On.Value) == on.String() {
			m.On = on
		}
	}
	b.declared(m.Expr, nil, "metadata has none", "write the value itself")
	ast.Walk(m.Expr, func(n ast.Node) bool {
		if q, ok := n.(*ast.Query); ok {
			b.fail(q.Span, "metadata is made of one row, and takes no query", "CREATE VIEW names a query")
		}
		return true
	})
	return m
}

// drop returns the tree of DROP POOL, DROP VIEW, DROP GRAPH or DROP METADATA.
func drop(s *dropSyntax) ast.Statement {
	at := spanOfAll(s.Tokens)
	switch {
	case present(s.View):
		return &ast.DropView{Span: at, Name: newName(&s.View)}
	case present(s.Graph):
		return &ast.DropGraph{Span: at, Name: newName(&s.Graph)}
	case present(s.Metadata):
		return &ast.DropMetadata{Span: at, Name: newName(&s.Metadata)}
	}
	return &ast.DropPool{Span: at, Pool: newText(&s.Pool)}
}

// save returns the tree of SAVE. Each parameter of the query must be declared
// in the list of SAVE, and no parameter twice.
func (b *builder) save(s *saveSyntax) *ast.Save {
	save := &ast.Save{Span: spanOfAll(s.Tokens), Name: newName(&s.Name), Query: s.Query.tree()}
	var names []string
	for _, n := range s.Params.list() {
		if slices.Contains(names, n.Text) {
			b.fail(n.Span, "parameter "+n.Text+" stands twice", "")
		}
		save.Params, names = append(save.Params, n), append(names, n.Text)
	}
	list := strings.Join(append(slices.Clone(names), "$name"), ", ")
	b.declared(save.Query, names, "SAVE does not list it", "write SAVE "+save.Name.String()+" ("+list+") AS …")
	return save
}

func (b *builder) run(s *runSyntax) *ast.Run {
	run := &ast.Run{Span: spanOfAll(s.Tokens), Name: optionalName(s.Name)}
	if present(s.File) {
		run.File = newText(&s.File)
	}
	for _, arg := range s.Args.list() {
		if slices.ContainsFunc(run.Args, func(o ast.Arg) bool { return o.Name.Text == arg.Name.Text }) {
			b.fail(arg.Span, "parameter "+arg.Name.Text+" stands twice", "")
		}
		run.Args = append(run.Args, arg)
	}
	return run
}

// schedule returns the tree of SCHEDULE. Its statement may not have parameters,
// because nobody can give their values when it runs.
func (b *builder) schedule(s *scheduleSyntax) *ast.Schedule {
	c := &ast.Schedule{
		Span: spanOfAll(s.Tokens), Name: newName(&s.Name), Adaptive: s.Adaptive,
		Every: optionalConstant(s.Every), Cron: optionalConstant(s.Cron), Budget: optionalConstant(s.Budget), Per: optionalConstant(s.Per),
		Statement: b.deed(s.Deed),
	}
	b.declared(c.Statement, nil, "a schedule has none", "write the value itself")
	return c
}

// declared reports a fault for each parameter below n that is not in names. why
// is the reason and hint the remedy; "$name" in hint is replaced by the
// parameter's name.
func (b *builder) declared(n ast.Node, names []string, why, hint string) {
	ast.Walk(n, func(n ast.Node) bool {
		if p, ok := n.(*ast.Param); ok && !slices.Contains(names, p.Name) {
			b.fail(p.Span, "parameter $"+p.Name+": "+why, strings.ReplaceAll(hint, "$name", p.Name))
		}
		return b.err == nil
	})
}

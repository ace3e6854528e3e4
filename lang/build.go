package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// builder converts what the grammar has read into a tree. It also finds the
// faults that the grammar cannot express: a clause that occurs twice, or a word
// that is not in a set.
type builder struct {
	err *ast.Error // the first fault found
}

func (b *builder) fail(at ast.Span, msg, hint string) {
	if b.err == nil {
		b.err = &ast.Error{Span: at, Msg: msg, Hint: hint}
	}
}

// present reports whether the source has the optional token t.
func present(t lexer.Token) bool { return t.Type != 0 }

func optionalName(t lexer.Token) *ast.Name {
	if !present(t) {
		return nil
	}
	n := newName(&t)
	return &n
}

// optionalConstant returns the number or parameter of t, or nil if t is absent.
func optionalConstant(t lexer.Token) ast.Expr {
	if !present(t) {
		return nil
	}
	return literal(&t)
}

func (b *builder) statement(s *statementSyntax) ast.Statement {
	switch {
	case s.Deed != nil:
		return b.deed(s.Deed)
	case s.Rank != nil:
		return &ast.ExplainRank{Span: spanOfAll(s.Rank.Tokens), URL: newText(&s.Rank.URL), Name: optionalName(s.Rank.Name)}
	case s.Schedule != nil:
		return b.schedule(s.Schedule)
	}
	e := &ast.Explain{Span: spanOfAll(s.Explain.Tokens), Analyze: s.Explain.Analyze}
	if s.Explain.Schedule != nil {
		e.Statement = b.schedule(s.Explain.Schedule)
	} else {
		e.Statement = b.deed(s.Explain.Deed)
	}
	return e
}

// deed returns the tree of a statement that EXPLAIN and SCHEDULE accept.
func (b *builder) deed(s *deedSyntax) ast.Statement {
	switch {
	case s.Query != nil:
		return s.Query.Query.tree()
	case s.Import != nil:
		return b.importStatement(s.Import)
	case s.Export != nil:
		return b.export(s.Export)
	case s.Crawl != nil:
		return b.crawl(s.Crawl)
	case s.Order != nil:
		return orderStatement(s.Order)
	case s.Trace != nil:
		return &ast.Trace{Span: spanOfAll(s.Trace.Tokens), URL: newText(&s.Trace.URL.Text)}
	case s.Add != nil:
		a := &ast.AddToCrawl{Span: spanOfAll(s.Add.Tokens), URLs: texts(s.Add.URLs), Name: newName(&s.Add.Name), Force: s.Add.Force}
		return a
	case s.Copy != nil:
		return copyStatement(s.Copy)
	case s.Verify != nil:
		return b.verify(s.Verify)
	case s.Repair != nil:
		r := s.Repair
		return &ast.RepairPool{Span: spanOfAll(r.Tokens), Pool: newText(&r.Pool), From: newText(&r.From)}
	case s.Reindex != nil:
		r := &ast.Reindex{Span: spanOfAll(s.Reindex.Tokens), Derived: s.Reindex.Derived}
		if p := s.Reindex.Pool; p != nil {
			r.Pool = newText(&p.Text)
		}
		return r
	case s.Drop != nil:
		return drop(s.Drop)
	case s.Delete != nil:
		return b.deleteStatement(s.Delete)
	case s.Create != nil:
		return b.create(s.Create)
	case s.Save != nil:
		return b.save(s.Save)
	case s.Unschedule != nil:
		return &ast.Unschedule{Span: spanOfAll(s.Unschedule.Tokens), Name: newName(&s.Unschedule.Name)}
	case s.RunSchedule != nil:
		return &ast.RunSchedule{Span: spanOfAll(s.RunSchedule.Tokens), Name: newName(&s.RunSchedule.Name)}
	case s.Run != nil:
		return b.run(s.Run)
	case s.PageRank != nil:
		return b.pageRank(s.PageRank)
	case s.HITS != nil:
		return b.hits(s.HITS)
	case s.Dedup != nil:
		return b.dedup(s.Dedup)
	case s.Recover != nil:
		return recoverStatement(s.Recover)
	case s.Merge != nil:
		return mergeStatement(s.Merge)
	case s.Describe != nil:
		return &ast.Describe{Span: spanOfAll(s.Describe.Tokens), Name: newName(&s.Describe.Name)}
	case s.Show != nil:
		return b.show(s.Show)
	case s.Diff != nil:
		return b.diff(s.Diff)
	case s.Set != nil:
		return b.set(s.Set)
	case s.Reset != nil:
		return &ast.Reset{Span: spanOfAll(s.Reset.Tokens), Name: newName(&s.Reset.Name)}
	case s.Help != nil:
		return b.help(s.Help)
	}
	panic("lang: the grammar read no statement")
}

func scopes(list []*scopeSyntax) []ast.Scope {
	var out []ast.Scope
	for _, s := range list {
		sc := ast.Scope{Span: spanOf(&s.From), From: newText(&s.From)}
		if present(s.To) {
			sc.To = newText(&s.To)
			sc.End = endOf(&s.To)
		}
		out = append(out, sc)
	}
	return out
}

func (b *builder) importStatement(s *importSyntax) *ast.Import {
	im := &ast.Import{Span: spanOfAll(s.Tokens), Paths: texts(s.Paths)}
	for _, o := range s.Options {
		twice := ""
		switch {
		case present(o.Format):
			twice = ifSet(im.Format != nil, "FORMAT")
			im.Format = optionalName(o.Format)
		case o.Base != nil:
			twice = ifSet(im.Base != nil, "BASE")
			im.Base = newText(&o.Base.Text)
		case o.At != nil:
			twice = ifSet(im.Time != nil, "AT")
			im.Time = o.At
		default:
			twice = ifSet(im.Alias != nil, "AS")
			im.Alias = optionalName(o.Alias)
		}
		if twice != "" {
			b.fail(spanOfAll(o.Tokens), twice+" stands twice", "")
		}
	}
	return im
}

func texts(list []*textSyntax) []ast.Expr {
	var out []ast.Expr
	for _, t := range list {
		out = append(out, newText(&t.Text))
	}
	return out
}

// ifSet returns word if set, else "".
func ifSet(set bool, word string) string {
	if set {
		return word
	}
	return ""
}

func (b *builder) export(s *exportSyntax) *ast.Export {
	ex := &ast.Export{Span: spanOfAll(s.Tokens), Query: s.Query.tree()}
	for _, o := range s.Options {
		switch {
		case o.To != nil && ex.To != nil:
			b.fail(spanOfAll(o.Tokens), "TO stands twice", "")
		case o.To != nil:
			ex.To = o.To
		case ex.Format != nil:
			b.fail(spanOfAll(o.Tokens), "FORMAT stands twice", "")
		default:
			ex.Format = optionalName(o.Format)
		}
	}
	if ex.To == nil {
		b.fail(ex.Span, "EXPORT has no file", "add TO 'file.csv'")
	}
	return ex
}

func copyStatement(s *copySyntax) *ast.CopyPool {
	c := &ast.CopyPool{Span: spanOfAll(s.Tokens), To: newText(&s.To)}
	if present(s.Pool) {
		c.Pool = newText(&s.Pool)
	}
	return c
}

func mergeStatement(s *mergeSyntax) *ast.MergePool {
	m := &ast.MergePool{Span: spanOfAll(s.Tokens), Seal: s.Seal}
	if present(s.Pool) {
		m.Pool = newText(&s.Pool)
	}
	return m
}

func (b *builder) verify(s *verifySyntax) *ast.Verify {
	v := &ast.Verify{Span: spanOfAll(s.Tokens)}
	for _, c := range s.Clauses {
		switch {
		case c.Pool != nil && v.Pool != nil:
			b.fail(spanOfAll(c.Tokens), "POOL stands twice", "")
		case c.Pool != nil:
			v.Pool = newText(&c.Pool.Text)
		case v.Sample != nil:
			b.fail(spanOfAll(c.Tokens), "SAMPLE stands twice", "")
		case c.One.Value != "1":
			b.fail(spanOf(&c.One), "a sample is one part of n", "write SAMPLE 1/"+c.Of.Value)
		default:
			v.Sample = literal(&c.Of)
		}
	}
	return v
}

func recoverStatement(s *recoverSyntax) *ast.Recover {
	r := &ast.Recover{Span: spanOfAll(s.Tokens), File: newText(&s.File)}
	if present(s.To) {
		r.To = newText(&s.To)
	}
	return r
}

func (b *builder) deleteStatement(s *deleteSyntax) *ast.Delete {
	d := &ast.Delete{Span: spanOfAll(s.Tokens), Scopes: scopes(s.Scopes)}
	if s.Time != nil {
		t := s.Time.clause()
		d.Range = t.Range
		if t.Choice != nil {
			b.fail(t.Choice.Span, "DELETE takes a range of time, and no choice of versions", "name the captures by WHERE")
		}
	}
	for _, o := range s.Options {
		switch {
		case o.Where != nil && d.Where != nil:
			b.fail(spanOfAll(o.Tokens), "WHERE stands twice", "join the conditions by AND")
		case o.Where != nil:
			d.Where = o.Where
		case d.Reason != nil:
			b.fail(spanOfAll(o.Tokens), "REASON stands twice", "")
		default:
			d.Reason = newText(&o.Reason)
		}
	}
	return d
}

// otherLists maps what other programs call a list, such as tables, to the word
// of SHOW, such as RELATIONS.
var otherLists = map[string]string{"tables": "RELATIONS", "variables": "SETTINGS", "databases": "POOLS"}

func (b *builder) show(s *showSyntax) ast.Statement {
	if s.Page != nil {
		return b.showPage(spanOfAll(s.Tokens), s.Page)
	}
	if p := s.Path; p != nil {
		return b.showPath(spanOfAll(s.Tokens), p)
	}
	if s.Robots != nil {
		return b.showRobots(spanOfAll(s.Tokens), s.Robots)
	}
	what := newName(&s.What)
	what.Text = foldASCII(what.Text)
	if ours, ok := otherLists[what.Text]; ok {
		b.fail(what.Span, "no list "+strings.ToUpper(what.Text), "write SHOW "+ours)
	}
	return &ast.Show{Span: spanOfAll(s.Tokens), What: what}
}

// pageForms are the forms of SHOW PAGE … AS.
var pageForms = []ast.PageForm{ast.PageText, ast.PageHTML, ast.PageRaw, ast.PageWire, ast.PageHeaders, ast.PageBlocks}

func (b *builder) showPage(at ast.Span, s *pageSyntax) *ast.ShowPage {
	page := &ast.ShowPage{Span: at, URL: newText(&s.URL)}
	for _, o := range s.Options {
		switch {
		case o.At != nil && page.Time != nil:
			b.fail(spanOfAll(o.Tokens), "AT stands twice", "")
		case o.At != nil:
			page.Time = o.At
		case page.Form != ast.PageDefault:
			b.fail(spanOfAll(o.Tokens), "AS stands twice", "")
		default:
			page.Form = b.pageForm(o.Form)
		}
	}
	return page
}

func (b *builder) pageForm(t lexer.Token) ast.PageForm {
	var words []string
	for _, f := range pageForms {
		if equalFold(t.Value, strings.ToUpper(f.String())) {
			return f
		}
		words = append(words, f.String())
	}
	hint := "forms are " + strings.Join(words, ", ")
	if near := ast.Nearest(t.Value, words); near != "" {
		hint = "did you mean " + near + "?"
	}
	b.fail(spanOf(&t), "no page form "+t.Value, hint)
	return ast.PageDefault
}

func (b *builder) diff(s *diffSyntax) *ast.Diff {
	d := &ast.Diff{Span: spanOfAll(s.Tokens), URL: newText(&s.URL)}
	for _, t := range s.Times {
		switch {
		case t.From != nil && d.From != nil:
			b.fail(spanOfAll(t.Tokens), "FROM stands twice", "")
		case t.From != nil:
			d.From = t.From
		case d.To != nil:
			b.fail(spanOfAll(t.Tokens), "TO stands twice", "")
		default:
			d.To = t.To
		}
	}
	return d
}

func (b *builder) set(s *setSyntax) *ast.Set {
	set := &ast.Set{Span: spanOfAll(s.Tokens), Name: newName(&s.Name), Value: s.Value}
	if s.Name.Type == tokParam {
		set.Param = true
		set.Name.Text = s.Name.Value[1:]
	}
	return set
}

func (b *builder) help(s *helpSyntax) *ast.Help {
	return &ast.Help{Span: spanOfAll(s.Tokens), Topic: upperASCII(strings.Join(s.Topic, " "))}
}

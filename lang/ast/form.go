package ast

// FormField is one item after FORMS in CRAWL: the values that the crawl submits for the
// fields of one name. Exactly one of List, File and Query is set.
type FormField struct {
	Span
	Name  Name
	List  []Expr // *String or *Param, one or more
	File  Expr   // path of a file with a value on each line, *String or *Param
	Query *Query // its first column has the values
}

func (f *FormField) String() string { return text(f) }

func (f *FormField) print(p *printer) {
	p.name(&f.Name)
	p.WriteString(" = ")
	switch {
	case f.File != nil:
		p.clause("FILE ", f.File)
	case f.Query != nil:
		p.WriteString("(")
		f.Query.print(p)
		p.WriteString(")")
	case len(f.List) == 1:
		p.list(f.List)
	default:
		p.WriteString("(")
		p.list(f.List)
		p.WriteString(")")
	}
}

func (f *FormField) children(l nodes) nodes {
	if f.Query != nil {
		return append(l, f.Query)
	}
	return l.exprs(f.List...).exprs(f.File)
}

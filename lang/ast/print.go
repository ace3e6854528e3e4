package ast

import "strings"

// printer collects the canonical source of a tree: keywords in upper case, one
// space between words, brackets only if they are needed.
type printer struct {
	strings.Builder
	param func(*Param) Expr // returns the expression to print instead of a parameter; nil prints parameters
}

// text returns the canonical source of n: keywords in upper case, brackets only
// if they are needed.
func text(n Node) string {
	var p printer
	n.print(&p)
	return p.String()
}

// TextWith returns the canonical source of n (see text), with the expression
// value(p) in place of each parameter p.
func TextWith(n Node, value func(p *Param) Expr) string {
	p := printer{param: value}
	n.print(&p)
	return p.String()
}

// words writes the texts ws one after another, without spaces between them.
func (p *printer) words(ws ...string) {
	for _, w := range ws {
		p.WriteString(w)
	}
}

// commas calls f(0) to f(n-1), each of which must write one part, and writes a
// comma and a space between the parts.
func (p *printer) commas(n int, f func(i int)) {
	for i := range n {
		if i > 0 {
			p.WriteString(", ")
		}
		f(i)
	}
}

// quote returns text between two quote marks, with each mark inside text
// doubled. mark is ' or ".
func quote(text, mark string) string {
	return mark + strings.ReplaceAll(text, mark, mark+mark) + mark
}

// name writes a name. It writes double quotes if the name needs them or had
// them in the source.
func (p *printer) name(n *Name) {
	if n.Quoted || !isPlain(n.Text) {
		p.WriteString(quote(n.Text, `"`))
		return
	}
	p.WriteString(n.Text)
}

// isPlain reports whether text is a name that needs no quotes.
func isPlain(text string) bool {
	for i, r := range text {
		if i == 0 && !IsIdentStart(r) || !IsIdentPart(r) {
			return false
		}
	}
	return text != "" && !isReserved(text)
}

// isReserved reports whether text is a reserved word, in upper or lower case.
func isReserved(text string) bool {
	for _, w := range Reserved {
		if len(w) == len(text) && upper(text) == w {
			return true
		}
	}
	return false
}

// upper returns text with the letters a to z in upper case. It leaves other
// letters, because some change their length in bytes in upper case.
func upper(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, text)
}

func (p *printer) list(es []Expr) {
	p.commas(len(es), func(i int) { es[i].print(p) })
}

func (p *printer) scopes(ss []Scope) {
	p.commas(len(ss), func(i int) { ss[i].print(p) })
}

// scopesAfter writes keyword and then the scopes ss, with commas between them.
// keyword includes its spaces, such as " IN ". If ss is empty, scopesAfter
// writes nothing.
func (p *printer) scopesAfter(keyword string, ss []Scope) {
	if len(ss) > 0 {
		p.WriteString(keyword)
		p.scopes(ss)
	}
}

// clause writes keyword and then the expression e. keyword includes its spaces,
// such as " WHERE ". If e is nil, clause writes nothing.
func (p *printer) clause(keyword string, e Expr) {
	if e != nil {
		p.WriteString(keyword)
		e.print(p)
	}
}

// nameAfter writes keyword and then the name n. keyword includes its spaces,
// such as " AS ". If n is nil, nameAfter writes nothing.
func (p *printer) nameAfter(keyword string, n *Name) {
	if n != nil {
		p.WriteString(keyword)
		p.name(n)
	}
}

// wordAfter writes keyword and then the text word, such as " ORDER " and "BFS".
// keyword includes its spaces. If word is "", wordAfter writes nothing.
func (p *printer) wordAfter(keyword, word string) {
	if word != "" {
		p.words(keyword, word)
	}
}

// flag writes clause, which has no value, such as " FORCE", if the flag there
// is set.
func (p *printer) flag(clause string, there bool) {
	if there {
		p.WriteString(clause)
	}
}

func (p *printer) alias(n *Name) { p.nameAfter(" AS ", n) }

// overGraph writes " OVER GRAPH " and the name g. If g is nil, it writes
// nothing.
func (p *printer) overGraph(g *Name) { p.nameAfter(" OVER GRAPH ", g) }

// time writes the range, the choice and the KNOWN AT of a time clause, each with a
// space before it. It leaves out a part that is nil.
func (p *printer) time(t *TimeClause) {
	if t.Range != nil {
		p.WriteByte(' ')
		t.Range.print(p)
	}
	if t.Choice != nil {
		p.WriteByte(' ')
		t.Choice.print(p)
	}
	p.known(t.Known)
}

// known writes " KNOWN AT " and the time t. If t is nil, it writes nothing.
func (p *printer) known(t Expr) { p.clause(" KNOWN AT ", t) }

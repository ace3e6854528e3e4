package ast

// ShowStory is the statement SHOW STORY 'url' [OF BLOCK 'identity'] [range] [KNOWN AT t]
// [ALL]. It lists what happened to a page, or to one block of it.
type ShowStory struct {
	Span
	URL   Expr       // *String or *Param
	Block Expr       // *String or *Param, the identity of a block; nil means the whole page
	Range *TimeRange // nil means from the first capture to the last
	Known Expr       // the time after KNOWN AT; nil if absent
	All   bool       // lists small edits, too
}

func (*ShowStory) statement() {}

func (s *ShowStory) String() string { return text(s) }

func (s *ShowStory) print(p *printer) {
	p.clause("SHOW STORY ", s.URL)
	p.clause(" OF BLOCK ", s.Block)
	if s.Range != nil {
		p.WriteByte(' ')
		s.Range.print(p)
	}
	p.known(s.Known)
	if s.All {
		p.WriteString(" ALL")
	}
}

func (s *ShowStory) children(l nodes) nodes {
	l = l.exprs(s.URL, s.Block)
	if s.Range != nil {
		l = append(l, s.Range)
	}
	return l.exprs(s.Known)
}

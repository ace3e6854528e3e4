package ast

// BlameUnit says what a row of BLAME is: a block, a line or a word.
type BlameUnit uint8

// The units of BLAME, by the word after AS.
const (
	BlameDefault BlameUnit = iota // no AS: the same as blocks
	BlameBlocks                   // blocks: a block of the page
	BlameLines                    // lines: a line of the text of a block
	BlameWords                    // words: a word of the text of a block
)

// String returns the word after AS in BLAME, such as lines. It returns "" for
// BlameDefault.
func (u BlameUnit) String() string { return [...]string{"", "blocks", "lines", "words"}[u] }

// Blame is the statement BLAME 'url' [AT t] [KNOWN AT t] [AS unit]. It shows which version
// of a page brought each part of its text.
type Blame struct {
	Span
	URL   Expr // *String or *Param
	Time  Expr // nil means the latest capture
	Known Expr // the time after KNOWN AT; nil if absent
	Unit  BlameUnit
}

func (*Blame) statement() {}

func (s *Blame) String() string { return text(s) }

func (s *Blame) print(p *printer) {
	p.clause("BLAME ", s.URL)
	p.clause(" AT ", s.Time)
	p.known(s.Known)
	p.wordAfter(" AS ", s.Unit.String())
}

func (s *Blame) children(l nodes) nodes { return l.exprs(s.URL, s.Time, s.Known) }

package ast

// PageForm is the form in which SHOW PAGE prints a page.
type PageForm uint8

// The forms of SHOW PAGE, by the word after AS.
const (
	PageDefault PageForm = iota // no AS: the same as html
	PageText                    // text: the visible text
	PageHTML                    // html: the decoded body, in UTF-8
	PageRaw                     // raw: the bytes of the body as stored
	PageWire                    // wire: the response as it was received
	PageHeaders                 // headers: the HTTP headers
	PageBlocks                  // blocks: the page divided into blocks
)

// String returns the word after AS in SHOW PAGE, such as text. It returns "" for
// PageDefault.
func (f PageForm) String() string {
	switch f {
	case PageText:
		return "text"
	case PageHTML:
		return "html"
	case PageRaw:
		return "raw"
	case PageWire:
		return "wire"
	case PageHeaders:
		return "headers"
	case PageBlocks:
		return "blocks"
	}
	return ""
}

// ShowPage is the statement SHOW PAGE 'url' [AT t] [KNOWN AT t] [AS form]. It shows a
// capture of a page.
type ShowPage struct {
	Span
	URL   Expr // *String or *Param
	Time  Expr // nil means the latest capture
	Known Expr // the time after KNOWN AT; nil if absent
	Form  PageForm
}

func (*ShowPage) statement() {}

func (s *ShowPage) String() string { return text(s) }

func (s *ShowPage) print(p *printer) {
	p.clause("SHOW PAGE ", s.URL)
	p.clause(" AT ", s.Time)
	p.known(s.Known)
	p.wordAfter(" AS ", s.Form.String())
}

func (s *ShowPage) children(l nodes) nodes { return l.exprs(s.URL, s.Time, s.Known) }

// ShowRobots is the statement SHOW ROBOTS 'url' [AGENT 's'] [AT t] [KNOWN AT t]. It shows
// whether robots.txt allows a crawler to fetch the URL.
type ShowRobots struct {
	Span
	URL   Expr // *String or *Param
	Agent Expr // *String or *Param; nil means the agent of the crawler
	Time  Expr // nil means the latest capture
	Known Expr // the time after KNOWN AT; nil if absent
}

func (*ShowRobots) statement() {}

func (s *ShowRobots) String() string { return text(s) }

func (s *ShowRobots) print(p *printer) {
	p.clause("SHOW ROBOTS ", s.URL)
	p.clause(" AGENT ", s.Agent)
	p.clause(" AT ", s.Time)
	p.known(s.Known)
}

func (s *ShowRobots) children(l nodes) nodes { return l.exprs(s.URL, s.Agent, s.Time, s.Known) }

// Diff is the statement DIFF 'url' [FROM t] [TO t] [KNOWN AT t]. It shows how the blocks of
// a page changed between two times.
type Diff struct {
	Span
	URL   Expr // *String or *Param
	From  Expr // nil means the version before the version at To
	To    Expr // nil means the latest version
	Known Expr // the time after KNOWN AT; nil if absent
}

func (*Diff) statement() {}

func (s *Diff) String() string { return text(s) }

func (s *Diff) print(p *printer) {
	p.clause("DIFF ", s.URL)
	p.clause(" FROM ", s.From)
	p.clause(" TO ", s.To)
	p.known(s.Known)
}

func (s *Diff) children(l nodes) nodes { return l.exprs(s.URL, s.From, s.To, s.Known) }

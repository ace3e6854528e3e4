package ast

// Crawl is the statement CRAWL 'url', …, CRAWL (query) or CRAWL DUE [IN scope, …],
// followed by the clauses that the fields name. It fetches pages of the web into the
// archive. CRAWL DUE visits pages of the archive again when they are due.
type Crawl struct {
	Span
	Due          bool
	In           []Scope // the scopes of DUE; none means all URLs
	Query        *Query  // its first column has the URLs to begin with; nil if the statement lists them, and for DUE
	Seeds        []Expr  // the URLs to begin with, *String or *Param; none for DUE and for a query, otherwise one or more
	Depth        Expr    // *Number or *Param; nil if absent
	Limits       []CrawlLimit
	Within       []Scope // none means the hosts of the seeds
	Exclude      []Exclusion
	For          Expr   // *String or *Param; nil if absent
	Expand       Expr   // condition of EXPAND WHERE; nil if absent
	Through      Expr   // *Number or *Param; nil if absent
	Order        string // BFS, BEST or RANDOM; "" if absent
	Workers      Expr   // *Number or *Param; nil if absent
	Delay        Expr   // *Duration or *Param; nil if absent
	Rate         Expr   // *Size or *Param; nil if absent
	Agent        Expr   // *String or *Param; nil if absent
	Proxy        Expr   // *String or *Param; nil if absent
	Requisites   bool
	Forms        []FormField // none submits no forms
	IgnoreRobots bool
	AllowPrivate bool
	TrapsOff     bool // TRAPS OFF
	TrapLimit    Expr // the n of TRAPS LIMIT n, *Number or *Param; nil if absent
	FromArchive  bool
	Time         Expr         // the t of FROM ARCHIVE AT t; nil if absent
	Render       *CrawlRender // nil if absent
	Profile      Expr         // *String or *Param; nil if absent
	On           Expr         // *String or *Param; nil if absent
	Alias        *Name        // nil if absent, and if AS has an expression
	AliasText    Expr         // the expression that AS has in place of a name, of constants and parameters; nil if absent
}

func (*Crawl) statement() {}

func (s *Crawl) String() string { return text(s) }

func (s *Crawl) print(p *printer) {
	p.WriteString("CRAWL ")
	switch {
	case s.Due:
		p.WriteString("DUE")
		p.scopesAfter(" IN ", s.In)
	case s.Query != nil:
		p.WriteString("(")
		s.Query.print(p)
		p.WriteString(")")
	default:
		p.list(s.Seeds)
	}
	p.clause(" DEPTH ", s.Depth)
	for i, l := range s.Limits {
		word := ", "
		if i == 0 {
			word = " LIMIT "
		}
		p.clause(word, l.N)
		p.flag(" PAGES", l.Pages)
	}
	p.scopesAfter(" WITHIN ", s.Within)
	printExclusions(p, " EXCLUDE ", s.Exclude)
	p.clause(" FOR ", s.For)
	p.clause(" EXPAND WHERE ", s.Expand)
	p.clause(" THROUGH ", s.Through)
	p.wordAfter(" ORDER ", s.Order)
	p.clause(" WORKERS ", s.Workers)
	p.clause(" DELAY ", s.Delay)
	p.clause(" RATE ", s.Rate)
	p.clause(" AGENT ", s.Agent)
	p.clause(" PROXY ", s.Proxy)
	p.flag(" WITH REQUISITES", s.Requisites)
	for i := range s.Forms {
		word := ", "
		if i == 0 {
			word = " FORMS "
		}
		p.WriteString(word)
		s.Forms[i].print(p)
	}
	p.flag(" IGNORE ROBOTS", s.IgnoreRobots)
	p.flag(" ALLOW PRIVATE", s.AllowPrivate)
	p.flag(" TRAPS OFF", s.TrapsOff)
	p.clause(" TRAPS LIMIT ", s.TrapLimit)
	p.flag(" FROM ARCHIVE", s.FromArchive)
	p.clause(" AT ", s.Time)
	if s.Render != nil {
		s.Render.print(p)
	}
	p.clause(" PROFILE ", s.Profile)
	p.clause(" ON ", s.On)
	p.alias(s.Alias)
	p.clause(" AS ", s.AliasText)
}

func (s *Crawl) children(l nodes) nodes {
	l = l.scopes(s.In)
	if s.Query != nil {
		l = append(l, s.Query)
	}
	l = l.exprs(s.Seeds...).exprs(s.Depth)
	for i := range s.Limits {
		l = l.exprs(s.Limits[i].N)
	}
	l = exclusionNodes(l.scopes(s.Within), s.Exclude)
	l = l.exprs(s.For, s.Expand, s.Through, s.Workers, s.Delay, s.Rate, s.Agent, s.Proxy, s.TrapLimit, s.Time)
	for i := range s.Forms {
		l = append(l, &s.Forms[i])
	}
	if r := s.Render; r != nil {
		l = l.exprs(r.When, r.Browsers)
	}
	return l.exprs(s.Profile, s.On, s.AliasText)
}

// CrawlRender is the clause RENDER [WHEN expr] [WITH n BROWSERS] [SCREENSHOT] of CRAWL. It
// has a browser show pages.
type CrawlRender struct {
	When       Expr // condition on the response; nil if absent
	Browsers   Expr // *Number or *Param; nil if absent
	Screenshot bool
}

func (r *CrawlRender) print(p *printer) {
	p.WriteString(" RENDER")
	p.clause(" WHEN ", r.When)
	if r.Browsers != nil {
		p.clause(" WITH ", r.Browsers)
		p.WriteString(" BROWSERS")
	}
	p.flag(" SCREENSHOT", r.Screenshot)
}

// CrawlLimit is one item after LIMIT in CRAWL, such as 1000 PAGES, 2GB or 8h.
type CrawlLimit struct {
	Pages bool // the limit is a number of pages
	N     Expr // *Number or *Param if Pages, otherwise *Size or *Duration
}

// Exclusion is one item after EXCLUDE or INCLUDE, in CRAWL or in an order. It excludes the URLs in a
// scope, or the URLs that a regular expression matches.
type Exclusion struct {
	Scope Scope // used if Match is nil
	Match Expr  // the regular expression of ~'re', *String or *Param; nil for a scope
}

// printExclusions prints the items of list, with the text first before the first item.
func printExclusions(p *printer, first string, list []Exclusion) {
	for i, x := range list {
		word := ", "
		if i == 0 {
			word = first
		}
		if x.Match != nil {
			p.clause(word+"~", x.Match)
			continue
		}
		p.WriteString(word)
		x.Scope.print(p)
	}
}

// exclusionNodes appends the nodes in list to l.
func exclusionNodes(l nodes, list []Exclusion) nodes {
	for i := range list {
		if x := &list[i]; x.Match != nil {
			l = l.exprs(x.Match)
		} else {
			l = append(l, &x.Scope)
		}
	}
	return l
}

// CrawlDeed is the action of an OrderCrawl.
type CrawlDeed uint8

// The actions of an OrderCrawl.
const (
	CrawlPause CrawlDeed = iota
	CrawlResume
	CrawlStop
	CrawlWorkers    // SET WORKERS n FOR CRAWL name
	CrawlDelay      // SET DELAY d FOR CRAWL name [IN scope]
	CrawlResetDelay // RESET DELAY FOR CRAWL name [IN scope]
	CrawlExclude    // EXCLUDE scope, … FROM CRAWL name
	CrawlInclude    // INCLUDE scope, … IN CRAWL name
)

// crawlDeeds maps the first values of CrawlDeed to their keywords.
var crawlDeeds = [...]string{"PAUSE", "RESUME", "STOP"}

// OrderCrawl is a statement that gives an order to a crawl: one of the actions of
// CrawlDeed.
type OrderCrawl struct {
	Span
	Deed    CrawlDeed
	Name    Name
	Workers Expr        // *Number or *Param for CrawlWorkers, otherwise nil
	Delay   Expr        // *Duration or *Param for CrawlDelay, otherwise nil
	In      *Scope      // the hosts of CrawlDelay and CrawlResetDelay; nil for all
	URLs    []Exclusion // of CrawlExclude and CrawlInclude, one or more
}

func (*OrderCrawl) statement() {}

func (s *OrderCrawl) String() string { return text(s) }

func (s *OrderCrawl) print(p *printer) {
	switch s.Deed {
	case CrawlWorkers:
		p.clause("SET WORKERS ", s.Workers)
		p.WriteString(" FOR CRAWL ")
	case CrawlDelay:
		p.clause("SET DELAY ", s.Delay)
		p.WriteString(" FOR CRAWL ")
	case CrawlResetDelay:
		p.WriteString("RESET DELAY FOR CRAWL ")
	case CrawlExclude:
		printExclusions(p, "EXCLUDE ", s.URLs)
		p.WriteString(" FROM CRAWL ")
	case CrawlInclude:
		printExclusions(p, "INCLUDE ", s.URLs)
		p.WriteString(" IN CRAWL ")
	default:
		p.words(crawlDeeds[s.Deed], " CRAWL ")
	}
	p.name(&s.Name)
	if s.In != nil {
		p.WriteString(" IN ")
		s.In.print(p)
	}
}

func (s *OrderCrawl) children(l nodes) nodes {
	l = l.exprs(s.Workers, s.Delay)
	if s.In != nil {
		l = append(l, s.In)
	}
	return exclusionNodes(l, s.URLs)
}

// AddToCrawl is the statement ADD 'url', … TO CRAWL name [FORCE]. It gives a
// crawl more URLs.
type AddToCrawl struct {
	Span
	URLs  []Expr // *String or *Param, one or more
	Name  Name
	Force bool // also take URLs that the crawl has fetched or would leave out
}

func (*AddToCrawl) statement() {}

func (s *AddToCrawl) String() string { return text(s) }

func (s *AddToCrawl) print(p *printer) {
	p.WriteString("ADD ")
	p.list(s.URLs)
	p.WriteString(" TO CRAWL ")
	p.name(&s.Name)
	p.flag(" FORCE", s.Force)
}

func (s *AddToCrawl) children(l nodes) nodes { return l.exprs(s.URLs...) }

// Trace is the statement TRACE 'url'. It shows what each crawl decided about
// the URL, and why.
type Trace struct {
	Span
	URL Expr // *String or *Param
}

func (*Trace) statement() {}

func (s *Trace) String() string { return text(s) }

func (s *Trace) print(p *printer) {
	p.clause("TRACE ", s.URL)
}

func (s *Trace) children(l nodes) nodes { return l.exprs(s.URL) }

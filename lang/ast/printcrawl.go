package ast

// crawl writes a CRAWL statement, with its clauses in the order of the manual.
func (p *printer) crawl(s *Crawl) {
	p.WriteString("CRAWL ")
	if s.Due {
		p.WriteString("DUE")
		if len(s.In) > 0 {
			p.WriteString(" IN ")
			p.scopes(s.In)
		}
	} else {
		p.list(s.Seeds)
	}
	p.clause(" DEPTH ", s.Depth)
	for i, l := range s.Limits {
		word := ", "
		if i == 0 {
			word = " LIMIT "
		}
		p.clause(word, l.N)
		if l.Pages {
			p.WriteString(" PAGES")
		}
	}
	if len(s.Within) > 0 {
		p.WriteString(" WITHIN ")
		p.scopes(s.Within)
	}
	for i, x := range s.Exclude {
		word := ", "
		if i == 0 {
			word = " EXCLUDE "
		}
		if x.Match != nil {
			p.clause(word+"~", x.Match)
			continue
		}
		p.WriteString(word)
		p.scopes([]Scope{x.Scope})
	}
	p.clause(" FOR ", s.For)
	p.clause(" EXPAND WHERE ", s.Expand)
	p.clause(" THROUGH ", s.Through)
	if s.Order != "" {
		p.WriteString(" ORDER " + s.Order)
	}
	p.clause(" WORKERS ", s.Workers)
	p.clause(" DELAY ", s.Delay)
	p.clause(" RATE ", s.Rate)
	p.clause(" AGENT ", s.Agent)
	p.clause(" PROXY ", s.Proxy)
	p.flag(" WITH REQUISITES", s.Requisites)
	p.flag(" IGNORE ROBOTS", s.IgnoreRobots)
	p.flag(" ALLOW PRIVATE", s.AllowPrivate)
	p.flag(" TRAPS OFF", s.TrapsOff)
	p.clause(" TRAPS LIMIT ", s.TrapLimit)
	p.flag(" FROM ARCHIVE", s.FromArchive)
	p.clause(" AT ", s.Time)
	p.alias(s.Alias)
}

// flag writes clause, which has no value, if there is true.
func (p *printer) flag(clause string, there bool) {
	if there {
		p.WriteString(clause)
	}
}

// crawlDeeds holds the keyword of each CrawlDeed but CrawlWorkers.
var crawlDeeds = [...]string{"PAUSE", "RESUME", "STOP"}

func (p *printer) orderCrawl(s *OrderCrawl) {
	if s.Deed == CrawlWorkers {
		p.clause("SET WORKERS ", s.Workers)
		p.WriteString(" FOR CRAWL ")
	} else {
		p.WriteString(crawlDeeds[s.Deed] + " CRAWL ")
	}
	p.name(&s.Name)
}

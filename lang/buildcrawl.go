package lang

import (
	"strings"

	"infomall/lang/ast"
)

// crawl returns the tree of CRAWL. Its clauses may come in any order, each
// once.
func (b *builder) crawl(s *crawlSyntax) *ast.Crawl {
	c := &ast.Crawl{Span: spanOfAll(s.Tokens), Due: s.Due, In: scopes(s.In), Seeds: texts(s.Seeds)}
	for _, o := range s.Clauses {
		if twice := b.crawlClause(c, o); twice != "" {
			b.fail(spanOfAll(o.Tokens), twice+" stands twice", "")
		}
	}
	return c
}

// crawlClause adds one clause to c. twice is the words of the clause, such as
// "DEPTH", if c already had one, else "".
func (b *builder) crawlClause(c *ast.Crawl, o *crawlClauseSyntax) (twice string) {
	switch {
	case present(o.Depth):
		twice = ifSet(c.Depth != nil, "DEPTH")
		c.Depth = literal(&o.Depth)
	case o.Limits != nil:
		twice = ifSet(c.Limits != nil, "LIMIT")
		for _, l := range o.Limits {
			limit := ast.CrawlLimit{Pages: present(l.Pages)}
			if limit.Pages {
				limit.N = literal(&l.Pages)
			} else {
				limit.N = literal(&l.Other)
			}
			c.Limits = append(c.Limits, limit)
		}
	case o.Within != nil:
		twice = ifSet(c.Within != nil, "WITHIN")
		c.Within = scopes(o.Within)
	case o.Exclude != nil:
		twice = ifSet(c.Exclude != nil, "EXCLUDE")
		for _, x := range o.Exclude {
			if x.Scope != nil {
				c.Exclude = append(c.Exclude, ast.Exclusion{Scope: scopes([]*scopeSyntax{x.Scope})[0]})
			} else {
				c.Exclude = append(c.Exclude, ast.Exclusion{Match: newText(&x.Match)})
			}
		}
	case o.For != nil:
		twice = ifSet(c.For != nil, "FOR")
		c.For = newText(&o.For.Text)
	case o.Expand != nil:
		twice = ifSet(c.Expand != nil, "EXPAND WHERE")
		c.Expand = o.Expand
		if present(o.Through) {
			c.Through = literal(&o.Through)
		}
	case present(o.Order):
		twice = ifSet(c.Order != "", "ORDER")
		c.Order = strings.ToUpper(o.Order.Value)
	case present(o.Workers):
		twice = ifSet(c.Workers != nil, "WORKERS")
		c.Workers = literal(&o.Workers)
	case present(o.Delay):
		twice = ifSet(c.Delay != nil, "DELAY")
		c.Delay = literal(&o.Delay)
	case present(o.Rate):
		twice = ifSet(c.Rate != nil, "RATE")
		c.Rate = literal(&o.Rate)
	case o.Proxy != nil:
		twice = ifSet(c.Proxy != nil, "PROXY")
		c.Proxy = newText(&o.Proxy.Text)
	case o.Agent != nil:
		twice = ifSet(c.Agent != nil, "AGENT")
		c.Agent = newText(&o.Agent.Text)
	case o.Requisites:
		twice = ifSet(c.Requisites, "WITH REQUISITES")
		c.Requisites = true
	case o.Ignore:
		twice = ifSet(c.IgnoreRobots, "IGNORE ROBOTS")
		c.IgnoreRobots = true
	case o.Private:
		twice = ifSet(c.AllowPrivate, "ALLOW PRIVATE")
		c.AllowPrivate = true
	case o.TrapsOff, present(o.TrapLimit):
		twice = ifSet(c.TrapsOff || c.TrapLimit != nil, "TRAPS")
		if c.TrapsOff = o.TrapsOff; !o.TrapsOff {
			c.TrapLimit = literal(&o.TrapLimit)
		}
	case o.Archive:
		twice = ifSet(c.FromArchive, "FROM ARCHIVE")
		c.FromArchive, c.Time = true, o.At
	default:
		twice = ifSet(c.Alias != nil, "AS")
		c.Alias = optionalName(o.Alias)
	}
	return twice
}

func orderStatement(s *ordersSyntax) *ast.OrderCrawl {
	o := &ast.OrderCrawl{Span: spanOfAll(s.Tokens)}
	switch {
	case present(s.Workers):
		o.Deed, o.Workers, o.Name = ast.CrawlWorkers, literal(&s.Workers), newName(&s.For)
		return o
	case isWord(&s.Deed, "PAUSE"):
		o.Deed = ast.CrawlPause
	case isWord(&s.Deed, "RESUME"):
		o.Deed = ast.CrawlResume
	default:
		o.Deed = ast.CrawlStop
	}
	o.Name = newName(&s.Name)
	return o
}

func (b *builder) showRobots(at ast.Span, s *robotsSyntax) *ast.ShowRobots {
	r := &ast.ShowRobots{Span: at, URL: newText(&s.URL)}
	for _, o := range s.Options {
		twice := ""
		if o.Agent != nil {
			twice = ifSet(r.Agent != nil, "AGENT")
			r.Agent = newText(&o.Agent.Text)
		} else {
			twice = ifSet(r.Time != nil, "AT")
			r.Time = o.At
		}
		if twice != "" {
			b.fail(spanOfAll(o.Tokens), twice+" stands twice", "")
		}
	}
	return r
}

package crawls

import (
	"context"
	"iter"
	"sort"

	"infomall/crawl/revisit"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Visits reads the visits of pages from the archive of a session: captures, and
// fetches that found a page unchanged. In, Snapshot and Source select the
// visits.
type Visits struct {
	Session  *session.Session
	Snapshot relation.Snapshot
	In       []ast.Scope // the scopes of the pages; none means all URLs
	// Source, if not nil, is a source of a query, whose URLs and times limit the visits.
	Source *relation.Request
}

// pageVisits has the visits of one page, and which of them found a change. A
// visit is a capture of the page, or a fetch that found the page unchanged.
type pageVisits struct {
	key    string // of the URL
	url    string
	first  record.Time     // the time of the first visit
	last   record.Time     // the time of the last visit
	known  revisit.Page    // a summary of the visits
	visits []revisit.Visit // all visits after the first
	times  []record.Time   // the times of visits, ascending
}

// until returns the time of the last visit up to the time t, the visits up to t after the
// first one, and a summary of these visits. If t is before the first visit, it returns the
// first visit's time.
func (p *pageVisits) until(t record.Time) (record.Time, []revisit.Visit, revisit.Page) {
	if t >= p.last {
		return p.last, p.visits, p.known
	}
	n := sort.Search(len(p.times), func(i int) bool { return p.times[i] > t })
	var known revisit.Page
	for _, visit := range p.visits[:n] {
		known.Add(visit)
	}
	last := p.first
	if n > 0 {
		last = p.times[n-1]
	}
	return last, p.visits[:n], known
}

// pages yields each page that CRAWL DUE can visit, with the results of its
// visits, in SURT order. A visit found a change if the page differs from the
// visit before in more than dates and similar details. Pages without visits are
// not yielded. If level is above 0, pages leaves out pages whose urlkey.Level is less.
// A yielded value is valid until the iteration moves on.
func (v Visits) pages(ctx context.Context, level int) iter.Seq2[*pageVisits, error] {
	return func(yield func(*pageVisits, error) bool) {
		src, err := v.source("SELECT time FROM captures")
		if err != nil {
			yield(nil, err)
			return
		}
		src.Sampled = level
		senses := comparer{v: v}
		p := &pageVisits{}
		var open []openVisit // of p
		finish := func() bool {
			if p.url == "" || !revisited(p.url) {
				return true
			}
			if err := senses.complete(ctx, p, open); err != nil {
				yield(nil, err)
				return false
			}
			for _, visit := range p.visits {
				p.known.Add(visit)
			}
			return yield(p, nil)
		}
		for b, err := range v.Session.Runner(v.Snapshot, "crawl due").Visits(ctx, &src.Request) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				if b.Key[i] != p.key || p.url == "" {
					if !finish() {
						return
					}
					*p = pageVisits{key: b.Key[i], url: b.URLs()[i], first: b.Time[i], last: b.Time[i], visits: p.visits[:0], times: p.times[:0]}
					open = open[:0]
					continue
				}
				changed := false
				switch b.Change[i] {
				case record.ChangeGone, record.ChangeBack, record.ChangeKind:
					changed = true
				case record.ChangeChanged:
					if b.Sense[i] == record.SenseUnknown {
						open = append(open, openVisit{len(p.visits), b.Time[i]})
					}
					changed = b.Sense[i] == record.SenseContent
				}
				p.visits = append(p.visits, revisit.Visit{Days: days(b.Time[i].Std().Sub(p.last.Std())), Changed: changed})
				p.last = b.Time[i]
				p.times = append(p.times, p.last)
			}
		}
		finish()
	}
}

// source returns the source of a query whose FROM has one relation, restricted as in build.
func (v Visits) source(query string) (*plan.Source, error) {
	node, err := v.build(query)
	if err != nil {
		return nil, err
	}
	return plan.Sources(node)[0], nil
}

// build returns the plan of a query, restricted to the scopes of v and, if v.Source is set, to
// the URLs and times of v.Source.
func (v Visits) build(query string) (plan.Node, error) {
	q := session.Query(query)
	q.Select.From.Scopes = v.In
	node, err := plan.Build(q, v.Session.Env())
	if n := v.Source; err == nil && n != nil {
		for _, src := range plan.Sources(node) {
			src.Ranges, src.Match, src.Window, src.During = n.Ranges, n.Match, n.Window, n.During
		}
	}
	return node, err
}

// revisited reports whether CRAWL DUE can visit a URL: an http or https URL
// that is not a robots.txt. Crawls fetch robots.txt whenever they need it.
func revisited(url string) bool {
	return urlkey.IsHTTP(url) && urlkey.RawPath(url) != "/robots.txt"
}

// openVisit is a visit of which the index does not say whether it found a change: its index
// in pageVisits.visits, and its time.
type openVisit struct {
	at   int
	time record.Time
}

// comparer finds out which visits found a change if the index does not say it: it compares
// the bodies.
type comparer struct {
	v    Visits
	node plan.Node // of the query; nil before the first call
	rows func(context.Context, plan.Node) (value.Rows, error)
}

// complete sets Changed of the visits of p that are in the list open.
func (c *comparer) complete(ctx context.Context, p *pageVisits, open []openVisit) (err error) {
	if len(open) == 0 {
		return nil
	}
	if c.node == nil {
		if c.node, err = c.v.build("SELECT time, substantial FROM versions WHERE change = 'changed'"); err != nil {
			return err
		}
		runner := c.v.Session.Runner(c.v.Snapshot, "crawl due")
		runner.Begin, runner.Watch = nil, nil // it is part of the work of reading the visits
		c.rows = runner.Rows
	}
	for _, src := range plan.Sources(c.node) {
		src.Ranges, src.Match = []urlkey.Range{{From: p.key, To: p.key + "\x00"}}, nil
	}
	rows, err := c.rows(ctx, c.node)
	if err != nil {
		return err
	}
	changed := make(map[record.Time]bool)
	for b, err := range rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			if b.Cols[1].At(i).Bool {
				changed[record.Time(b.Cols[0].At(i).Int)] = true
			}
		}
	}
	for _, visit := range open {
		p.visits[visit.at].Changed = changed[visit.time]
	}
	return nil
}

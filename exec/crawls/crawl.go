package crawls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// crawl is a CRAWL statement whose clauses were read.
type crawl struct {
	s  *session.Session
	st *ast.Crawl
	o  report.CrawlOptions
	in []urlkey.Scope // the scopes in which CRAWL DUE searches for pages
	// sooner is how many pages are due sooner because a watch found rows on them.
	sooner  int
	seeds   plan.Node   // of st.Query; nil without one
	queries []plan.Node // for each of st.Forms with a query, its plan
	notes   []string    // notes for the result, on FORMS
}

// Crawl is the statement CRAWL, which fetches pages and stores them in the
// archive.
var Crawl = session.Declare("CRAWL", session.Writes|session.Works|session.Anywhere, readCrawl).Named(func(st ast.Statement) *ast.Name { return st.(*ast.Crawl).Alias })

// readCrawl makes a crawl of a CRAWL statement: it checks the clauses and sets
// the options. For CRAWL DUE it does not yet search for pages that are due.
func readCrawl(s *session.Session, st *ast.Crawl) (*crawl, error) {
	c := &crawl{s: s, st: st}
	err := c.readOptions()
	if err == nil && st.Due {
		err = c.readDueScopes()
	}
	return c, err
}

// NeedsArchive reports whether the archive must exist before the crawl: for
// CRAWL DUE and for a crawl through the pages of the archive.
func (c *crawl) NeedsArchive() bool { return c.st.Due || c.st.FromArchive }

// Run runs the crawl to its end, and then reads the documents that it stored. Its result has
// one row with the totals, and notes on lost seeds, interrupted fetches and traps. If another
// process runs a crawl of that name, Run returns an error.
func (c *crawl) Run(ctx context.Context) (*session.Result, error) {
	begun := time.Now()
	if done, err := c.doneForBatch(ctx); done != nil || err != nil {
		return done, err
	}
	if err := c.findSeeds(ctx); err != nil {
		return nil, err
	}
	if err := c.findValues(ctx); err != nil {
		return nil, err
	}
	s, st, o := c.s, c.st, c.o
	if progress := s.ReportEach("crawl", "pages"); progress != nil {
		o.Progress = func(c report.Crawl) { progress(c.Name, c.Fetched, c.Fetched+c.Waiting) }
	}
	res, err := s.Crawler().Crawl(ctx, o)
	var other *report.OtherCrawlError
	switch {
	case errors.As(err, &other):
		err := ast.Errorf(st, "%v", err)
		err.Hint = fmt.Sprintf("RESUME CRAWL %s continues it, STOP CRAWL %s ends it, AS gives this crawl another name", other.Crawl.Name, other.Crawl.Name)
		return nil, err
	case errors.Is(err, report.ErrCrawlRunning):
		err := ast.Errorf(st, "crawl %s: another process runs it", o.Name)
		err.Hint = "SHOW WORKERS shows what it does; AS gives this crawl another name"
		return nil, err
	case err != nil && res.Name == "":
		return nil, err
	}
	unread := ""
	if err == nil && !o.FromArchive {
		unread, err = c.readDocuments(ctx, begun)
	}
	done := totals(&res).Work(session.Count{Rows: res.Fetched, Bytes: res.Bytes}, err)
	done.Notes = append(done.Notes, c.notes...)
	if unread != "" {
		done.Notes = append(done.Notes, unread)
	}
	for _, f := range res.Lost {
		note := f.URL + ": " + f.Outcome.String()
		if f.Reason != "" {
			note += ": " + f.Reason
		}
		done.Notes = append(done.Notes, note)
	}
	if x := res.Ended; x.Why != "" {
		done.Notes = append(done.Notes, fmt.Sprintf("%s: pages that were under way: %d, of which the received part is stored, marked as truncated, and %d without an answer, which stay in the frontier", x.Why, x.Cut, x.Left))
	}
	done.Notes = append(done.Notes, trapNotes(&res.Crawl)...)
	done.Notes = append(done.Notes, orderNotes(&res)...)
	return done, nil
}

// readDocuments reads the documents of the archive, such as PDFs, that were not read yet, after the
// pages are published. A LIMIT of a time, counted from begun, ends the reading. The note then says
// how to read the other documents; otherwise it is "".
func (c *crawl) readDocuments(ctx context.Context, begun time.Time) (note string, err error) {
	most := c.o.MaxTime
	if most == 0 {
		return "", c.s.ReadNewDocuments(ctx)
	}
	limited, cancel := context.WithDeadline(ctx, begun.Add(most))
	defer cancel()
	if err = c.s.ReadNewDocuments(limited); err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Sprintf("LIMIT %s is over, and not all documents were read; REINDEX DOCUMENTS reads the others", session.DelayText(most)), nil
	}
	return "", err
}

// trapNotes returns one note per trap (a kind of endless similar pages) that
// the crawl c found, and a note on how the user can continue with its URLs. It
// returns nil if there were no traps.
func trapNotes(c *report.Crawl) []string {
	var notes []string
	rest := c.Kept
	for _, t := range c.Traps {
		notes = append(notes, fmt.Sprintf("kept back: %s, such as %s: %s", value.Counted(t.Kept, "URL"), t.URL, t.Reason))
		rest -= t.Kept
	}
	if rest > 0 {
		notes = append(notes, "kept back in further traps: "+value.Counted(rest, "URL"))
	}
	if len(c.Traps) > 0 {
		notes = append(notes, fmt.Sprintf("SELECT url FROM frontier WHERE state = 'kept' lists them; ADD '%s' TO CRAWL %s continues with URLs like it; TRAPS OFF fetches all", c.Traps[0].URL, c.Name))
	}
	return notes
}

// orderNotes returns a note on the URLs that orders excluded, and the notes on the
// alerts of the crawl.
func orderNotes(res *report.CrawlResult) (notes []string) {
	if n := res.Excluded; n > 0 {
		notes = append(notes, fmt.Sprintf("excluded by orders: %s; SELECT url FROM frontier WHERE state = 'excluded' lists them", value.Counted(n, "URL")))
	}
	for _, a := range res.Raised {
		note := "alert: " + a.Kind.String()
		if a.Host != "" {
			note += " " + a.Host
		}
		notes = append(notes, note+": "+a.Text)
	}
	if n := len(res.Raised); n > 0 && res.Alerts > int64(n) {
		notes = append(notes, fmt.Sprintf("alerts of this crawl in all: %d; SELECT * FROM alerts lists them", res.Alerts))
	}
	return notes
}

// errNoCrawler returns the error for a statement about crawls in a session
// without a crawler.
func errNoCrawler(st ast.Statement) error {
	return ast.Errorf(st, "this archive takes no crawls")
}

// trapLimitMax is the largest number that TRAPS LIMIT accepts. TRAPS OFF means
// no limit.
const trapLimitMax = 1_000_000_000

// readOptions checks the clauses of the statement, apart from IN of CRAWL DUE,
// and sets c.o. The settings of the session are the defaults.
func (c *crawl) readOptions() (err error) {
	s, st, o := c.s, c.st, &c.o
	if s.Crawler() == nil {
		return errNoCrawler(st)
	}
	env, set := s.Env(), s.Settings()
	*o = report.CrawlOptions{
		Statement: st.String(), Depth: -1, Workers: set.Workers, Delay: set.Delay, BodyMax: set.BodyLimit, Requests: set.RequestHeaders,
		PublishEvery: set.Publish, PublishBytes: set.PublishBytes, DiskMin: set.DiskMin, IgnoreRobots: st.IgnoreRobots || !set.Robots,
		AllowPrivate: st.AllowPrivate, Requisites: st.Requisites, TrapsOff: st.TrapsOff, TrustDates: set.TrustDates, SkipNoArchive: !set.NoArchive,
		SkipDocuments: set.Documents != session.DocumentsImport, Netrc: set.Netrc, Weights: set.Weights,
	}
	o.VisitArgs, o.PageArgs = set.SessionArgs()
	if o.Domains, err = set.DomainWeights(); err != nil {
		return err
	}
	if o.Seeds, err = crawlURLs(st.Seeds, true, env); err != nil {
		return err
	}
	if err := c.readSeedQuery(); err != nil {
		return err
	}
	if err := c.readName(); err != nil {
		return err
	}
	if st.Due {
		o.Depth = 0 // only the pages that are due, not the pages they link to
	}
	o.FromArchive, o.Before = st.FromArchive, record.MaxTime+1
	if st.Time != nil {
		p, err := value.PeriodOf(st.Time, env)
		if err != nil {
			return err
		}
		o.Before = p.To
	}
	switch st.Order {
	case "RANDOM":
		o.Order = report.OrderRandom
	case "BEST":
		o.Order = report.OrderBest
	}
	if err := c.readCounts(); err != nil {
		return err
	}
	if st.Delay != nil {
		if o.Delay, err = session.ConstantDuration(st.Delay, "DELAY", s.Env()); err != nil {
			return err
		}
	}
	if st.Rate != nil {
		if o.Rate, err = session.ConstantSize(st.Rate, "RATE", s.Env()); err != nil {
			return err
		}
	}
	if st.Proxy != nil {
		if o.Proxy, err = proxyURL(st.Proxy, env); err != nil {
			return err
		}
	}
	for _, read := range []func() error{c.readLimits, c.readFocus, c.readForms, c.readScopes, c.readRender, c.readOn, c.readAgent} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// readName sets the name of the crawl: that of AS, or one by what the crawl fetches.
func (c *crawl) readName() (err error) {
	switch st, o := c.st, &c.o; {
	case st.Alias != nil:
		o.Name = st.Alias.Text
	case st.AliasText != nil:
		o.Name, err = aliasText(st.AliasText, c.s.Env())
	case st.Due:
		o.Name = "due"
	case st.Query != nil:
		o.Name = "query"
	default:
		if o.Name = urlkey.Host(o.Seeds[0]); o.Name == "" {
			o.Name = "files"
		}
	}
	return err
}

// readCounts sets c.o from the clauses DEPTH, WORKERS and TRAPS LIMIT.
func (c *crawl) readCounts() error {
	for _, x := range []struct {
		e    ast.Expr
		word string
		min  int64
		max  int64
		dst  *int
	}{
		{c.st.Depth, "DEPTH", 0, session.WorkersMax, &c.o.Depth},
		{c.st.Workers, "WORKERS", 1, session.WorkersMax, &c.o.Workers},
		{c.st.TrapLimit, "TRAPS LIMIT", 1, trapLimitMax, &c.o.TrapLimit},
	} {
		if x.e == nil {
			continue
		}
		n, err := expr.ConstantCount(x.e, x.word, c.s.Env())
		if err != nil {
			return err
		}
		if n < x.min || n > x.max {
			return ast.Errorf(x.e, "%s takes a number from %d to %d, not %d", x.word, x.min, x.max, n)
		}
		*x.dst = int(n)
	}
	return nil
}

// findSeeds sets the seeds that the statement does not list: the pages that are due, or
// the rows of a query.
func (c *crawl) findSeeds(ctx context.Context) (err error) {
	switch {
	case c.st.Due:
		err = c.findDue(ctx)
	case c.st.Query != nil:
		err = c.querySeeds(ctx)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return c.readAgent()
}

// findDue sets the pages that are due as seeds, and limits the crawl to the scopes in
// which it searched for them. If a schedule runs the statement, its budget of visits
// limits the number of pages.
func (c *crawl) findDue(ctx context.Context) (err error) {
	s, o := c.s, &c.o
	if b := s.Visits(); b != nil {
		if n := max(1, b.Run); o.MaxPages == 0 || o.MaxPages > n {
			o.MaxPages = n
		}
	}
	if o.Seeds, err = c.dueSeeds(ctx); err != nil {
		return err
	}
	o.Seeds = slices.DeleteFunc(o.Seeds, posted)
	if len(c.st.Within) == 0 {
		o.Within = c.in
	}
	return nil
}

// readDueScopes sets c.in to the scopes in which a CRAWL DUE searches for
// pages: those of the clause IN, or all URLs.
func (c *crawl) readDueScopes() error {
	in := c.st.In
	if len(in) == 0 {
		in = []ast.Scope{{From: &ast.String{Value: "*"}}}
	}
	bind := &expr.Binder{Env: c.s.Env()}
	for i := range in {
		scope, err := bind.Scope(&in[i])
		if err != nil {
			return err
		}
		c.in = append(c.in, scope)
	}
	return nil
}

// readLimits sets c.o from the clauses LIMIT: the most pages, bytes or time. A
// limit of 0, and two limits of the same kind, are errors.
func (c *crawl) readLimits() (err error) {
	s, st, o := c.s, c.st, &c.o
	for _, l := range st.Limits {
		twice := false
		switch e := l.N.(type) {
		case *ast.Size:
			twice = o.MaxBytes > 0
			o.MaxBytes = e.Bytes
		case *ast.Duration:
			twice = o.MaxTime > 0
			o.MaxTime, err = session.ConstantDuration(e, "LIMIT", s.Env())
		default:
			twice = o.MaxPages > 0
			o.MaxPages, err = expr.ConstantCount(e, "LIMIT", s.Env())
		}
		if err != nil {
			return err
		}
		if twice {
			return ast.Errorf(l.N, "LIMIT sets the same bound twice")
		}
		if o.MaxBytes == 0 && o.MaxTime == 0 && o.MaxPages == 0 {
			return ast.Errorf(l.N, "LIMIT %s leaves nothing to crawl", l.N)
		}
	}
	return nil
}

// readScopes sets c.o from the clauses WITHIN and EXCLUDE: the scopes of URLs
// that the crawl may fetch, and those it must leave out.
func (c *crawl) readScopes() error {
	s, st, o := c.s, c.st, &c.o
	bind := &expr.Binder{Env: s.Env()}
	for i := range st.Within {
		scope, err := bind.Scope(&st.Within[i])
		if err != nil {
			return err
		}
		o.Within = append(o.Within, scope)
	}
	for i := range st.Exclude {
		x := &st.Exclude[i]
		if x.Match == nil {
			scope, err := bind.Scope(&x.Scope)
			if err != nil {
				return err
			}
			o.Exclude = append(o.Exclude, scope)
			continue
		}
		re, err := constantPattern(x.Match, s.Env())
		if err != nil {
			return err
		}
		o.ExcludeMatch = append(o.ExcludeMatch, re)
	}
	return nil
}

// readAgent sets the User-Agent header of the crawl. A crawl of the Internet
// must name its operator; otherwise readAgent returns an error.
func (c *crawl) readAgent() (err error) {
	c.o.Agent, err = c.agent()
	return err
}

// agent returns the User-Agent header of the crawl: the text of the clause
// AGENT, or the setting agent, or a text with the setting contact. If all are
// missing, it returns an error for seeds on other machines, and otherwise a
// text that names only this program.
func (c *crawl) agent() (string, error) {
	s, st := c.s, c.st
	if st.Agent != nil {
		agent, err := expr.ConstantText(st.Agent, s.Env())
		if err == nil {
			if e := session.ParseLine(&agent, agent); e != nil || agent == "" {
				err = ast.Errorf(st.Agent, "AGENT takes a line of ASCII, not %q", agent)
			}
		}
		return agent, err
	}
	if s.Settings().Agent != "" {
		return s.Settings().Agent, nil
	}
	if s.Settings().Contact != "" {
		return fmt.Sprintf("Mozilla/5.0 (compatible; infomall/%s; +%s)", s.Version(), s.Settings().Contact), nil
	}
	for i, seed := range c.o.Seeds {
		if !isLoopback(seed) && !st.FromArchive {
			at := ast.Node(st)
			if len(st.Seeds) > 0 {
				at = st.Seeds[i]
			}
			err := ast.Errorf(at, "a crawl of %s must say who crawls", urlkey.Host(seed))
			err.Hint = "SET contact = 'https://www.example.org/our-crawler', or a mail address"
			return "", err
		}
	}
	return fmt.Sprintf("Mozilla/5.0 (compatible; infomall/%s)", s.Version()), nil
}

// seedsShown is how many of the seeds EXPLAIN lists if the statement does not.
const seedsShown = 10

// dueText returns the heading of a list of n due pages, such as "due: 3 pages,
// the most urgent first".
func dueText(n int) string {
	if n == 0 {
		return "no page is due"
	}
	return "due: " + value.Counted(n, "page") + ", the most urgent first"
}

// Would returns the lines for EXPLAIN: the seeds of the crawl, or the first
// pages that are due, then the limits of the crawl and how it would ask
// servers.
func (c *crawl) Would(ctx context.Context) ([]string, error) {
	if err := c.findSeeds(ctx); err != nil {
		return nil, err
	}
	s, st, o := c.s, c.st, &c.o
	lines := []string{"crawl " + o.Name + " into " + s.Archive().Path()}
	if st.Query != nil {
		lines = append(lines, "  from the rows of "+st.Query.String()+": "+value.Counted(len(o.Seeds), "URL"))
	}
	if st.Due {
		lines = append(lines, "  "+dueText(len(o.Seeds)))
		if c.sooner > 0 {
			lines = append(lines, "  sooner than by their changes, because a watch found rows on them: "+value.Counted(c.sooner, "page"))
		}
	}
	for i, u := range o.Seeds {
		if len(st.Seeds) == 0 && i == seedsShown {
			lines = append(lines, "  …")
			break
		}
		lines = append(lines, "  from "+u)
	}
	if len(st.Within) == 0 && !st.Due {
		lines = append(lines, "  within the hosts of these and those below them")
	}
	lines = append(append(append(lines, c.focusLines()...), c.formLines()...), c.renderLines()...)
	if o.FromArchive {
		before := "now"
		if st.Time != nil {
			before = s.Stamp(o.Before - 1)
		}
		return append(lines, "  through the pages that the archive has, as they are at "+before+"; no server is asked, and nothing is stored"), nil
	}
	if o.On != "" {
		lines = append(lines, "  with other processes, by the NATS servers "+o.On)
	}
	delay := session.DelayText(o.Delay)
	if o.Delay < 0 {
		delay = "five times what the last took, from 1 to 30 s"
	}
	lines = append(lines, fmt.Sprintf("  %s; between two requests to a host: %s", value.Counted(o.Workers, "worker"), delay), "  as "+o.Agent)
	switch {
	case o.TrapsOff:
		lines = append(lines, "  also endless pages that bring nothing new")
	case o.TrapLimit > 0:
		lines = append(lines, fmt.Sprintf("  a kind of pages is a trap after %d that differ only in numbers", o.TrapLimit))
	}
	if o.Rate > 0 {
		lines = append(lines, "  at most "+session.SizeText(o.Rate)+" a second")
	}
	if o.Proxy != "" {
		lines = append(lines, "  through "+o.Proxy)
	}
	if o.Netrc != "" {
		lines = append(lines, "  with the passwords in "+o.Netrc)
	}
	return lines, nil
}

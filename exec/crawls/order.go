package crawls

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
)

// Order declares the statements that give an order to a crawl that is running,
// such as PAUSE CRAWL.
var Order = session.Declare("PAUSE CRAWL, RESUME CRAWL, STOP CRAWL, SET WORKERS, SET DELAY, RESET DELAY, EXCLUDE, INCLUDE", session.Writes, readOrder)

// crawlOrder is a statement that gives an order to a crawl, whose clauses were
// read.
type crawlOrder struct {
	s       *session.Session
	st      *ast.OrderCrawl
	workers int64              // for SET WORKERS
	delay   report.HostDelay   // for SET DELAY and RESET DELAY
	urls    []report.Exclusion // for EXCLUDE and INCLUDE
}

// readOrder makes a crawlOrder of a statement that gives an order to a crawl.
// It checks the clauses, but not whether the crawl exists.
func readOrder(s *session.Session, st *ast.OrderCrawl) (r *crawlOrder, err error) {
	if s.Crawler() == nil {
		return nil, errNoCrawler(st)
	}
	r = &crawlOrder{s: s, st: st}
	switch st.Deed {
	case ast.CrawlWorkers:
		r.workers, err = expr.ConstantCount(st.Workers, "WORKERS", s.Env())
		if err == nil && (r.workers < 1 || r.workers > session.WorkersMax) {
			err = ast.Errorf(st.Workers, "WORKERS takes a number from 1 to %d, not %d", session.WorkersMax, r.workers)
		}
	case ast.CrawlDelay, ast.CrawlResetDelay:
		err = r.readDelay()
	case ast.CrawlExclude, ast.CrawlInclude:
		err = r.readURLs()
	}
	return r, err
}

// readDelay sets r.delay. The scope of a delay must be of hosts, because a delay
// holds for all URLs of a host.
func (r *crawlOrder) readDelay() (err error) {
	st, env := r.st, r.s.Env()
	if st.Delay != nil {
		if r.delay.Delay, err = session.ConstantDuration(st.Delay, "DELAY", env); err != nil {
			return err
		}
	}
	if st.In == nil {
		return nil
	}
	if st.In.To != nil {
		return ast.Errorf(st.In, "IN takes one host, such as 'a.example', not a range")
	}
	if _, err := (&expr.Binder{Env: env}).Scope(st.In); err != nil {
		return err
	}
	if r.delay.Scope, err = expr.ConstantText(st.In.From, env); err != nil {
		return err
	}
	if strings.ContainsAny(r.delay.Scope, "/?") {
		return ast.Errorf(st.In, "IN takes a host, such as 'a.example', for a delay holds for all URLs of a host")
	}
	return nil
}

// readURLs sets r.urls.
func (r *crawlOrder) readURLs() (err error) {
	bind := &expr.Binder{Env: r.s.Env()}
	for i := range r.st.URLs {
		x := &r.st.URLs[i]
		var out report.Exclusion
		if x.Match != nil {
			re, err := constantPattern(x.Match, bind.Env)
			if err != nil {
				return err
			}
			r.urls = append(r.urls, report.Exclusion{Match: re.String()})
			continue
		}
		if _, err := bind.Scope(&x.Scope); err != nil {
			return err
		}
		if out.From, err = expr.ConstantText(x.Scope.From, bind.Env); err != nil {
			return err
		}
		if x.Scope.To != nil {
			if out.To, err = expr.ConstantText(x.Scope.To, bind.Env); err != nil {
				return err
			}
		}
		r.urls = append(r.urls, out)
	}
	return nil
}

// constantPattern returns the regular expression that e has as text.
func constantPattern(e ast.Expr, env *expr.Env) (*regexp.Regexp, error) {
	pattern, err := expr.ConstantText(e, env)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, ast.Errorf(e, "%v", err)
	}
	return re, nil
}

// Would returns one line for EXPLAIN, with the name of the crawl and the order
// that it would get.
func (r *crawlOrder) Would(context.Context) ([]string, error) {
	return []string{"tells crawl " + r.st.Name.Text + " what " + r.st.String() + " says"}, nil
}

// Run gives the order to the crawl that the statement names. RESUME of a crawl
// that was interrupted runs the crawl's statement again and returns its result.
// A crawl that does not exist, is finished or was stopped is an error.
func (r *crawlOrder) Run(ctx context.Context) (*session.Result, error) {
	s, st := r.s, r.st
	crawls, err := s.Crawler().Crawls(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range crawls {
		switch {
		case c.Name != st.Name.Text:
		case c.State == report.CrawlFinished || c.State == report.CrawlStopped:
			err := ast.Errorf(&st.Name, "crawl %s is %s", c.Name, c.State)
			err.Hint = "its statement begins it again: " + c.Statement
			return nil, err
		case c.State == report.CrawlInterrupted && st.Deed == ast.CrawlResume:
			was, err := lang.ParseOne(c.Statement, "")
			if err != nil {
				return nil, err
			}
			return s.Run(ctx, was)
		}
	}
	var missing error
	err = s.Crawler().OrderCrawl(ctx, st.Name.Text, func(o *report.CrawlOrders) {
		switch st.Deed {
		case ast.CrawlPause:
			o.Pause = true
		case ast.CrawlResume:
			o.Pause = false
			o.Resumed++
		case ast.CrawlStop:
			o.Stop = true
		case ast.CrawlWorkers:
			o.Workers = int(r.workers)
		case ast.CrawlDelay:
			o.Delays = append(r.otherDelays(o), r.delay)
		case ast.CrawlResetDelay:
			o.Delays = r.otherDelays(o)
		case ast.CrawlExclude:
			for _, x := range r.urls {
				if !slices.Contains(o.Excluded, x) {
					o.Excluded = append(o.Excluded, x)
				}
			}
		case ast.CrawlInclude:
			if missing = r.notExcluded(o); missing == nil {
				o.Excluded = slices.DeleteFunc(o.Excluded, func(x report.Exclusion) bool { return slices.Contains(r.urls, x) })
			}
		}
	})
	if err != nil {
		return nil, noCrawl(&st.Name, err)
	}
	if missing != nil {
		return nil, missing
	}
	return session.Done(), nil
}

// otherDelays returns the delays in o for other hosts than those of the statement.
func (r *crawlOrder) otherDelays(o *report.CrawlOrders) []report.HostDelay {
	return slices.DeleteFunc(o.Delays, func(d report.HostDelay) bool { return d.Scope == r.delay.Scope })
}

// notExcluded returns an error at the first item of INCLUDE that no order
// excludes, with the present exclusions as a hint. It returns nil if there is no
// such item.
func (r *crawlOrder) notExcluded(o *report.CrawlOrders) error {
	for i, x := range r.urls {
		if slices.Contains(o.Excluded, x) {
			continue
		}
		item := &r.st.URLs[i]
		var at ast.Node = &item.Scope
		if item.Match != nil {
			at = item.Match
		}
		err := ast.Errorf(at, "no order excludes %s from crawl %s", x, r.st.Name.Text)
		err.Hint = "no order excludes anything from it; EXCLUDE in the statement itself cannot be changed"
		if len(o.Excluded) > 0 {
			var list []string
			for _, x := range o.Excluded {
				list = append(list, x.String())
			}
			err.Hint = "orders exclude " + strings.Join(list, ", ") + "; INCLUDE takes an item as it was written"
		}
		return err
	}
	return nil
}

// noCrawl returns the error for a name of a crawl that does not exist, with a
// hint that names the existing crawls. err is the error of the crawler; noCrawl
// returns any other error unchanged.
func noCrawl(name *ast.Name, err error) error {
	var none *report.NoCrawlError
	if !errors.As(err, &none) {
		return err
	}
	unknown := expr.UnknownName(name, "crawl", none.Name, "", none.Crawls)
	if len(none.Crawls) == 0 {
		unknown.Hint = "there are none; CRAWL 'url' AS " + name.String() + " begins one"
	}
	return unknown
}

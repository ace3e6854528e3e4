package crawls

import (
	"context"
	"errors"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
)

// Order declares the statements PAUSE CRAWL, RESUME CRAWL, STOP CRAWL and SET
// WORKERS, which give an order to a crawl that is running.
var Order = session.Declare("PAUSE CRAWL, RESUME CRAWL, STOP CRAWL, SET WORKERS", session.Writes, readOrder)

// crawlOrder is a PAUSE CRAWL, RESUME CRAWL, STOP CRAWL or SET WORKERS
// statement whose clauses were read.
type crawlOrder struct {
	s       *session.Session
	st      *ast.OrderCrawl
	workers int64 // the number of workers, for SET WORKERS
}

// readOrder makes a crawlOrder of a statement that gives an order to a crawl.
// It checks the number of workers, but not whether the crawl exists.
func readOrder(s *session.Session, st *ast.OrderCrawl) (*crawlOrder, error) {
	if s.Crawler() == nil {
		return nil, errNoCrawler(st)
	}
	if st.Deed != ast.CrawlWorkers {
		return &crawlOrder{s: s, st: st}, nil
	}
	n, err := expr.ConstantCount(st.Workers, "WORKERS", s.Env())
	if err == nil && (n < 1 || n > session.WorkersMax) {
		err = ast.Errorf(st.Workers, "WORKERS takes a number from 1 to %d, not %d", session.WorkersMax, n)
	}
	return &crawlOrder{s, st, n}, err
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
		}
	})
	if err != nil {
		return nil, noCrawl(&st.Name, err)
	}
	return session.Done(), nil
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

package crawls

import (
	"context"

	"infomall/exec/session"
	"infomall/lang/ast"
)

// Add is the statement ADD, which adds URLs to the frontier of a crawl: the
// URLs that the crawl still has to fetch.
var Add = session.Declare("ADD", session.Writes, readAdd)

// addition is an ADD statement whose clauses were read.
type addition struct {
	s    *session.Session
	st   *ast.AddToCrawl
	urls []string
}

// readAdd makes an addition of an ADD statement. It checks the URLs. In a
// session without a crawler it returns an error.
func readAdd(s *session.Session, st *ast.AddToCrawl) (*addition, error) {
	if s.Crawler() == nil {
		return nil, errNoCrawler(st)
	}
	urls, err := crawlURLs(st.URLs, false, s.Env())
	return &addition{s, st, urls}, err
}

// Run adds the URLs to the frontier of the crawl that the statement names. It
// returns an error at the name if there is no such crawl.
func (a *addition) Run(ctx context.Context) (*session.Result, error) {
	if err := a.s.Crawler().GiveCrawl(ctx, a.st.Name.Text, a.urls, a.st.Force); err != nil {
		return nil, noCrawl(&a.st.Name, err)
	}
	return session.Done(), nil
}

// Would returns the lines for EXPLAIN: the name of the crawl, then the URLs,
// one per line.
func (a *addition) Would(context.Context) ([]string, error) {
	lines := []string{"gives crawl " + a.st.Name.Text}
	for _, u := range a.urls {
		lines = append(lines, "  "+u)
	}
	return lines, nil
}

package crawls

import (
	"context"
	"fmt"
	"strings"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// aliasText returns the name of a crawl that AS gives by the expression e, such as
// 'news-' || $batch.
func aliasText(e ast.Expr, env *expr.Env) (string, error) {
	x, err := (&expr.Binder{Where: "AS", Env: env}).BindAs(e, value.Text)
	if err != nil {
		return "", err
	}
	c, ok := x.(*expr.Const)
	if !ok || c.V.Text == "" { // the text of NULL is "", too
		return "", ast.Errorf(e, "AS needs the name of a crawl, and %s is not one", e)
	}
	return c.V.Text, nil
}

// doneForBatch returns the result of a crawl that THEN of a watch has begun earlier for the same
// batch (the new rows of one run of the watch), and that has ended. THEN runs again for a batch if
// it failed or the program was killed, and a crawl is not begun twice for a batch.
//
// The name of the crawl must contain $batch: only then is the crawl of this batch. The crawl
// must be younger than the watch, because an earlier watch of that name had batches with the
// same numbers. If there is no such crawl, or it has not ended, the result is nil, and CRAWL
// begins it or continues it.
func (c *crawl) doneForBatch(ctx context.Context) (*session.Result, error) {
	batch := c.s.Batch()
	if batch == nil || c.st.AliasText == nil || !hasParam(c.st.AliasText, session.BatchParam) {
		return nil, nil
	}
	list, err := c.s.Crawler().Crawls(ctx)
	if err != nil {
		return nil, err
	}
	var last *report.Crawl
	for i := range list {
		name, _, _ := strings.Cut(list[i].Name, "@") // the process of a crawl with ON follows
		if (list[i].Name == c.o.Name || list[i].On != "" && name == c.o.Name) && list[i].Started >= batch.Created {
			if list[i].State != report.CrawlFinished && list[i].State != report.CrawlStopped {
				return nil, nil
			}
			last = &list[i]
		}
	}
	if last == nil {
		return nil, nil
	}
	res := totals(&report.CrawlResult{Crawl: *last}).Work(session.Count{}, nil)
	res.Notes = append(res.Notes, fmt.Sprintf("crawl %s has ended for batch %d of watch %s already, and is not begun again", c.o.Name, batch.Number, batch.Watch))
	return res, nil
}

// hasParam reports whether e contains the parameter with this name.
func hasParam(e ast.Expr, name string) (found bool) {
	ast.Walk(e, func(n ast.Node) bool {
		if p, ok := n.(*ast.Param); ok && strings.EqualFold(p.Name, name) {
			found = true
		}
		return !found
	})
	return found
}

// totals returns a table with one row, the totals of a crawl.
func totals(r *report.CrawlResult) *session.Table {
	t := session.NewTable(session.Text("name"), session.Whole("fetched"), session.Whole("stored"), session.Whole("visits"), session.Whole("failed"), session.Whole("waiting"), session.Whole("bytes"),
		value.Column{Name: "duration", Type: value.Duration})
	t.Add(value.OfText(r.Name), value.OfInt(r.Fetched), value.OfInt(r.Stored), value.OfInt(r.Visits), value.OfInt(r.Failed),
		value.OfInt(r.Waiting), value.OfInt(r.Bytes), value.OfDuration(r.Elapsed.Milliseconds()))
	return t
}

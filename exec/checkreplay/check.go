package checkreplay

import (
	"context"
	"fmt"
	"strings"
	"time"

	"infomall/crawl/report"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/words"
)

// pages is the query for the pages to open. A version is opened at its last visit.
const pages = "SELECT url, last_seen FROM versions WHERE kind = 'page' AND mime IN ('text/html', 'application/xhtml+xml') AND (url LIKE 'http://%' OR url LIKE 'https://%')"

// pictured is the query that finds out whether the archive has pictures of the pages.
const pictured = "SELECT url FROM versions WHERE url LIKE 'screenshot:%' LIMIT 1"

// completeLikeness is the least likeness of the text of a page that is complete. Less
// than 1, because dates and counters on pages change when their scripts run again.
const completeLikeness = .9

// check is a CHECK REPLAY statement whose clauses were read.
type check struct {
	s               *session.Session
	pages, pictured plan.Node
}

// Check is the statement CHECK REPLAY, which compares pages in replay with what the
// crawl saw.
var Check = session.Declare("CHECK REPLAY", session.Answers, readCheck)

// readCheck makes a check of a CHECK REPLAY statement: it plans its queries.
func readCheck(s *session.Session, st *ast.CheckReplay) (c *check, err error) {
	if st.Time.Known != nil {
		err := ast.Errorf(st.Time.Known, "CHECK REPLAY opens pages of the archive as it is now, and takes no KNOWN AT")
		err.Hint = "leave it out"
		return nil, err
	}
	c = &check{s: s}
	asked := session.Within{Scopes: st.Scopes, Time: st.Time}
	if c.pages, err = asked.Plan(pages, s.Env()); err != nil {
		return nil, err
	}
	c.pictured, err = asked.Plan(pictured, s.Env())
	return c, err
}

// Would returns the lines for EXPLAIN: what is opened, and the plan of the query for the
// pages.
func (c *check) Would(ctx context.Context) ([]string, error) {
	lines, err := c.s.PlanLines(ctx, c.pages)
	return append([]string{"open each page in replay, in a browser"}, lines...), err
}

// Run starts the browser. A page is opened when the caller ranges over the row before.
func (c *check) Run(ctx context.Context) (*session.Result, error) {
	snap, release, err := c.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	r := &run{check: c, snap: snap}
	if c.s.Crawler() != nil {
		r.crawls, err = c.s.Crawler().Crawls(ctx)
	}
	if err == nil {
		r.total, err = r.count(ctx)
	}
	if err == nil && r.total > 0 {
		r.browser, err = c.start(ctx, snap)
	}
	if err != nil {
		release()
		return nil, err
	}
	closed := false
	end := func() {
		if closed {
			return
		}
		closed = true
		if r.browser != nil {
			r.browser.Close() // the rows are what was asked for
		}
		release()
	}
	t := newTable()
	res := t.Result()
	res.Close = end
	res.Rows = func(yield func(*value.Batch, error) bool) {
		defer end()
		r.rows(ctx, yield)
	}
	if r.total == 0 {
		res.Notes = append(res.Notes, "there is no page to open: no version of kind page is HTML")
	}
	return res, nil
}

// start starts the browser. It takes pictures if the archive has some to compare with.
func (c *check) start(ctx context.Context, snap relation.Snapshot) (session.Replay, error) {
	rows, err := c.s.Runner(snap, "check replay").Rows(ctx, c.pictured)
	if err != nil {
		return nil, err
	}
	pictures := false
	for b, err := range rows {
		if err != nil {
			return nil, err
		}
		pictures = pictures || b.N > 0
	}
	return c.s.OpenReplay(ctx, pictures)
}

// run is a CHECK REPLAY that runs.
type run struct {
	*check
	snap    relation.Snapshot
	crawls  []report.Crawl
	browser session.Replay // nil if there is no page
	total   int64          // pages
}

// count returns the number of pages to open.
func (r *run) count(ctx context.Context) (n int64, err error) {
	rows, err := r.s.Runner(r.snap, "check replay").Rows(ctx, r.pages)
	if err != nil {
		return 0, err
	}
	for b, err := range rows {
		if err != nil {
			return 0, err
		}
		n += int64(b.N)
	}
	return n, nil
}

// newTable returns a table for rows of CHECK REPLAY.
func newTable() *session.Table {
	float := func(name string) value.Column { return value.Column{Name: name, Type: value.Float} }
	return session.NewTable(value.Column{Name: "url", Type: value.URL}, value.Column{Name: "time", Type: value.Time}, session.Text("seen"),
		float("text"), session.Whole("parts"), session.Whole("missing"), float("picture"), session.Text("status"), session.Text("note"), session.Text("missing_urls"))
}

// rows opens the pages one after the other and yields a row for each.
func (r *run) rows(ctx context.Context, yield func(*value.Batch, error) bool) {
	rows, err := r.s.Runner(r.snap, "check replay").Rows(ctx, r.pages)
	if err != nil {
		yield(nil, err)
		return
	}
	report := r.s.Report("check replay", "pages")
	done := int64(0)
	for b, err := range rows {
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range b.N {
			url, at := b.Cols[0].At(i).Text, record.Time(b.Cols[1].At(i).Int)
			t := newTable()
			if err := r.page(ctx, t, url, at); err != nil {
				yield(nil, err)
				return
			}
			if !yield(t.Batch(), nil) {
				return
			}
			if done++; report != nil {
				report(done, r.total)
			}
		}
	}
}

// page opens a page and adds its row to t. The error is that of the archive, or of ctx.
func (r *run) page(ctx context.Context, t *session.Table, url string, at record.Time) error {
	saw, err := seenOf(ctx, r.snap, url, at)
	if err != nil {
		return err
	}
	row := []value.Value{value.OfURL(url), value.OfTime(at), value.TextOrNull(saw.from)}
	shown, err := r.browser.Show(ctx, url, at)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		null := value.Value{}
		t.Add(append(row, null, null, null, null, value.OfText("failed"), value.OfText(err.Error()))...)
		return nil
	}
	var notes []string
	text := value.Value{}
	status := "complete"
	if saw.note != "" {
		notes = append(notes, saw.note)
	} else {
		likeness := likenessOf(saw.text, textOf(shown.DOM))
		text = value.OfFloat(likeness)
		if likeness < completeLikeness {
			status = "incomplete"
		}
	}
	if len(shown.Missing) > 0 {
		status = "incomplete"
	}
	picture := value.Value{}
	if saw.picture != nil && shown.Picture != nil {
		if alike, err := pictureLikeness(saw.picture, shown.Picture); err != nil {
			notes = append(notes, err.Error())
		} else {
			picture = value.OfFloat(alike)
		}
	}
	if status == "incomplete" {
		notes = append(notes, r.otherClicks(at)...)
	}
	if shown.Ended != "done" && shown.Ended != "" {
		notes = append(notes, "the visit ended by its limit of "+shown.Ended)
	}
	t.Add(append(row, text, value.OfInt(int64(shown.Parts)), value.OfInt(int64(len(shown.Missing))), picture, value.OfText(status),
		value.TextOrNull(strings.Join(notes, "; ")), value.TextOrNull(strings.Join(shown.Missing, "\n")))...)
	return nil
}

// likenessOf returns how alike two texts are, from 0 to 1, by their words. Two empty
// texts are alike.
func likenessOf(a, b string) float64 {
	if strings.TrimSpace(a) == strings.TrimSpace(b) {
		return 1
	}
	return words.Likeness(words.NewBag(a), words.NewBag(b))
}

// stamp returns a time as a note has it.
func stamp(t record.Time) string { return t.Std().UTC().Format(time.DateTime) }

// noBody returns the note that the archive has no body of what the crawl saw.
func noBody(url string, t record.Time, why string) string {
	return fmt.Sprintf("the archive has no body of %s of %s to compare with: %s", url, stamp(t), why)
}

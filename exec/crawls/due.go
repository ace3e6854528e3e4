package crawls

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"infomall/crawl/report"
	"infomall/crawl/revisit"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// pageVisits has the visits of one page, and which of them found a change. A
// visit is a capture of the page, or a fetch that found the page unchanged.
type pageVisits struct {
	url    string
	last   record.Time     // the time of the last visit
	known  revisit.Page    // a summary of the visits
	visits []revisit.Visit // all visits after the first
}

// Visits reads the visits of pages from the archive of a session: captures, and
// fetches that found a page unchanged. In, Snapshot and Source select the
// visits.
type Visits struct {
	Session *session.Session
	In      []ast.Scope // the scopes of the pages; none means all URLs
	// Snapshot is that of a query that is running, and Source one of its
	// sources, whose URLs and times limit the visits. A nil Snapshot means a
	// new snapshot, and a nil Source no limit.
	Snapshot relation.Snapshot
	Source   *relation.Request
}

// dueSeeds returns the URLs of the pages that a CRAWL DUE visits, the most
// urgent first, at most c.o.MaxPages. It reads all visits in the scopes of the
// statement to make a plan of visits. If there are more pages than the plan
// samples, it reads the visits a second time to choose the pages.
func (c *crawl) dueSeeds(ctx context.Context) ([]string, error) {
	v := Visits{Session: c.s, In: c.st.In}
	planned, sample, total, err := v.plan(ctx)
	if err != nil {
		return nil, err
	}
	due := dueChooser{plan: planned, now: c.s.Env().Now, most: c.o.MaxPages}
	if due.failed, err = v.failedFetches(ctx, due.now); err != nil {
		return nil, err
	}
	if due.watched, err = v.watched(ctx); err != nil {
		return nil, err
	}
	defer func() { c.sooner = due.sooner() }()
	if total == len(sample) {
		for i := range sample {
			due.add(&sample[i])
		}
		return due.urls(), nil
	}
	for p, err := range v.pages(ctx) {
		if err != nil {
			return nil, err
		}
		due.add(p)
	}
	return due.urls(), nil
}

// plan makes a plan that says when each page should be visited next. sample has
// the pages that the plan is made from: all pages, or a choice of them if there
// are many. total is how many pages there are.
func (v Visits) plan(ctx context.Context) (planned *revisit.Plan, sample []pageVisits, total int, err error) {
	pick := rand.New(rand.NewPCG(1, 2)) // a fixed seed: the same visits must always give the same plan
	for p, err := range v.pages(ctx) {
		if err != nil {
			return nil, nil, 0, err
		}
		at := total
		if total++; len(sample) == revisit.SampleMax {
			if at = pick.IntN(total); at >= len(sample) {
				continue
			}
		} else {
			sample = append(sample, pageVisits{})
		}
		sample[at] = *p
		sample[at].visits = nil // its memory is used again
	}
	known := make([]revisit.Page, len(sample))
	for i := range sample {
		known[i] = sample[i].known
	}
	return revisit.New(known, total, revisit.Budget{Visits: v.perDay(total)}), sample, total, nil
}

// Revisits yields how often each page of v.Source was visited and how often it
// changes. If due is set, it also yields when CRAWL DUE would visit the page
// next.
func (v Visits) Revisits(ctx context.Context, due bool) iter.Seq2[relation.Revisit, error] {
	return func(yield func(relation.Revisit, error) bool) {
		var planned *revisit.Plan
		var failed map[string]record.Time
		var watched *watchedPages
		var err error
		if due {
			if planned, _, _, err = (Visits{Session: v.Session, Snapshot: v.Snapshot}).plan(ctx); err == nil && v.Session.Crawler() != nil {
				failed, err = v.failedFetches(ctx, v.Session.Env().Now)
			}
			if err == nil {
				watched, err = v.watched(ctx)
			}
			if err != nil {
				yield(relation.Revisit{}, err)
				return
			}
		}
		for p, err := range v.pages(ctx) {
			if err != nil {
				yield(relation.Revisit{}, err)
				return
			}
			r := relation.Revisit{Key: urlkey.Key(p.url), Visits: len(p.visits), Rate: revisit.Rate(p.visits), Due: record.NoTime}
			if due {
				wait := time.Duration(watched.interval(p.url, planned.Interval(&p.known)) * 24 * float64(time.Hour))
				r.Due = max(p.last, failed[p.url]) + record.Time(wait.Milliseconds())
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// failedFetches returns the URLs whose last attempt to fetch brought no
// capture, with the time of this attempt. It leaves out attempts that are too
// old to matter at the time now.
func (v Visits) failedFetches(ctx context.Context, now record.Time) (map[string]record.Time, error) {
	since := now - record.Time(revisit.LongestDefault*24*time.Hour.Milliseconds())
	failed := make(map[string]record.Time)
	for list, err := range v.Session.Crawler().Fetches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range list {
			f := &list[i]
			switch {
			case f.Time < since || f.Outcome == report.OutcomeFiltered:
			case f.Bytes >= 0:
				delete(failed, f.URL)
			default:
				failed[strings.Clone(f.URL)] = f.Time
			}
		}
	}
	return failed, nil
}

// perDay returns how many visits per day CRAWL DUE may make to this many pages.
// If a schedule runs the statement, its budget decides. Otherwise each page
// gets one visit in the time of the setting revisit.
func (v Visits) perDay(pages int) float64 {
	if b := v.Session.Visits(); b != nil {
		return b.PerDay
	}
	return float64(pages) / days(v.Session.Settings().Revisit)
}

// days returns the duration d in days.
func days(d time.Duration) float64 { return d.Hours() / 24 }

// dueChooser collects pages that are due, and keeps the most urgent of them.
type dueChooser struct {
	plan *revisit.Plan
	now  record.Time
	most int64 // how many pages to keep; 0 means all
	list []duePage
	// failed maps URLs to the time of their last failed fetch. These URLs wait as if it had
	// been a visit.
	failed map[string]record.Time
	// watched has the pages that become due sooner.
	watched *watchedPages
}

// duePage is a page that is due, with its urgency: more than 0, and greater for
// a more urgent page.
type duePage struct {
	url     string
	urgency float64
}

// add adds the page p to the list if it is due.
func (c *dueChooser) add(p *pageVisits) {
	last := max(p.last, c.failed[p.url])
	u := c.plan.Urgency(&p.known, c.watched.age(p.url, days(c.now.Std().Sub(last.Std()))))
	if u <= 0 {
		return
	}
	c.list = append(c.list, duePage{p.url, u})
	if c.most > 0 && int64(len(c.list)) >= 2*c.most {
		c.cut()
	}
}

// cut sorts the list, the most urgent page first, and keeps only the first
// c.most pages.
func (c *dueChooser) cut() {
	slices.SortStableFunc(c.list, func(a, b duePage) int { return cmp.Compare(b.urgency, a.urgency) })
	if c.most > 0 && int64(len(c.list)) > c.most {
		c.list = c.list[:c.most]
	}
}

// sooner returns how many pages of the list become due sooner.
func (c *dueChooser) sooner() (n int) {
	for i := range c.list {
		if c.watched.has(c.list[i].url) {
			n++
		}
	}
	return n
}

// urls returns the URLs of the pages to keep, the most urgent first.
func (c *dueChooser) urls() []string {
	c.cut()
	urls := make([]string, len(c.list))
	for i := range c.list {
		urls[i] = c.list[i].url
	}
	return urls
}

// pages yields each page that CRAWL DUE can visit, with the results of its
// visits, in SURT order. A visit found a change if the page differs from the
// visit before in more than dates and similar details. Pages without visits are
// not yielded. A yielded value is valid until the iteration moves on.
func (v Visits) pages(ctx context.Context) iter.Seq2[*pageVisits, error] {
	return func(yield func(*pageVisits, error) bool) {
		nextChange, stop := v.pull(ctx, "SELECT url, time, substantial FROM versions WHERE change = 'changed'")
		defer stop()
		visits, stopVisits := v.pull(ctx, "SELECT url, time, change FROM captures")
		defer stopVisits()
		p := &pageVisits{}
		change := nextChange()
		for seen := visits(); ; seen = visits() {
			if err := cmp.Or(seen.err, change.err); err != nil {
				yield(nil, err)
				return
			}
			if seen.url == "" || seen.url != p.url {
				if revisited(p.url) && !yield(p, nil) {
					return
				}
				if seen.url == "" {
					return // there are no more visits
				}
				*p = pageVisits{url: strings.Clone(seen.url), last: seen.time, visits: p.visits[:0]}
				continue
			}
			changed := false
			switch seen.value {
			case record.ChangeGone.String(), record.ChangeBack.String(), record.ChangeKind.String():
				changed = true
			case record.ChangeChanged.String():
				for change.err == nil && change.url != "" && before(&change, &seen) {
					change = nextChange()
				}
				changed = change.url == seen.url && change.time == seen.time && change.value == "true"
			}
			visit := revisit.Visit{Days: days(seen.time.Std().Sub(p.last.Std())), Changed: changed}
			p.known.Add(visit)
			p.visits = append(p.visits, visit)
			p.last = seen.time
		}
	}
}

// revisited reports whether CRAWL DUE can visit a URL: an http or https URL
// that is not a robots.txt. Crawls fetch robots.txt whenever they need it.
func revisited(url string) bool {
	return (strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")) && urlkey.RawPath(url) != "/robots.txt"
}

// visitRow is one row of a query for a URL, a time and a value. A visitRow
// whose url is "" marks the end of the rows; its err is not nil if the query
// failed.
type visitRow struct {
	url   string
	time  record.Time
	value string
	err   error
}

// before reports whether row a sorts before row b: in SURT order of the URLs,
// then by time.
func before(a, b *visitRow) bool {
	if a.url == b.url {
		return a.time < b.time
	}
	return urlkey.Key(a.url) < urlkey.Key(b.url)
}

// pull runs a query of three columns, of which the first two are a URL and a
// time. The function next returns the next row, with the third column as text;
// at the end or after an error, it returns a row without a URL. The caller must
// call the function stop in the end.
func (v Visits) pull(ctx context.Context, query string) (next func() visitRow, stop func()) {
	fail := func(err error) (func() visitRow, func()) {
		return func() visitRow { return visitRow{err: err} }, func() {}
	}
	q := session.Query(query)
	q.Select.From.Scopes = v.In
	node, err := plan.Build(q, v.Session.Env())
	if err != nil {
		return fail(err)
	}
	if n := v.Source; n != nil {
		for _, src := range plan.Sources(node) {
			src.Ranges, src.Match, src.Window = n.Ranges, n.Match, n.Window
		}
	}
	snap, done := v.Snapshot, func() {}
	if snap == nil {
		if snap, done, err = v.Session.Snapshot(ctx); err != nil {
			return fail(err)
		}
	}
	rows, err := v.Session.Runner(snap, "crawl due").Rows(ctx, node)
	if err != nil {
		done()
		return fail(err)
	}
	nextBatch, release := iter.Pull2(rows)
	var batch *value.Batch
	row := 0
	return func() visitRow {
		for batch == nil || row == batch.N {
			b, err, ok := nextBatch()
			if err != nil || !ok {
				return visitRow{err: err}
			}
			batch, row = b, 0
		}
		i := row
		row++
		return visitRow{url: batch.Cols[0].At(i).Text, time: record.Time(batch.Cols[1].At(i).Int), value: string(batch.Cols[2].At(i).Append(nil, time.UTC))}
	}, func() { release(); done() }
}

package crawls

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"infomall/crawl/revisit"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// dueSeeds returns the URLs of the pages that a CRAWL DUE visits, the most
// urgent first, at most c.o.MaxPages. It reads all visits in the scopes of the
// statement.
func (c *crawl) dueSeeds(ctx context.Context) ([]string, error) {
	snap, release, err := c.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	v := Visits{Session: c.s, Snapshot: snap, In: c.st.In}
	planned, sample, err := v.plan(ctx)
	if err != nil {
		return nil, err
	}
	due := dueChooser{plan: planned, now: c.s.Env().Now, most: c.o.MaxPages}
	if due.failed, err = v.failures(ctx); err != nil {
		return nil, err
	}
	if due.watched, err = v.watched(ctx); err != nil {
		return nil, err
	}
	defer func() { c.sooner = due.sooner() }()
	if sample.level == 0 {
		for i := range sample.pages {
			due.add(&sample.pages[i])
		}
		return due.urls(), nil
	}
	for p, err := range v.pages(ctx, 0) {
		if err != nil {
			return nil, err
		}
		due.add(p)
	}
	return due.urls(), nil
}

// pageSample is a random sample of pages: those whose urlkey.Level is at least level. level
// is the greatest one that has revisit.SampleEnough pages, or 0 if there are fewer pages.
// So the sample depends only on the pages that there are. At level 0, it has all pages.
type pageSample struct {
	level int
	pages []pageVisits // without the fields visits and times
	above int          // how many of them have a greater level
}

// add adds the page p, if its level is high enough. It raises the level of the sample if
// enough pages are left.
func (s *pageSample) add(p *pageVisits) {
	level := urlkey.Level(p.key)
	if level < s.level {
		return
	}
	s.pages = append(s.pages, *p)
	own := &s.pages[len(s.pages)-1]
	own.visits, own.times = nil, nil // their memory is used again
	if level > s.level {
		s.above++
	}
	for s.above >= revisit.SampleEnough {
		s.level++
		s.above = 0
		s.pages = slices.DeleteFunc(s.pages, func(p pageVisits) bool {
			level := urlkey.Level(p.key)
			if level > s.level {
				s.above++
			}
			return level < s.level
		})
	}
}

// total returns how many pages there are, estimated from the sample.
func (s *pageSample) total() int { return len(s.pages) << s.level }

// sample returns a sample of the pages of v. Without scopes it reads only the samples that the
// indexes of the archive have, and the whole of an index that has none.
func (v Visits) sample(ctx context.Context) (*pageSample, error) {
	least, level := 0, 0
	if len(v.In) == 0 && v.Source == nil {
		var err error
		if least, level, err = v.Snapshot.SampleLevels(ctx, revisit.SampleEnough); err != nil {
			return nil, err
		}
	}
	if least == 0 {
		level = 0 // a scan reads all indexes at each level
	}
	for {
		s := &pageSample{level: level}
		for p, err := range v.pages(ctx, level) {
			if err != nil {
				return nil, err
			}
			s.add(p)
		}
		switch {
		case level == 0 || len(s.pages) >= revisit.SampleEnough:
			return s, nil
		case level > least:
			level--
		default:
			level = 0 // many URLs of the samples are hidden, or are not pages
		}
	}
}

// plan makes a plan that says when each page should be visited next, and returns the sample
// of the pages from which it is made.
func (v Visits) plan(ctx context.Context) (*revisit.Plan, *pageSample, error) {
	sample, err := v.sample(ctx)
	if err != nil {
		return nil, nil, err
	}
	known := make([]revisit.Page, len(sample.pages))
	for i := range sample.pages {
		known[i] = sample.pages[i].known
	}
	return revisit.New(known, sample.total(), revisit.Budget{Visits: v.perDay(sample.total())}), sample, nil
}

// Revisits yields the visits of each page of v.Source, which say how often the page
// changes. If due is set, they also say when CRAWL DUE would visit the page next. A
// yielded value is valid until the iteration moves on.
func (v Visits) Revisits(ctx context.Context, due bool) iter.Seq2[relation.RevisitedPage, error] {
	return func(yield func(relation.RevisitedPage, error) bool) {
		var planned *revisit.Plan
		var failed map[string]record.Time
		var watched *watchedPages
		var err error
		if due {
			if planned, _, err = (Visits{Session: v.Session, Snapshot: v.Snapshot}).plan(ctx); err == nil && v.Session.Crawler() != nil {
				failed, err = v.failures(ctx)
			}
			if err == nil {
				watched, err = v.watched(ctx)
			}
			if err != nil {
				yield(relation.RevisitedPage{}, err)
				return
			}
		}
		for p, err := range v.pages(ctx, 0) {
			if err != nil {
				yield(relation.RevisitedPage{}, err)
				return
			}
			until := func(t record.Time) relation.Revisit {
				last, visits, known := p.until(t)
				r := relation.Revisit{Visits: len(visits), Rate: revisit.Rate(visits), Due: record.NoTime}
				if due {
					wait := time.Duration(watched.interval(p.url, planned.Interval(&known)) * 24 * float64(time.Hour))
					r.Due = max(last, failed[p.url]) + record.Time(wait.Milliseconds())
				}
				return r
			}
			if !yield(relation.RevisitedPage{Key: p.key, Until: until}, nil) {
				return
			}
		}
	}
}

// failures returns the URLs of the pages of v whose last fetch by a crawl brought no response,
// with the time of this fetch.
func (v Visits) failures(ctx context.Context) (map[string]record.Time, error) {
	src, err := v.source("SELECT time FROM captures")
	if err != nil {
		return nil, err
	}
	failed := make(map[string]record.Time)
	for list, err := range v.Session.Crawler().Failures(ctx, src.Ranges) {
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			failed[f.URL] = max(failed[f.URL], f.Time)
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
	// failed maps URLs to the time of their last failed fetch. A failed fetch delays the next visit
	// as a visit does.
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

package exec

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"infomall/crawl/revisit"
	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// lookedAt is what the visits of a page tell of it.
type lookedAt struct {
	url   string
	last  record.Time
	known revisit.Page
}

// dueSeeds are the pages that a CRAWL DUE is to visit, the most urgent first. All
// visits of its scopes are gone through to plan, and where there are more pages
// than a plan is made of, once more to choose.
func (s *Session) dueSeeds(ctx context.Context, st *ast.Crawl, most int64) ([]string, error) {
	var sample []lookedAt
	total := 0
	pick := rand.New(rand.NewPCG(1, 2)) // which pages a plan is made of is not for chance to change
	for p, err := range s.lookedAt(ctx, st) {
		if err != nil {
			return nil, err
		}
		if total++; len(sample) < revisit.SampleMax {
			sample = append(sample, *p)
		} else if i := pick.IntN(total); i < len(sample) {
			sample[i] = *p
		}
	}
	known := make([]revisit.Page, len(sample))
	for i := range sample {
		known[i] = sample[i].known
	}
	planned := revisit.New(known, total, revisit.Budget{Visits: s.visitsPerDay(total)})
	c := dueChooser{plan: planned, now: s.env().Now, most: most}
	var err error
	if c.failed, err = s.failedFetches(ctx, c.now-record.Time(revisit.LongestDefault*24*time.Hour.Milliseconds())); err != nil {
		return nil, err
	}
	if total == len(sample) {
		for i := range sample {
			c.add(&sample[i])
		}
		return c.urls(), nil
	}
	for p, err := range s.lookedAt(ctx, st) {
		if err != nil {
			return nil, err
		}
		c.add(p)
	}
	return c.urls(), nil
}

// failedFetches are the URLs whose last attempt since a moment brought no capture,
// with when that was.
func (s *Session) failedFetches(ctx context.Context, since record.Time) (map[string]record.Time, error) {
	failed := make(map[string]record.Time)
	for list, err := range s.Crawler.Fetches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range list {
			f := &list[i]
			switch {
			case f.Time < since || f.Outcome == record.OutcomeFiltered:
			case f.Bytes >= 0:
				delete(failed, f.URL)
			default:
				failed[strings.Clone(f.URL)] = f.Time
			}
		}
	}
	return failed, nil
}

// visitsPerDay is what may be spent on so many pages: what the schedule says, or
// a visit of each in the time that the setting revisit says.
func (s *Session) visitsPerDay(pages int) float64 {
	if s.budget != nil {
		return s.budget.perDay
	}
	return float64(pages) / days(s.Settings.Revisit)
}

func days(d time.Duration) float64 { return d.Hours() / 24 }

// dueChooser keeps the most urgent of the pages that are due.
type dueChooser struct {
	plan *revisit.Plan
	now  record.Time
	most int64 // 0: all
	list []duePage
	// failed has when pages were asked for last in vain: they wait as if that
	// had been a visit.
	failed map[string]record.Time
}

type duePage struct {
	url     string
	urgency float64
}

func (c *dueChooser) add(p *lookedAt) {
	last := max(p.last, c.failed[p.url])
	u := c.plan.Urgency(&p.known, days(c.now.Std().Sub(last.Std())))
	if u <= 0 {
		return
	}
	c.list = append(c.list, duePage{p.url, u})
	if c.most > 0 && int64(len(c.list)) >= 2*c.most {
		c.cut()
	}
}

// cut drops the least urgent.
func (c *dueChooser) cut() {
	slices.SortStableFunc(c.list, func(a, b duePage) int { return cmp.Compare(b.urgency, a.urgency) })
	if c.most > 0 && int64(len(c.list)) > c.most {
		c.list = c.list[:c.most]
	}
}

func (c *dueChooser) urls() []string {
	c.cut()
	urls := make([]string, len(c.list))
	for i := range c.list {
		urls[i] = c.list[i].url
	}
	return urls
}

// lookedAt yields the pages of the scopes of a CRAWL DUE, each with what its
// visits tell: a visit found a change if the page is another than at the visit
// before, or says something else, dates and the like aside. It is valid until the
// next.
func (s *Session) lookedAt(ctx context.Context, st *ast.Crawl) iter.Seq2[*lookedAt, error] {
	return func(yield func(*lookedAt, error) bool) {
		said, stop := s.pulled(ctx, st, "SELECT url, time, substantial FROM versions WHERE change = 'changed'")
		defer stop()
		visits, stopVisits := s.pulled(ctx, st, "SELECT url, time, change FROM captures")
		defer stopVisits()
		p := &lookedAt{}
		mind := said()
		for v := visits(); ; v = visits() {
			if err := cmp.Or(v.err, mind.err); err != nil {
				yield(nil, err)
				return
			}
			if v.url != p.url {
				if revisited(p.url) && !yield(p, nil) {
					return
				}
				if v.url == "" {
					return
				}
				*p = lookedAt{url: strings.Clone(v.url), last: v.time}
				continue
			}
			changed := false
			switch v.value {
			case record.ChangeGone.String(), record.ChangeBack.String(), record.ChangeKind.String():
				changed = true
			case record.ChangeChanged.String():
				for mind.err == nil && mind.url != "" && before(&mind, &v) {
					mind = said()
				}
				changed = mind.url == v.url && mind.time == v.time && mind.value == "true"
			}
			p.known.Add(revisit.Visit{Days: days(v.time.Std().Sub(p.last.Std())), Changed: changed})
			p.last = v.time
		}
	}
}

// revisited reports whether a page is one that CRAWL DUE visits: robots.txt is
// fetched when it is needed.
func revisited(url string) bool {
	return (strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")) && urlkey.RawPath(url) != "/robots.txt"
}

// told is a row of a URL, a time and a value; one without a URL is behind the
// last.
type told struct {
	url   string
	time  record.Time
	value string
	err   error
}

// before reports whether a row comes before another: as SURT, then by time.
func before(a, b *told) bool {
	if a.url == b.url {
		return a.time < b.time
	}
	return urlkey.Key(a.url) < urlkey.Key(b.url)
}

// pulled runs a query of three columns over the scopes of a CRAWL DUE, and gives
// its rows one by one.
func (s *Session) pulled(ctx context.Context, st *ast.Crawl, query string) (next func() told, stop func()) {
	fail := func(err error) (func() told, func()) { return func() told { return told{err: err} }, func() {} }
	parsed, err := lang.ParseOne(query, "")
	if err != nil {
		panic(fmt.Sprintf("exec: %s: %v", query, err)) // it is ours
	}
	q := parsed.(*ast.Query)
	q.Select.From.Scopes = st.In
	node, err := plan.Build(q, s.env())
	if err != nil {
		return fail(err)
	}
	res, err := s.open(ctx, node)
	if err != nil {
		return fail(err)
	}
	pull, release := iter.Pull2(res.Rows)
	var batch *value.Batch
	row := 0
	return func() told {
		for batch == nil || row == batch.N {
			b, err, ok := pull()
			if err != nil || !ok {
				return told{err: err}
			}
			batch, row = b, 0
		}
		i := row
		row++
		return told{url: batch.Cols[0].At(i).Text, time: record.Time(batch.Cols[1].At(i).Int), value: string(batch.Cols[2].At(i).Append(nil, time.UTC))}
	}, func() { release(); res.Close() }
}

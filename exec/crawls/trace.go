package crawls

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"infomall/crawl/report"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// crawlNotes has the notes of one crawl about a URL.
type crawlNotes struct {
	attempts []report.Fetch // the attempts of the crawl to fetch the URL
	waiting  *report.Queued // the URL in the queue of the crawl; nil if the queue does not have it
}

// trace is a TRACE statement whose clauses were read.
type trace struct {
	s   *session.Session
	url string
}

// Trace is the statement TRACE, which shows how each crawl decided about a URL.
var Trace = session.Declare("TRACE", session.Answers, readTrace)

// readTrace makes a trace of a TRACE statement. It checks the URL. In a session
// without a crawler it returns an error.
func readTrace(s *session.Session, st *ast.Trace) (*trace, error) {
	if s.Crawler() == nil {
		return nil, errNoCrawler(st)
	}
	urls, err := crawlURLs([]ast.Expr{st.URL}, true, s.Env())
	if err != nil {
		return nil, err
	}
	return &trace{s, urls[0]}, nil
}

// Would returns one line for EXPLAIN, on the logs that would be read.
func (r *trace) Would(context.Context) ([]string, error) {
	return []string{"looks for " + r.url + " in the logs of crawls, and among the URLs that they have still to fetch"}, nil
}

// Run returns a table with one row per crawl and stage that decided something
// about the URL. A crawl that never met the URL has one row, with the reason if
// that is known.
func (r *trace) Run(ctx context.Context) (*session.Result, error) {
	s := r.s
	crawls, err := s.Crawler().Crawls(ctx)
	if err != nil {
		return nil, err
	}
	known, err := r.notes(ctx)
	if err != nil {
		return nil, err
	}
	written, err := r.changes(ctx)
	if err != nil {
		return nil, err
	}
	blocked, err := r.blocked(ctx)
	if err != nil {
		return nil, err
	}
	last := lastTraced(known)
	t := session.NewTable(session.Text("crawl"), session.Text("stage"), value.Column{Name: "time", Type: value.Time}, value.Column{Name: "ms", Type: value.Float}, session.Text("decision"), session.Text("reason"))
	for i := range crawls {
		c := &crawls[i]
		x := known[c.Name]
		if x == nil {
			t.Add(value.OfText(c.Name), value.OfText(report.StagePrefetch.String()), value.Value{}, value.Value{}, value.OfText("not met"), value.TextOrNull(r.whyNotMet(c, blocked)))
			continue
		}
		for j := range x.attempts {
			traceAttempt(t, c, &x.attempts[j], written)
			if &x.attempts[j] != last {
				continue
			}
			decision, reason, err := r.whenDue(ctx)
			if err != nil {
				return nil, err
			}
			t.Add(value.OfText(c.Name), value.OfText(report.StagePost.String()), value.Value{}, value.Value{}, value.OfText(decision), value.OfText(reason))
		}
		if u := x.waiting; u != nil {
			decision, reason := "queued", fmt.Sprintf("priority %.4g, %s", u.Score, way(u.Layer, u.Via))
			if u.Due != record.NoTime {
				decision, reason = "to be tried again", fmt.Sprintf("at %s, after %s", s.Stamp(u.Due), value.Counted(u.Tries, "attempt"))
			}
			t.Add(value.OfText(c.Name), value.OfText(report.StagePrefetch.String()), value.Value{}, value.Value{}, value.OfText(decision), value.OfText(reason))
		}
	}
	res := t.Result()
	if len(crawls) == 0 {
		res.Notes = append(res.Notes, "there are no crawls")
	}
	return res, nil
}

// notes returns what each crawl has noted about the URL, by the name of the
// crawl. A crawl that never met the URL is not in the map.
func (r *trace) notes(ctx context.Context) (map[string]*crawlNotes, error) {
	known := make(map[string]*crawlNotes)
	of := func(crawl string) *crawlNotes {
		if known[crawl] == nil {
			known[crawl] = new(crawlNotes)
		}
		return known[crawl]
	}
	for list, err := range r.s.Crawler().Fetches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range list {
			if list[i].URL == r.url {
				x := of(list[i].Crawl)
				x.attempts = append(x.attempts, list[i])
			}
		}
	}
	for list, err := range r.s.Crawler().Frontier(ctx) {
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(list, func(u report.Queued) bool { return u.URL == r.url }); i >= 0 {
			u := list[i]
			of(u.Crawl).waiting = &u
		}
	}
	return known, nil
}

// lastTraced returns the last attempt to fetch the URL, of all crawls, or nil
// if there is none.
func lastTraced(known map[string]*crawlNotes) (last *report.Fetch) {
	for _, x := range known {
		for i := range x.attempts {
			if f := &x.attempts[i]; last == nil || f.Time > last.Time || f.Time == last.Time && f.Crawl > last.Crawl {
				last = f
			}
		}
	}
	return last
}

// whenDue returns when CRAWL DUE would visit the URL next, by its present plan,
// and why. decision is "due now", "due" with a time, or "never due". reason is
// such as "it changes 0.5 times a day".
func (r *trace) whenDue(ctx context.Context) (decision, reason string, err error) {
	s, url := r.s, r.url
	why, err := r.blocked(ctx)
	if err != nil {
		return "", "", err
	}
	if why != "" {
		return "never due", why, nil
	}
	if !revisited(url) {
		return "never due", "CRAWL DUE visits pages of http and https, and robots.txt is fetched whenever a crawl needs it", nil
	}
	found, due := false, record.NoTime
	for p, err := range r.rows(ctx, "SELECT next_due, round(change_rate, 4) FROM pages") {
		if err != nil {
			return "", "", err
		}
		if found, due = true, p.time; p.value == "" {
			reason = "it was looked at only once"
		} else {
			reason = "it changes " + p.value + " times a day"
		}
	}
	if !found {
		return "never due", "the archive has no capture of it", nil
	}
	watched, err := r.visits().watched(ctx)
	if err != nil {
		return "", "", err
	}
	if watched.has(url) {
		reason += ", and waits half as long because a watch found rows on it"
	}
	if due <= s.Env().Now {
		return "due now", reason, nil
	}
	return "due " + s.Stamp(due), reason, nil
}

// blocked returns why the block-list keeps the URL out at present, or "" if it does not.
func (r *trace) blocked(ctx context.Context) (string, error) {
	snap, release, err := r.s.SnapshotOrEmpty(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	l, err := snap.BlockList(ctx)
	if err != nil {
		return "", err
	}
	if e := l.URL(urlkey.Key(r.url), r.s.Env().Now); e != nil {
		return report.BlockedBy(e.Number), nil
	}
	return "", nil
}

// visits returns the Visits that select the visits of the URL.
func (r *trace) visits() Visits {
	return Visits{Session: r.s, In: []ast.Scope{{From: &ast.String{Value: r.url}}}}
}

// changes returns, for the time of each capture of the URL, how the capture
// differs from the capture before it, as in the column change.
func (r *trace) changes(ctx context.Context) (map[record.Time]string, error) {
	changes := make(map[record.Time]string)
	for v, err := range r.rows(ctx, "SELECT time, change FROM captures") {
		if err != nil {
			return nil, err
		}
		changes[v.time] = v.value
	}
	return changes, nil
}

// tracedRow is one row of a query with two columns: a time, and a value such as the status
// of the URL, as text.
type tracedRow struct {
	time  record.Time
	value string
}

// rows runs a query of two columns, a time and any other, on the URL, and yields its rows.
func (r *trace) rows(ctx context.Context, query string) iter.Seq2[tracedRow, error] {
	return func(yield func(tracedRow, error) bool) {
		snap, release, err := r.s.Snapshot(ctx)
		if err != nil {
			yield(tracedRow{}, err)
			return
		}
		defer release()
		v := r.visits()
		node, err := v.build(query)
		if err != nil {
			yield(tracedRow{}, err)
			return
		}
		key := urlkey.Key(r.url)
		for _, src := range plan.Sources(node) {
			src.Ranges = []urlkey.Range{{From: key, To: key + "\x00"}}
		}
		rows, err := r.s.Runner(snap, "trace").Rows(ctx, node)
		if err != nil {
			yield(tracedRow{}, err)
			return
		}
		for b, err := range rows {
			if err != nil {
				yield(tracedRow{}, err)
				return
			}
			for i := range b.N {
				row := tracedRow{record.Time(b.Cols[0].At(i).Int), string(b.Cols[1].At(i).Append(nil, time.UTC))}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// traceAttempt adds rows to t for one attempt f of the crawl c to fetch a URL:
// one row for each stage of the attempt, such as fetching and writing. written
// has, for the time of each capture of the URL, how the capture differs from
// the one before; see trace.changes.
func traceAttempt(t *session.Table, c *report.Crawl, f *report.Fetch, written map[record.Time]string) {
	add := func(stage report.Stage, decision, reason string) {
		t.Add(value.OfText(c.Name), value.OfText(stage.String()), value.OfTime(f.Time), value.OfFloat(float64(f.Took[stage].Microseconds())/1000),
			value.OfText(decision), value.TextOrNull(reason))
	}
	unasked := f.Bytes < 0 && (f.Outcome == report.OutcomeFiltered || f.Outcome == report.OutcomeRobotsDenied)
	if unasked {
		add(report.StagePrefetch, "left out: "+f.Outcome.String(), strings.Join([]string{f.Reason, way(f.Layer, f.Via)}, "; "))
		return
	}
	why := way(f.Layer, f.Via)
	if f.RobotsLine > 0 {
		why += fmt.Sprintf("; line %d of robots.txt allows it", f.RobotsLine)
	}
	add(report.StagePrefetch, "to be fetched", why)
	f.Took[report.StageFetch] = max(f.Took[report.StageFetch], f.Elapsed)
	answer := f.Reason
	if f.Bytes >= 0 {
		answer = fmt.Sprintf("status %d, %s", f.Status, value.Counted(f.Bytes, "byte"))
		if f.IP != "" {
			answer += " from " + f.IP
		}
		if f.Reason != "" {
			answer += "; " + f.Reason
		}
	}
	add(report.StageFetch, f.Outcome.String(), answer)
	if f.Bytes < 0 {
		return
	}
	if s := f.Shown; s != nil {
		decision, reason := "not shown in a browser", s.Why
		if s.Rendered {
			decision = "shown in a browser"
			reason += fmt.Sprintf("; %s answered, %s refused", value.Counted(s.Parts, "part"), value.Counted(s.Refused, "part"))
			if s.Gained {
				reason += "; it has more than the response"
			}
		}
		add(report.StageFetch, decision, reason)
	}
	if f.Took[report.StageExtract] > 0 {
		add(report.StageExtract, fmt.Sprintf("links: %d", f.Links), "")
	}
	change, there := written[f.Time]
	switch {
	case f.Outcome == report.OutcomeFiltered:
		add(report.StageWrite, "not stored", f.Reason)
	case !there:
		add(report.StageWrite, "not in the archive", "it asks to be tried again, is not yet published, came from the archive, or has a body that the block-list keeps out")
	case change == record.ChangeSame.String():
		add(report.StageWrite, "a visit", "it had not changed")
	default:
		add(report.StageWrite, "a version", "change "+change)
	}
	add(report.StagePost, fmt.Sprintf("queued: %d", f.Queued), fmt.Sprintf("left out: %d; the others were met before", f.LeftOut))
}

// way returns how a crawl found a URL, such as "layer 2, found on
// http://a.example/", or "a seed" if via is empty. via is the page with the
// link, and layer how many links away from a seed the URL is.
func way(layer int, via string) string {
	if via == "" {
		return "a seed"
	}
	return fmt.Sprintf("layer %d, found on %s", layer, via)
}

// whyNotMet returns why the crawl c never met the URL: the rule of the crawl
// that excludes it, or that no page led to it. It returns "" if the reason is
// not known.
func (r *trace) whyNotMet(c *report.Crawl, blocked string) string {
	if blocked != "" {
		return "it would be left out: " + blocked
	}
	st, err := lang.ParseOne(c.Statement, "")
	if err != nil {
		return ""
	}
	was, ok := st.(*ast.Crawl)
	if !ok || was.Due || was.Query != nil && len(was.Within) == 0 {
		return "" // it fetches from the hosts of its seeds, which are not in the statement
	}
	again := &crawl{s: r.s, st: was}
	if err := again.readOptions(); err != nil {
		return ""
	}
	why, err := r.s.Crawler().Refuses(again.o, r.url)
	switch {
	case err != nil:
		return ""
	case why != "":
		return "it would be left out: " + why
	case c.State == report.CrawlFinished:
		return "no page of the crawl led to it"
	}
	return "no page of the crawl has led to it yet"
}

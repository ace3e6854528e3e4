package exec_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/store/record"
)

// The model answers time clauses over a list of events the plain way: for every
// URL it makes all versions, throws away what the range hides, and picks.

// event is one capture as the model knows it. Equal bodies and statuses are the
// same state.
type event struct {
	url    string
	time   record.Time
	status int
	body   string
	seq    int // its place among all
}

// state is one version of the model.
type state struct {
	url           string
	visits        []event // all, also those before the range
	began         record.Time
	status        int
	next, before  record.Time // NoTime if there is none
	versionBefore record.Time
}

// clause is a time clause: its text, and what it means.
type clause struct {
	text     string
	from, to record.Time // from <= time < to
	during   bool        // what was in force at from counts too
	choice   string      // "", first, latest or nearest
	period   value.Period
	asOf     record.Time
	at       bool        // the choice is AT
	until    record.Time // for AT, the end of the range without it
	within   int64       // for AT, the greatest gap in milliseconds, or -1
}

// statesOf makes the versions of all URLs, in order of URL and time, of the
// events before to.
func statesOf(events []event, to record.Time) []state {
	var states []state
	for i, e := range events { // events are sorted by URL and time
		if e.time >= to {
			continue
		}
		last := len(states) - 1
		fresh := last < 0 || states[last].url != e.url
		if !fresh && events[i-1].body == e.body && events[i-1].status == e.status {
			states[last].visits = append(states[last].visits, e)
			continue
		}
		s := state{url: e.url, visits: []event{e}, began: e.time, status: e.status,
			next: record.NoTime, before: record.NoTime, versionBefore: record.NoTime}
		if !fresh {
			states[last].next = e.time
			s.before, s.versionBefore = events[i-1].time, states[last].began
		}
		states = append(states, s)
	}
	return states
}

// since is the visits at from or later.
func since(visits []event, from record.Time) []event {
	return slices.DeleteFunc(slices.Clone(visits), func(e event) bool { return e.time < from })
}

// inForce is the visits at from or later, and the last one before it if none was
// at from.
func (c clause) inForce(events []event, visits []event) []event {
	last := -1
	for _, e := range events {
		if e.url == visits[0].url && e.time <= c.from && e.time < c.to {
			last = e.seq
		}
	}
	return slices.DeleteFunc(slices.Clone(visits), func(e event) bool { return e.time < c.from && e.seq != last })
}

// pick chooses among the states of one URL.
func (c clause) pick(states []state) []state {
	if len(states) == 0 {
		return nil
	}
	switch c.choice {
	case "first":
		return states[:1]
	case "latest":
		return states[len(states)-1:]
	case "nearest":
		best := states[0]
		for _, s := range states[1:] {
			d := c.distance(s) - c.distance(best)
			if d < 0 || d == 0 && s.visits[0].time == best.visits[len(best.visits)-1].time {
				best = s // of one moment the last counts
			}
		}
		return []state{best}
	}
	return states
}

func (c clause) distance(s state) int64 {
	first, last := s.visits[0].time, s.visits[len(s.visits)-1].time
	return max(0, int64(c.period.From-last), int64(first-c.period.To)+1)
}

// chosen gives the states that the clause leaves. With begun only states that
// began in the range count; else all that were visited in it, with the visits
// that were.
func (c clause) chosen(events []event, begun bool) []state {
	var out, ofURL []state
	url := ""
	for _, s := range statesOf(events, c.to) {
		if s.url != url {
			out = append(out, c.pick(ofURL)...)
			url, ofURL = s.url, nil
		}
		switch {
		case c.during && begun && s.next != record.NoTime && s.next <= c.from:
			continue
		case c.during && begun:
		case c.during:
			s.visits = c.inForce(events, s.visits)
		case begun && s.began < c.from:
			continue
		default:
			s.visits = since(s.visits, c.from)
		}
		if len(s.visits) > 0 {
			ofURL = append(ofURL, s)
		}
	}
	out = append(out, c.pick(ofURL)...)
	if !c.at || c.within < 0 {
		return out
	}
	return slices.DeleteFunc(out, func(s state) bool {
		from, until := c.known(events, s.url)
		return from == record.NoTime || until == record.NoTime || int64(until-from) > c.within
	})
}

// known gives two visits of a URL in the range of the clause: the last one not after
// AT, and the first one not before AT.
func (c clause) known(events []event, url string) (from, until record.Time) {
	from, until = record.NoTime, record.NoTime
	for _, e := range events {
		if e.url != url || e.time >= c.until || !c.at {
			continue
		}
		if e.time <= c.asOf {
			from = e.time
		}
		if e.time >= c.asOf && until == record.NoTime {
			until = e.time
		}
	}
	return from, until
}

// knownVersions is the model's answer to modelKnown.
func (c clause) knownVersions(events []event) string {
	var b strings.Builder
	b.WriteString("url|time|known_from|known_until|gap\n")
	for _, s := range c.chosen(events, true) {
		from, until := c.known(events, s.url)
		gap := value.Value{}
		if from != record.NoTime && until != record.NoTime {
			gap = value.OfDuration(int64(until - from))
		}
		fmt.Fprintf(&b, "%s|%s|%s|%s|%s\n", s.url, day(s.began), day(from), day(until), cell(gap))
	}
	return b.String()
}

// versions is the model's answer to modelVersions.
func (c clause) versions(events []event) string {
	var b strings.Builder
	b.WriteString("url|time|last_seen|next|not_before|previous|as_of|visits|status\n")
	for _, s := range c.chosen(events, true) {
		fmt.Fprintf(&b, "%s|%s|%s|%s|%s|%s|%s|%d|%d\n", s.url, day(s.began), day(s.visits[len(s.visits)-1].time),
			day(s.next), day(s.before), day(s.versionBefore), day(c.asOf), len(s.visits), s.status)
	}
	return b.String()
}

// captures is the model's answer to modelCaptures.
func (c clause) captures(events []event) string {
	var b strings.Builder
	b.WriteString("url|time|status|version_time\n")
	for _, s := range c.chosen(events, false) {
		for _, v := range s.visits {
			fmt.Fprintf(&b, "%s|%s|%d|%s\n", s.url, day(v.time), v.status, day(s.began))
		}
	}
	return b.String()
}

// pages is the model's answer to modelPages.
func (c clause) pages(events []event) string {
	var b strings.Builder
	b.WriteString("url|first_seen|last_seen|version_count|status\n")
	states := c.chosen(events, false)
	for i := 0; i < len(states); {
		j := i
		for j < len(states) && states[j].url == states[i].url {
			j++
		}
		last := states[j-1].visits[len(states[j-1].visits)-1]
		fmt.Fprintf(&b, "%s|%s|%s|%d|%d\n", states[i].url, day(states[i].visits[0].time), day(last.time), j-i, last.status)
		i = j
	}
	return b.String()
}

func day(t record.Time) string { return cell(value.OfTime(t)) }

const (
	modelVersions = "SELECT url, time, last_seen, next, not_before, previous, as_of, visits, status FROM versions "
	modelKnown    = "SELECT url, time, known_from, known_until, gap FROM versions "
	modelCaptures = "SELECT url, time, status, version_time FROM captures "
	modelPages    = "SELECT url, first_seen, last_seen, version_count, status FROM pages "
)

// modelStart is the first day of the random events.
var modelStart = at("2008-05-28")

// drawEvents makes a few URLs' lives: days on which they were captured, and what
// was found, which often is what was found before.
func drawEvents(t *rapid.T) []event {
	urls := []string{"http://a.cn/", "http://a.cn/b", "http://b.a.cn/", "https://b.a.cn/"}
	n := rapid.IntRange(0, 30).Draw(t, "events")
	events := make([]event, n)
	for i := range events {
		at := modelStart + record.Time(rapid.IntRange(0, 100).Draw(t, "day"))*day1
		if rapid.Bool().Draw(t, "later") {
			at += record.Time(rapid.IntRange(0, 2).Draw(t, "ms")) * (day1 - 1) / 2
		}
		events[i] = event{
			url:    rapid.SampledFrom(urls).Draw(t, "url"),
			time:   at,
			status: rapid.SampledFrom([]int{200, 200, 200, 404}).Draw(t, "status"),
			body:   rapid.SampledFrom([]string{"x", "x", "y"}).Draw(t, "body"),
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.url, b.url), cmp.Compare(a.time, b.time))
	})
	for i := range events {
		events[i].seq = i
	}
	return events
}

// eventsArchive is an archive of events that hands out small batches.
func eventsArchive(t *rapid.T, events []event) *relationtest.Archive {
	captures := make([]relationtest.Capture, len(events))
	for i, e := range events {
		captures[i] = relationtest.Capture{URL: e.url, Time: e.time, Status: e.status, Mime: html, Body: e.body}
	}
	a := relationtest.New(captures...)
	a.BatchRows = rapid.IntRange(1, 7).Draw(t, "batch")
	return a
}

const day1 = record.Time(24 * 60 * 60 * 1000)

// drawPeriod makes a day, a month or a moment, as written and as meant.
func drawPeriod(t *rapid.T, label string) (string, value.Period) {
	when := (modelStart + record.Time(rapid.IntRange(-3, 103).Draw(t, label))*day1).Std()
	layout := rapid.SampledFrom([]string{"2006-01-02", "2006-01", "2006-01-02T15:04:05"}).Draw(t, label+" unit")
	text := when.Format(layout)
	p, err := value.ParsePeriod(text, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return text, p
}

// drawClause makes a time clause: a range or none, and a choice or none, in
// either order.
func drawClause(t *rapid.T) clause {
	c := clause{from: record.MinTime, to: record.MaxTime + 1, asOf: record.NoTime}
	a, pa := drawPeriod(t, "a")
	b, pb := drawPeriod(t, "b")
	if pb.From < pa.From {
		a, b, pa, pb = b, a, pb, pa
	}
	bounds := ""
	switch rapid.SampledFrom([]string{"none", "between", "during", "from", "since", "until"}).Draw(t, "range") {
	case "between":
		bounds, c.from, c.to = "BETWEEN "+a+" AND "+b, pa.From, pb.To
	case "during":
		bounds, c.from, c.to, c.during = "DURING "+a+" AND "+b, pa.From, pb.To, true
	case "from":
		if pa.From < pb.From {
			bounds, c.from, c.to = "FROM "+a+" TO "+b, pa.From, pb.From
		}
	case "since":
		bounds, c.from = "SINCE "+a, pa.From
	case "until":
		bounds, c.to = "UNTIL "+b, pb.To
	}
	choice := c.drawChoice(t)
	if rapid.Bool().Draw(t, "choice first") {
		c.text = choice + " " + bounds
	} else {
		c.text = bounds + " " + choice
	}
	return c
}

// drawChoice draws the choice and gives its text.
func (c *clause) drawChoice(t *rapid.T) string {
	text, p := drawPeriod(t, "t")
	switch rapid.SampledFrom([]string{"none", "at", "nearest", "first", "latest"}).Draw(t, "choice") {
	case "at":
		c.at, c.until, c.within = true, c.to, -1
		c.choice, c.asOf, c.to = "latest", p.To-1, min(c.to, p.To)
		text = rapid.SampledFrom([]string{"AT ", "AS OF "}).Draw(t, "word") + text
		if rapid.Bool().Draw(t, "within") {
			days := rapid.IntRange(0, 30).Draw(t, "days apart")
			c.within = int64(days) * int64(day1)
			text += fmt.Sprintf(" WITHIN %dd", days)
		}
		return text
	case "nearest":
		c.choice, c.asOf, c.period = "nearest", p.From, p
		return "NEAREST " + text
	case "first":
		c.choice = "first"
		return "FIRST"
	case "latest":
		c.choice = "latest"
		return "LATEST"
	}
	return ""
}

// checkModel asks an archive that holds events about versions, captures and
// pages under a clause, and compares with the model.
func checkModel(t *rapid.T, a session.Archive, events []event, c clause) {
	s := newSession(a)
	for _, q := range []struct{ src, want string }{
		{modelVersions + c.text, c.versions(events)},
		{modelKnown + c.text, c.knownVersions(events)},
		{modelCaptures + c.text, c.captures(events)},
		{modelPages + c.text, c.pages(events)},
		{"SELECT count(*) FROM versions " + c.text, fmt.Sprintf("count(*)\n%d\n", strings.Count(c.versions(events), "\n")-1)},
		{modelCaptures + c.text + " WHERE time BETWEEN 2008-06 AND 2008-07", onlyJuneJuly(c.captures(events))},
		{modelVersions + c.text + " WHERE time >= 2008-06 AND time < 2008-08", onlyJuneJuly(c.versions(events))},
	} {
		got, _, err := ask(s, q.src)
		if err != nil {
			t.Fatalf("%s: %v", q.src, err)
		}
		if got != q.want {
			t.Fatalf("%s\nevents %v\ngot\n%swant\n%s", q.src, events, got, q.want)
		}
	}
}

// onlyJuneJuly keeps the header and the rows whose second column lies in June or
// July: WHERE asks what the time clause has left.
func onlyJuneJuly(rows string) string {
	lines := strings.SplitAfter(rows, "\n")
	keep := lines[:1]
	for _, l := range lines[1:] {
		f := strings.Split(l, "|")
		if len(f) > 1 && (strings.HasPrefix(f[1], "2008-06") || strings.HasPrefix(f[1], "2008-07")) {
			keep = append(keep, l)
		}
	}
	return strings.Join(keep, "")
}

// TestModel asks random questions about random histories: every clause alone
// and together with the others agrees with the model.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t)
		a := eventsArchive(t, events)
		for range 10 {
			checkModel(t, archive{a}, events, drawClause(t))
		}
	})
}

// TestDuringAtItsStart shows that a page has the versions of all visits at the
// very start of DURING, though only the last of them is in force for a moment.
func TestDuringAtItsStart(t *testing.T) {
	start := at("2008-06-01")
	bodies := []string{"x", "y", "x"}
	times := []record.Time{at("2008-05-28"), start, start}
	events, captures := make([]event, len(bodies)), make([]relationtest.Capture, len(bodies))
	for i, body := range bodies {
		events[i] = event{url: "http://a.cn/", time: times[i], status: 200, body: body, seq: i}
		captures[i] = relationtest.Capture{URL: "http://a.cn/", Time: times[i], Status: 200, Mime: html, Body: body}
	}
	c := clause{from: start, to: at("2008-06-03"), during: true, asOf: record.NoTime, text: "DURING 2008-06-01 AND 2008-06-02"}
	for _, q := range []struct{ src, want string }{
		{modelVersions, c.versions(events)},
		{modelCaptures, c.captures(events)},
		{modelPages, c.pages(events)},
	} {
		got, _, err := ask(newSession(archive{relationtest.New(captures...)}), q.src+c.text)
		if got != q.want || err != nil {
			t.Errorf("%s\ngot\n%swant\n%s%v", q.src+c.text, got, q.want, err)
		}
	}
}

// TestEachModel shows that EACH gives what AT gives for every period.
func TestEachModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t)
		last := record.MinTime
		for _, e := range events {
			last = max(last, e.time)
		}
		a := eventsArchive(t, events)
		c := drawClause(t)
		for c.choice != "" {
			c = drawClause(t)
		}
		unit := rapid.SampledFrom([]string{"year", "month", "week", "day"}).Draw(t, "unit")
		to := c.to
		if to > record.MaxTime {
			to = last + 1
		}
		var want, states []string
		for p := value.PeriodAt(unit, max(c.from, modelStart), time.UTC); p.From < to && len(events) > 0; p = value.PeriodAt(unit, p.To, time.UTC) {
			of := c
			of.choice, of.to, of.asOf = "latest", min(c.to, p.To), p.To-1
			of.at, of.until, of.within = true, to, -1
			want = append(want, strings.Split(strings.TrimSpace(of.knownVersions(events)), "\n")[1:]...)
			states = append(states, strings.Split(strings.TrimSpace(of.versions(events)), "\n")[1:]...)
		}
		urlOf := func(line string) string { return line[:strings.IndexByte(line, '|')] }
		for _, q := range []struct {
			src  string
			want []string
		}{{modelVersions, states}, {modelKnown, want}} {
			slices.SortStableFunc(q.want, func(a, b string) int { return cmp.Compare(urlOf(a), urlOf(b)) })
			src := q.src + c.text + " EACH " + unit
			got, _, err := ask(newSession(archive{a}), src)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			if rows := strings.Split(strings.TrimSpace(got), "\n")[1:]; !slices.Equal(rows, q.want) {
				t.Fatalf("%s\nevents %v\ngot\n%s\nwant\n%s", src, events, strings.Join(rows, "\n"), strings.Join(q.want, "\n"))
			}
		}
	})
}

// TestNoArchive shows that a question to an archive that is not there is an error.
func TestNoArchive(t *testing.T) {
	a := relationtest.New()
	a.Missing = true
	_, _, err := ask(newSession(archive{a}), "SELECT url FROM captures")
	var none *session.NoArchiveError
	if !errors.As(err, &none) || none.Path != a.Path() {
		t.Errorf("got error %v, want one that no archive is at %s", err, a.Path())
	}
	if _, err := (archive{a}).Snapshot(context.Background()); err != nil {
		t.Error(err)
	}
}

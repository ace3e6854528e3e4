package relation

import (
	"slices"
	"sort"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words/match"
	"infomall/store/words/term"
)

// Request says what a query reads of a relation: which columns, and which rows.
// Rows are selected by URL (Ranges and Match), by time (Window and During) and
// by version (Choice).
type Request struct {
	Relation *Relation
	// Fields are the columns to read, in the order of the batch. Late columns,
	// which need stored pages, are NULL until a Payload node of the plan has
	// filled them.
	Fields []*Column
	// Refs adds the relation's hidden columns, of type Int, after Fields. They
	// say from which capture a row was made, and Payload nodes need them.
	Refs bool

	Scope  string         // as printed by EXPLAIN; "" means everything
	Ranges []urlkey.Range // of URL keys, sorted and disjoint; nil means everything
	// InScope are the ranges of the scope, as they were before WHERE or a join reduced Ranges.
	InScope []urlkey.Range
	// Targets and To select links in the relation links by the key of their target. Targets are
	// ranges that contain the key, and To is a test of the key; nil means all.
	Targets []urlkey.Range
	To      func(key string) bool
	Match   func(key string) bool // also tests each key; nil if Ranges say all
	// Narrowed reports that WHERE has made Ranges smaller than Scope.
	Narrowed bool
	Window   Window
	// During is the start of a DURING clause, which also selects the versions
	// that were valid at that moment, whenever they began. Window then has no
	// start. Without a DURING clause, During is record.MinTime.
	During record.Time
	Choice Choice
	// Known is the time of KNOWN AT: the query sees only what had been added by then. 0 means that
	// it sees everything.
	Known record.Time
	// Unit is the unit of periods(unit), such as "month".
	Unit string
	// Question is the search query of findings('words'); it is nil for other relations.
	Question *match.Query
	// Terms are the terms that a query of the relation terms wants; nil means all.
	Terms *term.Set
	// Watch and Batch select rows of the relation watched. Watch is the name of a watch (a stored
	// query that runs again and again); "" means all. Batch is the number of one of its runs with
	// new rows; 0 means all.
	Watch string
	Batch int64
	// Best, if above 0, says that the query of the relation findings wants only this many rows, those
	// with the highest scores. The relation may then leave out other rows.
	Best int64
	// ByURL says that Best is above 0, and that of findings with equal scores the query wants those whose
	// URL comes first.
	ByURL bool
	// Changed reports that the query keeps only rows whose column changed is
	// true. The relation may then leave out other rows.
	Changed bool
	// Sampled, if above 0, reads only a sample of URLs: those whose urlkey.Level is at least
	// Sampled.
	Sampled int
	// Once reads one row per URL. All Fields must be computed from the URL alone.
	Once bool
	// Raw asks for the raw form of the columns that have one.
	Raw bool
	// Keys asks for keys in place of URLs, in the columns for which Column.Keyed is true.
	Keys bool
	// Tally is not nil if the rows are only counted or grouped.
	Tally *Tally
	// Level and Profile say how pages are divided into blocks, as in Env.
	Level   int
	Profile string
	// Collapse asks the relation findings to join the findings of the forms of a URL, and
	// of near-copies. Zone is the time zone in which the session names months; nil is UTC.
	Collapse bool
	Zone     *time.Location
	// Work, if not nil, counts what the scan of captures reads.
	Work *record.Work
}

// Joins reports whether a row of n may depend on captures of URLs other than its own. Then a
// condition on URLs must not reduce Ranges.
func (n *Request) Joins() bool { return n.Question != nil && n.Collapse }

// zone returns n.Zone, or UTC.
func (n *Request) zone() *time.Location {
	if n.Zone == nil {
		return time.UTC
	}
	return n.Zone
}

// Reads returns the time window of the captures that reading n may touch. For
// relations whose rows depend on the past of their URL, it begins before
// n.Window. If n also reads the visits after AT, see readsLater, it ends after
// n.Window.
func (n *Request) Reads() Window {
	w := n.Window
	if n.Relation.History {
		w.From = record.MinTime
	}
	if n.readsLater() {
		w.To = n.Choice.Until
	}
	return w
}

// Window is a range of capture times: From <= time < To. For the query,
// captures at To or later do not exist. Captures before From yield no rows, but
// the query sees them as the predecessors of later captures.
type Window struct {
	From, To record.Time
}

// Always is the time window that contains all times.
var Always = Window{record.MinTime, record.MaxTime + 1}

// Start returns w.From, or NoTime if w has no start.
func (w Window) Start() record.Time {
	if w.From <= record.MinTime {
		return record.NoTime
	}
	return w.From
}

// End returns w.To, or NoTime if w has no end.
func (w Window) End() record.Time {
	if w.To > record.MaxTime {
		return record.NoTime
	}
	return w.To
}

// Empty reports whether no time lies in w.
func (w Window) Empty() bool { return w.From >= w.To }

// ChoiceKind says which versions of each URL a query selects, such as the last.
type ChoiceKind uint8

// These are the kinds of choices: all versions of a URL, the first, the last,
// the one nearest to a period, or the last of each period. The clause AT
// becomes ChooseLast in a window that ends at the moment of AT.
const (
	ChooseAll ChoiceKind = iota
	ChooseFirst
	ChooseLast
	ChooseNearest
	ChooseEach // the last version of each period
)

// Choice says which versions of each URL a query selects, of those within its
// window.
type Choice struct {
	Kind   ChoiceKind
	Period value.Period   // for ChooseNearest: the version closest to it is selected
	AsOf   record.Time    // the moment that the query names, or NoTime
	Unit   string         // for ChooseEach: the unit of the periods, such as "month"
	Zone   *time.Location // for ChooseEach and periods(unit): the zone of the periods
	Text   string         // as EXPLAIN prints it
	// Until is, for AT, the end of the window that the query would have without AT. Visits between
	// AT and Until show how long the state at AT lasted.
	Until record.Time
	// Bounded reports that AT has WITHIN. Then only those chosen versions count whose gap, see
	// spanBatch.gap, is known and at most Within milliseconds.
	Bounded bool
	Within  int64
}

// at reports whether c stands for the clause AT: the last version that began by c.AsOf.
func (c Choice) at() bool { return c.Kind == ChooseLast && c.AsOf != record.NoTime }

// distance returns how many milliseconds lie between c.Period and the times
// from first to last, both included. It returns 0 if they overlap.
func (c Choice) distance(first, last record.Time) int64 {
	switch {
	case last < c.Period.From:
		return int64(c.Period.From - last)
	case first >= c.Period.To:
		return int64(first-c.Period.To) + 1 // To is not in the period
	}
	return 0
}

// Tally is set in a Request for captures or versions if the query only groups and counts
// rows, and neither their order nor their URLs matter. The source may then
// yield one row for many captures. The hidden column after the fields says how
// many. The column time of such a row is the start of the calendar unit (Unit,
// in Zone) that contains the captures, or their exact time if Unit is "".
type Tally struct {
	Unit string
	Zone *time.Location
	// Ends reports that the query reads only the first and the last time of
	// each group.
	Ends bool
	// Words are columns that say whether a page has words. Only rows in which all of them are true
	// count.
	Words []*Column
}

// Index returns the index in n.Fields of the column with this name, or -1 if n
// does not read it.
func (n *Request) Index(name string) int {
	return slices.IndexFunc(n.Fields, func(f *Column) bool { return f.Name == name })
}

// Asks reports whether at least one of the columns with these names is in
// n.Fields.
func (n *Request) Asks(names ...string) bool {
	return slices.ContainsFunc(n.Fields, func(f *Column) bool { return slices.Contains(names, f.Name) })
}

// Hidden returns how many hidden columns follow the fields in a batch: the
// refs, which say from which capture a row was made, or the count of a Tally.
// It returns 0 if n asks for neither.
func (n *Request) Hidden() int {
	switch {
	case n.Tally != nil:
		return 1
	case n.Refs:
		return n.Relation.RefColumns
	}
	return 0
}

// Scan returns the scan of captures that reads what n selects. It reads the
// columns in needs, and those from which n's fields are computed.
func (n *Request) Scan(needs record.Columns) record.Scan {
	for _, f := range n.Fields {
		needs |= f.Needs
	}
	s := record.Scan{Ranges: n.Ranges, From: n.Window.From, To: n.Window.To, Columns: needs, Level: n.Sampled, Work: n.Work}
	if match := n.Match; match != nil {
		s.Skip = func(key, _ string) bool { return !match(key) }
	}
	return s
}

// urlScan returns a scan that reads each URL that n selects once. n.Once must be set.
func (n *Request) urlScan() record.Scan {
	s := n.Scan(0)
	s.Columns, s.Once = 0, true
	return s
}

// counted returns the tally, a scan that counts captures, that reads what n
// selects. n.Tally must be set.
func (n *Request) counted() record.Tally {
	t := record.Tally{Scan: n.Scan(0), Time: n.Index("time") >= 0, Host: n.Index("host") >= 0 || n.Index("domain") >= 0}
	if unit, zone := n.Tally.Unit, n.Tally.Zone; unit != "" {
		t.Period = func(t record.Time) (from, to record.Time) {
			p := value.PeriodAt(unit, t, zone)
			return max(p.From, record.MinTime), p.To
		}
	}
	t.Ends = n.Tally.Ends
	return t
}

// linksOf returns a request for all links, of any URL, in the time that n
// selects. It is for counting the links to and from the pages of n.
func linksOf(n *Request) *Request {
	return &Request{Relation: Links, Window: n.Window, During: n.During, Choice: n.Choice, Known: n.Known, Level: n.Level, Profile: n.Profile}
}

// Within returns a copy of n whose ranges of URL keys are reduced to what lies
// in ranges too. ranges must be sorted and disjoint.
func (n *Request) Within(ranges []urlkey.Range) *Request {
	less := *n
	less.Ranges = ranges
	if n.Ranges != nil {
		less.Ranges = urlkey.Common(n.Ranges, ranges)
	}
	return &less
}

// whole returns a copy of n that reads its whole scope, whatever reduced n.Ranges.
func (n *Request) whole() *Request {
	all := *n
	all.Ranges = n.InScope
	return &all
}

// Covers reports whether the URL lies in the scope of n, and the time t in its window.
func (n *Request) Covers(url string, t record.Time) bool {
	if t < n.Window.From || t >= n.Window.To {
		return false
	}
	if n.Ranges == nil {
		return true
	}
	key := urlkey.Key(url)
	if n.Match != nil && !n.Match(key) {
		return false
	}
	// The ranges are sorted and disjoint: only the last one that begins up to the key can contain it.
	i := sort.Search(len(n.Ranges), func(i int) bool { return n.Ranges[i].From > key })
	return i > 0 && n.Ranges[i-1].Contains(key)
}

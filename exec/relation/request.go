package relation

import (
	"slices"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Request says what a query reads of a relation: which columns, and which rows.
type Request struct {
	Relation *Relation
	// Fields are the columns to read, in the order of the batch. Late columns
	// are NULL until a Payload above has filled them.
	Fields []*Column
	// Refs adds the relation's hidden Int columns after Fields, for Payload:
	// they say from which capture a row was made.
	Refs bool

	Scope  string                // as printed by EXPLAIN; "" means everything
	Ranges []urlkey.Range        // of URL keys, sorted and disjoint; nil means everything
	Match  func(key string) bool // also tests each key; nil if Ranges say all
	// Narrowed reports that WHERE has made Ranges smaller than Scope.
	Narrowed bool
	Window   Window
	// During is the start of a DURING clause, which also selects the versions
	// in force at that moment. Window then has no start. Without DURING it is
	// record.MinTime.
	During record.Time
	Choice Choice
	// Unit is the unit of periods(unit), such as "month".
	Unit string
	// Changed reports that the query keeps only rows whose column changed is
	// true, so the relation may leave out others.
	Changed bool
	// Tally is not nil if the rows are only counted or grouped.
	Tally *Tally
	// Level and Profile say how pages are divided into blocks, as in Env.
	Level   int
	Profile string
}

// Reads returns the times of the captures that n may have to read. It is longer
// than the window for relations whose rows depend on the URL's past.
func (n *Request) Reads() Window {
	w := n.Window
	if n.Relation.History {
		w.From = record.MinTime
	}
	return w
}

// Window is a range of capture times: From <= time < To. Captures at To or
// later do not exist for the query. Captures before From exist, as predecessors
// of others, but yield no rows.
type Window struct {
	From, To record.Time
}

// Always is the window that contains all times.
var Always = Window{record.MinTime, record.MaxTime + 1}

// Empty reports whether w contains no time.
func (w Window) Empty() bool { return w.From >= w.To }

// ChoiceKind says which versions of each URL a query selects.
type ChoiceKind uint8

// The choices. AT is ChooseLast in a window that ends at the given moment.
const (
	ChooseAll ChoiceKind = iota
	ChooseFirst
	ChooseLast
	ChooseNearest
	ChooseEach // the last version of each period
)

// Choice selects versions of each URL within the window.
type Choice struct {
	Kind   ChoiceKind
	Period value.Period   // for ChooseNearest: the version closest to it is selected
	AsOf   record.Time    // the moment that the query names, or NoTime
	Unit   string         // for ChooseEach: the unit of the periods, such as "month"
	Zone   *time.Location // for ChooseEach and periods(unit): the zone of the periods
	Text   string         // as EXPLAIN prints it
}

// Distance returns how far the times from first to last are from c.Period, in
// milliseconds: 0 if they overlap, otherwise the least distance between a time
// of each.
func (c Choice) Distance(first, last record.Time) int64 {
	switch {
	case last < c.Period.From:
		return int64(c.Period.From - last)
	case first >= c.Period.To:
		return int64(first-c.Period.To) + 1 // To is not in the period
	}
	return 0
}

// Tally says that the query only groups the rows of a Source of captures, and
// that neither their order nor their URLs matter. The source then may yield one
// row for many captures: the hidden column after the fields says how many. The
// column time is the start of the Unit in Zone that contains the captures, or
// the exact time if Unit is "".
type Tally struct {
	Unit string
	Zone *time.Location
	// Ends reports that only the first and the last time of each group matter.
	Ends bool
}

// Index returns the index of a column among n's fields, or -1.
func (n *Request) Index(name string) int {
	return slices.IndexFunc(n.Fields, func(f *Column) bool { return f.Name == name })
}

// Asks reports whether n has one of these columns among its fields.
func (n *Request) Asks(names ...string) bool {
	return slices.ContainsFunc(n.Fields, func(f *Column) bool { return slices.Contains(names, f.Name) })
}

// Hidden returns how many hidden columns follow the fields: the refs, or the
// count of a Tally.
func (n *Request) Hidden() int {
	switch {
	case n.Tally != nil:
		return 1
	case n.Refs:
		return n.Relation.RefColumns
	}
	return 0
}

// Scan returns the scan of captures that n reads. It fills the columns in needs
// and those that n's fields are computed from.
func (n *Request) Scan(needs record.Columns) record.Scan {
	for _, f := range n.Fields {
		needs |= f.Needs
	}
	s := record.Scan{Ranges: n.Ranges, From: n.Window.From, To: n.Window.To, Columns: needs}
	if match := n.Match; match != nil {
		s.Skip = func(key, _ string) bool { return !match(key) }
	}
	return s
}

// Counted returns the tally of captures that n reads. n.Tally must be set.
func (n *Request) Counted() record.Tally {
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

// linksOf returns the request for all links of the pages that existed in the
// time that n selects, for counting the links of pages.
func linksOf(n *Request) *Request {
	return &Request{Relation: Links, Window: n.Window, During: n.During, Choice: n.Choice, Level: n.Level, Profile: n.Profile}
}

// Within returns a copy of n that reads only what lies in ranges, which are
// sorted and disjoint.
func (n *Request) Within(ranges []urlkey.Range) *Request {
	less := *n
	less.Ranges = ranges
	if n.Ranges != nil {
		less.Ranges = Intersect(n.Ranges, ranges)
	}
	return &less
}

// Intersect returns the Intersection of two lists of sorted, disjoint ranges.
// The result is not nil, because nil would mean everything.
func Intersect(a, b []urlkey.Range) []urlkey.Range {
	out := []urlkey.Range{}
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		both := urlkey.Range{From: max(x.From, y.From), To: lowerEnd(x.To, y.To)}
		if both.To == "" || both.From < both.To {
			out = append(out, both)
		}
		if both.To == x.To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// lowerEnd returns the lower of two ends of ranges. "" is the highest end.
func lowerEnd(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

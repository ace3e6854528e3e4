package ast

// TimeClause is the time clause of a source: a range such as SINCE 2008, a
// choice such as LATEST, and KNOWN AT, each of which may be absent. The source
// may have them in any order. The choice picks from the versions within the
// range. KNOWN AT makes the source read what the archive had at an earlier time.
type TimeClause struct {
	Range  *TimeRange  // nil if absent
	Choice *TimeChoice // nil if absent
	Known  Expr        // the time after KNOWN AT; nil if absent
}

// Timed reports whether t has a range or a choice.
func (t *TimeClause) Timed() bool { return t.Range != nil || t.Choice != nil }

// RangeOp is the form of a time range, such as BETWEEN.
type RangeOp uint8

// The forms of a time range. Each bound, a or b, is a period such as 2008-06, with
// a start and an end.
const (
	RangeBetween RangeOp = iota // BETWEEN a AND b: from the start of a to the end of b
	RangeFromTo                 // FROM a TO b: from the start of a to the start of b, which is excluded
	RangeSince                  // SINCE a: from the start of a
	RangeUntil                  // UNTIL b: to the end of b
	RangeDuring                 // DURING a AND b: BETWEEN, and the last version before the start of a
)

// TimeRange is a time range such as BETWEEN a AND b. It limits captures by
// their time. A is nil for RangeUntil; B is nil for RangeSince.
type TimeRange struct {
	Span
	Op   RangeOp
	A, B Expr
}

func (r *TimeRange) String() string { return text(r) }

func (r *TimeRange) print(p *printer) {
	switch r.Op {
	case RangeBetween:
		p.clause("BETWEEN ", r.A)
		p.clause(" AND ", r.B)
	case RangeFromTo:
		p.clause("FROM ", r.A)
		p.clause(" TO ", r.B)
	case RangeSince:
		p.clause("SINCE ", r.A)
	case RangeUntil:
		p.clause("UNTIL ", r.B)
	case RangeDuring:
		p.clause("DURING ", r.A)
		p.clause(" AND ", r.B)
	}
}

func (r *TimeRange) children(l nodes) nodes { return l.exprs(r.A, r.B) }

// ChoiceOp is the form of a time choice, such as LATEST.
type ChoiceOp uint8

// The forms of a time choice, with the version that each form picks.
const (
	ChoiceAt      ChoiceOp = iota // AT t, AS OF t: the last version that began by the end of t
	ChoiceNearest                 // NEAREST t: the version that was seen nearest to t
	ChoiceFirst                   // FIRST: the first version
	ChoiceLatest                  // LATEST: the last version
	ChoiceEach                    // EACH unit: for each unit of the range, the version that AT picks
)

// TimeChoice is a time choice such as LATEST. It picks one version of each URL.
// EACH picks one version of each URL for each year, month, week or day.
type TimeChoice struct {
	Span
	Op   ChoiceOp
	T    Expr   // the time of AT and NEAREST, or the parameter of EACH $name, a *Param; otherwise nil
	Unit string // the unit of EACH, one of PeriodUnits; "" for EACH $name and other forms
	// Within is the duration in AT t WITHIN d: the version counts only if the last
	// visit before t and the first one after it are at most this far apart. It is nil
	// without WITHIN.
	Within Expr
}

func (c *TimeChoice) String() string { return text(c) }

func (c *TimeChoice) print(p *printer) {
	switch c.Op {
	case ChoiceAt:
		p.clause("AT ", c.T)
		p.clause(" WITHIN ", c.Within)
	case ChoiceNearest:
		p.clause("NEAREST ", c.T)
	case ChoiceFirst:
		p.WriteString("FIRST")
	case ChoiceLatest:
		p.WriteString("LATEST")
	case ChoiceEach:
		p.words("EACH ", c.Unit)
		p.clause("", c.T)
	}
}

func (c *TimeChoice) children(l nodes) nodes { return l.exprs(c.T, c.Within) }

// PeriodUnits lists the words for units of time that EACH and periods(unit)
// accept.
var PeriodUnits = []string{"year", "month", "week", "day"}

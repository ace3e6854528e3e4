package ast

// TimeClause is a range, a choice, both or neither, in either order in the source.
// The choice picks from the versions within the range.
type TimeClause struct {
	Range  *TimeRange  // nil if absent
	Choice *TimeChoice // nil if absent
}

// RangeOp is the form of a time range.
type RangeOp uint8

// The forms of a time range. Each bound is a period, with a start and an end.
const (
	RangeBetween RangeOp = iota // BETWEEN a AND b: from the start of a to the end of b
	RangeFromTo                 // FROM a TO b: from the start of a to the start of b, which is excluded
	RangeSince                  // SINCE a: from the start of a
	RangeUntil                  // UNTIL b: to the end of b
	RangeDuring                 // DURING a AND b: BETWEEN, and the last version before the start of a
)

// TimeRange limits captures by their time. A is nil for RangeUntil, B for
// RangeSince.
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

// ChoiceOp is the form of a time choice.
type ChoiceOp uint8

// The forms of a time choice, with the version that each picks.
const (
	ChoiceAt      ChoiceOp = iota // AT t, AS OF t: the last one not after the end of t
	ChoiceNearest                 // NEAREST t: the one nearest to t
	ChoiceFirst                   // FIRST
	ChoiceLatest                  // LATEST
	ChoiceEach                    // EACH unit: for each unit of the range, the one that AT picks
)

// TimeChoice picks one version of each URL. EACH picks one version of each URL
// for each year, month, week or day.
type TimeChoice struct {
	Span
	Op   ChoiceOp
	T    Expr   // of AT and NEAREST; otherwise nil
	Unit string // of EACH: one of PeriodUnits; otherwise ""
}

func (c *TimeChoice) String() string { return text(c) }

func (c *TimeChoice) print(p *printer) {
	switch c.Op {
	case ChoiceAt:
		p.clause("AT ", c.T)
	case ChoiceNearest:
		p.clause("NEAREST ", c.T)
	case ChoiceFirst:
		p.WriteString("FIRST")
	case ChoiceLatest:
		p.WriteString("LATEST")
	case ChoiceEach:
		p.words("EACH ", c.Unit)
	}
}

func (c *TimeChoice) children(l nodes) nodes { return l.exprs(c.T) }

// PeriodUnits lists the words that EACH and periods(unit) take.
var PeriodUnits = []string{"year", "month", "week", "day"}

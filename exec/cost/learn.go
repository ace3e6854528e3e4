package cost

import (
	"time"

	"infomall/exec/plan"
	"infomall/store/record"
)

// Actual is what a node of a plan did when the plan ran.
type Actual struct {
	Rows  int64         // rows that the node yielded
	Time  time.Duration // time spent in the node and the nodes below it
	Ended bool          // the node yielded its last row; nobody stopped it before
}

const (
	// A plan is learned from each of the first learnTimes times that it runs. After that, it is
	// learned from only if learning takes at most 1/learnShare of the time of the plan.
	learnTimes = 3
	learnShare = 400
	// A plan that took less than learnShort is not learned from any more after its shape was
	// measured learnTimes times. If it were, a shell would take a twentieth more CPU time for each
	// SEARCH with new words, and a process that runs one SEARCH would write the file of corrections.
	learnShort = 100 * time.Millisecond
	// A Filter that was stopped early must have got sureRows rows. With fewer, the share
	// of rows that it kept is not learned.
	sureRows = 200
)

// Worth reports whether it pays to learn from the plan n, which ran for the time took.
// Learning takes about as long as the last estimate took.
func (r *Rates) Worth(n plan.Node, took time.Duration) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	estimate := r.took
	r.mu.Unlock()
	if took >= learnShare*estimate && estimate > 0 {
		return true
	}
	name := nameOf("time", sameText(n), shapeText(n))
	return r.seen(name.same) < learnTimes && (took >= learnShort || r.seen(name.shape) < learnTimes)
}

// Learn adjusts the corrections in r to what a plan with the estimate e did when it ran. of
// returns what each node did. read says what the plan read from the archive. fresh reports
// that nothing the plan read was in the cache of decoded runs when the plan began.
func (r *Rates) Learn(e *Estimate, of func(plan.Node) Actual, read record.ReadStats, fresh bool) {
	ended := true
	for i := range e.Parts {
		p := &e.Parts[i]
		a := of(p.Node)
		ended = ended && (a.Ended || len(p.below) > 0)
		r.learnPart(e, p, a, of)
	}
	if ended && fresh {
		r.learnBytes(e, read)
	}
}

// learnPart adjusts the corrections of rows and seconds of the part p, whose node did what a
// says.
func (r *Rates) learnPart(e *Estimate, p *Part, a Actual, of func(plan.Node) Actual) {
	below, in := time.Duration(0), 0.
	for k, i := range p.below {
		b := of(e.Parts[i].Node)
		below += b.Time
		if k == 0 {
			in = float64(b.Rows)
		}
	}
	src, isSource := p.Node.(*plan.Source)
	if isSource {
		in = p.guess.rowsIn
	}
	if corrected(p.Node) && p.guess.rows > 0 {
		_, isFilter := p.Node.(*plan.Filter)
		guess := p.guess.rows
		if !isSource && p.guess.rowsIn > 0 {
			// The guess for the rows that came in.
			guess *= in / p.guess.rowsIn
		}
		if a.Ended || isFilter && in >= sureRows {
			r.measured(p.rowsN, (float64(a.Rows)+.5)/(guess+.5))
		}
	}
	if !a.Ended && isSource && src.Relation.OfStored {
		return
	}
	own := (a.Time - below).Seconds()
	guess := units(p, in, float64(a.Rows))
	if isSource && !a.Ended && p.guess.rows > 0 {
		guess *= min(1, max(float64(a.Rows)/p.guess.rows, 1/max(float64(p.Reading.Chunks), 1)))
	}
	if own > 0 && guess > 0 {
		r.measured(p.timesN, own/guess)
	}
}

// learnBytes adjusts the corrections of bytes of all parts of e to the bytes that were read.
func (r *Rates) learnBytes(e *Estimate, read record.ReadStats) {
	var index, file float64
	for i := range e.Parts {
		index += e.Parts[i].IndexBytes
		file += e.Parts[i].FileBytes
	}
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.guess.index > 0 && index > 0 && p.share > 0 {
			r.measured(p.bytesN.index(), p.IndexBytes/(p.guess.index*p.share)*(float64(read.IndexBytes)+1)/(index+1))
		}
		if p.guess.file > 0 && file > 0 && p.share > 0 {
			r.measured(p.bytesN, p.FileBytes/(p.guess.file*p.share)*(float64(read.Bytes)+1)/(file+1))
		}
	}
}

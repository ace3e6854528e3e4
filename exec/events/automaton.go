package events

import "math"

// automaton is Kleinberg's automaton with two states (KDD 2002), in batch form. In the quiet
// state a document has a word with probability q. In the burst state it has the word with
// probability ratio × q. A change to the burst state costs enter; the way back is free.
//
// All values are savings in natural units (nats) against the sequence that is always quiet.
type automaton struct {
	// cover has the sums of coverage: cover[t] is the coverage of all periods before t.
	// A period without coverage is a gap.
	cover []float64
	known int // how many periods are not gaps
	// enter is the cost of a change to the burst state: γ × ln(number of periods that are
	// not gaps).
	enter float64
}

// span is one burst: its first and last period, and what it saves after the cost of entering. n is
// the number of its documents.
type span struct {
	from, to int
	saves    float64
	n        float64
	// first and last are the indexes of the periods from and to in the series.
	first, last int
}

// newAutomaton returns an automaton for a coverage by period.
func newAutomaton(coverage []float64, cost float64) *automaton {
	a := &automaton{cover: make([]float64, len(coverage)+1)}
	for t, c := range coverage {
		if c > 0 {
			a.known++
		} else {
			c = 0
		}
		a.cover[t+1] = a.cover[t] + c
	}
	a.enter = cost * math.Log(float64(max(a.known, 2)))
	return a
}

// of returns the coverage of one period.
func (a *automaton) of(t int) float64 { return a.cover[t+1] - a.cover[t] }

// total returns the coverage of all periods.
func (a *automaton) total() float64 { return a.cover[len(a.cover)-1] }

// hits is how many documents have a word in one period.
type hits struct {
	period int32
	n      float64
	// gap is the coverage between the period before in the series and this one, and rest the
	// coverage of this period less n. measure sets them.
	gap, rest float64
}

// measure sets gap and rest of each element of a series.
func (a *automaton) measure(series []hits) {
	last := -1
	for i := range series {
		h := &series[i]
		t := int(h.period)
		h.gap = 0
		if last >= 0 {
			h.gap = a.cover[t] - a.cover[last+1]
		}
		h.rest = max(a.of(t)-h.n, 0)
		last = t
	}
}

// steps returns how much cost a document saves in the burst state: one if it has the word,
// and none if it does not, which is negative. q is the probability of the word in the quiet
// state; in the burst state the probability is ratio × q.
func steps(q, ratio float64) (one, none float64) {
	return math.Log(ratio), math.Log((1 - ratio*q) / (1 - q))
}

// bursts appends to spans the bursts of the best sequence of states for a word, in order of time.
// The series has the periods in which documents have the word, ascending, and none of them may be a
// gap. The caller has called measure for the series. one and none are the results of steps.
//
// The periods between two of the series have no document with the word. The burst state
// loses in each of them, so the best sequence changes its state only at their ends. bursts
// therefore takes them as one step. A gap has no coverage: it saves nothing and costs nothing.
//
// The best sequence of two states, with a free way back, is a set of runs of steps that each
// save more than enter. A burst begins and ends with a period of the series.
func (a *automaton) bursts(series []hits, one, none float64, spans []span) []span {
	// quiet is the best sum of a sequence that is in the quiet state after the step before.
	// burst is the best sum of one that is in the burst state; it entered at the period
	// from, after a sum of base.
	quiet, burst, base := 0.0, math.Inf(-1), 0.0
	var open span
	// best is the largest sum that the open burst has had; it ended in the period open.to.
	best := math.Inf(-1)
	for i := range series {
		h := &series[i]
		burst += h.gap * none
		if quiet-a.enter >= burst {
			// A sequence that enters here is at least as good as one that has stayed in the
			// burst state. The open burst is over if it has saved anything.
			if best > base {
				open.saves = best - base
				spans = append(spans, open)
			}
			base, burst, best = quiet, quiet-a.enter, math.Inf(-1)
			open.from, open.first = int(h.period), i
		}
		burst += h.n*one + h.rest*none
		if burst > best {
			best = burst
			open.to, open.last = int(h.period), i
			if burst > quiet {
				quiet = burst
			}
		}
	}
	if best > base {
		open.saves = best - base
		spans = append(spans, open)
	}
	return spans
}

// unitsPerNat is how many units a nat has in mayBurst, a power of 2.
const unitsPerNat = 1 << 20

// mayBurst reports whether bursts may find a burst if it is called with the same arguments. If
// there is a burst, mayBurst reports true. It is much faster than bursts, because it goes over the
// series without a branch. That pays because most words have no burst.
func (a *automaton) mayBurst(series []hits, one, none float64) bool {
	one *= unitsPerNat
	none *= unitsPerNat
	// sum is what the best burst that has not ended has saved so far, without the cost of entering,
	// or 0 if there is no such burst. Each number is rounded up, so that sum is never too small.
	sum, most := int64(0), int64(0)
	for i := range series {
		h := &series[i]
		sum += int64(h.gap*none) + 1
		sum &^= sum >> 63 // 0 if sum is negative
		sum += int64(h.n*one+h.rest*none) + 1
		most = max(most, sum)
	}
	return float64(most) > a.enter*unitsPerNat
}

// mostSaved returns an upper bound of the result of saves that is fast to compute. It replaces ln x
// by x-1, which is never less. It leaves out the periods outside of the burst, because they never
// increase the result.
func (a *automaton) mostSaved(in, n float64, from, to int) float64 {
	expected := n * (a.cover[to+1] - a.cover[from]) / a.total()
	return in*(in/expected-1) - a.enter
}

// saves returns what a burst saves after the cost of entering, if in of the n documents with
// a word are in its periods, and if the rates in the burst and outside are the rates that fit
// best. That is the logarithm of the ratio of likelihoods of Kulldorff's scan statistic
// (1997). If the burst has no higher rate than the rest, it saves nothing.
func (a *automaton) saves(in, n float64, from, to int) float64 {
	expected := n * (a.cover[to+1] - a.cover[from]) / a.total()
	if in <= expected {
		return -a.enter
	}
	s := in * math.Log(in/expected)
	if out := n - in; out > 0 {
		s += out * math.Log(out/(n-expected))
	}
	return s - a.enter
}

package events

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAutomaton compares the automaton with a search over all sequences of states, on 1,000
// random series with gaps. Both must save the same, and the bursts must be a sequence that
// saves it.
func TestAutomaton(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	bursting, quick := 0, 0 // series with bursts, and series without, as mayBurst says
	for n := range 1000 {
		coverage := make([]float64, 1+r.IntN(12))
		var series []hits
		total := 0.0
		for p := range coverage {
			if r.IntN(4) == 0 {
				continue // a gap
			}
			coverage[p] = float64(1+r.IntN(40)) * (0.5 + r.Float64())
			if docs := r.IntN(4) * r.IntN(4); docs > 0 {
				series = append(series, hits{period: int32(p), n: float64(min(docs, int(coverage[p])))})
			}
		}
		a := newAutomaton(coverage, 0.05+r.Float64())
		for _, h := range series {
			total += float64(h.n)
		}
		q := max(total, 1) / max(a.total(), 2) * (0.3 + 0.7*r.Float64())
		ratio := 1.5 + 2*r.Float64()
		if q*ratio >= rateMax {
			continue
		}
		gain := gains(a, coverage, series, q, ratio)
		want, _ := exhaustive(gain, a.enter)
		a.measure(series)
		one, none := steps(q, ratio)
		spans := a.bursts(series, one, none, nil)
		sum, again := 0.0, 0.0
		for i, s := range spans {
			sum += s.saves
			again -= a.enter
			for p := s.from; p <= s.to; p++ {
				again += gain[p]
			}
			if i > 0 && s.from <= spans[i-1].to {
				t.Fatalf("series %d: burst %v begins before %v ends", n, s, spans[i-1])
			}
		}
		if math.Abs(sum-want) > 1e-9 || math.Abs(again-want) > 1e-9 {
			t.Fatalf("series %d: coverage %v, documents %v, rate %.3f × %.3f: bursts %v save %v (sum by period %v), the best sequence saves %v", n, coverage, series, q, ratio, spans, sum, again, want)
		}
		switch may := a.mayBurst(series, one, none); {
		case len(spans) > 0 && !may:
			t.Fatalf("series %d: coverage %v, documents %v, rate %.3f × %.3f: mayBurst says that there is no burst, got %v", n, coverage, series, q, ratio, spans)
		case len(spans) > 0:
			bursting++
		case !may:
			quick++
		}
	}
	if bursting < 300 || quick < 150 {
		t.Fatalf("of 1,000 series %d have bursts, and mayBurst says of %d that they have none: the test shows little", bursting, quick)
	}
}

// gains returns what the burst state saves in each period, as in the definition: the
// logarithm of the ratio of two binomial likelihoods, and nothing in a gap.
func gains(a *automaton, coverage []float64, series []hits, q, ratio float64) []float64 {
	g := make([]float64, len(coverage))
	docs := make([]float64, len(coverage))
	for _, h := range series {
		docs[h.period] = float64(h.n)
	}
	for p, d := range coverage {
		if d > 0 {
			quiet := docs[p]*math.Log(q) + (d-docs[p])*math.Log(1-q)
			burst := docs[p]*math.Log(q*ratio) + (d-docs[p])*math.Log(1-q*ratio)
			g[p] = burst - quiet
		}
	}
	return g
}

// exhaustive returns the most that any of the sequences of states saves, and the sequence as
// bits. A change to the burst state costs enter, also in the first period.
func exhaustive(gain []float64, enter float64) (best float64, states uint) {
	for s := range uint(1) << len(gain) {
		sum := 0.0
		for p, g := range gain {
			if s>>p&1 == 1 {
				sum += g
				if p == 0 || s>>(p-1)&1 == 0 {
					sum -= enter
				}
			}
		}
		if sum > best {
			best, states = sum, s
		}
	}
	return best, states
}

// TestGapsAreNotZeros shows that a burst goes on over periods without coverage, and that
// periods in which nobody used the word end it.
func TestGapsAreNotZeros(t *testing.T) {
	coverage := make([]float64, 60)
	for p := range coverage {
		coverage[p] = 100
	}
	var series []hits
	for _, p := range []int32{20, 21, 22, 29, 30, 31} {
		series = append(series, hits{period: p, n: 12})
	}
	spans := func() []span {
		a := newAutomaton(coverage, 1)
		a.measure(series)
		one, none := steps(0.01, 2)
		return a.bursts(series, one, none, nil)
	}
	if got := spans(); len(got) != 2 || got[0].from != 20 || got[0].to != 22 || got[1].from != 29 || got[1].to != 31 {
		t.Errorf("with zeros between: got bursts %v, want 20 to 22 and 29 to 31", got)
	}
	for p := 23; p < 29; p++ {
		coverage[p] = 0
	}
	if got := spans(); len(got) != 1 || got[0].from != 20 || got[0].to != 31 {
		t.Errorf("with a gap between: got bursts %v, want 20 to 31", got)
	}
}

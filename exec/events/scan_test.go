package events

import (
	"math/rand/v2"
	"testing"
)

// TestScan compares scan with best on random series, some with a burst. If best returns a burst, scan
// must say that there may be one.
func TestScan(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 11))
	bursting, quick := 0, 0 // series with bursts, and series without, as scan says
	for n := range 3000 {
		coverage := make([]float64, 20+r.IntN(200))
		for p := range coverage {
			if r.IntN(8) > 0 { // others are gaps
				coverage[p] = float64(200+r.IntN(400)) * (0.5 + r.Float64())
			}
		}
		a := newAutomaton(coverage, 0.5+r.Float64())
		rate := r.Float64() * 20 / float64(len(coverage)) // documents a period
		from := r.IntN(len(coverage))
		to := min(from+1+r.IntN(10), len(coverage))
		more := r.Float64() * 8 * float64(r.IntN(2))
		var series []hits
		for p, c := range coverage {
			mean := rate
			if p >= from && p < to {
				mean += more
			}
			docs := 0
			for range 12 {
				if r.Float64() < mean/12 {
					docs++
				}
			}
			if c > 0 && docs > 0 {
				series = append(series, hits{period: int32(p), n: float64(docs)})
			}
		}
		s := scan{a: a, bound: noiseBound(1+r.IntN(1000000), a)}
		may := s.may(series)
		var work search
		found := 0
		for _, b := range work.best(a, series, ratioDefault, s.bound) {
			if b.n >= wordDocsMin {
				found++
			}
		}
		switch {
		case found > 0 && !may:
			t.Fatalf("series %d: coverage %v, documents %v: scan says that there is no burst, best finds %d", n, coverage, series, found)
		case found > 0:
			bursting++
		case !may:
			quick++
		}
	}
	if bursting < 500 || quick < 1000 {
		t.Fatalf("of 3,000 series %d have bursts, and scan says of %d that they have none: the test shows little", bursting, quick)
	}
}

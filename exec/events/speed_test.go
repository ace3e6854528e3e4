package events

import "testing"

// BenchmarkYear measures a year of 300,000 documents of 100 words. Run it with -benchtime 1x.
func BenchmarkYear(b *testing.B) {
	m := recipe{seed: 1, docs: 300000, periods: 365, cycle: 7, length: 100, events: map[string]int{"big": 600, "small": 1000, "slow": 400},
		words: [2]int{6, 14}, ranks: [2]float64{0, 1}, share: 0.8, background: newZipf(200000)}
	p := m.make()
	in := p.index()
	for b.Loop() {
		found, err := Find(b.Context(), in, Options{Periods: p.periods, Coverage: p.coverage, Cycle: p.cycle})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(found)), "events")
	}
}

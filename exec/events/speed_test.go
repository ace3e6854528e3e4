package events

import "testing"

// BenchmarkYear measures a year of 300,000 documents of 100 words, and the last 60 days of it
// with the history of the days before. Run it with -benchtime 1x.
func BenchmarkYear(b *testing.B) {
	m := recipe{seed: 1, docs: 300000, periods: 365, cycle: 7, length: 100, events: map[string]int{"big": 600, "small": 1000, "slow": 400},
		words: [2]int{6, 14}, ranks: [2]float64{0, 1}, share: 0.8, background: newZipf(200000)}
	p := m.make()
	o := Options{Periods: p.periods, Coverage: p.coverage, Cycle: p.cycle}
	b.Run("whole", func(b *testing.B) { benchmarkFind(b, p, o) })

	o.From, o.Before = 305, &History{}
	window := *p
	window.docs = nil
	for i := range p.docs {
		if d := &p.docs[i]; d.Period < o.From {
			o.Before.Add(d)
		} else {
			window.docs = append(window.docs, *d)
		}
	}
	b.Run("window", func(b *testing.B) { benchmarkFind(b, &window, o) })
}

func benchmarkFind(b *testing.B, p *planted, o Options) {
	for b.Loop() {
		found, err := Find(b.Context(), p.stream, o)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(found)), "events")
	}
}

package events

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// variants are the streams of the tests, by name. Each is a year of 20,000 documents with 60
// events, if it does not say otherwise.
func variants(seed uint64) map[string]recipe {
	z := newZipf(40000)
	base := recipe{seed: seed, docs: 20000, periods: 365, cycle: 7, length: 100,
		events: map[string]int{"big": 20, "small": 20, "slow": 20}, words: [2]int{6, 14}, ranks: [2]float64{0, 1}, share: 0.8, background: z}
	with := func(change func(*recipe)) recipe {
		m := base
		change(&m)
		return m
	}
	return map[string]recipe{
		"zipf":         base,
		"topics":       with(func(m *recipe) { m.background = &topics{z, 40} }),
		"leaves":       with(func(m *recipe) { m.background = newLeaves(rand.New(rand.NewPCG(seed, 1)), z, 6000) }),
		"few leaves":   with(func(m *recipe) { m.background = newLeaves(rand.New(rand.NewPCG(seed, 1)), z, 1500) }),
		"half":         with(func(m *recipe) { m.share = 0.5 }),
		"half, few":    with(func(m *recipe) { m.share, m.words = 0.5, [2]int{5, 8} }),
		"common":       with(func(m *recipe) { m.ranks = [2]float64{0.002, 0.05} }),
		"middling":     with(func(m *recipe) { m.ranks = [2]float64{0.01, 0.2} }),
		"three":        with(func(m *recipe) { m.words = [2]int{3, 3}; m.share = 0.9 }),
		"long":         with(func(m *recipe) { m.length = 300 }),
		"short":        with(func(m *recipe) { m.length = 10; m.words = [2]int{4, 8} }),
		"small voc":    with(func(m *recipe) { m.background = newZipf(5000) }),
		"quarter":      with(func(m *recipe) { m.periods, m.events = 90, map[string]int{"big": 10, "small": 10, "slow": 10} }),
		"hours":        with(func(m *recipe) { m.periods, m.cycle = 90*24, 168; m.events = map[string]int{"big": 15, "small": 15} }),
		"weeks":        with(func(m *recipe) { m.periods, m.cycle = 104, 0 }),
		"noise":        with(func(m *recipe) { m.events = nil }),
		"noise topics": with(func(m *recipe) { m.events = nil; m.background = &topics{z, 40} }),
		"noise leaves": with(func(m *recipe) {
			m.events = nil
			m.background = newLeaves(rand.New(rand.NewPCG(seed, 1)), z, 3000)
		}),
		"small": with(func(m *recipe) { m.docs, m.events = 5000, map[string]int{"big": 10, "small": 10, "slow": 10} }),
	}
}

func TestTry(t *testing.T) {
	all := variants(1)
	only := os.Getenv("ONLY")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if only != "" && !strings.Contains(name, only) {
			continue
		}
		for seed := range uint64(2) {
			p := variants(seed + 1)[name].make()
			o := Options{Periods: p.periods, Coverage: p.coverage, Cycle: p.cycle}
			found, err := Find(t.Context(), p.stream, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-12s %v", name, p.judge(found))
		}
	}
}

package revisit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simulated is a page in the simulation.
type simulated struct {
	rate  float64
	next  float64 // day of the next change
	fresh float64 // days it was fresh
	last  float64 // day of the last visit
	known Page
}

// visit visits the page at the time now, and notes whether it has changed.
func (p *simulated) visit(r *rand.Rand, now float64) {
	p.fresh += min(p.next, now) - p.last
	p.known.Add(Visit{now - p.last, p.next <= now})
	p.last = now
	for p.next <= now {
		p.next += r.ExpFloat64() / p.rate
	}
}

// policy is called once a day with all pages. It returns a function that
// returns the urgency of a visit of page i, if its last visit was days ago.
type policy func(pages []*simulated) func(i int, days float64) float64

// every returns a policy with a fixed interval for each page.
func every(interval func(p *simulated) float64) policy {
	return func(pages []*simulated) func(int, float64) float64 {
		return func(i int, days float64) float64 { return days - interval(pages[i]) }
	}
}

// planned is the policy under test. It knows only what the visits have found.
func planned(budget float64) policy {
	return func(pages []*simulated) func(int, float64) float64 {
		var known []Page
		for _, p := range pages {
			known = append(known, p.known)
		}
		plan := New(known, len(pages), Budget{Visits: budget})
		intervals, turns := make([]float64, len(pages)), make([]turn, len(pages))
		for i := range known {
			intervals[i], turns[i] = plan.interval(&known[i])
		}
		return func(i int, days float64) float64 {
			if pages[i].known.visits != known[i].visits {
				return plan.Urgency(&pages[i].known, days)
			}
			return urgency(days-intervals[i], turns[i])
		}
	}
}

// simulate lets pages of each rate change at random for a year and visits the
// pages that are due, the most urgent first, at most budget visits a day. It
// returns the mean freshness.
func simulate(seed uint64, rates []float64, perRate int, budget float64, policy policy) float64 {
	const days, steps = 365, 24
	r := rand.New(rand.NewPCG(seed, 0))
	var pages []*simulated
	for range perRate {
		for _, rate := range rates {
			pages = append(pages, &simulated{rate: rate, next: r.ExpFloat64() / rate})
		}
	}
	var urgent func(int, float64) float64
	saved := 0.0
	for step := range days * steps {
		now := float64(step) / steps
		if step%steps == 0 {
			urgent = policy(pages)
		}
		for saved += budget / steps; saved >= 1; saved-- {
			most, by := -1, 0.0
			for i, p := range pages {
				if u := urgent(i, now-p.last); u > by && now > p.last {
					most, by = i, u
				}
			}
			if most < 0 {
				saved = min(saved, budget) // unused visits are saved for one day only
				break
			}
			pages[most].visit(r, now)
		}
	}
	sum := 0.0
	for _, p := range pages {
		p.visit(r, days)
		sum += p.fresh / days
	}
	return sum / float64(len(pages))
}

// best returns the interval for each rate that keeps the most pages fresh, if
// the rates are known. budget is the visits per page and day.
func best(rates []float64, budget float64) map[float64]float64 {
	p := newPlan(Budget{})
	intervals := make(map[float64]float64)
	low, high := 0.0, p.longest()
	for range priceSteps {
		price, visits := (low+high)/2, 0.0
		for _, rate := range rates {
			d := p.shortest()
			for d < p.longest() && gain(rate*d)/rate < price {
				d *= 1.02
			}
			intervals[rate] = d
			visits += 1 / d / float64(len(rates))
		}
		if visits > budget {
			low = price
		} else {
			high = price
		}
	}
	return intervals
}

// TestSimulation lets pages of twelve rates, each half of the previous one,
// change for a year under a fixed budget. The plan, which knows only what the
// visits find, must keep at least 1.15 times as many copies fresh as visiting
// all pages equally often. Knowing all rates beforehand would give 1.2 times.
// The plan must also reach most of that gain in any case, and be no worse than
// visiting in proportion to the true rates.
func TestSimulation(t *testing.T) {
	const perRate = 10
	for _, c := range []struct {
		highest float64 // changes a day
		every   float64 // days for which the budget would do to visit each page once
		times   float64
	}{
		{96, 7, 1.15}, {96, 14, 1.15}, {24, 30, 1.1}, {24, 7, 1.05}, {8, 7, 1},
	} {
		if testing.Short() && c.every != 7 {
			continue
		}
		rates := make([]float64, 12)
		total := 0.0
		for i := range rates {
			rates[i] = math.Ldexp(c.highest, -i)
			total += rates[i] * perRate
		}
		budget := perRate * float64(len(rates)) / c.every
		run := func(p policy) float64 { return simulate(1, rates, perRate, budget, p) }
		plan := run(planned(budget))
		uniform := run(every(func(*simulated) float64 { return c.every }))
		proportional := run(every(func(p *simulated) float64 { return total / budget / p.rate }))
		known := best(rates, 1/c.every)
		bound := run(every(func(p *simulated) float64 { return known[p.rate] }))
		t.Logf("%g changes a day to one in %.0f days, a visit every %g days: planned %.3f, uniform %.3f (%.2f times), proportional %.3f, with all rates known %.3f (%.2f times)",
			c.highest, 1/rates[11], c.every, plan, uniform, plan/uniform, proportional, bound, bound/uniform)
		if !(plan >= c.times*uniform && plan >= proportional && plan >= .9*bound) {
			t.Errorf("planned %.3f is too low; want %.2f times %.3f, %.3f, and .9 times %.3f", plan, c.times, uniform, proportional, bound)
		}
	}
}

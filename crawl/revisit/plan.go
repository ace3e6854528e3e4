// Package revisit decides when a page should be visited again. It estimates
// from earlier visits how often each page changes. It then distributes a budget
// of visits such that, on average over time and pages, as many stored copies as
// possible equal the current page: they are fresh. The package only computes.
// Its caller decides what counts as a change.
//
// # Rate
//
// The rate of a page is how many times a day it changes.
//
// # Price
//
// One more visit per day keeps a page fresh for a somewhat larger share of the
// time. The price is the smallest such gain for which a visit is made. The plan
// chooses it such that the visits use up the budget.
//
// # Probe
//
// A probe is a visit to find out whether a page changes too fast to be worth
// following.
package revisit

import (
	"math"
	"sort"
)

// Budget says how many visits a plan may spend.
type Budget struct {
	Visits float64 // per day, for all pages together
	// Shortest and Longest bound the interval between two visits of a page, in
	// days; 0 means ShortestDefault and LongestDefault.
	Shortest, Longest float64
}

// The default bounds of the interval between two visits of a page, in days.
const (
	ShortestDefault = 1. / 24
	LongestDefault  = 180
)

// SampleMax is how many pages are enough to make a plan for any number of
// pages.
const SampleMax = 20_000

// Plan says how long to wait between two visits of a page. New computes it
// from a sample of pages and a budget of visits. A Plan stays valid for
// about a day, while the pages and the budget change little. It does not
// change and may be used from several goroutines at once.
type Plan struct {
	days  []float64 // intervals to choose from, ascending
	gains []rates   // what one more visit per day gains, for each interval and rate
	prior rates     // share of the pages with each rate
	price float64   // smallest gain for which a visit is made
}

const (
	// daysStep is the ratio of one interval to the next.
	daysStep = 1.1
	// priorWeight is how many pages of each rate learn assumes in addition to
	// the known ones. priorSteps is how often learn repeats its estimate.
	priorWeight = .5
	priorSteps  = 10
	// firstPrice gives the price while few pages are known: it is multiplied
	// by the days in which the budget allows one visit of each page. The price
	// that New finds later is about the same.
	firstPrice = .1
	// priceSteps is how often New halves the range in which it searches for the
	// price.
	priceSteps = 50
	// A page with fewer than probes visits may be probed. It is probed if both
	// cases, that it changes too fast and that it does not, have a probability
	// above doubt.
	probes = 3
	doubt  = .05
)

// New returns a plan for the visits of total pages within the budget b. sample
// is a random sample of these pages.
//
// A page with rate r that is visited every d days is fresh for the share
// (1-exp(-rd))/(rd) of the time. The sum over all pages, within a budget, is
// greatest when one more visit would gain the same for each page: Cho and
// Garcia-Molina, Effective Page Refresh Policies for Web Crawlers (2003). A
// page that changes too fast to be followed therefore gets fewer visits, not
// more.
//
// No rate is known for certain. The gain of a visit is therefore averaged over
// the rates that the page may have, each weighted by how well it agrees with
// the page's visits and by how many pages have it. The price is found by
// bisection.
func New(sample []Page, total int, b Budget) *Plan {
	p := newPlan(b)
	p.learn(sample)
	budget := max(b.Visits, math.SmallestNonzeroFloat64) / max(float64(total), 1) // of each page
	var curves [][]float64
	for i := range sample {
		if sample[i].visits > 0 {
			shares := sample[i].shares(&p.prior)
			curves = append(curves, p.curve(&shares))
		}
	}
	if len(curves) <= len(sample)/2 {
		p.price = firstPrice / budget
		return p
	}
	low, high := 0.0, p.longest()
	for range priceSteps {
		price, visits := (low+high)/2, 0.0
		for _, c := range curves {
			visits += 1 / p.choose(c, price)
		}
		if visits > budget*float64(len(curves)) {
			low = price
		} else {
			high = price
		}
	}
	p.price = high
	return p
}

// newPlan returns a plan for the budget b that has no price yet and assumes
// that all rates of change are equally frequent.
func newPlan(b Budget) *Plan {
	if b.Shortest <= 0 {
		b.Shortest = ShortestDefault
	}
	if b.Longest <= 0 {
		b.Longest = LongestDefault
	}
	p := new(Plan)
	for d := b.Shortest; d < b.Longest; d *= daysStep {
		p.days = append(p.days, d)
	}
	p.days = append(p.days, max(b.Longest, b.Shortest))
	for _, d := range p.days {
		var row rates
		for j := range row {
			row[j] = gain(rateAt(j)*d) / rateAt(j)
		}
		p.gains = append(p.gains, row)
	}
	for j := range p.prior {
		p.prior[j] = 1. / ratesKnown
	}
	return p
}

// gain returns what one more visit per day gains for a page that changes x
// times between two visits, multiplied by the page's rate of change. The
// gain is the additional share of the time in which the stored copy equals
// the page. The result rises with x from 0 to 1.
func gain(x float64) float64 { return -math.Expm1(-x) - x*math.Exp(-x) }

// learn estimates from the visits of pages which share of all pages has each
// rate of change, and stores the shares in p.prior. It uses expectation
// maximisation.
func (p *Plan) learn(pages []Page) {
	for range priorSteps {
		var next rates
		for j := range next {
			next[j] = priorWeight
		}
		for i := range pages {
			for j, share := range pages[i].shares(&p.prior) {
				next[j] += share
			}
		}
		for j := range next {
			p.prior[j] = next[j] / (float64(len(pages)) + priorWeight*ratesKnown)
		}
	}
}

// curve returns what one more visit per day gains for a page, for each
// interval of p.days from the shortest to the longest. The gain rises with
// the interval. shares are the probabilities of the page's rates.
func (p *Plan) curve(shares *rates) []float64 {
	c := make([]float64, len(p.days))
	for i := range c {
		for j, share := range shares {
			c[i] += share * p.gains[i][j]
		}
	}
	return c
}

// choose returns the shortest interval, in days, at which one more visit per
// day gains at least price, or the longest interval if none does. curve is
// the result of p.curve for a page.
func (p *Plan) choose(curve []float64, price float64) float64 {
	return p.days[min(sort.SearchFloat64s(curve, price), len(curve)-1)]
}

func (p *Plan) shortest() float64 { return p.days[0] }
func (p *Plan) longest() float64  { return p.days[len(p.days)-1] }

// Interval returns how many days after its last visit page should be visited
// again.
func (p *Plan) Interval(page *Page) float64 {
	days, _ := p.interval(page)
	return days
}

// turn is the purpose of a visit: follow, first or probe. Among the pages
// that are due, those with a higher turn come first.
type turn int

const (
	follow turn = iota // to store the current page
	first              // the second visit, to learn anything about the page's rate of change
	probe              // to find out whether the page changes too fast; this must happen in time
)

// interval returns how many days after its last visit page should be visited
// again, and the purpose of that visit.
func (p *Plan) interval(page *Page) (float64, turn) {
	if page.visits == 0 {
		return p.shortest(), first
	}
	shares := page.shares(&p.prior)
	days := p.choose(p.curve(&shares), p.price)
	if page.visits < probes && p.doubtful(&shares) {
		// A page that changes too fast to be worth following changes within
		// price days.
		return max(p.shortest(), min(days, p.price)), probe
	}
	return days, follow
}

// doubtful reports whether it is uncertain that a page can be followed,
// because it may change so fast that no visit gains the price. shares are
// the probabilities of its rates.
func (p *Plan) doubtful(shares *rates) bool {
	fast := 0.0
	for j, s := range shares {
		if rateAt(j)*p.price >= 1 {
			fast += s
		}
	}
	return doubt < fast && fast < 1-doubt
}

// Urgency returns how urgent a visit of page is, if its last visit was the
// given number of days ago. 0 means that the page is not due. Visit the page
// with the highest urgency first.
func (p *Plan) Urgency(page *Page, days float64) float64 {
	interval, turn := p.interval(page)
	return urgency(days-interval, turn)
}

// urgency returns a number that is greater for a higher turn, and within one
// turn for a visit that is more days late. It is 0 if late is not positive.
func urgency(late float64, turn turn) float64 {
	if late <= 0 {
		return 0
	}
	return float64(turn) + late/(late+1)
}

// Package revisit decides when a page should be visited again. It estimates
// from earlier visits how often each page changes. It then distributes a budget
// of visits. A stored copy is fresh while it equals the current page. On average
// over time, the budget keeps the largest possible number of copies fresh. The
// package only computes. Its caller decides what counts as a change.
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

// SampleEnough is how many pages are enough to make a plan for any number of
// pages.
const SampleEnough = 768

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
	// A page with fewer than probes visits may be probed, that is, visited earlier to learn its
	// rate of change. It is probed if it is uncertain whether it changes too fast to be followed:
	// if both answers have a probability above doubt.
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
	perPage := max(b.Visits, math.SmallestNonzeroFloat64) / max(float64(total), 1) // visits per day that the budget has for each page
	var known []rates                                                              // of each page with more than one visit
	for i := range sample {
		if sample[i].visits > 0 {
			known = append(known, sample[i].shares(&p.prior))
		}
	}
	if len(known) <= len(sample)/2 {
		p.price = firstPrice / perPage
		return p
	}
	p.price = p.affordable(known, perPage*float64(len(known)))
	return p
}

// affordable returns the smallest price at which all visits of the pages together are at
// most the given number per day. pages has the probabilities of the rates of each page.
func (p *Plan) affordable(pages []rates, visits float64) float64 {
	// The interval of a page rises with the price. So the intervals at the lowest and the
	// highest price that are left bound it. bounds has the indexes in p.days of these two
	// intervals of a page, and of its interval at the price that is tried.
	type bounds struct{ shortest, longest, tried int }
	intervals := make([]bounds, len(pages))
	for i := range intervals {
		intervals[i].longest = len(p.days) - 1
	}
	low, high := 0.0, p.longest()
	for range priceSteps {
		price, spent := (low+high)/2, 0.0
		for i := range intervals {
			n := &intervals[i]
			n.tried = n.shortest
			if n.shortest < n.longest {
				n.tried += sort.Search(n.longest-n.shortest, func(k int) bool { return p.gain(n.shortest+k, &pages[i]) >= price })
			}
			spent += 1 / p.days[n.tried]
		}
		dear := spent > visits
		if dear {
			low = price
		} else {
			high = price
		}
		for i := range intervals {
			if n := &intervals[i]; dear {
				n.shortest = n.tried
			} else {
				n.longest = n.tried
			}
		}
	}
	return high
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
	var known []rates // likelihoods of each page with more than one visit
	for i := range pages {
		if pages[i].visits > 0 {
			known = append(known, pages[i].likelihoods())
		}
	}
	for range priorSteps {
		var next rates
		for j := range next {
			// A page without a second visit has each rate with the probability of the prior.
			next[j] = priorWeight + p.prior[j]*float64(len(pages)-len(known))
		}
		for i := range known {
			shares := known[i].weighted(&p.prior)
			for j, share := range shares {
				next[j] += share
			}
		}
		for j := range next {
			p.prior[j] = next[j] / (float64(len(pages)) + priorWeight*ratesKnown)
		}
	}
}

// gain returns what one more visit per day gains for a page that is visited at interval
// i of p.days. The gain rises with the interval. shares are the probabilities of the
// page's rates.
func (p *Plan) gain(i int, shares *rates) (sum float64) {
	for j, g := range &p.gains[i] {
		sum += shares[j] * g
	}
	return sum
}

// choose returns the shortest interval, in days, at which one more visit per
// day gains at least the price, or the longest interval if none does. shares are the
// probabilities of the page's rates.
func (p *Plan) choose(shares *rates) float64 {
	return p.days[sort.Search(len(p.days)-1, func(i int) bool { return p.gain(i, shares) >= p.price })]
}

func (p *Plan) shortest() float64 { return p.days[0] }
func (p *Plan) longest() float64  { return p.days[len(p.days)-1] }

// Interval returns how many days after the last visit to page the next one should
// be.
func (p *Plan) Interval(page *Page) float64 {
	days, _ := p.interval(page)
	return days
}

// turn is the purpose of a visit: follow, first or probe. Among the pages that are due for a
// visit, a page with a higher turn comes first.
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
	days := p.choose(&shares)
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

// urgency returns how urgent a visit is, if it is late by the given number of days: a number
// that is greater for a higher turn, and within one turn for a visit that is more days late. It
// is 0 if late is not positive.
func urgency(late float64, turn turn) float64 {
	if late <= 0 {
		return 0
	}
	return float64(turn) + late/(late+1)
}

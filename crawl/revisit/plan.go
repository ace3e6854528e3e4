// Package revisit says when a page is worth another visit: it estimates how
// often pages change from what earlier visits found, and shares a budget of
// visits out so that, on average over time and pages, as many copies as can be
// are like their pages. It is arithmetic only; what a change is, its caller
// says.
package revisit

import (
	"math"
	"sort"
)

// Budget is what may be spent.
type Budget struct {
	Visits float64 // a day, over all pages
	// Shortest and Longest bound the days between two visits of a page; 0 means
	// ShortestDefault and LongestDefault.
	Shortest, Longest float64
}

// The bounds unless others are set, in days.
const (
	ShortestDefault = 1. / 24
	LongestDefault  = 180
)

// SampleMax is how many pages suffice to make a plan for any number of them.
const SampleMax = 20_000

// Plan says how long to wait between visits. It is made for some pages and a
// budget and holds until these, or what is known of them, are much different: a
// day. It does not change and is safe for any goroutine.
type Plan struct {
	days  []float64 // intervals to choose from, rising
	gains []rates   // of each interval at each rate
	prior rates     // which of the pages have each rate
	price float64   // what a visit a day must bring to be spent
}

const (
	// daysStep is the ratio of the intervals to choose from.
	daysStep = 1.1
	// priorWeight is how many pages of each rate are thought to be there before
	// any is looked at, and priorSteps how often the shares are made to agree
	// with what the pages show.
	priorWeight = .5
	priorSteps  = 10
	// firstPrice is the price while few pages are known, as a share of the days
	// in which the budget would do for a visit of each. It is about what it
	// becomes.
	firstPrice = .1
	// priceSteps is how often the range of the price is halved.
	priceSteps = 50
	// probes is before which visit a page may be in doubt, and doubt how
	// probable both sides are then.
	probes = 3
	doubt  = .05
)

// New plans the visits of total pages, of which sample is some, drawn evenly.
//
// A page of rate r visited every d days is fresh for the share
// (1-exp(-rd))/(rd) of the time. The sum of these under a budget is greatest
// where one more visit would bring each page the same: Cho and Garcia-Molina,
// Effective Page Refresh Policies for Web Crawlers (2003). So a page that
// changes faster than it can be followed gets less, not more.
//
// As no rate is known for sure, what a visit brings is averaged over the rates
// that the page may have: those that agree with its own visits, the more so the
// more of the pages have them. What it must bring is found by halving.
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

// newPlan makes a plan without a price.
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

// gain is, times 1/rate, what one more visit a day brings a page that changes x
// times between two visits. It rises from 0 to 1.
func gain(x float64) float64 { return -math.Expm1(-x) - x*math.Exp(-x) }

// learn finds which of the pages have each rate, by expectation and
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

// curve is what one more visit a day would bring a page at each interval. It
// rises.
func (p *Plan) curve(shares *rates) []float64 {
	c := make([]float64, len(p.days))
	for i := range c {
		for j, share := range shares {
			c[i] += share * p.gains[i][j]
		}
	}
	return c
}

// choose is the first interval at which one more visit would bring the price.
func (p *Plan) choose(curve []float64, price float64) float64 {
	return p.days[min(sort.SearchFloat64s(curve, price), len(curve)-1)]
}

func (p *Plan) shortest() float64 { return p.days[0] }
func (p *Plan) longest() float64  { return p.days[len(p.days)-1] }

// Interval is how many days after its last visit a page is due.
func (p *Plan) Interval(page *Page) float64 {
	days, _ := p.interval(page)
	return days
}

// turn is what a visit is for. Of pages that are due, those of a higher turn are
// first.
type turn int

const (
	follow turn = iota // to have the page as it is
	first              // to know anything of it
	probe              // to know whether it can be followed, which needs to be in time
)

// interval is Interval, and what the visit is for.
func (p *Plan) interval(page *Page) (float64, turn) {
	if page.visits == 0 {
		return p.shortest(), first
	}
	shares := page.shares(&p.prior)
	days := p.choose(p.curve(&shares), p.price)
	if page.visits < probes && p.doubtful(&shares) {
		// The pages that are not worth following change within that time.
		return max(p.shortest(), min(days, p.price)), probe
	}
	return days, follow
}

// doubtful reports whether a page may or may not change so fast that no visit
// brings the price.
func (p *Plan) doubtful(shares *rates) bool {
	fast := 0.0
	for j, s := range shares {
		if rateAt(j)*p.price >= 1 {
			fast += s
		}
	}
	return doubt < fast && fast < 1-doubt
}

// Urgency says which of the pages that are due to visit first: the one of the
// highest urgency. A page is due if that is above 0. Days have passed since its
// last visit.
func (p *Plan) Urgency(page *Page, days float64) float64 {
	interval, turn := p.interval(page)
	return urgency(days-interval, turn)
}

// urgency puts turns in order and within one the latest first.
func urgency(late float64, turn turn) float64 {
	if late <= 0 {
		return 0
	}
	return float64(turn) + late/(late+1)
}

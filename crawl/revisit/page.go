package revisit

import "math"

// Page holds what the visits of one page say about its rate of change: the
// likelihood of these visits at each of ratesKnown rates. The zero value is
// a page that was visited once. A Page takes 160 bytes and stores no
// history, so adding a visit always takes the same time.
type Page struct {
	visits int                 // visits after the first one
	log    [ratesKnown]float64 // logarithm of the likelihood at each rate
}

// The rates that are distinguished: ratesKnown of them, in changes a day. The
// highest is rateHighest, four an hour. Each next rate is half of the previous
// one, down to one change in seven years.
const (
	rateHighest = 96
	ratesKnown  = 19
)

// rateAt returns the j-th of the ratesKnown rates that are distinguished, in
// changes a day: 96, 48, 24 and so on.
func rateAt(j int) float64 { return math.Ldexp(rateHighest, -j) }

// surely is a number of expected changes. If a page was expected to change this
// often, the program takes for certain that it has changed at least once.
const surely = 40

// Add updates p with the result of one more visit. A visit without time
// since the previous one is ignored.
func (p *Page) Add(v Visit) {
	if !(v.Days > 0) || math.IsInf(v.Days, 1) {
		return // two visits at the same moment say nothing
	}
	p.visits++
	for j := range p.log {
		x := rateAt(j) * v.Days
		if !v.Changed {
			p.log[j] -= x
		} else if x < surely {
			p.log[j] += math.Log(-math.Expm1(-x))
		}
	}
}

// rates holds one number for each rate of change that is distinguished, usually
// probabilities with the sum 1.
type rates [ratesKnown]float64

// shares returns the probability of each rate of change for p, with the sum
// 1. prior holds the share of all pages with each rate.
func (p *Page) shares(prior *rates) rates {
	s := p.likelihoods()
	return s.weighted(prior)
}

// likelihoods returns the likelihood of the visits of p at each rate of change, divided by
// the greatest of them.
func (p *Page) likelihoods() (s rates) {
	top := p.log[0]
	for _, v := range p.log {
		top = max(top, v)
	}
	for j, v := range p.log {
		s[j] = math.Exp(v - top)
	}
	return s
}

// weighted returns the numbers of r multiplied by those of prior, and then divided such
// that their sum is 1.
func (r *rates) weighted(prior *rates) (s rates) {
	sum := 0.0
	for j, v := range r {
		s[j] = prior[j] * v
		sum += s[j]
	}
	for j := range s {
		s[j] /= sum
	}
	return s
}

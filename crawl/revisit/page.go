package revisit

import "math"

// Page is what visits tell of how often a page changes: how likely they are at
// each of the rates that are told apart. The zero value is of a page that was
// looked at once. It is 160 bytes and holds no history, so that a visit is
// added in little time however many there were.
type Page struct {
	visits int                 // after the first look
	log    [ratesKnown]float64 // of the likelihood at each rate
}

// The rates that are told apart, in changes a day: from four an hour down by
// halves to one in seven years.
const (
	rateHighest = 96
	ratesKnown  = 19
)

// rateAt is rate j of those that are told apart.
func rateAt(j int) float64 { return math.Ldexp(rateHighest, -j) }

// surely is how many expected changes leave no doubt that there is one.
const surely = 40

// Add takes a further visit into account.
func (p *Page) Add(v Visit) {
	if !(v.Days > 0) || math.IsInf(v.Days, 1) {
		return // Two looks at one moment say nothing.
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

// rates are shares of 1, one for each rate that is told apart.
type rates [ratesKnown]float64

// shares is how probable each rate is of a page, if it is drawn from pages of
// which prior has each rate.
func (p *Page) shares(prior *rates) (s rates) {
	top := p.log[0]
	for _, v := range p.log {
		top = max(top, v)
	}
	sum := 0.0
	for j, v := range p.log {
		s[j] = prior[j] * math.Exp(v-top)
		sum += s[j]
	}
	for j := range s {
		s[j] /= sum
	}
	return s
}

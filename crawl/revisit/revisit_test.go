package revisit

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// visits returns n visits at one interval, of which the first changed ones
// found a change.
func visits(n, changed int, days float64) (list []Visit) {
	for i := range n {
		list = append(list, Visit{days, i < changed})
	}
	return list
}

// TestRate shows the estimate for equal intervals, and that other intervals,
// some of them nearly equal, give similar results.
func TestRate(t *testing.T) {
	near := func(list []Visit) []Visit {
		list[0].Days *= 1 + 1e-9
		return list
	}
	for _, c := range []struct {
		visits []Visit
		want   float64
	}{
		{nil, 0},
		{visits(10, 0, 1), 0},
		{visits(10, 10, 1), math.Log(21)},
		{visits(10, 6, 1), math.Log(10.5 / 4.5)},
		{visits(10, 6, 7), math.Log(10.5/4.5) / 7},
		{visits(1, 1, .5), 2 * math.Log(3)},
		{near(visits(10, 6, 7)), math.Log(10.5/4.5) / 7},
		{near(visits(10, 10, 1)), math.Log(21)},
		{append(visits(4, 2, 1), Visit{0, true}, Visit{-1, true}, Visit{math.NaN(), true}), math.Log(4.5 / 2.5)},
	} {
		if got := Rate(c.visits); math.Abs(got-c.want) > 1e-6*max(c.want, 1) {
			t.Errorf("Rate of %d visits is %v, want %v", len(c.visits), got, c.want)
		}
	}
}

// TestRateLikeliest shows that for visits at any intervals no other rate has a
// greater likelihood.
func TestRateLikeliest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Visit
		total, changed := 0.0, false
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			v := Visit{rapid.Float64Range(.01, 100).Draw(t, "days"), rapid.Bool().Draw(t, "changed")}
			list = append(list, v)
			total, changed = total+v.Days, changed || v.Changed
		}
		likelihood := func(rate float64) (log float64) {
			for _, v := range list {
				if v.Changed {
					log += math.Log(-math.Expm1(-rate * v.Days))
				} else {
					log -= rate * v.Days
				}
			}
			return log - rate*.5*total/float64(len(list))
		}
		rate := Rate(list)
		if !changed {
			if rate != 0 {
				t.Errorf("%v changes a day where none was found", rate)
			}
			return
		}
		for _, other := range []float64{rate * .5, rate * .99, rate * 1.01, rate * 2} {
			if likelihood(other) > likelihood(rate)+1e-9 {
				t.Errorf("%v is likelier than %v of %v", other, rate, list)
			}
		}
	})
}

// TestRateBias shows that on average over many pages the estimate is near the
// true rate, while changes divided by time is far below it.
func TestRateBias(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const rate, days, n, pages = .5, 2., 20, 4000
	sum, naive := 0.0, 0.0
	for range pages {
		var list []Visit
		found := 0.0
		for range n {
			changed := r.Float64() < -math.Expm1(-rate*days)
			list = append(list, Visit{days, changed})
			if changed {
				found++
			}
		}
		sum += Rate(list) / pages
		naive += found / n / days / pages
	}
	if math.Abs(sum-rate) > .02*rate || naive > .7*rate {
		t.Errorf("on average %.3f, and %.3f by counting; want about %.3f and much less", sum, naive, rate)
	}
}

// pageOf returns a page that is known to have a rate, after n visits.
func pageOf(rate, days float64, n int) Page {
	var p Page
	p.visits = n
	for j := range p.log {
		x := rateAt(j) * days
		changes := -math.Expm1(-rate * days) // the expected number
		p.log[j] = float64(n) * (changes*math.Log(-math.Expm1(-x)) - (1-changes)*x)
	}
	return p
}

// TestPlanShares shows that a plan spends its budget and not more, that a page
// which changes too fast to be followed gets fewer visits than a slower one,
// and that no visit would gain more at another page.
func TestPlanShares(t *testing.T) {
	const perRate = 10
	var pages []Page
	var rates []float64
	for j := 2; j < 14; j++ {
		for range perRate {
			rates = append(rates, rateAt(j))
			pages = append(pages, pageOf(rateAt(j), 1/rateAt(j), 200))
		}
	}
	for _, every := range []float64{1, 7, 30} {
		budget := float64(len(pages)) / every
		p := New(pages, len(pages), Budget{Visits: budget})
		spent := 0.0
		var intervals []float64
		for i := range pages {
			intervals = append(intervals, p.Interval(&pages[i]))
			spent += 1 / intervals[i]
		}
		if spent > budget || spent < .85*budget {
			t.Errorf("%.2f visits a day of %.2f are spent", spent, budget)
		}
		if fast, middle := intervals[0], intervals[len(intervals)*2/3]; fast != LongestDefault || fast < 2*middle {
			t.Errorf("a visit every %g days: the fastest are visited every %.1f days, others every %.1f", every, fast, middle)
		}
		// A hundredth of its visits moved from any page to any other.
		for i := range pages {
			for j := range pages {
				moved := .01 / max(intervals[i], intervals[j])
				lost := freshness(rates[i], intervals[i]) - freshness(rates[i], 1/(1/intervals[i]-moved))
				won := freshness(rates[j], 1/(1/intervals[j]+moved)) - freshness(rates[j], intervals[j])
				if intervals[i] < LongestDefault && won > 1.3*lost {
					t.Fatalf("moving a visit from a page of rate %g to one of %g wins %g and loses %g", rates[i], rates[j], won, lost)
				}
			}
		}
	}
}

// TestPlanSample shows that a plan of some pages is one of all.
func TestPlanSample(t *testing.T) {
	var pages []Page
	for i := range 3000 {
		pages = append(pages, pageOf(rateAt(3+i%10), 1, 30))
	}
	all, some := New(pages, len(pages), Budget{Visits: 200}), New(pages[:300], len(pages), Budget{Visits: 200})
	for i := range 10 {
		if a, s := all.Interval(&pages[i]), some.Interval(&pages[i]); s > 1.25*a || a > 1.25*s {
			t.Errorf("page %d every %.2f days by the plan of all, every %.2f by that of some", i, a, s)
		}
	}
}

// TestUrgency shows the order in which due pages are visited.
func TestUrgency(t *testing.T) {
	var unknown, slow, doubtful Page
	for range 20 {
		slow.Add(Visit{5, false})
	}
	doubtful.Add(Visit{3, true})
	known := make([]Page, 50)
	for i := range known {
		known[i] = pageOf(rateAt(i%12), 1, 30)
	}
	p := New(known, len(known), Budget{Visits: 10})
	for _, c := range []struct {
		name string
		page *Page
		days float64
		from float64 // urgency is in (from, from+1]; 0 at -1
	}{
		{"a page seen once, at once", &unknown, 0, -1},
		{"a page seen once", &unknown, 1, 1},
		{"a page that changed at its one visit", &doubtful, 30, 2},
		{"a slow page, early", &slow, 1, -1},
		{"a slow page, late", &slow, 200, 0},
	} {
		got := p.Urgency(c.page, c.days)
		if want := c.from; want < 0 && got != 0 || want >= 0 && !(want < got && got <= want+1) {
			t.Errorf("%s: urgency %v, want above %v", c.name, got, want)
		}
	}
	if a, b := p.Urgency(&slow, 200), p.Urgency(&slow, 210); a >= b {
		t.Errorf("urgency %v after 200 days, %v after 210", a, b)
	}
}

// TestPlanAnything makes plans for any pages and budgets, and shows that
// intervals stay within their bounds.
func TestPlanAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := make([]Page, rapid.IntRange(0, 12).Draw(t, "pages"))
		for i := range pages {
			for range rapid.IntRange(0, 6).Draw(t, "visits") {
				pages[i].Add(Visit{rapid.OneOf(rapid.Float64Range(1e-6, 1e4), rapid.Just(0.), rapid.Just(math.Inf(1)), rapid.Just(math.NaN())).Draw(t, "days"), rapid.Bool().Draw(t, "changed")})
			}
		}
		b := Budget{rapid.Float64Range(0, 1e6).Draw(t, "budget"), rapid.Float64Range(0, 10).Draw(t, "shortest"), rapid.Float64Range(0, 1000).Draw(t, "longest")}
		p := New(pages, len(pages), b)
		for i := range append(pages, Page{}) {
			page := append(pages, Page{})[i]
			if d := p.Interval(&page); !(d >= p.shortest() && d <= p.longest()) {
				t.Errorf("interval %v, want from %v to %v", d, p.shortest(), p.longest())
			}
		}
	})
}

// freshness returns the share of the time in which the copy equals the page, if
// the page changes rate times a day and is visited every days days.
func freshness(rate, days float64) float64 {
	if x := rate * days; x > 1e-9 {
		return -math.Expm1(-x) / x
	}
	return 1
}

func TestFreshness(t *testing.T) {
	for _, c := range []struct{ rate, days, want float64 }{
		{0, 10, 1}, {1, 0, 1}, {1, 1, 1 - 1/math.E}, {.5, 2, 1 - 1/math.E}, {100, 10, .001},
	} {
		if got := freshness(c.rate, c.days); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("freshness of rate %v every %v days is %v, want %v", c.rate, c.days, got, c.want)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	pages := make([]Page, SampleEnough)
	for i := range pages {
		pages[i] = pageOf(rateAt(i%ratesKnown), 1, 10)
	}
	for b.Loop() {
		New(pages, 1_000_000, Budget{Visits: 10_000})
	}
}

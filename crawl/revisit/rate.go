package revisit

import "math"

// Visit is one visit of a page after the first one.
type Visit struct {
	Days    float64 // days since the previous visit, > 0
	Changed bool    // whether the page had changed since then, at least once
}

// Rate estimates from visits how often a page changes, in changes a day. It
// returns 0 if no visit found a change. It assumes that changes happen at random
// with a constant rate.
//
// For n visits at equal intervals, of which X found a change, it returns
// -ln((n-X+0.5)/(n+0.5)) / interval, the estimator of Cho and Garcia-Molina
// (Estimating Frequency of Change, 2003). This is finite even if every visit
// found a change, and has less bias than X/n. For other intervals it returns
// the rate with the greatest likelihood, after adding half a visit that found
// no change. At equal intervals both are the same.
func Rate(visits []Visit) float64 {
	n, changes := 0.0, 0.0
	unchanged, total := 0.0, 0.0 // days
	first, equal := 0.0, true
	for _, v := range visits {
		if !(v.Days > 0) || math.IsInf(v.Days, 1) {
			continue // two visits at the same moment say nothing
		}
		if first == 0 {
			first = v.Days
		}
		equal = equal && v.Days == first
		n++
		total += v.Days
		if v.Changed {
			changes++
		} else {
			unchanged += v.Days
		}
	}
	switch {
	case changes == 0:
		return 0
	case equal:
		return -math.Log((n-changes+.5)/(n+.5)) / first
	}
	return likeliest(visits, unchanged+.5*total/n)
}

// likeliest returns the rate with the greatest likelihood. unchanged is the sum
// of the days before visits that found no change. At that rate, unchanged
// equals the sum of t/(exp(rate·t)-1) over the visits that found a change,
// where t is the days before the visit. The sum decreases with the rate, so
// bisection finds it.
func likeliest(visits []Visit, unchanged float64) float64 {
	excess := func(rate float64) float64 {
		sum := -unchanged
		for _, v := range visits {
			if v.Changed && v.Days > 0 {
				sum += v.Days / math.Expm1(rate*v.Days)
			}
		}
		return sum
	}
	low, high := 0.0, 1/unchanged
	for excess(high) > 0 {
		low, high = high, 2*high
	}
	for high-low > 1e-9*high {
		if middle := (low + high) / 2; excess(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

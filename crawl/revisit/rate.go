package revisit

import "math"

// Visit is one look at a page that was seen before.
type Visit struct {
	Days    float64 // since the look before, > 0
	Changed bool    // whether the page had changed since then, once or more often
}

// Rate estimates how often a page changes, in changes a day, if it changes by
// chance at a steady rate.
//
// Of n visits at equal intervals of which X found a change it is
// -ln((n-X+0.5)/(n+0.5)) / interval: Cho and Garcia-Molina's estimator
// (Estimating Frequency of Change, 2003), which is finite though every visit
// found a change, and less biased than X/n. Of visits at other intervals it is
// the rate of greatest likelihood, to which half a visit that found nothing is
// added: at equal intervals that is the same.
func Rate(visits []Visit) float64 {
	n, changes := 0.0, 0.0
	unchanged, total := 0.0, 0.0 // days
	first, equal := 0.0, true
	for _, v := range visits {
		if !(v.Days > 0) || math.IsInf(v.Days, 1) {
			continue // Two looks at one moment say nothing.
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

// likeliest is the rate of greatest likelihood of visits of which those that
// found nothing took so many days together: there the sum over the visits that
// found a change of t/(exp(rate·t)-1) is those days. The sum falls with the
// rate, so halving finds it.
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

package cost

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"infomall/exec/plan"
)

// TestRates shows that a correction is the mean of what was measured, that the correction
// of the same node is taken before that of its shape, and that another node of the shape
// gets a part of the shape's: 8 to the power of 2/3 after two measurements.
func TestRates(t *testing.T) {
	var r Rates
	a, b, other := nameOf("rows", "url = 'a'", "url = ?"), nameOf("rows", "url = 'b'", "url = ?"), nameOf("rows", "x", "x")
	r.measured(a, 4)
	r.measured(b, 16)
	for _, c := range []struct {
		n    names
		want float64
	}{{a, 4}, {b, 16}, {nameOf("rows", "url = 'c'", "url = ?"), 4}, {nameOf("rows", "url = 'c'", ""), 1}, {other, 1}} {
		if got := r.factor(c.n); math.Abs(got-c.want) > .01 {
			t.Errorf("the correction of %v is %g, want %g", c.n, got, c.want)
		}
	}
	r.measured(other, math.NaN())
	r.measured(other, 0)
	r.measured(other, math.Inf(1))
	if got := r.factor(other); got != 1 {
		t.Errorf("the correction is %g after measurements that are no numbers", got)
	}
	r.measured(other, 1e300)
	if got := r.factor(other); got > correctionMost*1.01 {
		t.Errorf("the correction is %g, above the bound", got)
	}
	var none *Rates
	if got := none.factor(a); got != 1 {
		t.Errorf("no rates give the correction %g", got)
	}
}

// TestRatesFile writes rates and reads them again, whole, cut at every byte, and with
// every byte changed. Damaged rates are as none. They are a bounded number.
func TestRatesFile(t *testing.T) {
	var r Rates
	for i := range 5 {
		name := nameOf("time", fmt.Sprint(i), fmt.Sprint(i%2))
		r.measured(name, float64(i+1))
	}
	if !r.Changed() {
		t.Error("nothing has changed")
	}
	text := r.Encode()
	if r.Changed() {
		t.Error("something has changed since Encode")
	}
	var back Rates
	back.Load = func() []byte { return text }
	for i := range 5 {
		name := nameOf("time", fmt.Sprint(i), fmt.Sprint(i%2))
		if got, want := back.factor(name), r.factor(name); math.Abs(got-want) > .001 {
			t.Errorf("the correction %d is %g, want %g", i, got, want)
		}
	}
	if again := back.Encode(); !bytes.Equal(again, text) {
		t.Errorf("written again:\n%s\nwant\n%s", again, text)
	}
	for i := range text {
		var cut, changed Rates
		if cut.decode(text[:i]) || len(cut.list) > 0 {
			t.Fatalf("%d of %d bytes were read as rates", i, len(text))
		}
		wrong := bytes.Clone(text)
		wrong[i] ^= 4
		if changed.decode(wrong) || len(changed.list) > 0 {
			t.Fatalf("rates with a wrong byte %d were read", i)
		}
	}
	for i := range 4 * ratesMax {
		r.measured(nameOf("rows", fmt.Sprint(i), fmt.Sprint(i)), 2)
	}
	if n := len(r.list); n > 2*ratesMax {
		t.Errorf("there are %d corrections", n)
	}
	if n := bytes.Count(r.Encode(), []byte("\n")); n != ratesMax+2 {
		t.Errorf("the file has %d lines", n)
	}
	if got := r.factor(nameOf("rows", fmt.Sprint(4*ratesMax-1), "")); math.Abs(got-2) > .01 {
		t.Errorf("the last correction is %g", got)
	}
}

// TestShape shows what is left of the text of a node.
func TestShape(t *testing.T) {
	for text, want := range map[string]string{
		"filter: status = 404 AND kind = 'page'":      "filter: status = ? AND kind = ?",
		"filter: time < 2008-06-15T00:00:00Z":         "filter: time < ?",
		"limit 10, skip 20":                           "limit ?, skip ?",
		"result: a1, round(rank, 6)":                  "result: a1, round(rank, ?)",
		"filter: url = 'it''s' AND title LIKE 'open ": "filter: url = ?? AND title LIKE ?",
		"": "",
	} {
		if got := shapeOf(text); got != want {
			t.Errorf("the shape of %q is %q, want %q", text, got, want)
		}
	}
}

// TestWorth shows from which plans it pays to learn: three times from each long plan, but from short
// ones only until three of their shape were measured; and from any that ran much longer than an
// estimate takes.
func TestWorth(t *testing.T) {
	var r Rates
	of := func(n int64) plan.Node { return &plan.Limit{In: &plan.Row{}, N: n} }
	measure := func(n plan.Node) { r.measured(nameOf("time", sameText(n), shapeText(n)), 2) }
	for i, c := range []struct {
		n    plan.Node
		took time.Duration
		want bool
	}{
		{of(1), time.Millisecond, true},
		{of(1), time.Millisecond, true},
		{of(2), time.Millisecond, true},
		{of(1), time.Millisecond, false},
		{of(3), time.Millisecond, false},
		{of(3), learnShort, true},
		{of(3), learnShort, true},
		{of(3), learnShort, true},
		{of(3), learnShort, false},
	} {
		if got := r.Worth(c.n, c.took); got != c.want {
			t.Errorf("%d: Worth is %t for %v", i, got, c.n)
		} else if got {
			measure(c.n)
		}
	}
	r.took = time.Microsecond
	if !r.Worth(of(1), learnShare*time.Microsecond) {
		t.Error("an estimate takes little of the time of a plan, which is not learned from")
	}
}

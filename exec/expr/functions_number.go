package expr

import (
	"errors"
	"math"
	"math/rand/v2"

	"infomall/exec/value"
)

// ofFloat returns an applier (the code of a function) that computes f of one number. If the result
// is not a number, as for sqrt(-1), or is infinite, as for ln(0), it becomes NULL.
func ofFloat(f func(float64) float64) applier {
	return func(_ *Env, a []value.Value) (value.Value, error) { return finite(f(a[0].Number())), nil }
}

// finite returns f as a Float, or NULL if f is infinite or not a number.
func finite(f float64) value.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return value.Value{}
	}
	return value.OfFloat(f)
}

// toWhole returns an applier (the code of a function) that rounds a number with f. It returns an
// Int unchanged.
func toWhole(f func(float64) float64) applier {
	return func(_ *Env, a []value.Value) (value.Value, error) {
		if a[0].Type == value.Int {
			return a[0], nil
		}
		return value.OfFloat(f(a[0].Float)), nil
	}
}

func power(_ *Env, a []value.Value) (value.Value, error) {
	return finite(math.Pow(a[0].Number(), a[1].Number())), nil
}

func sign(_ *Env, a []value.Value) (value.Value, error) {
	switch x := a[0].Number(); {
	case x > 0:
		return value.OfInt(1), nil
	case x < 0:
		return value.OfInt(-1), nil
	}
	return value.OfInt(0), nil
}

// random computes the function random.
func random(*Env, []value.Value) (value.Value, error) { return value.OfFloat(rand.Float64()), nil }

// widthBucket computes the function width_bucket.
func widthBucket(_ *Env, a []value.Value) (value.Value, error) {
	x, low, high, n := a[0].Number(), a[1].Number(), a[2].Number(), a[3].Int
	if n < 1 || n > 1<<53 || !(low < high) {
		return value.Value{}, errors.New("wants two numbers, the lesser first, and 1 class at least")
	}
	switch {
	case x < low:
		return value.OfInt(0), nil
	case !(x < high): // or NaN, which sorts after all numbers
		return value.OfInt(n + 1), nil
	}
	return value.OfInt(min(int64((x-low)/(high-low)*float64(n)), n-1) + 1), nil
}

// numberFunctions declares the mathematical functions.
var numberFunctions = []Function{
	{Name: "ceil", Also: "ceiling", Example: `ceil(1.2)`, Doc: "The number rounded up to a whole one.",
		params: []param{{"x", numberKind}}, apply: toWhole(math.Ceil)},
	{Name: "exp", Example: `exp(0)`, Doc: "The number e to the power of x.",
		params: []param{{"x", numberKind}}, result: value.Float, apply: ofFloat(math.Exp)},
	{Name: "floor", Example: `floor(-1.5)`, Doc: "The number rounded down to a whole one.",
		params: []param{{"x", numberKind}}, apply: toWhole(math.Floor)},
	{Name: "ln", Example: `ln(1)`, Doc: "The natural logarithm; NULL for 0 and below.",
		params: []param{{"x", numberKind}}, result: value.Float, apply: ofFloat(math.Log)},
	{Name: "log", Also: "log10", Example: `log(1000)`, Doc: "The logarithm to base 10; NULL for 0 and below.",
		params: []param{{"x", numberKind}}, result: value.Float, apply: ofFloat(math.Log10)},
	{Name: "power", Also: "pow", Example: `power(2, 10)`, Doc: "x to the power of y.",
		params: []param{{"x", numberKind}, {"y", numberKind}}, result: value.Float, apply: power},
	{Name: "random", Also: "rand", Example: `url FROM captures WHERE random() < 0.9`, Doc: "A random number from 0 to below 1, another one in each row.",
		Drawn: true, result: value.Float, apply: random},
	{Name: "sign", Example: `sign(-3)`, Doc: "1 for a number above 0, -1 for one below, 0 for 0.",
		params: []param{{"x", numberKind}}, result: value.Int, apply: sign},
	{Name: "sqrt", Example: `sqrt(2.25)`, Doc: "The square root; NULL below 0.",
		params: []param{{"x", numberKind}}, result: value.Float, apply: ofFloat(math.Sqrt)},
	{Name: "trunc", Example: `trunc(-1.7)`, Doc: "The number without its fraction.",
		params: []param{{"x", numberKind}}, apply: toWhole(math.Trunc)},
	{Name: "width_bucket", Example: `width_bucket(2500, 0, 10000, 4)`, Doc: "The number of the class of x, from 1, if the numbers from low to below high are n classes of equal width; 0 below low, and n + 1 from high on.",
		params: []param{{"x", numberKind}, {"low", numberKind}, {"high", numberKind}, {"n", intKind}}, result: value.Int, apply: widthBucket},
}

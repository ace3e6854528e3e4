package expr

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"infomall/exec/value"
)

func coalesce(_ *Env, a []value.Value) (value.Value, error) {
	for _, v := range a {
		if !v.IsNull() {
			return v, nil
		}
	}
	return value.Value{}, nil
}

func nullIf(_ *Env, a []value.Value) (value.Value, error) {
	if !a[0].IsNull() && !a[1].IsNull() && value.Compare(a[0], a[1]) == 0 {
		return value.Value{}, nil
	}
	return a[0], nil
}

func greatest(_ *Env, a []value.Value) (value.Value, error) { return extreme(a, 1), nil }

func least(_ *Env, a []value.Value) (value.Value, error) { return extreme(a, -1), nil }

// extreme returns the greatest of the values in a that are not NULL, or if sign
// is -1 the least. It returns NULL if all are NULL.
func extreme(a []value.Value, sign int) value.Value {
	var best value.Value
	for _, v := range a {
		if best.IsNull() || !v.IsNull() && value.Compare(v, best) == sign {
			best = v
		}
	}
	return best
}

func absolute(_ *Env, a []value.Value) (value.Value, error) {
	x := a[0]
	if x.Type == value.Float {
		return value.OfFloat(math.Abs(x.Float)), nil
	}
	if x.Int == math.MinInt64 {
		return value.Value{}, fmt.Errorf("%d without its sign is out of the range of int", x.Int)
	}
	return value.OfInt(max(x.Int, -x.Int)), nil
}

func round(_ *Env, a []value.Value) (value.Value, error) {
	x, decimals := a[0], int64(0)
	if len(a) > 1 {
		decimals = a[1].Int
	}
	if x.Type == value.Int {
		return roundInt(x.Int, decimals)
	}
	return value.OfFloat(roundFloat(x.Float, decimals)), nil
}

// roundFloat returns f rounded to this many decimals, halves away from zero.
// Negative decimals round to tens, hundreds and so on. It rounds the decimal
// digits with which f is printed, so that round(1.005, 2) is 1.01.
func roundFloat(f float64, decimals int64) float64 {
	if decimals == 0 {
		return math.Round(f)
	}
	const digitsMax = 308 // of a float64
	if decimals > digitsMax || math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	if decimals < -digitsMax {
		return 0
	}
	shifted, err := strconv.ParseFloat(fmt.Sprintf("%se%d", strconv.FormatFloat(f, 'f', -1, 64), decimals), 64)
	if err != nil {
		return f // so large that it has no decimals to round
	}
	r, _ := strconv.ParseFloat(fmt.Sprintf("%se%d", strconv.FormatFloat(math.Round(shifted), 'f', -1, 64), -decimals), 64)
	return r
}

// roundInt returns x rounded to tens if decimals is -1, to hundreds if it is
// -2, and so on. If decimals is not negative, it returns x. The error says that
// the result is out of range.
func roundInt(x, decimals int64) (value.Value, error) {
	if decimals >= 0 {
		return value.OfInt(x), nil
	}
	if decimals < -18 {
		return value.OfInt(0), nil
	}
	unit := int64(1)
	for range -decimals {
		unit *= 10
	}
	down := x / unit * unit
	up := down
	switch rest := x - down; {
	case rest >= unit-unit/2:
		up += unit
	case rest <= unit/2-unit:
		up -= unit
	}
	if (up < down) != (x < 0) && up != down {
		return value.Value{}, fmt.Errorf("%d rounded is out of the range of int", x)
	}
	return value.OfInt(up), nil
}

// logLikelihood computes how characteristic a term is of a part of an archive (T. Dunning,
// "Accurate methods for the statistics of surprise and coincidence", 1993). The term is in a[0] of
// the a[1] versions of the part, and in a[2] of the a[3] versions of the rest. The result is
// negative if the term is rarer in the part than in the rest.
func logLikelihood(_ *Env, a []value.Value) (value.Value, error) {
	df, n, dfRest, nRest := a[0].Int, a[1].Int, a[2].Int, a[3].Int
	if df < 0 || dfRest < 0 || df > n || dfRest > nRest {
		return value.Value{}, fmt.Errorf("log_likelihood needs counts with 0 <= df <= n, and got %d of %d and %d of %d", df, n, dfRest, nRest)
	}
	if n == 0 || nRest == 0 {
		return value.OfFloat(0), nil // nothing to compare with
	}
	all := float64(n) + float64(nRest)
	with := (float64(df) + float64(dfRest)) / all // the expected share of versions with the term
	sum := 0.0
	for _, x := range [...]struct{ seen, expected float64 }{
		{float64(df), float64(n) * with}, {float64(n - df), float64(n) * (1 - with)},
		{float64(dfRest), float64(nRest) * with}, {float64(nRest - dfRest), float64(nRest) * (1 - with)},
	} {
		if x.seen > 0 {
			sum += x.seen * math.Log(x.seen/x.expected)
		}
	}
	sum = max(2*sum, 0) // rounding may make it negative
	if float64(df)*float64(nRest) < float64(dfRest)*float64(n) {
		sum = -sum
	}
	return value.OfFloat(sum), nil
}

func hamming(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfInt(int64(bits.OnesCount64(uint64(a[0].Int ^ a[1].Int)))), nil
}

// prepareHex returns an error if the argument of the function hex is neither a
// text nor an int. Its applier is always nil: the function needs no
// preparation.
func prepareHex(_ *Env, args []Expr) (applier, error) {
	if t := args[0].Type(); !t.Textual() && t != value.Int && t != value.Null {
		return nil, errors.New("it takes a text or an int, not " + t.String())
	}
	return nil, nil
}

func hexOf(_ *Env, a []value.Value) (value.Value, error) {
	if a[0].Type == value.Int {
		return value.OfText(strconv.FormatUint(uint64(a[0].Int), 16)), nil
	}
	return value.OfText(hex.EncodeToString([]byte(a[0].Text))), nil
}

// anyFunctions declares the functions that take numbers, or values of any type.
var anyFunctions = []Function{
	{Name: "abs", Example: `abs(-3)`, Doc: "The absolute value of the number.",
		params: []param{{"x", numberKind}}, apply: absolute},
	{Name: "coalesce", Example: `coalesce(NULL, 'none')`, Doc: "The first argument that is not NULL.",
		params: []param{{"x", anyKind}}, many: true, nulls: true, apply: coalesce},
	{Name: "greatest", Example: `greatest(2, 7, NULL)`, Doc: "The largest of the arguments that are not NULL.",
		params: []param{{"x", anyKind}}, many: true, nulls: true, apply: greatest},
	{Name: "hamming", Example: `hamming(5, 6)`, Doc: "The number of bits, of 64, in which two ints differ.",
		params: []param{{"a", intKind}, {"b", intKind}}, result: value.Int, apply: hamming},
	{Name: "hex", Example: `hex('A')`, Doc: "The bytes of a text, or the value of an int, as hexadecimal digits.",
		params: []param{{"x", anyKind}}, result: value.Text, prepare: prepareHex, apply: hexOf},
	{Name: "least", Example: `least(2, 7, NULL)`, Doc: "The smallest of the arguments that are not NULL.",
		params: []param{{"x", anyKind}}, many: true, nulls: true, apply: least},
	{Name: "log_likelihood", Example: `log_likelihood(7, 7, 0, 67)`, Doc: "How much a term belongs to a part of an archive: df of the n versions of the part have it, and df_rest of the n_rest versions of the rest. Above 10.8, chance alone does so once in a thousand times; negative, if the term is rarer in the part (Dunning 1993).",
		params: []param{{"df", intKind}, {"n", intKind}, {"df_rest", intKind}, {"n_rest", intKind}}, result: value.Float, apply: logLikelihood},
	{Name: "nullif", Example: `nullif(0, 0)`, Doc: "NULL if a equals b; otherwise a.",
		params: []param{{"a", anyKind}, {"b", anyKind}}, nulls: true, apply: nullIf},
	{Name: "round", Example: `round(2.345, 2)`, Doc: "The number rounded to this many decimals (default 0), halves away from zero.",
		params: []param{{"x", numberKind}, {"decimals", intKind}}, min: 1, apply: round},
}

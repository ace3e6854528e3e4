package op

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// state is the value of one aggregate, such as sum(x), over the rows added
// so far.
type state struct {
	count int64       // rows added, without NULLs
	sum   int64       // sum of values of type Int and Duration
	fsum  float64     // sum of values of type Float, and for avg of type Int
	best  value.Value // the least, greatest or first value so far; the least or greatest By of ArgMin and ArgMax; the last value of an Adjacent aggregate
	arg   value.Value // for ArgMin and ArgMax: the value of Arg in the row of best
	mean  float64     // for Stddev: the mean so far
	m2    float64     // for Stddev: the sum of the squared distances from the mean
	// sorted holds the values of the aggregates Quantile and QuantileCont. They come in ascending
	// order, after all rows of the group were added.
	sorted []float64
	text   []byte  // for StringAgg: the joined text; also added in order
	sketch *sketch // for ApproxCount
}

// addRange adds the rows i of col with from <= i < to. It returns an error
// if a sum or text becomes too great.
func (s *state) addRange(a *plan.Aggregate, col *value.Vector, from, to int) error {
	if col.Type == value.Null {
		return nil
	}
	if col.Nulls == nil {
		switch {
		case a.Func == plan.Count:
			s.count += int64(to - from)
			return nil
		case a.Func == plan.Sum && col.Type != value.Float:
			return s.sumInts(a, col.Ints[from:to])
		case (a.Func == plan.Min || a.Func == plan.Max) && to-from > 1:
			return s.add(a, col.At(bestRow(a.Func, col, from, to)))
		}
	}
	for i := from; i < to; i++ {
		if col.IsNull(i) {
			continue
		}
		if err := s.add(a, col.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// addAdjacent counts the distinct values in the rows i of col with from <= i
// < to. Equal values must follow each other: addAdjacent counts the values
// that differ from the one before.
func (s *state) addAdjacent(col *value.Vector, from, to int) {
	before := s.best
	for i := from; i < to; i++ {
		if v := col.At(i); !v.IsNull() && v != before {
			s.count++
			before = v
		}
	}
	if before != s.best {
		s.best = held(before)
	}
}

// addCounted is addRange for rows that stand for several captures each. counts[i] is the number of
// captures of row i.
func (s *state) addCounted(a *plan.Aggregate, col *value.Vector, counts []int64, from, to int) error {
	if !slices.ContainsFunc(counts[from:to], func(n int64) bool { return n != 1 }) {
		return s.addRange(a, col, from, to)
	}
	for i := from; i < to; i++ {
		if col.IsNull(i) {
			continue
		}
		n := counts[i]
		switch {
		case a.Func == plan.Min || a.Func == plan.Max:
			s.keep(a.Func, col.At(i))
		case a.Func == plan.Avg && col.Type == value.Int:
			s.fsum += float64(col.Ints[i]) * float64(n)
		case a.Func == plan.Sum || a.Func == plan.Avg:
			if err := s.addInts(a, col.Ints[i], n); err != nil {
				return err
			}
		}
		s.count += n
	}
	return nil
}

// addInts adds x to the sum n times. It returns an error if the sum does not
// fit in 64 bits.
func (s *state) addInts(a *plan.Aggregate, x, n int64) error {
	if hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(n)); x != math.MinInt64 && hi == 0 && lo <= math.MaxInt64 {
		return s.addInt(a, x*n)
	}
	return tooGreat(a)
}

// bestRow returns the index of the least or greatest value, as f says, among
// the rows i of col with from <= i < to. None of these may be NULL.
func bestRow(f plan.AggregateFunc, col *value.Vector, from, to int) int {
	best := from
	for i := from + 1; i < to; i++ {
		if c := col.Compare(i, col, best); f == plan.Min && c < 0 || f == plan.Max && c > 0 {
			best = i
		}
	}
	return best
}

// sumInts adds all numbers in list to the sum, and counts them.
func (s *state) sumInts(a *plan.Aggregate, list []int64) error {
	for _, n := range list {
		if err := s.addInt(a, n); err != nil {
			return err
		}
	}
	s.count += int64(len(list))
	return nil
}

// addInt adds n to the sum. It returns an error if the sum does not fit in
// 64 bits.
func (s *state) addInt(a *plan.Aggregate, n int64) error {
	sum := s.sum + n
	if (sum > s.sum) != (n > 0) && n != 0 {
		return tooGreat(a)
	}
	s.sum = sum
	return nil
}

// tooGreat returns the error for a sum of the aggregate a that does not fit
// in 64 bits.
func tooGreat(a *plan.Aggregate) error {
	err := ast.Errorf(a, "%s is too great for a whole number", a.Text)
	err.Hint = "CAST the argument to float"
	return err
}

// add adds one value v, which must not be NULL, to the aggregate a.
func (s *state) add(a *plan.Aggregate, v value.Value) error {
	s.count++
	switch a.Func {
	case plan.Min, plan.Max:
		s.keep(a.Func, v)
	case plan.AnyValue:
		if s.best.IsNull() {
			s.best = held(v)
		}
	case plan.Quantile, plan.QuantileCont:
		s.sorted = append(s.sorted, v.Number())
	case plan.StringAgg:
		return s.join(a, v.Text)
	case plan.ApproxCount:
		if s.sketch == nil {
			s.sketch = new(sketch)
		}
		s.sketch.add(v)
	case plan.Stddev:
		d := v.Number() - s.mean
		s.mean += d / float64(s.count)
		s.m2 += d * (v.Number() - s.mean)
	case plan.Sum, plan.Avg:
		switch {
		case v.Type == value.Float:
			s.fsum += v.Float
		case a.Func == plan.Avg && v.Type == value.Int:
			s.fsum += float64(v.Int)
		default:
			return s.addInt(a, v.Int)
		}
	}
	return nil
}

// joinedBytesMax bounds the text that one string_agg returns, because the
// text is held in memory.
const joinedBytesMax = 64 << 20

// join appends text to the result of the StringAgg a, after the separator
// unless it is the first.
func (s *state) join(a *plan.Aggregate, text string) error {
	if s.count > 1 {
		s.text = append(s.text, a.Separator...)
	}
	s.text = append(s.text, text...)
	if len(s.text) > joinedBytesMax {
		err := ast.Errorf(a, "%s gives a text of more than %d MB", a.Text, joinedBytesMax>>20)
		err.Hint = "ask for fewer rows in one group"
		return err
	}
	return nil
}

// held returns v with a copy of its text. The original text may share memory
// with the texts of other rows, which could then not be freed.
func held(v value.Value) value.Value {
	v.Text = strings.Clone(v.Text)
	return v
}

// ofNumber returns f as a value of type t. Unless t is Float, f is rounded to the nearest whole number
// that fits in 64 bits.
func ofNumber(t value.Type, f float64) value.Value {
	switch {
	case t == value.Float:
		return value.OfFloat(f)
	case f >= math.MaxInt64:
		return value.Value{Type: t, Int: math.MaxInt64}
	case f <= math.MinInt64:
		return value.Value{Type: t, Int: math.MinInt64}
	}
	return value.Value{Type: t, Int: int64(math.Round(f))}
}

// addPairs adds the rows i with from <= i < to to the ArgMin or ArgMax a.
// arg and by are the columns of its two arguments.
func (s *state) addPairs(a *plan.Aggregate, arg, by *value.Vector, from, to int) {
	for i := from; i < to; i++ {
		if !by.IsNull(i) {
			s.count++
			s.keepPair(a.Func, arg.At(i), by.At(i))
		}
	}
}

// keepPair sets s.arg to arg and s.best to by, if by is less than s.best
// (for ArgMin) or greater (for ArgMax).
func (s *state) keepPair(f plan.AggregateFunc, arg, by value.Value) {
	if !s.best.IsNull() {
		if c := value.Compare(by, s.best); f == plan.ArgMin && c >= 0 || f == plan.ArgMax && c <= 0 {
			return
		}
	}
	s.best, s.arg = held(by), held(arg)
}

// keep sets s.best to v, if v is less than s.best (for Min) or greater (for
// Max).
func (s *state) keep(f plan.AggregateFunc, v value.Value) {
	if s.best.IsNull() {
		s.best = held(v)
		return
	}
	if c := value.Compare(v, s.best); f == plan.Min && c < 0 || f == plan.Max && c > 0 {
		s.best = held(v)
	}
}

// merge adds the rows that o has added, which belong to the same group, to
// s.
func (s *state) merge(a *plan.Aggregate, o *state) error {
	if o.count > 0 && s.count+o.count > 0 {
		d, n := o.mean-s.mean, float64(s.count+o.count)
		s.m2 += o.m2 + d*d*float64(s.count)*float64(o.count)/n
		s.mean += d * float64(o.count) / n
	}
	if o.sketch != nil {
		if s.sketch == nil {
			s.sketch = new(sketch)
		}
		s.sketch.merge(o.sketch)
	}
	s.count += o.count
	s.fsum += o.fsum
	switch {
	case o.best.IsNull():
	case a.Func == plan.ArgMin || a.Func == plan.ArgMax:
		s.keepPair(a.Func, o.arg, o.best)
	case a.Func == plan.AnyValue:
		if s.best.IsNull() {
			s.best = o.best
		}
	default:
		s.keep(a.Func, o.best)
	}
	return s.addInt(a, o.sum)
}

// result returns the value of the aggregate a. If no values were added it is
// NULL, except that counts are 0.
func (s *state) result(a *plan.Aggregate) value.Value {
	switch {
	case a.Func == plan.Count:
		return value.OfInt(s.count)
	case a.Func == plan.ApproxCount && s.sketch == nil:
		return value.OfInt(0)
	case a.Func == plan.ApproxCount:
		return value.OfInt(s.sketch.count())
	case s.count == 0:
		return value.Value{}
	case a.Func == plan.Min || a.Func == plan.Max || a.Func == plan.AnyValue:
		return s.best
	case a.Func == plan.ArgMin || a.Func == plan.ArgMax:
		return s.arg
	case a.Func == plan.StringAgg:
		return value.OfText(string(s.text))
	case a.Func == plan.Stddev && s.count < 2:
		return value.Value{}
	}
	v := value.Value{Type: a.T}
	switch {
	case a.Func == plan.Stddev:
		return ofNumber(a.T, math.Sqrt(s.m2/float64(s.count-1)))
	case a.Func == plan.Quantile:
		n := int(math.Ceil(a.Share * float64(len(s.sorted))))
		return ofNumber(a.T, s.sorted[max(n, 1)-1])
	case a.Func == plan.QuantileCont:
		place := a.Share * float64(len(s.sorted)-1)
		below := int(place)
		above, share := min(below+1, len(s.sorted)-1), place-float64(below)
		return ofNumber(a.T, s.sorted[below]*(1-share)+s.sorted[above]*share)
	case a.T == value.Float && a.Func == plan.Avg:
		v.Float = s.fsum / float64(s.count)
	case a.T == value.Float:
		v.Float = s.fsum
	case a.Func == plan.Avg: // the average of durations
		v.Int = int64(math.Round(float64(s.sum) / float64(s.count)))
	default:
		v.Int = s.sum
	}
	return v
}

// encode appends s to dst in the form that decode reads. It leaves out the values of Quantile,
// QuantileCont and StringAgg, which are held elsewhere.
func (s *state) encode(dst []byte) []byte {
	dst = spill.AppendValue(dst, value.OfInt(s.count))
	dst = spill.AppendValue(dst, value.OfInt(s.sum))
	dst = spill.AppendValue(dst, value.OfFloat(s.fsum))
	dst = spill.AppendValue(dst, value.OfFloat(s.mean))
	dst = spill.AppendValue(dst, value.OfFloat(s.m2))
	dst = spill.AppendValue(dst, s.arg)
	dst = spill.AppendValue(dst, s.best)
	if s.sketch == nil {
		return spill.AppendValue(dst, value.Value{})
	}
	return spill.AppendValue(dst, value.OfText(s.sketch.encode()))
}

// decode sets s to the state that encode wrote at the start of src, and returns the rest of src.
func (s *state) decode(src string) string {
	var v value.Value
	v, src = spill.DecodeValue(src)
	s.count = v.Int
	v, src = spill.DecodeValue(src)
	s.sum = v.Int
	v, src = spill.DecodeValue(src)
	s.fsum = v.Float
	v, src = spill.DecodeValue(src)
	s.mean = v.Float
	v, src = spill.DecodeValue(src)
	s.m2 = v.Float
	s.arg, src = spill.DecodeValue(src)
	s.best, src = spill.DecodeValue(src)
	v, src = spill.DecodeValue(src)
	if !v.IsNull() {
		s.sketch = decodeSketch(v.Text)
	}
	return src
}

package op

import (
	"math"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// state is an aggregate over some rows.
type state struct {
	count int64       // rows counted, NULLs not
	sum   int64       // of Int and Duration
	fsum  float64     // of Float, and of Int for avg
	best  value.Value // least or greatest so far
}

// addRange counts rows from up to, not including to, of col.
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

// bestRow is the row of the least or greatest value, none of which is NULL.
func bestRow(f plan.AggregateFunc, col *value.Vector, from, to int) int {
	best := from
	for i := from + 1; i < to; i++ {
		if c := col.Compare(i, col, best); f == plan.Min && c < 0 || f == plan.Max && c > 0 {
			best = i
		}
	}
	return best
}

func (s *state) sumInts(a *plan.Aggregate, list []int64) error {
	for _, n := range list {
		if err := s.addInt(a, n); err != nil {
			return err
		}
	}
	s.count += int64(len(list))
	return nil
}

func (s *state) addInt(a *plan.Aggregate, n int64) error {
	sum := s.sum + n
	if (sum > s.sum) != (n > 0) && n != 0 {
		err := ast.Errorf(a, "%s is too great for a whole number", a.Text)
		err.Hint = "CAST the argument to float"
		return err
	}
	s.sum = sum
	return nil
}

// add counts one value that is not NULL.
func (s *state) add(a *plan.Aggregate, v value.Value) error {
	s.count++
	switch a.Func {
	case plan.Min, plan.Max:
		s.keep(a.Func, v)
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

// keep makes v the best if it is better.
func (s *state) keep(f plan.AggregateFunc, v value.Value) {
	if s.best.IsNull() {
		s.best = v
		return
	}
	if c := value.Compare(v, s.best); f == plan.Min && c < 0 || f == plan.Max && c > 0 {
		s.best = v
	}
}

// merge counts what o has counted.
func (s *state) merge(a *plan.Aggregate, o *state) error {
	s.count += o.count
	s.fsum += o.fsum
	if !o.best.IsNull() {
		s.keep(a.Func, o.best)
	}
	return s.addInt(a, o.sum)
}

// result is the aggregate's value. Of no values it is NULL, but count is 0.
func (s *state) result(a *plan.Aggregate) value.Value {
	switch {
	case a.Func == plan.Count:
		return value.OfInt(s.count)
	case s.count == 0:
		return value.Value{}
	case a.Func == plan.Min || a.Func == plan.Max:
		return s.best
	}
	v := value.Value{Type: a.T}
	switch {
	case a.T == value.Float && a.Func == plan.Avg:
		v.Float = s.fsum / float64(s.count)
	case a.T == value.Float:
		v.Float = s.fsum
	case a.Func == plan.Avg: // of durations
		v.Int = int64(math.Round(float64(s.sum) / float64(s.count)))
	default:
		v.Int = s.sum
	}
	return v
}

// encode appends s for decode to read.
func (s *state) encode(dst []byte) []byte {
	dst = appendValue(dst, value.OfInt(s.count))
	dst = appendValue(dst, value.OfInt(s.sum))
	dst = appendValue(dst, value.OfFloat(s.fsum))
	return appendValue(dst, s.best)
}

// decode reads what encode wrote and gives what follows.
func (s *state) decode(src string) string {
	var v value.Value
	v, src = decodeValue(src)
	s.count = v.Int
	v, src = decodeValue(src)
	s.sum = v.Int
	v, src = decodeValue(src)
	s.fsum = v.Float
	s.best, src = decodeValue(src)
	return src
}

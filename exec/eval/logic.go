package eval

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/value"
)

// part computes an expression for some rows of a batch only. It does not
// evaluate the expression for the other rows, so these take no time and cannot
// cause an error.
type part struct {
	eval Func
	cols []int       // the columns that the expression reads
	rows value.Batch // scratch memory of the method of
}

// newPart returns a part that computes e.
func newPart(e expr.Expr) (*part, error) {
	eval, err := Compile(e)
	if err != nil {
		return nil, err
	}
	p := &part{eval: eval}
	expr.Columns(e, func(c *expr.Col) {
		if !slices.Contains(p.cols, c.Index) {
			p.cols = append(p.cols, c.Index)
		}
	})
	return p, nil
}

// of returns the values of the expression for the rows of b whose numbers are
// in sel, in this order. The result is valid until the next call.
func (p *part) of(b *value.Batch, sel []int32) (*value.Vector, error) {
	if len(sel) == b.N {
		return p.eval(b)
	}
	for len(p.rows.Cols) < len(b.Cols) {
		p.rows.Cols = append(p.rows.Cols, new(value.Vector))
	}
	p.rows.N = len(sel)
	for _, c := range p.cols {
		p.rows.Cols[c].Gather(b.Cols[c], sel)
	}
	return p.eval(&p.rows)
}

// term is one condition of an AND or an OR.
type term struct {
	*part
	open bool // evaluate it only for rows whose result the earlier conditions have not decided
}

// compileLogic returns a Func for the AND of list if deciding is false, and for
// the OR if deciding is true. If a condition has the value deciding in a row,
// this is the result for the row, whatever the others are.
func compileLogic(list []expr.Expr, deciding bool) (Func, error) {
	terms := make([]term, len(list))
	for i, e := range list {
		p, err := newPart(e)
		if err != nil {
			return nil, err
		}
		terms[i] = term{p, i > 0 && !cheap(e)}
	}
	out := new(value.Vector)
	var all, sel []int32
	return func(b *value.Batch) (*value.Vector, error) {
		for len(all) < b.N {
			all = append(all, int32(len(all)))
		}
		out.Resize(value.Bool, b.N)
		for i := range out.Bools {
			out.Bools[i] = !deciding
		}
		for _, t := range terms {
			rows := all[:b.N]
			if t.open {
				sel = appendOpen(sel[:0], out, deciding)
				rows = sel
			}
			if len(rows) == 0 {
				continue
			}
			v, err := t.of(b, rows)
			if err != nil {
				return nil, err
			}
			join(out, v, rows, deciding)
		}
		return out, nil
	}, nil
}

// cheap reports whether e cannot fail and is fast. It then takes less time to compute e for all rows
// than to select the rows that need it.
func cheap(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Const, *expr.Col:
		return true
	case *expr.Not, *expr.And, *expr.Or, *expr.Compare, *expr.In, *expr.Inside, *expr.Is:
		return !slices.ContainsFunc(expr.Operands(e), func(o expr.Expr) bool { return !cheap(o) })
	}
	return false
}

// appendOpen appends to sel the numbers of the rows of v that are not decided,
// and returns sel. A row is decided if its value is deciding.
func appendOpen(sel []int32, v *value.Vector, deciding bool) []int32 {
	for i, b := range v.Bools {
		if b != deciding || v.IsNull(i) {
			sel = append(sel, int32(i))
		}
	}
	return sel
}

// join combines the results so far, acc, with the values v of the next
// condition of an AND (deciding is false) or an OR (deciding is true). Value i
// of v is for row rows[i] of acc. A value equal to deciding decides the row.
// Otherwise, if either value is NULL, the row becomes NULL.
func join(acc, v *value.Vector, rows []int32, deciding bool) {
	if v.Nulls == nil && v.Type != value.Null && acc.Nulls == nil && len(rows) == len(acc.Bools) {
		joinBools(acc.Bools, v.Bools[:len(rows)], deciding)
		return
	}
	for i, row := range rows {
		if acc.Bools[row] == deciding && !acc.IsNull(int(row)) {
			continue
		}
		switch {
		case v.IsNull(i):
			acc.SetNull(int(row))
		case v.Bools[i] == deciding:
			acc.Set(int(row), value.OfBool(deciding))
		}
	}
}

// joinBools sets each acc[i] to acc[i] OR v[i] if deciding is true, and to
// acc[i] AND v[i] if it is false.
func joinBools(acc, v []bool, deciding bool) {
	v = v[:len(acc)]
	if deciding {
		for i := range acc {
			acc[i] = acc[i] || v[i]
		}
		return
	}
	for i := range acc {
		acc[i] = acc[i] && v[i]
	}
}

// compileCase returns a Func for the CASE e. It evaluates each branch only for
// the rows that reach it.
func compileCase(e *expr.Case) (Func, error) {
	type branch struct{ cond, then *part }
	branches := make([]branch, len(e.Whens))
	for i, w := range e.Whens {
		cond, err := newPart(w.Cond)
		if err != nil {
			return nil, err
		}
		then, err := newPart(w.Then)
		if err != nil {
			return nil, err
		}
		branches[i] = branch{cond, then}
	}
	otherwise, err := newPart(e.Else)
	if err != nil {
		return nil, err
	}
	out := new(value.Vector)
	var left, taken []int32
	return func(b *value.Batch) (*value.Vector, error) {
		out.Resize(e.T, b.N)
		left = left[:0]
		for i := range b.N {
			left = append(left, int32(i))
		}
		take := func(p *part, rows []int32) error {
			if len(rows) == 0 {
				return nil
			}
			v, err := p.of(b, rows)
			if err == nil {
				out.Scatter(v, rows)
			}
			return err
		}
		for _, br := range branches {
			if len(left) == 0 {
				break
			}
			v, err := br.cond.of(b, left)
			if err != nil {
				return nil, err
			}
			taken = taken[:0]
			rest := left[:0]
			for i, row := range left {
				if !v.IsNull(i) && v.Bools[i] {
					taken = append(taken, row)
				} else {
					rest = append(rest, row)
				}
			}
			left = rest
			if err := take(br.then, taken); err != nil {
				return nil, err
			}
		}
		return out, take(otherwise, left)
	}, nil
}

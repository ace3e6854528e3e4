package eval

import (
	"slices"

	"infomall/exec/expr"
	"infomall/exec/value"
)

// part computes an expression for some rows of a batch. The other rows take no
// time and cannot fail.
type part struct {
	eval Func
	cols []int       // the columns that the expression reads
	rows value.Batch // scratch memory of of
}

// newPart returns a part for the expression e.
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

// of computes the expression for the rows in sel. Row i of the result is for
// row sel[i] of b.
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

// term is a condition of AND or OR.
type term struct {
	*part
	open bool // evaluate it only for rows that are not decided yet
}

// compileLogic returns a Func of the AND of list if deciding is false, and of
// the OR if it is true. A condition with the value deciding decides the result.
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

// cheap reports whether e cannot fail and is as fast to evaluate as it is to
// select the rows that need it.
func cheap(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Const, *expr.Col:
		return true
	case *expr.Not, *expr.And, *expr.Or, *expr.Compare, *expr.In, *expr.Inside, *expr.Is:
		return !slices.ContainsFunc(expr.Operands(e), func(o expr.Expr) bool { return !cheap(o) })
	}
	return false
}

// appendOpen appends to sel the rows of v that are not decided.
func appendOpen(sel []int32, v *value.Vector, deciding bool) []int32 {
	for i, b := range v.Bools {
		if b != deciding || v.IsNull(i) {
			sel = append(sel, int32(i))
		}
	}
	return sel
}

// join combines acc with the values v of the next condition for some rows. A
// value equal to deciding decides the row. Otherwise, if either is NULL, the
// row is NULL.
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

// joinBools is join for vectors without NULLs.
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

// compileCase returns a Func of a CASE. It evaluates each branch only for the
// rows that reach it.
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

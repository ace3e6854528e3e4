package relation

import (
	"context"

	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/record"
)

// LateRow computes the late columns of rows: the columns that need the stored
// page, or what is stored about it. It computes them for one row at a time, the
// current row.
type LateRow struct {
	ctx     context.Context
	reader  *Reader
	request *Request
	hidden  []*value.Vector // the hidden columns of a batch
	row     int             // the current row, an index in the batch

	shown     []*foundBlock // of the relation findings: what some rows show, see showAhead
	shownFrom int           // the row of the first element of shown

	opened *response // if not nil, the response of the current row, which hidden then need not name
}

// LateRow returns a LateRow for the rows of one batch that reading n has
// yielded. hidden holds the batch's hidden columns, which say from which
// capture each row was made.
func (r *Reader) LateRow(ctx context.Context, n *Request, hidden []*value.Vector) *LateRow {
	return &LateRow{ctx: ctx, reader: r.knownAt(n), request: n, hidden: hidden}
}

// Value makes row the current row and returns the value of its late column c.
// The value is NULL for a row to which a LEFT JOIN found no match.
func (l *LateRow) Value(c *Column, row int) (value.Value, error) {
	if l.hidden[0].IsNull(row) {
		return value.Value{}, nil
	}
	l.row = row
	return c.late(l)
}

// lateCode computes the value of a late column, one that needs the stored page,
// for the current row of a LateRow.
type lateCode func(*LateRow) (value.Value, error)

// payload returns a late column (one that needs the stored page), computed by
// code, that SELECT * leaves out.
func payload(name string, t value.Type, doc string, code lateCode) Column {
	return Column{Name: name, Type: t, Doc: doc, Payload: true, late: code}
}

// costly returns a late column (one that needs the stored page), computed by
// code, that SELECT * includes.
func costly(name string, t value.Type, doc string, code lateCode) Column {
	return Column{Name: name, Type: t, Doc: doc, Costly: true, late: code}
}

// ref returns the ref of a capture that two hidden columns, with the indexes at
// and at+1, hold for the current row.
func (l *LateRow) ref(at int) record.Ref { return Ref(l.hidden[at:], l.row) }

// number returns the number that the hidden column number at (an index from 0)
// holds for the current row.
func (l *LateRow) number(at int) int { return int(l.hidden[at].Ints[l.row]) }

// response returns the stored response of the capture from which the current
// row was made.
func (l *LateRow) response() (*response, error) {
	if l.opened != nil {
		return l.opened, nil
	}
	return l.reader.response(l.ctx, l.ref(0), options(l.request))
}

// ofResponse returns the code of a late column (one that needs the stored
// page). f computes the value from the stored response of the row's capture.
func ofResponse(f func(*response) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		res, err := l.response()
		if err != nil {
			return value.Value{}, err
		}
		return f(res), nil
	}
}

// ofPage returns the code of a late column (one that needs the stored page). f
// computes the value from the body of the row's capture, divided into blocks.
// The value is NULL if the body cannot be divided, because it is not a text.
func ofPage(f func(*divide.Body) value.Value) lateCode {
	return ofResponse(func(r *response) value.Value {
		b := r.blocks()
		if b == nil {
			return value.Value{}
		}
		return f(b)
	})
}

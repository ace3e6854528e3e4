package relation

import (
	"context"

	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/record"
)

// A LateRow computes the late columns of rows: those that need the stored page,
// or what is stored about it.
type LateRow struct {
	ctx     context.Context
	reader  *Reader
	request *Request
	hidden  []*value.Vector // of a batch
	row     int             // in the batch

	opened *response // if not nil, the page of the row
}

// LateRow returns a LateRow for the rows of a batch that n asked for. hidden are
// the hidden columns of the batch.
func (r *Reader) LateRow(ctx context.Context, n *Request, hidden []*value.Vector) *LateRow {
	return &LateRow{ctx: ctx, reader: r, request: n, hidden: hidden}
}

// Value computes the late column c of a row of the batch. It is NULL for a row
// to which a LEFT JOIN found no match.
func (l *LateRow) Value(c *Column, row int) (value.Value, error) {
	if l.hidden[0].IsNull(row) {
		return value.Value{}, nil
	}
	l.row = row
	return c.late(l)
}

// lateCode computes a late column of a row.
type lateCode func(*LateRow) (value.Value, error)

// payload declares a late column that * leaves out.
func payload(name string, t value.Type, doc string, code lateCode) Column {
	return Column{Name: name, Type: t, Doc: doc, Payload: true, late: code}
}

// costly declares a late column that * includes.
func costly(name string, t value.Type, doc string, code lateCode) Column {
	return Column{Name: name, Type: t, Doc: doc, Costly: true, late: code}
}

// ref returns the ref in two hidden columns, from the column at on.
func (l *LateRow) ref(at int) record.Ref { return Ref(l.hidden[at:], l.row) }

// number returns the number in the hidden column at.
func (l *LateRow) number(at int) int { return int(l.hidden[at].Ints[l.row]) }

// response returns the response of the capture that the row was made from.
func (l *LateRow) response() (*response, error) {
	if l.opened != nil {
		return l.opened, nil
	}
	return l.reader.response(l.ctx, l.ref(0), options(l.request))
}

// ofResponse returns the code of a column that is computed from the response.
func ofResponse(f func(*response) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		res, err := l.response()
		if err != nil {
			return value.Value{}, err
		}
		return f(res), nil
	}
}

// ofPage returns the code of a column of a body that divides into blocks. For
// other bodies the column is NULL.
func ofPage(f func(*divide.Body) value.Value) lateCode {
	return ofResponse(func(r *response) value.Value {
		b := r.blocks()
		if b == nil {
			return value.Value{}
		}
		return f(b)
	})
}

// textOrNull returns s as a Text, or NULL if it is "".
func textOrNull(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.OfText(s)
}

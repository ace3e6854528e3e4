package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/record"
)

// Read returns the rows of the relation that n asks for, in batches. It yields nothing if the
// window or the ranges of n are empty.
func (r *Reader) Read(ctx context.Context, n *Request) value.Rows {
	if n.Window.Empty() && n.Relation.Scoped || n.Ranges != nil && len(n.Ranges) == 0 {
		return func(func(*value.Batch, error) bool) {}
	}
	return n.Relation.read(r.knownAt(n), ctx, n)
}

// withRead returns the Relation r after adding its function read, which reads rows
// in batches of type B. size returns how many rows a batch has. refs fills the
// hidden columns of a batch with refs, which say from which captures its rows
// were made; refs is nil for a relation without hidden columns. withRead panics if
// the code of a column is for batches of another type. This is a fault of the
// program, and shows when it starts.
func withRead[B any](r Relation, size func(B) int, refs func(hidden []*value.Vector, b B), read func(*Reader, context.Context, *Request) iter.Seq2[B, error]) *Relation {
	for _, c := range r.Columns {
		if _, ok := c.fill.(func(*value.Vector, B)); ok == c.Late() || c.Late() != (c.late != nil) {
			panic("relation: " + r.Name + "." + c.Name + " is computed from no batch of this relation")
		}
	}
	r.read = func(reader *Reader, ctx context.Context, n *Request) value.Rows {
		return render(n, size, refs, read(reader, ctx, n))
	}
	return &r
}

// List returns the Relation r after adding its function read, which yields rows
// of type T, several at a time.
func List[T any](r Relation, read func(*Reader, context.Context, *Request) iter.Seq2[[]T, error]) *Relation {
	return withRead(r, func(list []T) int { return len(list) }, nil, read)
}

// listWithRefs returns the Relation r, which has hidden columns, after adding
// its function read, which yields rows of type T, several at a time. refs
// writes into row i of the hidden columns from which capture a row was made.
func listWithRefs[T any](r Relation, refs func(row *T, hidden []*value.Vector, i int), read func(*Reader, context.Context, *Request) iter.Seq2[[]T, error]) *Relation {
	return withRead(r, func(list []T) int { return len(list) }, func(hidden []*value.Vector, list []T) {
		for _, h := range hidden {
			h.Resize(value.Int, len(list))
		}
		for i := range list {
			refs(&list[i], hidden, i)
		}
	}, read)
}

// render turns the batches that in yields into batches of the columns that n
// asks for, and computes these columns. size and refs are as for made. The late
// columns of a batch, which need stored pages, are left empty, and its hidden
// columns are filled by refs. A batch is valid until the iteration moves on.
func render[B any](n *Request, size func(B) int, refs func([]*value.Vector, B), in iter.Seq2[B, error]) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		var out value.Batch
		var work []func(B)
		for _, f := range n.Fields {
			v := new(value.Vector)
			out.Cols = append(out.Cols, v)
			if !f.Late() {
				fill := f.fill.(func(*value.Vector, B))
				switch {
				case n.Raw && f.raw != nil:
					fill = f.raw.(func(*value.Vector, B))
				case n.Keys && f.key != nil:
					fill = f.key.(func(*value.Vector, B))
				}
				work = append(work, func(b B) { fill(v, b) })
			}
		}
		var hidden []*value.Vector
		for range n.Hidden() {
			hidden = append(hidden, new(value.Vector))
		}
		out.Cols = append(out.Cols, hidden...)
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			out.N = size(b)
			for _, f := range work {
				f(b)
			}
			if hidden != nil {
				refs(hidden, b)
			}
			if !yield(&out, nil) {
				return
			}
		}
	}
}

// None is an iterator that yields nothing.
func None[T any](func(T, error) bool) {}

// Listed yields the result of f as one batch, or nothing if f returns no
// entries. It serves relations with few rows, such as pools and files.
func Listed[T any](ctx context.Context, f func(context.Context) ([]T, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		list, err := f(ctx)
		if err != nil || len(list) > 0 {
			yield(list, err)
		}
	}
}

// Paged yields the rows that in yields, copied into batches. The first batch
// has one row, so that a row comes soon. Each batch has twice as many rows as
// the one before, up to record.BatchRows. A batch is valid until the iteration
// moves on.
func Paged[T any](in iter.Seq2[*T, error]) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var list []T
		wanted := 1
		for x, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			list = append(list, *x)
			if len(list) < wanted {
				continue
			}
			wanted = min(2*wanted, record.BatchRows)
			if !yield(list, nil) {
				return
			}
			list = list[:0]
		}
		if len(list) > 0 {
			yield(list, nil)
		}
	}
}

// packRefs writes the refs of a batch of rows into the first two hidden
// columns, which it resizes.
func packRefs(hidden []*value.Vector, refs []record.Ref) {
	for _, h := range hidden[:2] {
		h.Resize(value.Int, len(refs))
	}
	for i, r := range refs {
		packRef(hidden, i, r)
	}
}

// packRef writes the ref r into row i of the first two hidden columns. The
// function Ref reads it back.
func packRef(hidden []*value.Vector, i int, r record.Ref) {
	hidden[0].Ints[i] = int64(uint64(r.Segment)<<32 | uint64(r.Run))
	hidden[1].Ints[i] = int64(r.N)
}

// Ref returns the ref that the first two hidden columns hold in row i: the
// capture from which the row was made.
func Ref(hidden []*value.Vector, i int) record.Ref {
	place := uint64(hidden[0].Ints[i])
	return record.Ref{Segment: uint32(place >> 32), Run: uint32(place), N: uint32(hidden[1].Ints[i])}
}

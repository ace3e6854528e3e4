package op

import (
	"context"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/record"
)

// source reads a relation of the archive.
func (r *Runner) source(ctx context.Context, n *plan.Source) Rows {
	if n.Window.Empty() && n.Relation.Scoped || n.Ranges != nil && len(n.Ranges) == 0 {
		return func(func(*value.Batch, error) bool) {}
	}
	switch n.Relation.Name {
	case "captures":
		return r.captures(ctx, n)
	case "versions":
		return r.versions(ctx, n)
	case "pages":
		return r.pages(ctx, n)
	case "hosts":
		return r.hosts(ctx, n)
	case "pools":
		return r.pools(ctx, n)
	case "files":
		return r.files(ctx, n)
	}
	panic("op: no relation " + n.Relation.Name)
}

// captures yields a row a capture; those of the versions chosen, if a choice is
// made.
func (r *Runner) captures(ctx context.Context, n *plan.Source) Rows {
	if n.Choice.Kind != plan.ChooseAll {
		return render(n, captureFills, captureShape, r.chosen(ctx, n))
	}
	return render(n, captureFills, captureShape, r.Snapshot.Scan(ctx, n.Scan(0)))
}

// versions yields a row a version.
func (r *Runner) versions(ctx context.Context, n *plan.Source) Rows {
	scan := r.Snapshot.Scan(ctx, n.Scan(record.ColChange))
	return render(n, versionFills(n.Choice.AsOf), spanShape, spans(scan, n.Choice, false))
}

// fills computes the columns of a relation from batches of type B. The vector
// is the column's own from batch to batch: a fill either always writes into its
// memory or always points it at the batch's.
type fills[B any] map[string]func(*value.Vector, B)

// render turns batches into the columns that n asks for. Shape gives a batch's
// length and the captures that Payload is to read.
func render[B any](n *plan.Source, all fills[B], shape func(B) (int, []record.Ref), in iter.Seq2[B, error]) Rows {
	return func(yield func(*value.Batch, error) bool) {
		var out value.Batch
		var work []func(B)
		for _, f := range n.Fields {
			v := new(value.Vector)
			out.Cols = append(out.Cols, v)
			if !f.Payload {
				fill := all[f.Name]
				work = append(work, func(b B) { fill(v, b) })
			}
		}
		var place, number value.Vector
		if n.Refs {
			out.Cols = append(out.Cols, &place, &number)
		}
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			rows, refs := shape(b)
			out.N = rows
			for _, f := range work {
				f(b)
			}
			if n.Refs {
				packRefs(&place, &number, refs)
			}
			if !yield(&out, nil) {
				return
			}
		}
	}
}

// packRefs writes refs into the two hidden columns.
func packRefs(place, number *value.Vector, refs []record.Ref) {
	place.Resize(value.Int, len(refs))
	number.Resize(value.Int, len(refs))
	for i, r := range refs {
		place.Ints[i] = int64(uint64(r.Segment)<<32 | uint64(r.Run))
		number.Ints[i] = int64(r.N)
	}
}

// unpackRef is the inverse of packRefs for row i of a batch whose last two
// columns are the hidden ones.
func unpackRef(b *value.Batch, i int) record.Ref {
	place := uint64(b.Cols[len(b.Cols)-2].Ints[i])
	number := uint32(b.Cols[len(b.Cols)-1].Ints[i])
	return record.Ref{Segment: uint32(place >> 32), Run: uint32(place), N: number}
}

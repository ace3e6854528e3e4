package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/record"
)

// Read returns the rows that n asks for.
func (r *Reader) Read(ctx context.Context, n *Request) value.Rows {
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
	case "blocks":
		return r.blocks(ctx, n)
	case "changes":
		return r.changes(ctx, n)
	case "layouts":
		return r.layouts(ctx, n)
	case "links":
		return r.links(ctx, n)
	case "hosts":
		return r.hosts(ctx, n)
	case "ranks":
		return r.ranks(ctx, n)
	case "duplicates":
		return r.duplicates(ctx, n)
	case "graphs":
		return r.graphs(ctx, n)
	case "edges":
		return r.edges(ctx, n)
	case "periods":
		return render(n, periodFills(n), periodShape, listed(ctx, n.Periods))
	case "pools":
		return r.pools(ctx, n)
	case "files":
		return r.files(ctx, n)
	case "tombstones":
		return r.tombstones(ctx, n)
	case "fetches", "frontier", "crawls", "workers":
		return r.crawling(ctx, n)
	case "schedules":
		return render(n, scheduleFills, scheduleShape, listed(ctx, r.Schedules))
	case "jobs":
		return r.jobs(ctx, n)
	case "history":
		return render(n, historyFills, historyShape, listed(ctx, r.History))
	}
	panic("op: no relation " + n.Relation.Name)
}

// captures yields one row per capture. With a choice such as AT, these are the
// captures of the chosen versions.
func (r *Reader) captures(ctx context.Context, n *Request) value.Rows {
	if n.Tally != nil {
		return render(n, tallyFills, tallyShape, r.Snapshot.Tally(ctx, n.Counted()))
	}
	if n.Choice.Kind != ChooseAll {
		return render(n, captureFills, captureShape, r.chosen(ctx, n))
	}
	return render(n, captureFills, captureShape, r.visits(ctx, n, n.Scan(0)))
}

// versions yields one row per version.
func (r *Reader) versions(ctx context.Context, n *Request) value.Rows {
	scan := r.Snapshot.Scan(ctx, n.Scan(record.ColChange))
	in := r.spans(ctx, scan, n, false)
	if n.Asks("new_blocks", "stored_bytes") {
		in = r.brought(ctx, n, in)
	}
	return render(n, versionFills(n.Choice), spanShape, in)
}

// fills are the functions that compute the columns of a relation from a batch
// of type B, by column name. A function fills a vector that keeps its memory
// from batch to batch. It must always write into that memory, or always point
// the vector at memory of the batch.
type fills[B any] map[string]func(*value.Vector, B)

// shape says how many rows a batch of type B has. refs writes the refs of its
// rows into the hidden columns; it is nil for a relation without hidden
// columns.
type shape[B any] struct {
	rows func(B) int
	refs func(hidden []*value.Vector, b B)
}

// render computes the columns that n reads from the batches of in.
func render[B any](n *Request, all fills[B], s shape[B], in iter.Seq2[B, error]) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		var out value.Batch
		var work []func(B)
		for _, f := range n.Fields {
			v := new(value.Vector)
			out.Cols = append(out.Cols, v)
			if !f.Late() {
				fill := all[f.Name]
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
			out.N = s.rows(b)
			for _, f := range work {
				f(b)
			}
			if hidden != nil {
				s.refs(hidden, b)
			}
			if !yield(&out, nil) {
				return
			}
		}
	}
}

// packRefs writes refs into the first two hidden columns.
func packRefs(hidden []*value.Vector, refs []record.Ref) {
	for _, h := range hidden[:2] {
		h.Resize(value.Int, len(refs))
	}
	for i, r := range refs {
		packRef(hidden, i, r)
	}
}

// packRef writes a ref into row i of the first two hidden columns.
func packRef(hidden []*value.Vector, i int, r record.Ref) {
	hidden[0].Ints[i] = int64(uint64(r.Segment)<<32 | uint64(r.Run))
	hidden[1].Ints[i] = int64(r.N)
}

// Ref returns the ref in row i of the hidden columns of a source whose rows are
// captures.
func Ref(hidden []*value.Vector, i int) record.Ref { return unpackRef(hidden, i) }

// unpackRef is the inverse of packRef.
func unpackRef(hidden []*value.Vector, i int) record.Ref {
	place := uint64(hidden[0].Ints[i])
	return record.Ref{Segment: uint32(place >> 32), Run: uint32(place), N: uint32(hidden[1].Ints[i])}
}

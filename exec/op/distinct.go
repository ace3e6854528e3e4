package op

import (
	"bytes"
	"context"
	"encoding/binary"

	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
)

// distinct yields the input rows that do not equal an earlier row. NULL equals NULL
// here.
//
// If equal rows follow each other, it remembers only the key of the row before.
// Otherwise it yields new rows as they come, until the keys of the rows that it has seen
// fill the memory. It sorts later rows on disk: first by key, to find the first
// row of each key, then back into the order in which they came.
func (r *Runner) distinct(ctx context.Context, n *plan.Distinct, in value.Rows) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		d := deduper{adjacent: n.Adjacent, seen: map[string]bool{}, left: r.Memory.Bytes / 2, late: r.Sorter(ctx, 4)}
		defer d.late.Close()
		var out value.Batch
		var sel []int32
		for b, err := range in {
			if err == nil {
				sel, err = d.fresh(sel[:0], b)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if len(sel) == 0 {
				continue
			}
			if len(sel) < b.N {
				out.Gather(b, sel)
				b = &out
			}
			if !yield(b, nil) {
				return
			}
		}
		if d.arrival > 0 {
			d.yieldLate(ctx, r, n.Columns(), yield)
		}
	}
}

// deduper finds rows that equal an earlier row. It remembers the keys of the
// rows that it has seen.
type deduper struct {
	adjacent bool // equal rows follow each other
	any      bool // there was a row before
	seen     map[string]bool
	left     int64 // bytes that seen may still take
	key      []byte
	last     []byte        // the key of the previous row
	late     *spill.Sorter // rows that came after seen was full and are not in seen
	arrival  uint64        // number of rows in late
	row      []byte
}

// fresh appends to sel the indexes of the rows of b that were not seen
// before, and returns sel. Once seen is full, rows that are not in seen may
// still be duplicates; fresh adds these to late instead.
func (d *deduper) fresh(sel []int32, b *value.Batch) ([]int32, error) {
	const overhead = 48 // bytes that a map entry takes besides its key
	for i := range b.N {
		d.key, d.last = d.last[:0], d.key
		for _, c := range b.Cols {
			d.key = c.AppendKey(d.key, i, value.Order{})
		}
		if d.any && bytes.Equal(d.key, d.last) {
			continue
		}
		d.any = true
		if d.adjacent {
			sel = append(sel, int32(i))
			continue
		}
		if d.seen[string(d.key)] {
			continue
		}
		if d.left > 0 {
			d.seen[string(d.key)] = true
			d.left -= int64(len(d.key)) + overhead
			sel = append(sel, int32(i))
			continue
		}
		d.arrival++
		d.row = spill.AppendRow(binary.BigEndian.AppendUint64(d.row[:0], d.arrival), b, i)
		if err := d.late.Add(d.key, d.row); err != nil {
			return nil, err
		}
	}
	return sel, nil
}

// yieldLate yields the first row of each key in late, in the order in which fresh got these rows.
func (d *deduper) yieldLate(ctx context.Context, r *Runner, cols []value.Column, yield func(*value.Batch, error) bool) {
	d.seen = nil
	ordered := r.Sorter(ctx, 4)
	defer ordered.Close()
	var last []byte
	for rec, err := range d.late.Sorted() {
		if err == nil && bytes.Equal(rec.Key, last) {
			continue
		}
		if err == nil {
			last = append(last[:0], rec.Key...)
			err = ordered.Add(rec.Val[:8], rec.Val[8:])
		}
		if err != nil {
			yield(nil, err)
			return
		}
	}
	decoded(cols, ordered.Sorted())(yield)
}

package op

import (
	"context"
	"encoding/binary"
	"slices"

	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
)

// rowSorter sorts rows by keys. As long as the rows fit in memory, it holds them as
// columns, and sorts only their keys, each with the place of its row. When memory is
// full, it encodes all rows, and a spill.Sorter writes them to temporary files.
//
// Rows may come in groups that must stay together, such as the captures of one URL. A
// rowSorter then sorts the rows of each group, and keeps the order of the groups.
type rowSorter struct {
	ctx    context.Context
	runner *Runner
	keys   *sortKeys
	cols   []value.Column
	out    *value.Batch

	held   []*value.Batch // the rows in memory
	bytes  int64          // memory that held and places take
	places *spill.Sorter  // the keys of the rows in held, and their places; a place is batch × 2³² + row

	// If there is a single key that is a number or a time, these hold the places of rows instead:
	numbers *spill.Places // of the rows in held whose key is not NULL; nil if the keys are others
	nulls   []uint64      // of the others

	rows *spill.Sorter // the keys of all rows, and the rows; nil if all rows are in held

	key, row []byte   // memory for a key and an encoded row
	chosen   []uint64 // memory for the places of the rows of out
}

// sorted yields the input rows, which have the columns cols, in the order of the keys. If
// groups is not empty, rows that are equal in groups follow each other in the input. The rows of
// each such group are then sorted, and the groups keep their order.
func (r *Runner) sorted(ctx context.Context, groups, keys []plan.Key, cols []value.Column, in value.Rows) (value.Rows, error) {
	by, err := newSortKeys(keys)
	if err != nil {
		return nil, err
	}
	grouped, err := newSortKeys(groups)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		s := &rowSorter{ctx: ctx, runner: r, keys: by, cols: cols, out: value.NewBatch(cols), places: r.Sorter(ctx, 1)}
		defer s.close()
		if len(groups) == 0 && len(keys) == 1 && value.HasKeyNumbers(keys[0].Expr.Type()) {
			s.numbers = spill.NewPlaces(ctx)
		}
		run := s.all
		if len(groups) > 0 {
			run = (&groupSorter{rowSorter: s, groups: grouped}).all
		}
		if err := run(in, yield); err != nil {
			yield(nil, err)
		}
	}, nil
}

// all sorts the input rows and yields them.
func (s *rowSorter) all(in value.Rows, yield func(*value.Batch, error) bool) error {
	for b, err := range in {
		if err == nil {
			err = s.add(b.Copy(), nil)
		}
		if err != nil {
			return err
		}
	}
	_, err := s.finish(yield)
	return err
}

// placeBytes is the memory in bytes that sorting takes for a row, besides the row and the bytes of
// its key.
const placeBytes = 60

// add adds the rows of b, which must stay valid until finish is called. groups[i] is the number of
// the group of row i; nil means that all rows are one group.
func (s *rowSorter) add(b *value.Batch, groups []uint32) error {
	if s.rows == nil {
		if s.bytes += b.Bytes(); s.bytes > s.runner.Bytes/3 {
			if err := s.encodeHeld(); err != nil {
				return err
			}
		}
	}
	if err := s.keys.load(b); err != nil {
		return err
	}
	if s.rows == nil && s.numbers != nil {
		s.addNumbers(b.N)
		s.held = append(s.held, b)
		return nil
	}
	place := uint64(len(s.held)) << 32
	for i := range b.N {
		key := s.key[:0]
		if groups != nil {
			key = binary.BigEndian.AppendUint32(key, groups[i])
		}
		key = s.keys.append(key, i)
		s.key = key
		if s.rows != nil {
			s.row = spill.AppendRow(s.row[:0], b, i)
			if err := s.rows.Add(key, s.row); err != nil {
				return err
			}
			continue
		}
		s.row = binary.BigEndian.AppendUint64(s.row[:0], place|uint64(i))
		if err := s.places.Add(key, s.row); err != nil {
			return err
		}
		s.bytes += int64(len(key)) + placeBytes
	}
	if s.rows == nil {
		s.held = append(s.held, b)
	}
	return nil
}

// addNumbers adds the places of the n rows of the batch whose keys were loaded last. This batch
// becomes the next one in s.held.
func (s *rowSorter) addNumbers(n int) {
	v, order, batch := s.keys.cols[0], s.keys.orders[0], len(s.held)
	for i := range n {
		if v.IsNull(i) {
			s.nulls = append(s.nulls, uint64(batch)<<32|uint64(i))
		} else {
			s.numbers.Add(v.KeyNumber(i, order), uint32(batch), uint32(i))
		}
	}
	s.bytes += int64(n) * spill.PlaceBytes
}

// encodeHeld creates the sorter s.rows and moves the rows in memory to it.
func (s *rowSorter) encodeHeld() error {
	s.rows = s.runner.Sorter(s.ctx, 1)
	held := s.held
	s.held = nil
	if s.numbers != nil {
		s.numbers.Reset()
		s.nulls = nil
		for i, b := range held {
			if err := s.add(b, nil); err != nil {
				return err
			}
			held[i] = nil
		}
		return nil
	}
	for rec := range s.places.Added() {
		p := binary.BigEndian.Uint64(rec.Val)
		s.row = spill.AppendRow(s.row[:0], held[p>>32], int(uint32(p)))
		if err := s.rows.Add(rec.Key, s.row); err != nil {
			return err
		}
	}
	s.places.Reset()
	return nil
}

// inOrder yields the places of the rows in memory, sorted by the keys of the rows.
func (s *rowSorter) inOrder(yield func(uint64, error) bool) {
	if s.numbers == nil {
		for rec, err := range s.places.Sorted() {
			place := uint64(0)
			if err == nil {
				place = binary.BigEndian.Uint64(rec.Val)
			}
			if !yield(place, err) {
				return
			}
		}
		return
	}
	nullsFirst := s.keys.orders[0].NullsFirst
	for _, p := range s.nulls {
		if nullsFirst && !yield(p, nil) {
			return
		}
	}
	for p, err := range s.numbers.Sorted() {
		if !yield(p, err) {
			return
		}
	}
	for _, p := range s.nulls {
		if !nullsFirst && !yield(p, nil) {
			return
		}
	}
}

// finish yields the rows that were added, sorted, and removes them from s. more is false
// if the consumer wants no more rows.
func (s *rowSorter) finish(yield func(*value.Batch, error) bool) (more bool, err error) {
	if s.rows != nil {
		for b, err := range decoded(s.cols, s.rows.Sorted()) {
			if err != nil {
				return false, err
			}
			if !yield(b, nil) {
				return false, nil
			}
		}
		s.reset()
		return true, nil
	}
	s.chosen = s.chosen[:0]
	for p, err := range s.inOrder {
		if err != nil {
			return false, err
		}
		if s.chosen = append(s.chosen, p); len(s.chosen) == record.BatchRows {
			s.out.GatherFrom(s.held, s.chosen)
			if !yield(s.out, nil) {
				return false, nil
			}
			s.chosen = s.chosen[:0]
		}
	}
	if len(s.chosen) > 0 {
		s.out.GatherFrom(s.held, s.chosen)
		if !yield(s.out, nil) {
			return false, nil
		}
	}
	s.reset()
	return true, nil
}

// reset removes all rows.
func (s *rowSorter) reset() {
	if s.rows != nil {
		s.rows.Close()
		s.rows = nil
	}
	s.held, s.bytes, s.nulls = s.held[:0], 0, nil
	s.places.Reset()
	if s.numbers != nil {
		s.numbers.Reset()
	}
}

// close releases memory and temporary files.
func (s *rowSorter) close() {
	s.reset()
	s.places.Close()
}

// groupSorter sorts rows that come in groups, each group by itself. It holds no more rows than
// those of one batch and one group.
type groupSorter struct {
	*rowSorter
	groups  *sortKeys
	last    lastRow  // of the batch before
	begins  []bool   // for each row of the current batch, whether a group begins there
	numbers []uint32 // of the groups of the rows of the current batch, from 0: the group that is held
}

// all reads rows from the parameter in, sorts the rows of each group, and yields them. The rows of
// each group must follow each other in the input.
func (g *groupSorter) all(in value.Rows, yield func(*value.Batch, error) bool) error {
	for b, err := range in {
		if err == nil {
			err = g.groups.load(b)
		}
		if err != nil {
			return err
		}
		if b.N == 0 {
			continue
		}
		from := -1 // where the last group begins, if it begins in b
		number := uint32(0)
		g.numbers = g.numbers[:0]
		g.begins = g.last.changes(g.begins, g.groups.cols, b.N)
		for i, begins := range g.begins {
			if begins {
				number++
				from = i
			}
			g.numbers = append(g.numbers, number)
		}
		g.last = rowOf(g.groups.cols, b.N-1)
		if from >= 0 {
			if err := g.add(b.Slice(0, from), g.numbers[:from]); err != nil {
				return err
			}
			if more, err := g.finish(yield); err != nil || !more {
				return err
			}
		}
		from = max(from, 0)
		clear(g.numbers[from:])
		if err := g.add(b.Slice(from, b.N).Copy(), g.numbers[from:]); err != nil {
			return err
		}
	}
	_, err := g.finish(yield)
	return err
}

// repeated yields each input row several times. The number is in the last column, whose index is
// count; repeated yields the rows without this column.
func repeated(ctx context.Context, in value.Rows, count int) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		var out value.Batch
		var sel []int32
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			counts := b.Cols[count].Ints[:b.N]
			b := &value.Batch{N: b.N, Cols: b.Cols[:count]}
			if !slices.ContainsFunc(counts, func(n int64) bool { return n != 1 }) {
				if !yield(b, nil) {
					return
				}
				continue
			}
			sel = sel[:0]
			put := func() bool {
				if err := ctx.Err(); err != nil {
					yield(nil, err)
					return false
				}
				out.Gather(b, sel)
				sel = sel[:0]
				return yield(&out, nil)
			}
			for i, n := range counts {
				for range n {
					if sel = append(sel, int32(i)); len(sel) == record.BatchRows && !put() {
						return
					}
				}
			}
			if len(sel) > 0 && !put() {
				return
			}
		}
	}
}

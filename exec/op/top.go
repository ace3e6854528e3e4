package op

import (
	"bytes"
	"container/heap"
	"slices"

	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
)

// top yields the n.N input rows that come first in the order of their keys, in
// this order. It holds no more than n.N rows in memory.
func top(n *plan.Top, in value.Rows) (value.Rows, error) {
	keys, err := newSortKeys(n.Keys)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		if n.N == 0 {
			return
		}
		var held topHeap
		var key []byte
		arrival := 0
		for b, err := range in {
			if err == nil {
				err = keys.load(b)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				arrival++
				key = keys.append(key[:0], i)
				if int64(len(held)) < n.N {
					heap.Push(&held, &topRow{spill.Record{Key: slices.Clone(key), Val: spill.AppendRow(nil, b, i)}, arrival})
				} else if worst := held[0]; bytes.Compare(key, worst.Key) < 0 {
					worst.Key = append(worst.Key[:0], key...)
					worst.Val = spill.AppendRow(worst.Val[:0], b, i)
					worst.arrival = arrival
					heap.Fix(&held, 0)
				}
			}
		}
		slices.SortFunc(held, (*topRow).compare)
		decoded(n.Columns(), func(yield func(spill.Record, error) bool) {
			for _, r := range held {
				if !yield(r.Record, nil) {
					return
				}
			}
		})(yield)
	}, nil
}

// topRow is a row that is among the first so far. arrival numbers rows as
// they come: of two rows with equal keys the earlier one comes first.
type topRow struct {
	spill.Record
	arrival int
}

// compare returns a negative number if r comes before o in the result.
func (r *topRow) compare(o *topRow) int {
	if c := bytes.Compare(r.Key, o.Key); c != 0 {
		return c
	}
	return r.arrival - o.arrival
}

// topHeap is a heap of rows. The row that comes last in the result is at the
// root.
type topHeap []*topRow

func (h topHeap) Len() int           { return len(h) }
func (h topHeap) Less(i, j int) bool { return h[i].compare(h[j]) > 0 }
func (h topHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *topHeap) Push(x any)        { *h = append(*h, x.(*topRow)) }
func (h *topHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

package events

import (
	"cmp"
	"slices"
)

// Named is an event that has a number. The number never changes.
type Named struct {
	Number int
	// Keys are the keys of its documents, ascending. An event that is gone has the keys that it
	// had in the last run that found it.
	Keys []uint64
	// MergedInto is the number of the event that has become one with this event, or 0. A
	// number that has been merged never comes back.
	MergedInto int
	// SplitFrom is the number of the event of which this event was a part, or 0.
	SplitFrom int
}

// Number gives numbers to the events that were found, given the events of the run before,
// by the documents that they share. An event keeps its number while it grows. If two events
// become one, it has the smaller number, and MergedInto of the other is set. If an event falls
// apart, the part with most of its documents keeps the number, and SplitFrom of the others is set.
// The result has the found events in their order, then the events of before that are gone.
//
// An event of before continues in a found event if the documents that they share are at least half
// of the documents of one of them. So a few documents that move from one event to another change no
// number. New numbers are larger than all of before. Number does not change before and found, and
// the result shares the slices of keys with them.
func Number(before []Named, found [][]uint64) []Named {
	result := make([]Named, len(found), len(found)+len(before))
	// of has the found events that have a document.
	of := map[uint64][]int{}
	next := 1
	for j, keys := range found {
		result[j].Keys = slices.Sorted(slices.Values(keys))
		result[j].Keys = slices.Compact(result[j].Keys)
		for _, k := range result[j].Keys {
			of[k] = append(of[k], j)
		}
	}
	// heirs has the found event that goes on with an event of before, or -1. parents has
	// the event of before from which most of the documents of a found event are, or -1.
	heirs := make([]int, len(before))
	parents := make([]int, len(found))
	most := make([]int, len(found))
	for j := range parents {
		parents[j] = -1
	}
	// Events of before in the order of their numbers, so that the smallest number wins.
	order := make([]int, len(before))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(before[a].Number, before[b].Number) })
	for _, i := range order {
		b := &before[i]
		next = max(next, b.Number+1)
		heirs[i] = -1
		if b.MergedInto != 0 {
			continue
		}
		shared := map[int]int{}
		for _, k := range b.Keys {
			for _, j := range of[k] {
				shared[j]++
			}
		}
		best := -1
		for j, n := range shared {
			if 2*n >= len(result[j].Keys) && n > most[j] {
				parents[j], most[j] = i, n
			}
			if 2*n < len(b.Keys) && 2*n < len(result[j].Keys) {
				continue
			}
			if best < 0 || n > shared[best] || n == shared[best] && slices.Compare(result[j].Keys, result[best].Keys) < 0 {
				best = j
			}
		}
		heirs[i] = best
		if best >= 0 && result[best].Number == 0 {
			result[best].Number, result[best].SplitFrom = b.Number, b.SplitFrom
		}
	}
	for j := range result {
		if result[j].Number == 0 {
			result[j].Number = next
			next++
			if i := parents[j]; i >= 0 {
				result[j].SplitFrom = before[i].Number
			}
		}
	}
	into := map[int]int{} // numbers that are merged in this run
	for i, b := range before {
		if j := heirs[i]; j >= 0 && result[j].Number != b.Number {
			into[b.Number] = result[j].Number
		}
	}
	for i, b := range before {
		if j := heirs[i]; j >= 0 && result[j].Number == b.Number {
			continue
		}
		if n := into[b.Number]; n != 0 {
			b.MergedInto, b.Keys = n, nil
		} else if n := into[b.MergedInto]; n != 0 {
			// The event into which this one went has now gone into another.
			b.MergedInto = n
		}
		result = append(result, b)
	}
	return result
}

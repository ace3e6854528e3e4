package events

// Named is an event that has a number. The number never changes.
type Named struct {
	Number int
	// Keys are those of its documents, ascending.
	Keys []uint64
	// MergedInto is the number of the event that has become one with this event, or 0.
	MergedInto int
	// SplitFrom is the number of the event of which this event was a part, or 0.
	SplitFrom int
}

// Number gives numbers to the events that were found, given the events of the run before,
// by the documents that they share. An event keeps its number while it grows. If two become
// one, it keeps the smaller number, and the other one says MergedInto. If one falls apart,
// the part with the most of its documents keeps the number, and the others say SplitFrom.
// The result has the found events in their order, then the events of before that are gone.
func Number(before []Named, found [][]uint64) []Named {
	return nil
}

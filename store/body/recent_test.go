package body

import (
	"testing"

	"infomall/store/segment"
)

// TestRecentRuns asks for the runs of two segments by turns, as pages do that share
// blocks: each is put once. What was not asked for in long is forgotten.
func TestRecentRuns(t *testing.T) {
	var recent recentRuns
	puts := 0
	ask := func(id, n uint32) {
		if recent.get(id, n) == nil {
			recent.put(id, n, new(segment.Run))
			puts++
		}
	}
	for range 10 {
		for id := range uint32(2) {
			for _, n := range []uint32{0, 7, 3} {
				ask(id, n)
			}
		}
	}
	if puts != 6 {
		t.Errorf("%d runs were put, want 6", puts)
	}
	for n := range uint32(3 * recentBefore) {
		ask(2, n)
	}
	held := 0
	for n := range uint32(3 * recentBefore) {
		if recent.get(2, n) != nil {
			held++
		}
	}
	if held != 1+recentBefore || recent.get(0, 0) != nil || recent.get(0, 3) == nil {
		t.Errorf("%d runs of a segment read in order are held, want %d; those of others: %v, %v", held, 1+recentBefore, recent.get(0, 0), recent.get(0, 3))
	}
}

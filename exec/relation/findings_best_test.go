package relation

import (
	"iter"
	"testing"

	"infomall/store/record"
)

// TestCandidatesAreBounded asks for the best 100 captures of each of 50 segments. They must be the ones with the
// highest bounds. If more than 1000 are not allowed, candidates must stop soon after it has met more.
func TestCandidatesAreBounded(t *testing.T) {
	const each, size = 100, 1000
	asked := 0 // how many captures candidates has looked at
	var bounds iter.Seq2[record.Ref, float64] = func(yield func(record.Ref, float64) bool) {
		for i := range 50 * size {
			if asked++; !yield(record.Ref{Segment: 1 + uint32(i/size), N: uint32(i % size)}, float64(i%size/2)) {
				return
			}
		}
	}
	var p bestPages
	segments, err := p.candidates(t.Context(), bounds, each, 50*each)
	if err != nil || len(segments) != 50 || asked != 50*size {
		t.Fatalf("got %d segments of %d captures, error %v; want 50 of %d", len(segments), asked, err, 50*size)
	}
	for _, of := range segments {
		for k, c := range of {
			if want := float64((size - 1 - k) / 2); len(of) != each || c.bound != want {
				t.Fatalf("segment %d has %d captures, number %d with the bound %g; want %d, %g", c.ref.Segment, len(of), k, c.bound, each, want)
			}
		}
	}
	asked = 0
	segments, err = p.candidates(t.Context(), bounds, each, 10*each)
	if err != nil || segments != nil || asked != 10*size+1 {
		t.Errorf("got %d segments of %d captures, error %v; want none after %d", len(segments), asked, err, 10*size+1)
	}
}

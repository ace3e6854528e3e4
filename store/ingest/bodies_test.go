package ingest

import (
	"slices"
	"testing"

	"infomall/store/segment"
	"infomall/store/timeline"
)

// TestURLBodies looks for the captures of a URL that store a body, for several URLs in the same memory: some
// with few bodies, one with so many that the memory is not used again.
func TestURLBodies(t *testing.T) {
	var u urlBodies
	for url, captures := range []int{0, 7, 4 * urlBodiesKept, 9, 1, 8} {
		u.reset()
		known := make([]timeline.Capture, captures)
		want := make(map[segment.ID][]int) // by body: the captures that store it, the last first
		for i := range known {
			id := segment.ID{byte(url), byte(i % 3), byte(i / 12), byte(i / 3000)}
			known[i].ID, known[i].Body = id, segment.BodyOwn
			if i%4 == 3 {
				known[i].Body = segment.BodyHeld
				continue
			}
			want[id] = slices.Insert(want[id], 0, i)
		}
		u.look(known)
		u.look(nil) // does nothing
		u.new[segment.ID{byte(url), 255}] = 1
		if len(u.last) != len(want) || len(u.new) != 1 {
			t.Errorf("URL %d: %d and %d bodies, want %d and 1", url, len(u.last), len(u.new), len(want))
		}
		for id, list := range want {
			var got []int
			at, ok := u.last[id]
			for ; ok && at >= 0; at = u.before[at] {
				got = append(got, u.known[at])
			}
			if !slices.Equal(got, list) {
				t.Fatalf("URL %d: body %x is stored by %v, want %v", url, id[:4], got, list)
			}
		}
	}
}

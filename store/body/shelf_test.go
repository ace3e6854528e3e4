package body

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/segment"
)

// TestShelf puts runs and asks for them, in any order. The shelf never has more
// than its bytes, except for the few runs that always stay, and it has the runs
// used last.
func TestShelf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const keys = 8
		most := rapid.Int64Range(0, 50).Draw(t, "most")
		least := rapid.IntRange(0, 3).Draw(t, "least")
		s := newShelf(most, least)
		var used []uint64 // keys of the runs on the shelf, the last used first
		var size [keys]int64
		held := func() (n int64) {
			for _, k := range used {
				n += size[k]
			}
			return n
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			key := rapid.Uint64Range(0, keys-1).Draw(t, "key")
			want := false
			for i, k := range used {
				if want = k == key; want {
					used = slices.Insert(slices.Delete(used, i, i+1), 0, key)
					break
				}
			}
			if got := s.get(key) != nil; got != want {
				t.Fatalf("run %d is on the shelf: %v, want %v", key, got, want)
			}
			if want {
				continue
			}
			size[key] = rapid.Int64Range(0, 20).Draw(t, "bytes")
			s.put(key, new(segment.Run), size[key])
			used = slices.Insert(used, 0, key)
			for held() > most && len(used) > least {
				used = used[:len(used)-1]
			}
			if s.held > most && s.recent.Len() > least || s.recent.Len() != len(used) || s.held != held() {
				t.Fatalf("%d runs of %d bytes are held, want %d of at most %d", s.recent.Len(), s.held, len(used), most)
			}
		}
	})
}

package merge

import (
	"math/rand/v2"
	"testing"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// TestSiblings compares what siblings finds with what plain loops find, for each of many
// captures of one URL. It looks at no capture more than twice in all.
func TestSiblings(t *testing.T) {
	const n = 3000
	r := rand.New(rand.NewPCG(1, 2))
	var segments []*segment.Reader
	for i := range uint64(5) {
		segments = append(segments, &segment.Reader{Info: &segment.Info{ID: uint32(i), Born: i + 1, Seen: i + 1 + i%2}})
	}
	all := make([]timeline.Capture, n)
	for i := range all {
		all[i].Time = record.Time(i / 2)
		all[i].ID = segment.ID{byte(r.IntN(200)), byte(r.IntN(10))}
		all[i].Place = timeline.Place{Seg: segments[r.IntN(len(segments))], Run: 0, N: uint32(i)}
		if i < n/2 {
			all[i].Seg = segments[0]
		}
	}
	plain := func(l *timeline.Capture) bool { return l.Seg.Info.ID%2 == 1 && l.ID[0] < 60 }
	looks := 0
	u := &siblings{all: all, stays: func(l *timeline.Capture) bool {
		looks++
		return plain(l)
	}}
	for i := range all {
		l := &all[i]
		u.upTo(l.Time)
		var held, before timeline.Place
		known := true
		for j := range all {
			k := &all[j]
			if plain(k) && k.ID == l.ID {
				held = k.Place
			}
			if plain(k) && j < i {
				before = k.Place
			}
			if k.Time <= l.Time && k.Seg.Info.Newer(l.Seg.Info) {
				known = false
			}
		}
		if got := u.heldOutside(l.ID); got != held {
			t.Fatalf("capture %d: body held in %v, want %v", i, got, held)
		}
		if got := u.outsideBefore(i); got != before {
			t.Fatalf("capture %d: the one before outside is %v, want %v", i, got, before)
		}
		if got := u.known(l); got != known {
			t.Fatalf("capture %d: known %v, want %v", i, got, known)
		}
	}
	if looks > 2*n {
		t.Errorf("looked at captures %d times for %d captures, want %d at most", looks, n, 2*n)
	}
}

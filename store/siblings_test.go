package store

import (
	"math/rand/v2"
	"testing"

	"infomall/store/record"
	"infomall/store/segment"
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
	all := make([]located, n)
	for i := range all {
		all[i].Time = record.Time(i / 2)
		all[i].ID = segment.ID{byte(r.IntN(200)), byte(r.IntN(10))}
		all[i].place = place{segments[r.IntN(len(segments))], 0, uint32(i)}
		if i < n/2 {
			all[i].seg = segments[0]
		}
	}
	plain := func(l *located) bool { return l.seg.Info.ID%2 == 1 && l.ID[0] < 60 }
	looks := 0
	u := &siblings{all: all, stays: func(l *located) bool {
		looks++
		return plain(l)
	}}
	for i := range all {
		l := &all[i]
		u.upTo(l.Time)
		var held *segment.Reader
		var before place
		known := true
		for j := range all {
			k := &all[j]
			if plain(k) && k.ID == l.ID {
				held = k.seg
			}
			if plain(k) && j < i {
				before = k.place
			}
			if k.Time <= l.Time && newer(k.seg.Info, l.seg.Info) {
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

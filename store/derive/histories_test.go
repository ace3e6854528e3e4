package derive

import (
	"testing"

	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// TestTails remembers histories until they are too many: those remembered last
// are there, for who names the versions in them, and the first are not.
func TestTails(t *testing.T) {
	const size = 1000
	m := NewHistories(10 * size)
	keys := []string{}
	for i := range 40 {
		key := string(rune('a' + i))
		keys = append(keys, key)
		var h life.History
		h.Add(life.Version{Time: record.Time(i), Kind: record.KindPage, Size: size})
		m.remember(key, uint64(i), h)
		if n := len(m.young) + len(m.old); n > 20 {
			t.Fatalf("%d histories of %d bytes are remembered, in 20,000", n, size)
		}
	}
	for i, key := range keys {
		h, ok := m.at(key, uint64(i))
		if want := i >= len(keys)-8; ok != want && (want || i < 20) {
			t.Errorf("history %d of 40: remembered %v, want %v", i, ok, want)
		}
		if ok && h.Add(life.Version{Kind: record.KindPage}).Before.Time != record.Time(i) {
			t.Errorf("history %d is that of another URL", i)
		}
		if _, ok := m.at(key, uint64(i+1)); ok {
			t.Errorf("history %d is given for other versions", i)
		}
	}
}

// TestVersionSums tells lists of captures apart by their versions, and by
// nothing else.
func TestVersionSums(t *testing.T) {
	capture := func(at record.Time, id byte, k record.Kind, c record.Change) timeline.Capture {
		return timeline.Capture{Entry: segment.Entry{Time: at, ID: segment.ID{id}, Kind: k, Change: c}}
	}
	page, gone, first, same, changed := record.KindPage, record.KindMissing, record.ChangeFirst, record.ChangeSame, record.ChangeChanged
	base := versionSums([]timeline.Capture{capture(1, 1, page, first), capture(5, 2, page, changed)})
	for what, c := range map[string]struct {
		all  []timeline.Capture
		same bool
	}{
		"with a visit between": {[]timeline.Capture{capture(1, 1, page, first), capture(3, 1, page, same), capture(5, 2, page, changed)}, true},
		"at another time":      {[]timeline.Capture{capture(1, 1, page, first), capture(6, 2, page, changed)}, false},
		"with another body":    {[]timeline.Capture{capture(1, 1, page, first), capture(5, 3, page, changed)}, false},
		"of another kind":      {[]timeline.Capture{capture(1, 1, page, first), capture(5, 2, gone, changed)}, false},
		"after another first":  {[]timeline.Capture{capture(1, 9, page, first), capture(5, 2, page, changed)}, false},
		"without the first":    {[]timeline.Capture{capture(5, 2, page, changed)}, false},
	} {
		sums := versionSums(c.all)
		if got := sums[len(sums)-1] == base[1]; got != c.same {
			t.Errorf("%s: the same sum %v, want %v", what, got, c.same)
		}
	}
}

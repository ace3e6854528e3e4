package ingest

import (
	"reflect"
	"testing"

	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// TestRestore changes staged captures in both ways, in any order and twice. After restore, all are
// as they were, and can be changed again.
func TestRestore(t *testing.T) {
	made := func() *batchPlan {
		b := &batchPlan{}
		for i := range 6 {
			s := &staged{came: int32(i), read: &derive.Analysis{}}
			s.Key, s.Time, s.Bytes, s.Kind, s.Body = "key", record.Time(i), int64(i), record.KindPage, segment.BodyOwn
			if i == 5 {
				s.read, s.Body = nil, segment.BodyNone // a revisit
			}
			timeline.Follow(nil, &s.Entry)
			b.staged = append(b.staged, s)
		}
		return b
	}
	b, want := made(), made().staged
	began := append([]*staged(nil), b.staged...)
	adjust := func(i int) {
		s := b.staged[i]
		s.Previous, s.VersionTime, s.PreviousVersion, s.Change = 11, 12, 13, record.ChangeSame
		s.before = &sharing{place: timeline.Place{Run: 15, N: 16}}
		if s.Body == segment.BodyOwn {
			s.Body, s.holder, s.holderPool, s.inBatch = segment.BodyHeld, segment.Holder{Segment: 17}, "201001", true
		}
	}
	change := func(i int) { b.change(i).Body = segment.BodyElsewhere }
	for turn := range 2 {
		adjust(1)
		adjust(1)
		change(2)
		change(3)
		adjust(3)
		adjust(4)
		change(4)
		adjust(5)
		change(5)
		for i, s := range b.staged {
			if changed := i >= 2; (s != began[i]) != changed || changed != (s.Body == segment.BodyElsewhere) {
				t.Errorf("turn %d: capture %d: in a copy: %v; body %v", turn, i, s != began[i], s.Body)
			}
		}
		for _, s := range began {
			s.restore()
		}
		for i := range began {
			if !reflect.DeepEqual(began[i], want[i]) {
				t.Errorf("turn %d: capture %d is %+v, want %+v", turn, i, began[i], want[i])
			}
		}
		b.staged = append([]*staged(nil), began...)
	}
}

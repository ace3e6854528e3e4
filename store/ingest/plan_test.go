package ingest

import (
	"reflect"
	"testing"

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
			s := &staged{came: i}
			s.Key, s.Time, s.Bytes, s.Kind, s.Facts = "key", record.Time(i), int64(i), record.KindPage, []byte{byte(i)}
			s.Previous, s.VersionTime, s.PreviousVersion, s.Change = 1, 2, 3, record.ChangeFirst
			b.staged = append(b.staged, s)
		}
		return b
	}
	b, want := made(), made().staged
	began := append([]*staged(nil), b.staged...)
	adjust := func(i int) {
		s := b.adjust(i)
		s.Previous, s.VersionTime, s.PreviousVersion, s.Change = 11, 12, 13, record.ChangeSame
		s.Kind, s.Bytes, s.Facts, s.before = record.KindRedirect, 14, nil, timeline.Place{Run: 15, N: 16}
	}
	change := func(i int) { b.change(i).Body = segment.BodyHeld }
	for turn := range 2 {
		adjust(1)
		adjust(1)
		change(2)
		change(3)
		adjust(3)
		adjust(4)
		change(4)
		adjust(4)
		for _, i := range []int{1, 3, 4} {
			if s := b.staged[i]; s.Previous != 11 || s.before.N != 16 || s.Facts != nil {
				t.Errorf("turn %d: capture %d was not adjusted: %+v", turn, i, s)
			}
		}
		for _, i := range []int{2, 3, 4} {
			if b.staged[i].Body != segment.BodyHeld || began[i].Body == segment.BodyHeld {
				t.Errorf("turn %d: capture %d was not changed in a copy", turn, i)
			}
		}
		b.restore()
		for i := range began {
			if !reflect.DeepEqual(began[i], want[i]) {
				t.Errorf("turn %d: capture %d is %+v, want %+v", turn, i, began[i], want[i])
			}
		}
		b.staged = append([]*staged(nil), began...)
	}
}

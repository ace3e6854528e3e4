package snapshot

import (
	"reflect"
	"testing"

	"infomall/store/record"
	"infomall/store/segment"
)

// TestApart tells which segments are to be read side by side.
func TestApart(t *testing.T) {
	at := func(id uint32, from, to record.Time, born, apart uint64) *segment.Info {
		return &segment.Info{ID: id, First: from, Last: to, FirstKey: "a", LastKey: "z", Born: born, Apart: apart}
	}
	for _, tt := range []struct {
		name     string
		list     []*segment.Info
		together [][]uint32
	}{
		{"other times", []*segment.Info{at(1, 0, 9, 1, 0), at(2, 10, 19, 2, 0)}, nil},
		{"one after the other", []*segment.Info{at(1, 0, 9, 1, 0), at(2, 0, 9, 2, 1), at(3, 5, 9, 3, 2)}, nil},
		{"at once", []*segment.Info{at(1, 0, 9, 1, 0), at(2, 0, 9, 2, 0)}, [][]uint32{{1, 2}}},
		{"two at once behind one", []*segment.Info{at(1, 0, 9, 1, 0), at(2, 0, 9, 2, 1), at(3, 0, 9, 3, 1)}, [][]uint32{{2, 3}}},
		{"merged, of which the first was at once with another", []*segment.Info{at(3, 0, 9, 3, 1), at(5, 0, 9, 4, 1)}, [][]uint32{{3, 5}}},
		{"merged and merged", []*segment.Info{at(9, 0, 9, 8, 0), at(18, 0, 9, 17, 8)}, nil},
	} {
		alone, together := apart(tt.list)
		var got [][]uint32
		n := len(alone)
		for _, list := range together {
			var ids []uint32
			for _, s := range list {
				ids = append(ids, s.ID)
			}
			got, n = append(got, ids), n+len(ids)
		}
		if !reflect.DeepEqual(got, tt.together) || n != len(tt.list) {
			t.Errorf("%s: got %v and %d alone, want %v", tt.name, got, len(alone), tt.together)
		}
	}
}

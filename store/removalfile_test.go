package store

import (
	"reflect"
	"slices"
	"testing"

	"infomall/store/disk"
	"infomall/store/disk/lines"
)

// TestRemovalFile gives a removal back from its file, and refuses one that is
// damaged at any byte.
func TestRemovalFile(t *testing.T) {
	for _, r := range []*removal{
		{pools: []string{}, hidden: map[uint32][]hiddenAt{}, touched: []uint32{}},
		{
			time: 1, drop: true, captures: 3, pools: []string{"200806"}, hidden: map[uint32][]hiddenAt{},
			touched: []uint32{0, 1, 4_294_967_295},
		},
		{
			time: 1, captures: 12, pools: []string{"200806", "200807"}, reason: "an \"order\"\tof\nthe court",
			hidden:  map[uint32][]hiddenAt{7: {{0, 3, needNone}, {0, 9, needPool}, {2, 0, needNone}}, 3: {{1, 1, needOther}}},
			touched: []uint32{5},
		},
	} {
		b := r.encode()
		got, err := decodeRemoval(b)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("got %+v (error %v), want %+v", got, err, r)
		}
		for i := range b {
			bad := slices.Clone(b)
			bad[i] ^= 1
			if _, err := decodeRemoval(bad); err == nil {
				t.Errorf("a flip at byte %d of %q is not found", i, b)
			}
		}
	}
}

// FuzzRemovalFile shows that no file makes the reader of removals fail, or take
// what it would not write.
func FuzzRemovalFile(f *testing.F) {
	f.Add([]byte(disk.Head("removal") + "time\t5\nkind\tdelete\ncaptures\t1\npools\t200806\nreason\t\"\"\nhidden\t3\t0.1 2.0+\nurls\t1\t1\n\x05\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRemoval(lines.Seal(slices.Clone(b)))
		if err != nil {
			return
		}
		again, err := decodeRemoval(r.encode())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%q: %+v is read back as %+v, error %v", b, r, again, err)
		}
	})
}

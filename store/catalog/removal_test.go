package catalog

import (
	"reflect"
	"slices"
	"testing"

	"infomall/store/disk/lines"
)

// TestRemovalFile gives a removal back from its file, and refuses one that is
// damaged at any byte.
func TestRemovalFile(t *testing.T) {
	for _, r := range []*Removal{
		{Pools: []string{}, Hidden: map[uint32][]Hidden{}, Touched: []uint32{}},
		{
			Time: 1, Drop: true, Captures: 3, Pools: []string{"200806"}, Hidden: map[uint32][]Hidden{},
			Touched: []uint32{0, 1, 4_294_967_295},
		},
		{
			Time: 1, Captures: 12, Pools: []string{"200806", "200807"}, Reason: "an \"order\"\tof\nthe court",
			Hidden:  map[uint32][]Hidden{7: {{0, 3, NeedNone}, {0, 9, NeedPool}, {2, 0, NeedNone}}, 3: {{1, 1, NeedOther}}},
			Touched: []uint32{5},
		},
	} {
		b := r.Encode()
		got, err := DecodeRemoval(b)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("got %+v (error %v), want %+v", got, err, r)
		}
		for i := range b {
			bad := slices.Clone(b)
			bad[i] ^= 1
			if _, err := DecodeRemoval(bad); err == nil {
				t.Errorf("a flip at byte %d of %q is not found", i, b)
			}
		}
	}
}

// FuzzRemovalFile shows that no file makes the reader of removals fail, or take
// what it would not write.
func FuzzRemovalFile(f *testing.F) {
	f.Add(append(lines.New("removal"), "time\t5\nkind\tdelete\ncaptures\t1\npools\t200806\nreason\t\"\"\nhidden\t3\t0.1 2.0+\nurls\t1\t1\n\x05\n"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeRemoval(lines.Seal(slices.Clone(b)))
		if err != nil {
			return
		}
		again, err := DecodeRemoval(r.Encode())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%q: %+v is read back as %+v, error %v", b, r, again, err)
		}
	})
}

package store

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"infomall/store/record"
)

// TestKeysOf asks for the keys of captures: of all of them, of one, and of some in few and in
// many runs of a segment. A capture that the archive does not have is an error.
func TestKeysOf(t *testing.T) {
	dir, _ := manyRuns(t)
	a := openAt(dir, Options{})
	defer a.Close()
	put(t, a, []*visit{
		{url: "http://www.example.com/3", time: day0 + 9, status: 200, body: "another one"},
		{url: "http://www.example.com/3", time: day0 + 10, status: 200, body: "another one still"},
		{url: "http://www.example.com/x", time: day0 + 9, status: 200, body: "of another segment"},
	})
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	key := make(map[record.Ref]string)
	runs := make(map[[2]uint32]bool)
	var refs []record.Ref
	for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			refs = append(refs, b.Ref[i])
			key[b.Ref[i]] = b.Key[i]
			runs[[2]uint32{b.Ref[i].Segment, b.Ref[i].Run}] = true
		}
	}
	if len(refs) != 23 || len(runs) < 4 {
		t.Fatalf("the archive has %d captures in %d runs", len(refs), len(runs))
	}
	r := rand.New(rand.NewPCG(5, 6))
	for n := 0; n <= len(refs); n++ {
		for range 20 {
			r.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
			var want []string
			for _, ref := range refs[:n] {
				want = append(want, key[ref])
			}
			slices.Sort(want)
			want = slices.Compact(want)
			if got, err := v.KeysOf(t.Context(), refs[:n]); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("the keys of %v are %q (error %v), want %q", refs[:n], got, err, want)
			}
		}
	}
	for n := range len(refs) {
		absent := refs[0]
		absent.N += 100
		if got, err := v.KeysOf(t.Context(), append(slices.Clone(refs[:n]), absent)); err == nil {
			t.Fatalf("the keys of %d captures and an absent one are %q", n, got)
		}
	}
}

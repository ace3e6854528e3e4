package life

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/record"
)

// TestRestingHistory draws lives of pages. A History that rests at every version
// comes to the same as one that is not.
func TestRestingHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var plain, packed History
		for i, v := range drawLife(t) {
			var reading *facts.Reading
			if v.Body != nil {
				reading = facts.NewReader().Read(v.Body)
			}
			want, got := plain.Add(v), packed.Add(v)
			if !bytes.Equal(got.AppendFold(nil, reading), want.AppendFold(nil, reading)) {
				t.Fatalf("version %d: the folds differ", i)
			}
			for level := range want.Tree.Level() + 2 {
				if got, want := got.Changes(level), want.Changes(level); !reflect.DeepEqual(got, want) {
					t.Fatalf("version %d, level %d: changes\n got %v\nwant %v", i, level, got, want)
				}
				if got, want := got.Words(level), want.Words(level); !reflect.DeepEqual(got, want) {
					t.Fatalf("version %d, level %d: words\n got %v\nwant %v", i, level, got, want)
				}
			}
			rest, newly := packed.Rest(uint32(i/2 + 1))
			if want := len(blocksOf(v.Body)) > 1 && v.Kind == record.KindPage; rest.packed != nil != want {
				t.Fatalf("version %d: packed %v, want %v", i, rest.packed != nil, want)
			}
			if again, more := packed.Rest(uint32(i/2 + 1)); more != 0 || again.Bytes() != rest.Bytes() {
				t.Fatalf("version %d: of %d bytes newly kept %d are counted twice", i, newly, more)
			}
			var err error
			if packed, err = rest.History(); err != nil {
				t.Fatalf("version %d: %v", i, err)
			}
		}
	})
}

// blocksOf returns the blocks of a body, or nil if b is nil.
func blocksOf(b *divide.Body) []divide.Block {
	if b == nil {
		return nil
	}
	return b.Blocks
}

// FuzzResting goes on with anything: there may be an error, and no panic.
func FuzzResting(f *testing.F) {
	var h History
	h.Add(htmlVersion(1, "<ul><li>the first of all items<li>and a second one that is longer</ul><p>some text"))
	rest, _ := h.Rest(1)
	f.Add(rest.packed)
	f.Fuzz(func(t *testing.T, src []byte) {
		r := Resting{packed: src, leaves: rest.leaves}
		if h, err := r.History(); err == nil && src != nil {
			h.Add(htmlVersion(2, "<p>another")).Changes(facts.KeptLevel)
		}
	})
}

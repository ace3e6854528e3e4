package index

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/packed"
)

// TestAmong looks up terms and prefixes in blocks of drawn terms. The method among must yield the
// terms that a walk over all terms finds, with the places of their postings.
func TestAmong(t *testing.T) {
	word := rapid.StringMatching(`[ab]{1,9}`)
	rapid.Check(t, func(t *rapid.T) {
		drawn := make(map[string]bool)
		for range rapid.IntRange(1, 400).Draw(t, "terms") {
			drawn[word.Draw(t, "term")] = true
		}
		all := slices.Sorted(maps.Keys(drawn))
		var numbers, further []byte
		before := ""
		for i, term := range all {
			same := 0
			for same < min(len(term), len(before)) && term[same] == before[same] {
				same++
			}
			for _, n := range []int{same, len(term) - same, 2, i%3 + 1} {
				numbers = binary.AppendUvarint(numbers, uint64(n))
			}
			further = append(further, term[same:]...)
			before = term
		}
		content := append(packed.AppendSized(nil, numbers), further...)
		list, _, err := new(File).decodeTerms(content)
		if err != nil {
			t.Fatal(err)
		}
		sorted := func(label string) []string {
			out := rapid.SliceOfN(word, 0, 5).Draw(t, label)
			slices.Sort(out)
			return slices.Compact(out)
		}
		terms, begins := sorted("wanted terms"), sorted("prefixes")
		if rapid.IntRange(0, 9).Draw(t, "all") == 0 {
			begins = slices.Insert(begins, 0, "")
		}
		type found struct {
			term     string
			at, size int
		}
		var got, want []found
		at := 0
		for i, term := range all {
			if slices.Contains(terms, term) || slices.ContainsFunc(begins, func(p string) bool { return strings.HasPrefix(term, p) }) {
				want = append(want, found{term, at, i%3 + 1})
			}
			at += i%3 + 1
		}
		for x := range list.among(terms, begins) {
			got = append(got, found{string(x.letters), x.at, x.size})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q and %q*: got %v, want %v", terms, begins, got, want)
		}
	})
}

package op

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestKeyTable compares a keyTable with a map: keys get numbers in the order in which
// they come, are found again, and are sorted by their bytes.
func TestKeyTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table keyTable
		table.reset()
		numbers := make(map[string]int)
		var keys []string
		add := func(key string) {
			want, known := numbers[key]
			if !known {
				want = len(keys)
				numbers[key] = want
				keys = append(keys, key)
			}
			if got, fresh := table.find([]byte(key), table.hash([]byte(key))); got != want || fresh == known {
				t.Fatalf("find(%q) = %d, %t; want %d, %t", key, got, fresh, want, !known)
			}
		}
		for range rapid.IntRange(0, 300).Draw(t, "short keys") {
			add(rapid.StringMatching(`[ab]{0,12}`).Draw(t, "key"))
		}
		length := rapid.SampledFrom([]int{1000, keyChunk - 3, keyChunk + 1}).Draw(t, "length")
		for i := range 6 {
			add(string(bytes.Repeat([]byte{byte(i % 4)}, length)))
		}
		for i, key := range keys {
			if got := string(table.key(i)); got != key {
				t.Fatalf("key %d is %q, want %q", i, got, key)
			}
		}
		list := table.all()
		table.sort(list)
		var got []string
		for _, i := range list {
			got = append(got, string(table.key(int(i))))
		}
		if slices.Sort(keys); !slices.Equal(got, keys) {
			t.Fatalf("sorted keys are %q, want %q", got, keys)
		}
	})
}

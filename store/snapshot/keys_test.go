package snapshot

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestKeyTree merges streams of drawn keys with a keyTree. The keys must come in the order of a
// sort, equal keys in the order of their streams. Before each step the tree must know whether the
// key came before, and which key the other streams have next.
func TestKeyTree(t *testing.T) {
	type at struct {
		key    string
		stream int
	}
	key := rapid.StringOfN(rapid.SampledFrom([]rune("ab)")), 1, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		streams := rapid.SliceOfN(rapid.SliceOfN(key, 0, 8), 1, 9).Draw(t, "streams")
		var want []at
		for i, keys := range streams {
			slices.Sort(keys)
			for _, k := range keys {
				want = append(want, at{k, i})
			}
		}
		slices.SortFunc(want, func(a, b at) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.stream, b.stream)) })
		first := func(i int) (string, bool) {
			if len(streams[i]) == 0 {
				return "", false
			}
			return streams[i][0], true
		}
		var tree keyTree
		tree.begin(len(streams))
		for i := range streams {
			k, more := first(i)
			tree.enter(i, k, more)
		}
		last := ""
		for n, w := range want {
			if tree.end() {
				t.Fatalf("the tree ends after %d of %d keys", n, len(want))
			}
			if got := (at{tree.key(), tree.top()}); got != w {
				t.Fatalf("key %d: got %v, want %v", n, got, w)
			}
			if again := w.key == last; again != tree.isSameKey() {
				t.Fatalf("key %d, %q after %q: again is %v", n, w.key, last, !again)
			}
			next, others := "", false
			for i := range streams {
				if k, more := first(i); i != w.stream && more && (!others || k < next) {
					next, others = k, true
				}
			}
			if got, equal, more := tree.second(); got != next || more != others || equal != (others && next == w.key) {
				t.Fatalf("key %d, %q: the next of the others is %q, %v, %v, want %q, %v", n, w.key, got, equal, more, next, others)
			}
			last = w.key
			streams[w.stream] = streams[w.stream][1:]
			tree.moved(first(w.stream))
		}
		if !tree.end() {
			t.Fatal("the tree does not end")
		}
	})
}

package derive

import (
	"cmp"
	"slices"
	"testing"

	"infomall/store/urlkey"

	"pgregory.net/rapid"
)

// TestSortIDs sorts lists of digests, some of which begin alike.
func TestSortIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.Uint64Range(1<<63, 1<<63+3))
		ids := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]uint64 { return [2]uint64{word.Draw(t, "first"), word.Draw(t, "second")} }), 0, 50).Draw(t, "ids")
		want := slices.Clone(ids)
		slices.SortFunc(want, func(a, b [2]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		if sortIDs(ids, nil); !slices.Equal(ids, want) {
			t.Fatalf("got %x, want %x", ids, want)
		}
	})
}

// TestLocation shows that the target of a redirect is resolved like that of a link on the page. Old
// sites write targets that only browsers understand.
func TestLocation(t *testing.T) {
	for _, c := range []struct{ written, want string }{
		{"", ""},
		{"../x?a=1#part", "http://a.example/x?a=1"},
		{"/100%", "http://a.example/100%"},
		{"HTTP://B.EXAMPLE:80/%zz#part", "http://b.example/%zz"},
		{"/a|b", "http://a.example/a|b"},
		{`http://b.example\x`, "http://b.example/x"},
		{"http:x", "http://a.example/d/x"},
		{"/x\xfc", "http://a.example/x%FC"},
		{"http://a.example:port/", "http://a.example:port/"}, // no URL
	} {
		if got := Location("http://a.example/d/50%", c.written); got != c.want {
			t.Errorf("location %q is %q, want %q", c.written, got, c.want)
		}
		if u, err := urlkey.Resolve("http://a.example/d/50%", c.written); c.written != "" && err == nil && u != c.want {
			t.Errorf("link %q is %q, want %q", c.written, u, c.want)
		}
	}
}

package life

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/words"
)

// TestLikeAny shows that comparing all blocks in full finds the same pairs as an index
// of their words, if there are few blocks.
func TestLikeAny(t *testing.T) {
	text := rapid.StringMatching(`[a-f]{1,2}( [a-f]{1,2}){0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		old := pieces(rapid.SliceOfN(text, 0, rareMax).Draw(t, "old")...)
		new := pieces(rapid.SliceOfN(text, 0, 24).Draw(t, "new")...)
		m := newMatcher()
		defer m.free()
		m.old, m.new = append(m.old, old...), append(m.new, new...)
		m.toOld, m.toNew = filled(m.toOld, len(new)), filled(m.toNew, len(old))
		m.byDigest()
		bag := func(list []piece) func(int) words.Bag {
			return func(i int) words.Bag { return words.NewBag(list[i].Text()) }
		}
		m.words[0], m.words[1] = appendBags(m.words[0][:0], bag(old), m.toNew), appendBags(m.words[1][:0], bag(new), m.toOld)
		found := func() []candidate {
			list := slices.Clone(m.found)
			slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.new, b.new), cmp.Compare(a.old, b.old)) })
			return list
		}
		m.likeAny()
		got := found()
		m.likeByWords()
		if want := found(); !slices.Equal(got, want) {
			t.Fatalf("got %v, by words %v", got, want)
		}
	})
}

// TestTakeOver shows that a version that takes over leaves of the version before has
// the same digests and words as a version that stands alone.
func TestTakeOver(t *testing.T) {
	item := rapid.SampledFrom([]string{"one paragraph which is long enough to stay a block", "another paragraph of the page, about other things", "a third, short", "<b class='a word of markup is longer than the words it shows'>gr\xe4n \xfcber</b>"})
	rapid.Check(t, func(t *rapid.T) {
		var before *Revision
		for n := range 4 {
			items := rapid.SliceOfN(item, 0, 8).Draw(t, "items")
			body := []byte("<html><body><div><h1>A title of the page</h1></div><p>" + strings.Join(items, "</p>\n<p>") + "</p><div>the foot of the page</div></body></html>")
			charset := rapid.SampledFrom([]string{"windows-1252", "windows-1251"}).Draw(t, "charset")
			v := Version{Time: record.Time(n), Kind: record.KindPage, Digest: sha256.Sum256(body), Size: int64(len(body))}
			v.Body, _ = divide.Open(body, divide.As{Mime: "text/html", ContentType: "text/html"}, divide.Options{})
			v.Body.Charset = charset
			got, want := newRevision(v, before), newRevision(v, nil)
			for i, n := range want.leaves {
				if got.Made[i].Digest != want.Made[i].Digest || fmt.Sprint(got.bag(i, n)) != fmt.Sprint(want.bag(i, n)) {
					t.Fatalf("version %d in %s: leaf %d, %q, differs", v.Time, charset, i, got.Bytes(n))
				}
			}
			before = got
		}
	})
}

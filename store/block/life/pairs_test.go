package life

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/record"
)

// TestPairs compares the pairs of blocks of all cuts of random versions with what
// a plain count of their leaves finds.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h History
		for i := range 2 {
			var page strings.Builder
			for s := range rapid.IntRange(1, 5).Draw(t, "sections") {
				fmt.Fprintf(&page, "<div><h2>Section %d</h2>", s)
				for _, n := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 6).Draw(t, "texts") {
					fmt.Fprintf(&page, "<div><p>Paragraph %d says that the choir of school %d sings</p><ul><li>%d</li></ul></div>", n, n, n)
				}
				page.WriteString("</div>\n")
			}
			text := []byte(page.String())
			b, ok := divide.Open(text, divide.As{Mime: "text/html", ContentType: "text/html"}, divide.Options{})
			if !ok {
				t.Fatal("it does not open")
			}
			r := h.Add(Version{Time: record.Time(i), Kind: record.KindPage, Digest: sha256.Sum256(text), Size: int64(len(text)), Body: b})
			if i == 0 {
				continue
			}
			for level := range r.Tree.Level() + 2 {
				p := r.pairs(level)
				want := map[[2]int]int{}
				for j, m := range r.matches {
					if p.ofOld[j] >= 0 && p.ofNew[j] >= 0 {
						want[[2]int{p.ofOld[j], p.ofNew[j]}] += r.Before.size(m.Old) + r.size(m.New)
					}
				}
				got := map[[2]int]int{}
				for _, s := range p.shared {
					got[[2]int{s.old, s.new}] += s.weight
				}
				if !maps.Equal(got, want) || len(got) != len(p.shared) || !slices.IsSortedFunc(p.shared, heavier) {
					t.Fatalf("level %d: got %v, want %v", level, p.shared, want)
				}
			}
		}
	})
}

package life

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTogether adds up what the changes of a version are.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		senses []Sense
		want   Sense
	}{
		{nil, Sense{}},
		{[]Sense{{}, {Reason: "markup"}}, Sense{Reason: "markup"}},
		{[]Sense{{Reason: "date, order"}, {Reason: "counter, date"}}, Sense{Reason: "counter, date, order"}},
		{[]Sense{{Reason: "date"}, {Substantial: true}, {Reason: "order"}}, Sense{Substantial: true}},
	} {
		if got := Together(c.senses); got != c.want {
			t.Errorf("%v: got %v, want %v", c.senses, got, c.want)
		}
	}
}

// TestNoWordsOfPagesHidden gives a page new dates, counters, markup and another
// order, and in half of the cases a word that it did not have. With the word the
// version is substantial and has no reason; without it is neither.
func TestNoWordsOfPagesHidden(t *testing.T) {
	noise := []string{"Updated 2008-06-01", "访问量：12", "7 comments", "id 0f3a9b2c4d5e6f708192", "at 12:30"}
	after := strings.NewReplacer("06-01", "07-14", "：12", "：90", "7 c", "8 c", "0f3a", "1a2b", "12:30", "08:15", "<p>", "<p class=new>")
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for _, name := range rapid.Permutation([]string{"library", "canteen", "physics", "printing"}).Draw(t, "names") {
			parts = append(parts, "<p>The "+name+" of the town has many friends who come to see what is new about its "+name+". "+
				rapid.SampledFrom(noise).Draw(t, "noise")+"</p>\n")
		}
		old := strings.Join(parts, "")
		if rapid.Bool().Draw(t, "shuffled") {
			parts = rapid.Permutation(parts).Draw(t, "parts")
		}
		said := rapid.Bool().Draw(t, "said")
		if said {
			at := rapid.IntRange(0, len(parts)-1).Draw(t, "at")
			parts[at] = strings.Replace(parts[at], "friends", rapid.SampledFrom([]string{"foes", "friends 馆", "42 friends"}).Draw(t, "word"), 1)
		}
		var h History
		h.Add(htmlVersion(0, old))
		new := after.Replace(strings.Join(parts, ""))
		rev := h.Add(htmlVersion(1, new))
		for level := 1; level <= 3; level++ {
			got := Together(rev.Senses(level))
			if got.Substantial != said || said == (got.Reason != "") {
				t.Fatalf("level %d of\n%s\nto\n%s\ngot %v, want substantial %v", level, old, new, got, said)
			}
		}
	})
}

// TestSensesOfTornBlock divides one block of a page into many. Memory and text that is compared
// must not grow with the square of their number. Each of the new blocks has a leaf of the old one, and
// half of them have a new leaf.
func TestSensesOfTornBlock(t *testing.T) {
	senses := func(n int) (got []Sense, bytes uint64) {
		var old, new strings.Builder
		old.WriteString("(\n")
		for i := range n {
			fmt.Fprintf(&old, "the paragraph number%x of the page\n", i)
			fmt.Fprintf(&new, "(\nthe paragraph number%x of the page\n", i)
			if i%2 == 1 {
				fmt.Fprintf(&new, "Updated 2008-06-01 %d\n", i)
			}
			new.WriteString(")\n")
		}
		old.WriteString(")\n")
		var h History
		h.Add(outline(0, old.String()))
		rev := h.Add(outline(1, new.String()))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got = rev.Senses(1)
		runtime.ReadMemStats(&after)
		return got, after.TotalAlloc - before.TotalAlloc
	}
	got, _ := senses(2)
	if len(got) != 2 || got[0].Substantial || !got[1].Substantial {
		t.Errorf("two new blocks, the second edited: got %v", got)
	}
	got, _ = senses(400)
	for i, s := range got {
		if s.Substantial != (i%2 == 1) {
			t.Fatalf("block %d of %d: got %v", i, len(got), s)
		}
	}
	// With a list of the old leaves for each new block, they would take 3 GB.
	if _, used := senses(4000); used > 500<<20 {
		t.Errorf("the senses of 4000 new blocks take %d bytes", used)
	}
}

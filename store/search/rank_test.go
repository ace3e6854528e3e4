package search

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/words/match"
)

func parse(t interface {
	Helper()
	Fatal(...any)
}, question string) *match.Query {
	t.Helper()
	q, err := match.Parse(question)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// page returns a page with blocks whose counts are those of the words a and b, in the
// text and in links.
func page(title string, blocks ...[5]int) *Page {
	p := &Page{Title: title}
	for _, b := range blocks {
		p.Blocks = append(p.Blocks, Block{Label: label.Main, Terms: b[0], Counts: b[1:3:3], Linked: b[3:5:5]})
	}
	return p
}

// TestRankOrder holds which of two pages answers better.
func TestRankOrder(t *testing.T) {
	q := parse(t, "a b")
	for _, c := range []struct {
		what          string
		better, worse *Page
	}{
		{"together in a block", page("", [5]int{80, 2, 2}, [5]int{80}), page("", [5]int{80, 2, 0}, [5]int{80, 0, 2})},
		{"more often", page("", [5]int{80, 3, 2}), page("", [5]int{80, 2, 2})},
		{"in a shorter block", page("", [5]int{40, 1, 1}, [5]int{80}), page("", [5]int{80, 1, 1}, [5]int{40})},
		{"on a shorter page", page("", [5]int{80, 1, 1}), page("", [5]int{80, 1, 1}, [5]int{80})},
		{"not in links", page("", [5]int{80, 1, 1, 0, 0}), page("", [5]int{80, 1, 1, 1, 1})},
		{"in the title", page("a x", [5]int{80, 1, 1}), page("x y", [5]int{80, 1, 1})},
		{"all of the title", page("a b", [5]int{80, 1, 1}), page("a b c", [5]int{80, 1, 1})},
	} {
		rarity := []float64{1, 1}
		better, worse := Rank(q, c.better), Rank(q, c.worse)
		if b, w := better.Score(rarity), worse.Score(rarity); !(b > w) {
			t.Errorf("%s: %v against %v", c.what, b, w)
		}
	}
	nav := page("", [5]int{80, 1, 1}, [5]int{80, 1, 1})
	nav.Blocks[0].Label = label.Nav
	if best := Rank(q, nav); best.Place != 1 {
		t.Errorf("the best block is %d, want the one that is no navigation", best.Place)
	}
}

// TestRankByHand computes a score by the formula of BM25.
func TestRankByHand(t *testing.T) {
	q := parse(t, "a -b")
	p := page("a c", [5]int{160, 3, 5, 1, 0})
	n := 2.1 // twice in the text and once in a link
	block := n * 2.2 / (n + 1.2*(.5+.5*160/80))
	whole := 2 * n * 2.2 / (n + 1.2*(.7+.3*160/400))
	title := 2.2/(1+1.2*(.25+.75*2/8)) + 5*.5
	best := Rank(q, p)
	if got, want := best.Score([]float64{3, 100}), 3*(block+whole+title); math.Abs(got-want) > 1e-9 {
		t.Errorf("score %v, want %v", got, want)
	}
	if best.Says[1] != 0 {
		t.Errorf("an excluded word counts %v", best.Says[1])
	}
}

// TestBound compares the bounds of drawn pages with their scores. The bound of a simple page, with the atoms in
// one leaf of main text, is its score.
func TestBound(t *testing.T) {
	near := 0
	rapid.Check(t, func(t *rapid.T) {
		q := parse(t, rapid.SampledFrom([]string{"a", "a b", "a -b", "a OR b"}).Draw(t, "question"))
		atoms := len(q.Atoms())
		p := &Page{Title: rapid.SampledFrom([]string{"", "a", "b c", "a b a", "c c c a"}).Draw(t, "title")}
		of := &index.Page{Title: p.Title}
		counts := make([]uint16, atoms)
		simple := rapid.Bool().Draw(t, "simple") // all is known
		blocks, count, few := rapid.IntRange(0, 4), rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 2000)), 2000
		if simple {
			blocks, count, few = rapid.IntRange(1, 4), rapid.IntRange(0, 6), 0
		}
		labels, short := rapid.IntRange(0, int(label.Other)), math.MaxUint16
		for k := range blocks.Draw(t, "blocks") {
			if simple {
				labels = rapid.Just(int(label.Main))
				if k > 0 {
					count = rapid.Just(0)
				}
			}
			b := Block{Label: label.Label(labels.Draw(t, "label")), Counts: make([]int, atoms), Linked: make([]int, atoms)}
			for a := range counts {
				b.Counts[a] = count.Draw(t, "count")
				b.Linked[a] = rapid.IntRange(0, min(few, b.Counts[a])).Draw(t, "linked")
				b.Terms += b.Counts[a]
				counts[a] += uint16(b.Counts[a])
			}
			b.Terms += rapid.IntRange(0, 300).Draw(t, "terms")
			of.Terms += b.Terms
			if slices.Max(b.Counts) > 0 { // a leaf has an atom
				if !simple {
					short = min(short, rapid.IntRange(0, b.Terms).Draw(t, "terms of the leaf"))
				} else if k == 0 {
					short = b.Terms
				}
			}
			of.Cut = append(of.Cut, facts.OutlineBlock{Leaves: 1, Label: b.Label})
			p.Blocks = append(p.Blocks, b)
		}
		of.Terms -= rapid.IntRange(0, min(few, of.Terms)).Draw(t, "unknown")
		m := mostOf(counts, uint16(short))
		if !simple && rapid.Bool().Draw(t, "uncounted") {
			m = most{}
		}
		rarity := make([]float64, atoms)
		for a := range rarity {
			rarity[a] = rapid.Float64Range(.01, 4).Draw(t, "rarity")
		}
		best := Rank(q, p)
		bounder := (&Words{query: q}).Bounder(rarity)
		bounder.weigh("b") // the title of another page
		bounder.weigh(of.Title)
		score, bound := best.Score(rarity), bounder.of(&m, of.Cut, of.Terms)
		if score > bound {
			t.Fatalf("score %v, bound %v", score, bound)
		}
		if score > 0 && bound < 1.01*score {
			near++
		}
		if simple && score != bound {
			t.Fatalf("of a simple page: score %v, bound %v", score, bound)
		}
	})
	if near == 0 {
		t.Error("no bound is near its score")
	}
}

// TestCollection counts bodies in two orders, few of them and more than are remembered.
func TestCollection(t *testing.T) {
	q := parse(t, "a b")
	for _, n := range []int{1000, 3 * sampleMax} {
		var counts [2]string
		for turn := range counts {
			c := NewCollection(q)
			for _, i := range rand.New(rand.NewPCG(1, uint64(turn))).Perm(2 * n) {
				i %= n // each twice
				if d := record.Digest(sha256.Sum256(fmt.Append(nil, i))); c.Wants(d) {
					c.Add(d, func(atom int) bool { return atom == 0 || i%10 == 0 })
				}
			}
			all := c.Counts()
			pages, with := all.Pages, all.With
			counts[turn] = fmt.Sprint(pages, with)
			if within := float64(n) / 50; n <= sampleMax && counts[turn] != fmt.Sprint(n, []int{n, n / 10}) ||
				math.Abs(float64(pages-n)) > within || with[0] != pages || math.Abs(float64(with[1]-n/10)) > within {
				t.Errorf("%d bodies are counted as %s", n, counts[turn])
			}
		}
		if counts[0] != counts[1] {
			t.Errorf("%d bodies: %s in one order, %s in another", n, counts[0], counts[1])
		}
	}
}

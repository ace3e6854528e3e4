package life

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/page/markup"
	"infomall/store/words"
)

// pieces makes blocks of texts. Paths are ordinals.
func pieces(texts ...string) []piece {
	var out []piece
	for i, text := range texts {
		out = append(out, piece{Digest: sha256.Sum256([]byte(text)), Path: fmt.Sprint(i + 1), Text: func() string { return text }})
	}
	return out
}

// matchPieces pairs the blocks old with the blocks new.
func matchPieces(old, new []piece) []Match {
	m := newMatcher()
	defer m.free()
	m.old, m.new = append(m.old, old...), append(m.new, new...)
	return m.matches(func(i int) words.Bag { return words.NewBag(old[i].Text()) }, func(i int) words.Bag { return words.NewBag(new[i].Text()) })
}

func printMatches(matches []Match) string {
	var out []string
	for _, m := range matches {
		s := m.Op.String()
		if m.Old >= 0 {
			s += fmt.Sprintf(" %d", m.Old+1)
		}
		if m.New >= 0 {
			s += fmt.Sprintf(">%d", m.New+1)
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestMatches(t *testing.T) {
	a, b, c, d := "the first paragraph of the page here", "another one which follows it there", "a third about quite different things", "the last words are said down below"
	tests := []struct {
		name     string
		old, new []piece
		want     string
	}{
		{"nothing", nil, nil, ""},
		{"equal", pieces(a, b), pieces(a, b), "same 1>1, same 2>2"},
		{"a list that grows on top", pieces(a, b, c), pieces(d, a, b, c), "added>1, same 1>2, same 2>3, same 3>4"},
		{"removed", pieces(a, b, c), pieces(a, c), "same 1>1, same 3>2, removed 2"},
		{"edited", pieces(a, b, c), pieces(a, b+" now", c), "same 1>1, edited 2>2, same 3>3"},
		{"edited and one on top", pieces(a, b, c), pieces(d, a+" now", b, c), "added>1, edited 1>2, same 2>3, same 3>4"},
		{"moved", pieces(a, b, c, d), pieces(b, c, d, a), "same 2>1, same 3>2, same 4>3, moved 1>4"},
		{"other words in one place", pieces(a, "News one: the choir of the school sings", c), pieces(a, "News one: the team of the town has won", c), "same 1>1, edited 2>2, same 3>3"},
		{"nothing in common in one place", pieces(a, "alpha beta", c), pieces(a, "gamma delta", c), "same 1>1, added>2, same 3>3, removed 2"},
		{"equal blocks", pieces(a, a, a), pieces(a, a), "same 1>1, same 2>2, removed 3"},
		{"no words", pieces("--", "=="), pieces("--", "++"), "same 1>1, added>2, removed 2"},
	}
	for _, tt := range tests {
		if got := printMatches(matchPieces(tt.old, tt.new)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestMatchesComplete checks on random versions that every block is in one
// match, and that same and moved have equal bytes.
func TestMatchesComplete(t *testing.T) {
	text := rapid.StringMatching(`[a-c]( [a-c]){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		old, new := pieces(rapid.SliceOfN(text, 0, 12).Draw(t, "old")...), pieces(rapid.SliceOfN(text, 0, 12).Draw(t, "new")...)
		seenOld, seenNew := make([]int, len(old)), make([]int, len(new))
		lastSame := -1
		for _, m := range matchPieces(old, new) {
			if m.Old >= 0 {
				seenOld[m.Old]++
			}
			if m.New >= 0 {
				seenNew[m.New]++
			}
			equal := m.Old >= 0 && m.New >= 0 && old[m.Old].Digest == new[m.New].Digest
			if equal != (m.Op == Same || m.Op == Moved) || (m.Old < 0) != (m.Op == Added) || (m.New < 0) != (m.Op == Removed) {
				t.Fatalf("%+v, with equal bytes: %v", m, equal)
			}
			if m.Op == Same {
				if m.Old <= lastSame {
					t.Fatalf("%+v is out of order", m)
				}
				lastSame = m.Old
			}
		}
		for _, n := range append(seenOld, seenNew...) {
			if n != 1 {
				t.Fatalf("a block is in %d matches", n)
			}
		}
	})
}

// TestMatchesEqual checks on random versions which of several equal blocks are
// one: those at the start and at the end of both, then the first and the first.
func TestMatchesEqual(t *testing.T) {
	text := rapid.StringMatching(`[a-d]`)
	rapid.Check(t, func(t *rapid.T) {
		old, new := pieces(rapid.SliceOfN(text, 0, 40).Draw(t, "old")...), pieces(rapid.SliceOfN(text, 0, 40).Draw(t, "new")...)
		for _, list := range [][]piece{old, new} {
			for i := range list {
				list[i].Text = func() string { return "" } // so that nothing but their bytes tells
			}
		}
		want := make(map[int]int) // by new block
		from, o, n := 0, len(old), len(new)
		for ; from < min(o, n) && old[from].Digest == new[from].Digest; from++ {
			want[from] = from
		}
		for o > from && n > from && old[o-1].Digest == new[n-1].Digest {
			o, n = o-1, n-1
			want[n] = o
		}
		taken := make(map[int]bool)
		for i := from; i < n; i++ {
			for j := from; j < o; j++ {
				if !taken[j] && old[j].Digest == new[i].Digest {
					want[i], taken[j] = j, true
					break
				}
			}
		}
		got := make(map[int]int)
		for _, m := range matchPieces(old, new) {
			if m.Op == Same || m.Op == Moved {
				got[m.New] = m.Old
			}
		}
		if !maps.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// leafPieces are a page's leaves as Match wants them.
func leafPieces(body string) (*divide.Tree, []piece) {
	t := divide.Divide(markup.NewTree([]byte(body)), divide.Options{})
	var out []piece
	for _, n := range t.Cut(0) {
		b := t.Blocks[n]
		out = append(out, piece{sha256.Sum256(t.Bytes(n)), b.Path, func() string { return t.Page.TextRange(b.Start, b.End, "utf-8") }})
	}
	return t, out
}

func count(matches []Match) (n [Removed + 1]int) {
	for _, m := range matches {
		n[m.Op]++
	}
	return n
}

// TestListGrows puts an item on top of a list in a page: it is one block
// added, and nothing else has changed.
func TestListGrows(t *testing.T) {
	list := func(items ...string) string {
		return "<html><body><div id=head><h1>A site with some name or other</h1></div>\n<div id=main><h2>News</h2><ul>\n" + strings.Join(items, "\n") +
			"\n</ul></div>\n<div id=foot>Copyright by those who made this page, all of them</div></body></html>"
	}
	var items []string
	for i := range 20 {
		items = append(items, fmt.Sprintf("<li><a href=\"/news/%d.html\">Item number %d tells of something that happened</a> on day %d</li>", i, i, i))
	}
	oldTree, old := leafPieces(list(items[1:]...))
	newTree, new := leafPieces(list(items...))
	n := count(matchPieces(old, new))
	if want := [...]int{len(old), 0, 0, 1, 0}; n != want {
		t.Errorf("same, moved, edited, added, removed = %v, want %v", n, want)
	}
	if string(oldTree.Layout()) == string(newTree.Layout()) {
		t.Error("the layouts are equal, want one place more")
	}
}

// TestCommonWord looks up a word that more blocks contain than the search for similar blocks reads.
func TestCommonWord(t *testing.T) {
	var in wordIndex
	for block := range 1000 {
		in = append(in, wordPlace{word: 1, block: block})
	}
	for block := range rareMax {
		in = append(in, wordPlace{word: 2, block: block})
	}
	for word, want := range map[uint64]int{1: rareMax + 1, 2: rareMax, 3: 0} {
		if got := len(in.of(word)); got != want {
			t.Errorf("%d entries of word %d, want %d", got, word, want)
		}
	}
}

// TestTemplateChange gives a page another design around the same paragraphs:
// they stay the same, and the layouts differ.
func TestTemplateChange(t *testing.T) {
	var text strings.Builder
	for i := range 10 {
		fmt.Fprintf(&text, "<p>Paragraph %d of the text, which is long enough to be a block of its own, and stays.</p>\n", i)
	}
	oldTree, old := leafPieces("<html><body bgcolor=white><table><tr><td>" + text.String() + "</td></tr></table></body></html>")
	newTree, new := leafPieces("<html><body><div class=page><div class=text>" + text.String() + "</div></div></body></html>")
	n := count(matchPieces(old, new))
	if want := [...]int{10, 0, 0, 0, 0}; n != want {
		t.Errorf("same, moved, edited, added, removed = %v, want %v", n, want)
	}
	if string(oldTree.Layout()) == string(newTree.Layout()) {
		t.Error("the layouts are equal, want them to differ")
	}
}

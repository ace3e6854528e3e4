package divide

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

// checkTree tells what of a Tree's promises is broken, first of all that
// layout and leaves are the body.
func checkTree(t *testing.T, tree *Tree) {
	t.Helper()
	body := tree.Page.Body
	for n, b := range tree.Blocks[1:] {
		n++
		p := tree.Blocks[b.Parent]
		if b.Start < p.Start || b.End > p.End || b.Start >= b.End || b.Next > p.Next || b.Depth != p.Depth+1 || b.Path == "" {
			t.Fatalf("block %d %+v does not lie in its parent %+v", n, b, p)
		}
	}
	for n := range tree.Blocks {
		at := tree.Blocks[n].Start
		for _, c := range tree.Children(n) {
			if tree.Blocks[c].Start < at {
				t.Fatalf("block %d %+v overlaps its sibling, which ends at %d", c, tree.Blocks[c], at)
			}
			at = tree.Blocks[c].End
		}
	}
	var leaves [][]byte
	cut := tree.Cut(0)
	for _, n := range cut {
		if size := len(tree.Bytes(n)); size < tinyPart && len(cut) > 1 && tree.Profile == Modern {
			t.Fatalf("leaf %s has %d bytes, want %d at least", tree.Blocks[n].Path, size, tinyPart)
		}
		leaves = append(leaves, tree.Bytes(n))
	}
	checkFindCut(t, tree, leaves)
	if at, blocks, err := AppendLeaves(nil, tree.Layout()); err != nil || blocks != len(tree.Blocks) || !slices.Equal(at, tree.Cut(0)) {
		t.Fatalf("the layout has the leaves %d of %d blocks (%v), want %d of %d", at, blocks, err, tree.Cut(0), len(tree.Blocks))
	}
	got, err := Join(nil, tree.Layout(), leaves)
	if err != nil || !bytes.Equal(got, body) {
		t.Fatalf("layout and %d leaves give %d bytes, %v; want the body's %d", len(leaves), len(got), err, len(body))
	}
}

func divideBoth(t *testing.T, body []byte) {
	t.Helper()
	tree := markup.NewTree(body)
	checkTree(t, Divide(tree, Options{}))
	checkTree(t, Divide(tree, Options{Profile: Classic}))
	checkTree(t, Divide(markup.NewPlainTree(body), Options{}))
}

// TestJoin divides pages of all kinds and puts them together again.
func TestJoin(t *testing.T) {
	before, after := pagetest.Paper()
	for _, body := range []string{
		"", " \n", "x", "\x00", "\x00#<p>\x00(</p>", "<p>", "</p>", "<!-- only a comment -->", before, after,
		strings.Repeat("<p>one and the same paragraph</p>", 100),
		strings.Repeat("<div>", 1000) + "text" + strings.Repeat("</div>", 1000),
		strings.Repeat("<div>text ", 5000),
		strings.Repeat("<b>text<div>more</b>", 1000),
		strings.Repeat("a line of text<br>\n", 200),
		"<pre>" + strings.Repeat("a line\n\n", 200) + "</pre>",
		strings.Repeat("one line ", 10000),
		"<frameset><frame src=a><frame src=b></frameset>",
	} {
		divideBoth(t, []byte(body))
	}
}

// checkFindCut finds each block of each cut in the layout, and none behind the
// last.
func checkFindCut(t *testing.T, tree *Tree, leaves [][]byte) {
	t.Helper()
	layout := tree.Layout()
	for level := 1; level <= min(tree.Level()+1, 4); level++ {
		cut := tree.Cut(level)
		var places, odd []int
		for place := range min(len(cut), 50) {
			places = append(places, place)
			if place%2 == 1 {
				odd = append(odd, place)
			}
			checkParts(t, tree, layout, leaves, level, []int{place})
		}
		checkParts(t, tree, layout, leaves, level, places)
		checkParts(t, tree, layout, leaves, level, odd)
		if parts, err := FindCut(layout, level, append(odd, len(cut))); len(parts) != len(odd) || err != nil {
			t.Fatalf("level %d has %d blocks: got %d of those in %d and the one behind, error %v", level, len(cut), len(parts), odd, err)
		}
	}
}

// checkParts finds the blocks in some places of a cut.
func checkParts(t *testing.T, tree *Tree, layout []byte, leaves [][]byte, level int, places []int) {
	t.Helper()
	parts, err := FindCut(layout, level, places)
	if err != nil || len(parts) != len(places) {
		t.Fatalf("blocks %d of level %d: got %d, error %v", places, level, len(parts), err)
	}
	cut := tree.Cut(level)
	for i, p := range parts {
		got, err := Join(nil, p.Layout, leaves[p.First:p.First+p.Leaves])
		if want := tree.Bytes(cut[places[i]]); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("block %d of level %d: got %q, error %v, want %q", places[i], level, got, err, want)
		}
	}
}

func TestJoinDamaged(t *testing.T) {
	tests := []struct {
		layout string
		leaves int
	}{
		{"a\x00#b", 0}, {"a", 1}, {"a\x00", 0}, {"a\x00?", 0}, {"\x00#\x00#", 1},
	}
	for _, tt := range tests {
		leaves := make([][]byte, tt.leaves)
		if got, err := Join(nil, []byte(tt.layout), leaves); !errors.Is(err, errLayout) {
			t.Errorf("Join(%q, %d leaves) = %q, %v; want errLayout", tt.layout, tt.leaves, got, err)
		}
	}
}

// TestDivideHostile divides inputs made to be slow or deep. Each must take
// time linear in its length, or the test will not end.
func TestDivideHostile(t *testing.T) {
	const n = 1 << 17
	for _, body := range []string{
		strings.Repeat("<div>", n),
		strings.Repeat("<div>x", n),
		strings.Repeat("<div>some text that fills a block of its own, at least so it is hoped", n/16),
		strings.Repeat("<b>x<div>", n/4),
		strings.Repeat("<b>x<br>", n/4),
		strings.Repeat("<li>x", n),
		strings.Repeat("<p>x", n),
		strings.Repeat("<h1>x</h1><h2>y</h2>", n/8),
		strings.Repeat("x<br>", n),
		"<pre>" + strings.Repeat("x\n\n", n),
		strings.Repeat("<table><tr><td>x", n/8),
		strings.Repeat("<hr>x", n),
	} {
		divideBoth(t, []byte(body))
	}
}

func FuzzJoin(f *testing.F) {
	before, _ := pagetest.Paper()
	f.Add([]byte(before))
	f.Add([]byte("a\x00#<pre>b\n\n\nc</pre><b>d<div>e</b><ul><li>f<li>g</ul><hr>h<br><br>i"))
	f.Fuzz(func(t *testing.T, body []byte) { divideBoth(t, body) })
}

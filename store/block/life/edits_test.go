package life

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/flow"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

// edit is a change made to a page on purpose, and what is to be found.
type edit struct {
	op   Op
	body []byte
	text string // of the block that it befell, in the version that has it
}

// editor makes edits of one page.
type editor struct {
	*divide.Body
	t    *markup.Tree
	rand *rand.Rand
	// paragraphs are elements that stand on lines of their own, show a long
	// sentence, have no such elements in them, and stand beside such.
	paragraphs []int
}

func newEditor(body []byte, r *rand.Rand) *editor {
	b, _ := divide.Open(body, divide.As{Mime: "text/html", ContentType: pagetest.HTMLType}, divide.Options{})
	e := &editor{Body: b, t: b.Page, rand: r}
	f := b.Flow()
	siblings := map[int32]int{}
	var list []int
	for i, n := range e.t.Nodes {
		if n.Kind == markup.Element && n.Tag.Block() && f.Shows(i).Blocks == 1 && f.Shows(i).Text >= 128 && n.Outer < n.End {
			list = append(list, i)
			siblings[n.Parent]++
		}
	}
	for _, i := range list {
		if siblings[e.t.Nodes[i].Parent] >= 2 {
			e.paragraphs = append(e.paragraphs, i)
		}
	}
	return e
}

func (e *editor) bytes(i int) []byte { return e.t.Body[e.t.Nodes[i].Start:e.t.Nodes[i].End] }

func (e *editor) text(i int) string {
	return e.t.TextRange(int(e.t.Nodes[i].Start), int(e.t.Nodes[i].End), e.Charset)
}

// pick chooses a paragraph whose bytes the page has once.
func (e *editor) pick() (int, bool) {
	for range 20 {
		i := e.paragraphs[e.rand.IntN(len(e.paragraphs))]
		if bytes.Count(e.t.Body, e.bytes(i)) == 1 {
			return i, true
		}
	}
	return 0, false
}

// sentence is one that no page has.
func (e *editor) sentence() string {
	var words []string
	for range 12 + e.rand.IntN(8) {
		words = append(words, fmt.Sprintf("zq%dx", e.rand.IntN(100000)))
	}
	return strings.Join(words, " ")
}

// splice is the body with a range replaced.
func (e *editor) splice(from, to int32, with []byte) []byte {
	return slices.Concat(e.t.Body[:from], with, e.t.Body[to:])
}

func (e *editor) insert() (edit, bool) {
	i, ok := e.pick()
	n := e.t.Nodes[i]
	text := e.sentence()
	element := slices.Concat(e.t.Body[n.Start:n.Inner], []byte(text), e.t.Body[n.Outer:n.End])
	return edit{Added, e.splice(n.End, n.End, slices.Concat([]byte("\n"), element)), text}, ok
}

func (e *editor) remove() (edit, bool) {
	i, ok := e.pick()
	n := e.t.Nodes[i]
	return edit{Removed, e.splice(n.Start, n.End, nil), e.text(i)}, ok
}

// change replaces a word or a few in the middle of a paragraph's longest text.
func (e *editor) change() (edit, bool) {
	i, ok := e.pick()
	longest := -1
	for j := i + 1; j < int(e.t.Nodes[i].Next); j++ {
		if n := e.t.Nodes[j]; n.Kind == markup.Text && (longest < 0 || n.End-n.Start > e.t.Nodes[longest].End-e.t.Nodes[longest].Start) {
			longest = j
		}
	}
	if longest < 0 {
		return edit{}, false
	}
	n := e.t.Nodes[longest]
	words := bytes.SplitAfter(e.t.Body[n.Start:n.End], []byte(" "))
	if len(words) < 8 {
		return edit{}, false
	}
	at := e.rand.IntN(len(words) - 4)
	with := fmt.Sprintf("zq%dx ", e.rand.IntN(100000))
	text := bytes.Join(slices.Concat(words[:at], [][]byte{[]byte(with)}, words[at+1+e.rand.IntN(2):]), nil)
	return edit{Edited, e.splice(n.Start, n.End, text), with}, ok
}

// move puts a paragraph before or behind another one with the same parent.
func (e *editor) move() (edit, bool) {
	i, ok := e.pick()
	n := e.t.Nodes[i]
	var others []int
	for at, j := range e.paragraphs {
		// The next one would as well have moved itself.
		near := at > 0 && e.paragraphs[at-1] == i || at+1 < len(e.paragraphs) && e.paragraphs[at+1] == i
		if j != i && !near && e.t.Nodes[j].Parent == n.Parent {
			others = append(others, j)
		}
	}
	if len(others) == 0 {
		return edit{}, false
	}
	to := e.t.Nodes[others[e.rand.IntN(len(others))]].End
	element := slices.Concat([]byte("\n"), e.bytes(i))
	var body []byte
	if to <= n.Start {
		body = slices.Concat(e.t.Body[:to], element, e.t.Body[to:n.Start], e.t.Body[n.End:])
	} else {
		body = slices.Concat(e.t.Body[:n.Start], e.t.Body[n.End:to], element, e.t.Body[to:])
	}
	return edit{Moved, body, e.text(i)}, ok
}

// template changes the attributes of every element that holds a quarter of the
// page, and puts one more around the body.
func (e *editor) template() (edit, bool) {
	f := flow.New(e.t)
	var out bytes.Buffer
	at := int32(0)
	for i, n := range e.t.Nodes {
		if n.Kind != markup.Element || !n.Tag.Block() || 4*f.Shows(i).Text < f.Shows(0).Text || f.Shows(i).Blocks < 3 || n.Inner-n.Start < 3 || n.Tag == markup.TagHTML {
			continue
		}
		out.Write(e.t.Body[at : n.Inner-1])
		out.WriteString(` data-theme="new"`)
		at = n.Inner - 1
		if n.Tag == markup.TagBody {
			out.WriteString("><div class=page")
		}
	}
	out.Write(e.t.Body[at:])
	return edit{Same, out.Bytes(), ""}, at > 0
}

// tally counts what was found of edits of one sort.
type tally struct{ edits, right, wrong int }

func (c *tally) precision() float64 { return float64(c.right) / float64(max(1, c.right+c.wrong)) }
func (c *tally) recall() float64    { return float64(c.right) / float64(max(1, c.edits)) }

// check counts an edit: right is the one change that it is, wrong any other. A
// change of template is right where no block has changed.
func (c *tally) check(before, after string, e edit) (found []Match, ok bool) {
	var h History
	h.Add(htmlVersion(1, before))
	r := h.Add(htmlVersion(2, after))
	c.edits++
	wrong := 0
	for _, m := range r.Leaves() {
		if m.Op == Same {
			continue
		}
		found = append(found, m)
		text := ""
		if m.New >= 0 {
			text = r.Text(m.New)
		} else {
			text = r.Before.Text(m.Old)
		}
		// A paragraph may be several leaves; all of them are the one edit.
		if m.Op == e.op && (!ok && strings.Contains(flat(text), flat(e.text)) || strings.Contains(flat(e.text), flat(text))) {
			ok = true
		} else {
			wrong++
		}
	}
	ok = ok || e.op == Same && wrong == 0
	if ok {
		c.right++
	}
	c.wrong += wrong
	return found, ok && wrong == 0
}

// flat is a text without its white space.
func flat(text string) string { return strings.Join(strings.Fields(text), "") }

// TestSharedEdits edits real pages and looks whether what was done to them is
// what is found, and nothing else.
func TestSharedEdits(t *testing.T) {
	root := pagetest.Shared(t)
	bodies := slices.Concat(
		pagetest.Bodies(t, filepath.Join(root, "segmentation", "dataset-popular-html.tar.zst"), ".html.orig"),
		pagetest.Bodies(t, filepath.Join(root, "chinese", "gne-odd.tar.zst"), ".html"),
	)
	r := rand.New(rand.NewPCG(7, 2008))
	kinds := []struct {
		name string
		make func(*editor) (edit, bool)
	}{{"insert", (*editor).insert}, {"delete", (*editor).remove}, {"edit", (*editor).change}, {"move", (*editor).move}, {"template", (*editor).template}}
	tallies := make([]tally, len(kinds))
	shown := 0
	for _, body := range bodies {
		e := newEditor(body, r)
		if len(e.paragraphs) < 2 {
			continue
		}
		for range 3 {
			for k, kind := range kinds {
				made, ok := kind.make(e)
				if !ok {
					continue
				}
				found, ok := tallies[k].check(string(body), string(made.body), made)
				if !ok && shown < 20 {
					shown++
					t.Logf("%s of %.60q: found %s", kind.name, made.text, printMatches(found))
				}
			}
		}
	}
	for k, kind := range kinds {
		c := &tallies[k]
		t.Logf("%-8s %4d made, precision %.3f, recall %.3f", kind.name, c.edits, c.precision(), c.recall())
		if c.precision() < .95 || c.recall() < .95 {
			t.Errorf("%s: precision %.3f, recall %.3f, want .95 each", kind.name, c.precision(), c.recall())
		}
	}
}

package blame

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/words"
)

// foldHistories is how many random histories TestFold draws; with -short a tenth.
const foldHistories = 2000

// TestFold shows on random histories of a page that BLAME of its last version is the
// fold of all its DIFFs: a word has the version whose DIFF shows it as added. Only a
// text that moved may be older than that. Then the version before has it too.
func TestFold(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	was := checks.Value.String()
	defer checks.Value.Set(was)
	n := foldHistories
	if testing.Short() {
		n /= 10
	}
	if err := checks.Value.Set(fmt.Sprint(n)); err != nil {
		t.Fatal(err)
	}
	moved := 0
	rapid.Check(t, func(t *rapid.T) { moved += checkFold(t) })
	if moved == 0 {
		t.Error("no text moved in any history")
	}
}

// checkFold draws one history. It returns how many words moved.
func checkFold(t *rapid.T) (moved int) {
	h := newDrawnHistory(t)
	var history life.History
	var page, still Page // still has no moved text
	var diffs folded
	for n := range rapid.IntRange(2, 7).Draw(t, "versions") {
		at := record.Time(n + 1)
		before := at - 1
		if n == 0 {
			before = record.NoTime
		}
		earlier := wordsOf(&page)
		r := history.Add(versionOf(n+1, h.next()))
		page.Add(VersionOf(r, before))
		a := addition{page: &still, v: VersionOf(r, before), origin: Origin{NotBefore: before, Time: r.Time}}
		still.leaves = a.compare()
		diffs.add(r)
		if got, want := origins(&still), diffs.String(); got != want {
			t.Fatalf("version %d of %q:\nBLAME %s\nDIFFs %s", n+1, h.all, got, want)
		}
		if got, want := wordsOf(&page), wordsOf(&still); !slices.Equal(got, want) {
			t.Fatalf("version %d of %q has the words %q with moved text and %q without", n+1, h.all, got, want)
		}
		moved += checkMoved(t, &page, &still, at, earlier)
		// What moved is older from now on. The DIFFs do not know it.
		still.leaves, diffs = page.leaves, foldedOf(&page)
	}
	return moved
}

// wordsOf returns the words of the page in order.
func wordsOf(p *Page) (list []string) {
	for _, l := range p.Leaves() {
		for i := range l.Pieces {
			if l.Pieces[i].HasWord() {
				list = append(list, l.Pieces[i].Word)
			}
		}
	}
	return list
}

// checkMoved compares the origins in the version of the time at. page has moved text
// and still has none. Where they differ, still must say that the word is new, and
// the word must be in earlier, the words of the version before. It returns how many
// words moved.
func checkMoved(t *rapid.T, page, still *Page, at record.Time, earlier []string) (moved int) {
	for i := range page.leaves {
		for j := range page.leaves[i].Pieces {
			p, s := &page.leaves[i].Pieces[j], &still.leaves[i].Pieces[j]
			if !p.HasWord() || p.Last.Time == s.Last.Time {
				continue
			}
			if s.Last.Time != at || p.Last.Time > at || !slices.Contains(earlier, p.Word) {
				t.Fatalf("word %q of version %d came in with version %d, and with %d without moves; before it were %q", p.Word, at, p.Last.Time, s.Last.Time, earlier)
			}
			moved++
		}
	}
	return moved
}

// folded is the fold of the DIFFs of a page: the words of each leaf, each with the
// version whose DIFF shows it as added. It is made without the code of this package.
type folded struct {
	leaves map[int][]aged // by block
	order  []int
}

type aged struct {
	word    string
	version record.Time
}

// add folds the DIFF that ends with version r.
func (f *folded) add(r *life.Revision) {
	next := folded{leaves: make(map[int][]aged)}
	fresh := func(text string) (list []aged) {
		for _, w := range words.Of(text) {
			list = append(list, aged{w, r.Time})
		}
		return list
	}
	switch {
	case r.Hidden():
	case r.Before == nil:
		for _, n := range r.Tree.Cut(0) {
			next.order = append(next.order, n)
			next.leaves[n] = fresh(r.Text(n))
		}
	default:
		for _, m := range r.Leaves() {
			if m.New < 0 {
				continue
			}
			next.order = append(next.order, m.New)
			if m.Old < 0 {
				next.leaves[m.New] = fresh(r.Text(m.New))
				continue
			}
			old := f.leaves[m.Old]
			var list []aged
			for _, e := range life.Diff(r.Before.Text(m.Old), r.Text(m.New)) {
				n := words.Count(e.Text)
				switch e.Op {
				case life.Same:
					list, old = append(list, old[:n]...), old[n:]
				case life.Removed:
					old = old[n:]
				case life.Added:
					list = append(list, fresh(e.Text)...)
				}
			}
			next.leaves[m.New] = list
		}
	}
	*f = next
}

// foldedOf returns the words of the page as a folded.
func foldedOf(p *Page) folded {
	f := folded{leaves: make(map[int][]aged)}
	for _, l := range p.leaves {
		f.order = append(f.order, l.Block)
		for i := range l.Pieces {
			if piece := &l.Pieces[i]; piece.HasWord() {
				f.leaves[l.Block] = append(f.leaves[l.Block], aged{piece.Word, piece.Last.Time})
			}
		}
	}
	return f
}

// String returns the words in the form of origins.
func (f *folded) String() string {
	var out []string
	for _, n := range f.order {
		for _, a := range f.leaves[n] {
			out = append(out, fmt.Sprintf("%s:%d", a.word, a.version))
		}
	}
	return strings.Join(out, " ")
}

// drawnHistory draws versions of a page, each by a few edits of the version before.
type drawnHistory struct {
	t          *rapid.T
	paragraphs [][]string
	all        []string // the versions drawn so far
}

var vocabulary = []string{"the", "library", "opens", "a", "room", "in", "September", "and", "of", "学", "校", "图", "书", "馆", "2008", "term", "ends", "lecture", "hall", "note"}

func newDrawnHistory(t *rapid.T) *drawnHistory {
	h := &drawnHistory{t: t}
	for range rapid.IntRange(1, 5).Draw(t, "paragraphs") {
		h.paragraphs = append(h.paragraphs, h.words(12))
	}
	return h
}

func (h *drawnHistory) words(most int) (list []string) {
	for range rapid.IntRange(1, most).Draw(h.t, "words") {
		list = append(list, rapid.SampledFrom(vocabulary).Draw(h.t, "word"))
	}
	return list
}

// next returns the next version, in the form that versionOf takes.
func (h *drawnHistory) next() string {
	if len(h.all) > 0 {
		if rapid.IntRange(0, 9).Draw(h.t, "gone") == 0 {
			h.all = append(h.all, "gone")
			return "gone"
		}
		for range rapid.IntRange(1, 3).Draw(h.t, "edits") {
			h.edit()
		}
	}
	var list []string
	for i, p := range h.paragraphs {
		text := strings.Join(p, " ")
		if (i+len(h.all))%5 == 0 {
			text = "<i>" + text + "</i>" // other markup
		}
		list = append(list, text)
	}
	text := strings.Join(list, "|")
	h.all = append(h.all, text)
	return text
}

// edit makes one edit of a paragraph.
func (h *drawnHistory) edit() {
	i := rapid.IntRange(0, len(h.paragraphs)-1).Draw(h.t, "paragraph")
	p := h.paragraphs[i]
	from := rapid.IntRange(0, len(p)).Draw(h.t, "from")
	to := rapid.IntRange(from, len(p)).Draw(h.t, "to")
	switch rapid.IntRange(0, 5).Draw(h.t, "edit") {
	case 0, 1: // other words
		h.paragraphs[i] = slices.Concat(p[:from], h.words(4), p[to:])
	case 2: // a paragraph comes in
		h.paragraphs = slices.Insert(h.paragraphs, i, h.words(12))
	case 3: // a paragraph goes
		if len(h.paragraphs) > 1 {
			h.paragraphs = slices.Delete(h.paragraphs, i, i+1)
		}
	case 4: // a paragraph moves
		h.paragraphs = slices.Delete(h.paragraphs, i, i+1)
		h.paragraphs = slices.Insert(h.paragraphs, rapid.IntRange(0, len(h.paragraphs)).Draw(h.t, "place"), p)
	case 5: // words move to another paragraph
		k := rapid.IntRange(0, len(h.paragraphs)-1).Draw(h.t, "other")
		cut := slices.Clone(p[from:to])
		h.paragraphs[i] = slices.Concat(p[:from], p[to:])
		h.paragraphs[k] = append(slices.Clone(h.paragraphs[k]), cut...)
	}
	for i := range h.paragraphs {
		if len(h.paragraphs[i]) == 0 {
			h.paragraphs[i] = []string{"note"}
		}
	}
}

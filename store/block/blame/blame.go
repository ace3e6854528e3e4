package blame

import (
	"slices"
	"strings"
	"unicode/utf8"

	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/words"
)

// Unit is the piece of text that Page follows: a word or a line.
type Unit uint8

// The units. Only lines with a word in them count: text without a word belongs to the line
// after it.
const (
	Words Unit = iota
	Lines
)

// Origin says when a text came into a page: after NotBefore, and at Time at the latest.
type Origin struct {
	NotBefore record.Time // when the page was last seen without the text; record.NoTime if it was never seen before
	Time      record.Time // when the version that brought the text was first seen
	// Old is the text that was replaced, in full or its first bytes, see oldMax. It
	// is "" if the text was added between others.
	Old string
}

// Piece is a word or a line of a leaf, with the punctuation and white space
// before it. The piece after the last word of a leaf may have no word.
type Piece struct {
	life.Token
	First *Origin // for an edited line: when the line came in from which it was edited; otherwise equal to Last
	Last  *Origin // when the piece came in
}

// HasWord reports whether the piece has a word in it, and is not only the end of a
// text.
func (p *Piece) HasWord() bool { return words.Least(p.Word, 1) }

// Leaf is a leaf of the last version: a block that is not divided further.
type Leaf struct {
	Block  int     // index of the block in the tree of the version
	First  *Origin // when the block came in
	Last   *Origin // when its words were last edited; Old is its text before
	Pieces []Piece
}

// oldMax is the largest number of bytes that Origin.Old has, apart from the
// ellipsis at its end if there is more text. It bounds the memory of a Page.
const oldMax = 4096

// Page follows the text of one page through its versions. It has the text of the version
// that was added last, and for each piece of the text the version that brought it. The zero
// value is ready to use; its pieces are words.
type Page struct {
	Unit   Unit
	leaves []Leaf // the leaves of the last version, in order
	// Memory that is used again.
	spare      []Leaf
	byBlock    []*Leaf
	tokens     []life.Token
	gone, came loose
}

// Leaves returns the leaves of the version that was added last, in order. A
// version that is not a page has none. They are valid until the next call of Add.
func (p *Page) Leaves() []Leaf { return p.leaves }

// Version is one version of a page, the input of Page.Add.
type Version struct {
	Time      record.Time // when it was first seen
	NotBefore record.Time // when the version before was last seen; record.NoTime if there is none
	// Changes has the change of each leaf since the version before, as life.Revision.Leaves
	// returns them. Add looks at the indexes of blocks, and at whether Op is life.Edited. In
	// the first version each leaf is added. A version that is not a page has no leaves.
	Changes []life.Match
	// Rereads is set if the body is read in another way than in the version before, such as
	// in another charset. Equal bytes may then show another text.
	Rereads bool
	// Text returns the text of block n, which is a leaf.
	Text func(n int) string
}

// VersionOf returns a version for Page.Add. r is what life.History returned for it, and
// notBefore is when the version before was last seen; record.NoTime if there is none.
func VersionOf(r *life.Revision, notBefore record.Time) *Version {
	v := &Version{Time: r.Time, NotBefore: notBefore, Text: r.Text}
	switch {
	case r.Hidden():
	case r.Before == nil:
		for _, n := range r.Tree.Cut(0) {
			v.Changes = append(v.Changes, life.Match{Op: life.Added, Old: -1, New: n})
		}
	default:
		old, new := r.Before.Body, r.Body
		v.Changes = r.Leaves()
		v.Rereads = old != new && (old == nil || new == nil || !new.ReadsLike(old))
	}
	return v
}

// Add adds the next version.
func (p *Page) Add(v *Version) {
	a := addition{page: p, v: v, origin: Origin{NotBefore: v.NotBefore, Time: v.Time}}
	p.leaves, p.spare = a.compare(), p.leaves
	a.move()
}

// addition is the work of Page.Add.
type addition struct {
	page   *Page
	v      *Version
	origin Origin // the origin of all text that this version brought, without Old
	gone   []run  // the pieces that this version removed, in the order of the old page
	came   []run  // the pieces that this version added, in the order of the new page
}

// run is the pieces that one version removed, or added, at one place of a leaf. leaf is the
// index of that leaf among the blocks of the tree.
type run struct {
	leaf   int
	pieces []Piece
}

// compare returns the leaves of the version that is being added. It compares each leaf with its
// form in the version before, if it had one. It collects the removed pieces in a.gone, and the
// added pieces in a.came.
func (a *addition) compare() []Leaf {
	p := a.page
	old := p.byBlock[:0]
	if leaves := p.leaves; len(leaves) > 0 {
		size := leaves[len(leaves)-1].Block + 1
		old = slices.Grow(old, size)[:size]
		clear(old)
		for i := range leaves {
			old[leaves[i].Block] = &leaves[i]
		}
	}
	p.byBlock = old
	out := slices.Grow(p.spare[:0], len(a.v.Changes))
	for _, m := range a.v.Changes {
		var was *Leaf
		if m.Old >= 0 && m.Old < len(old) {
			was = old[m.Old]
		}
		switch {
		case m.New < 0:
			if was != nil {
				a.gone = append(a.gone, run{was.Block, was.Pieces})
			}
		case was == nil:
			out = append(out, a.fresh(m.New))
		case m.Op != life.Edited && !a.v.Rereads:
			out = append(out, Leaf{m.New, was.First, was.Last, was.Pieces})
		default:
			out = append(out, a.edit(was, m.New))
		}
	}
	return out
}

// fresh returns leaf n of the version that is being added. The version before has no such leaf.
func (a *addition) fresh(n int) Leaf {
	o := a.newOrigin("")
	l := Leaf{n, o, o, a.page.pieces(a.v.Text(n))}
	for i := range l.Pieces {
		l.Pieces[i].First, l.Pieces[i].Last = o, o
	}
	a.came = append(a.came, run{n, l.Pieces})
	return l
}

// newOrigin returns the origin of a text that came in with this version and replaced
// the text old.
func (a *addition) newOrigin(old string) *Origin {
	o := a.origin
	o.Old = strings.TrimSpace(old)
	if len(o.Old) > oldMax {
		end := oldMax
		for !utf8.RuneStart(o.Old[end]) {
			end--
		}
		o.Old = o.Old[:end] + "…"
	}
	o.Old = strings.Clone(o.Old)
	return &o
}

// edit returns leaf n of the version that is being added. The argument was is the same leaf in the
// version before, perhaps with another text.
func (a *addition) edit(was *Leaf, n int) Leaf {
	l := Leaf{n, was.First, was.Last, a.page.pieces(a.v.Text(n))}
	edited := false
	hunks(was.Pieces, l.Pieces, func(gone, come []Piece) {
		edited = edited || hasWord(gone) || hasWord(come)
		a.hunk(was.Block, gone, n, come)
	})
	if edited {
		l.Last = a.newOrigin(text(was.Pieces))
	}
	return l
}

// hunk records one place at which leaf n differs from block old, the same leaf in the version
// before. The pieces in gone were removed there, and the pieces in come were added. hunk sets the
// origins of the added pieces.
func (a *addition) hunk(old int, gone []Piece, n int, come []Piece) {
	if len(come) > 0 {
		o := a.newOrigin(text(gone))
		for i := range come {
			come[i].First, come[i].Last = o, o
		}
		if a.page.Unit == Lines {
			a.pairLines(gone, come)
		}
		a.came = append(a.came, run{n, come})
	}
	if len(gone) > 0 {
		a.gone = append(a.gone, run{old, gone})
	}
}

// text returns the texts of the pieces as one text.
func text(pieces []Piece) string {
	var w strings.Builder
	for i := range pieces {
		w.WriteString(pieces[i].Text)
	}
	return w.String()
}

func hasWord(pieces []Piece) bool {
	for i := range pieces {
		if pieces[i].HasWord() {
			return true
		}
	}
	return false
}

// hunks compares the pieces of two texts. It copies the origins of the pieces that
// both texts have from old to new, and calls hunk for each place at which the
// texts differ.
func hunks(old, new []Piece, hunk func(gone, come []Piece)) {
	// Most texts differ in one place only. Their equal starts and ends are found without
	// life.Align, which would find the same.
	for len(old) > 0 && len(new) > 0 && old[0].Word == new[0].Word {
		keep(&old[0], &new[0])
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1].Word == new[len(new)-1].Word {
		keep(&old[len(old)-1], &new[len(new)-1])
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	o, n := 0, 0 // where the hunk begins
	endO, endN := 0, 0
	end := func() {
		if endO > o || endN > n {
			hunk(old[o:endO], new[n:endN])
		}
	}
	for _, s := range life.Align(tokens(old), tokens(new)) {
		if s.Op == life.Same {
			end()
			for i := range s.Count {
				keep(&old[s.Old+i], &new[s.New+i])
			}
			o, n = s.Old+s.Count, s.New+s.Count
			endO, endN = o, n
			continue
		}
		if s.Op == life.Removed {
			endO += s.Count
		} else {
			endN += s.Count
		}
	}
	end()
}

// keep gives the piece new the origins of the equal piece old.
func keep(old, new *Piece) { new.First, new.Last = old.First, old.Last }

// tokens returns the tokens of pieces.
func tokens(pieces []Piece) []life.Token {
	list := make([]life.Token, len(pieces))
	for i := range pieces {
		list[i] = pieces[i].Token
	}
	return list
}

package block

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"infomall/store/page"
	"infomall/store/record"
)

// Version is one version of a URL as a History takes it.
type Version struct {
	Time record.Time
	Kind record.Kind
	// Digest and Size are those of the body as it is stored.
	Digest record.Digest
	Size   int64
	Body   *Body // how it divides; nil for what Open does not open
	// Made is what a Reader made of the leaves of Body, nil where it did not.
	Made []*Leaf
}

// History follows the blocks of one URL through its versions: it is a fold
// over them, and depends on nothing else. The zero value is ready.
type History struct {
	last  *Revision
	twins int // versions before at the same time as the last
}

// Revision is one version with its blocks. It is valid until the next one is
// added to its History.
//
// Only pages have blocks. A page that does not divide, because it shows nothing
// or is no text, is one block, "B"; an empty one has none. What is no page is
// one such block too, but a hidden one: it only serves to tell a difference
// between two of these.
type Revision struct {
	Version
	Tree   *Tree
	Whole  bool      // the one block is all of the body
	Before *Revision // nil in the first version
	Life   []Life    // of each block of Tree

	twin     int32   // versions of its time before it
	leaves   []int   // of Tree
	divided  bool    // it is stored as layout and blocks
	rested   *Body   // how it was read, where only its leaves are still at hand
	matches  []Match // of the leaves, Old and New indices into the two Trees
	asWholes bool    // the matches are of hidden blocks

	layoutHash record.Digest // zero until asked for
}

// Life is what a block has kept since it first appeared: the version, and its
// place there.
type Life struct {
	FirstSeen record.Time
	twin      int32 // versions of that time before that one
	place     int32 // of the block in that version's Tree; 0 is no life
}

// Identity names the block over its life. It is made of the time of the version
// in which the block first appeared and its place there, and unique among the
// blocks of any one cut.
func (l Life) Identity() string {
	std := l.FirstSeen.Std()
	s := std.Format("20060102T150405")
	if ms := std.Nanosecond() / 1e6; ms != 0 {
		s += fmt.Sprintf(".%03d", ms)
	}
	if l.twin > 0 {
		s += fmt.Sprintf("+%d", l.twin)
	}
	return s + "-" + strconv.Itoa(int(l.place))
}

// wholePath is the path of a body that is one block.
const wholePath = "B"

// Add takes the URL's next version.
func (h *History) Add(v Version) *Revision {
	r := newRevision(v)
	r.Before = h.last
	if r.Before != nil {
		r.Before.Before = nil
	}
	if r.Before != nil && r.Before.Time == v.Time {
		h.twins++
	} else {
		h.twins = 0
	}
	r.compare()
	r.twin = int32(h.twins)
	r.live()
	h.last = r
	return r
}

// bytes is what a History that was not packed takes in memory, about.
func (h *History) bytes() int64 {
	if h.last == nil {
		return 0
	}
	return h.last.Size + int64(len(h.last.Tree.Blocks))*128 + 800
}

// newRevision finds the blocks of a version.
func newRevision(v Version) *Revision {
	r := &Revision{Version: v}
	switch {
	case v.Kind == record.KindPage && v.Body != nil && len(v.Body.Blocks) > 1:
		r.Tree = v.Body.Tree
	case v.Size == 0:
		r.Tree = &Tree{Blocks: []Block{{Next: 1}}}
	default:
		r.Whole = true
		all := Block{End: int(v.Size), Next: 2}
		if v.Body != nil {
			all.End = len(v.Body.Page.Body)
		}
		whole := all
		whole.Depth, whole.Path = 1, wholePath
		r.Tree = &Tree{Blocks: []Block{all, whole}}
	}
	r.leaves = r.Tree.Cut(0)
	// Blocks are ranges of what was sent.
	r.divided = !r.Whole && v.Body != nil && int64(len(v.Body.Page.Body)) == v.Size
	if !r.Whole && v.Made != nil && len(v.Made) == len(r.leaves) {
		return r
	}
	leaves := make([]Leaf, len(r.leaves))
	r.Made = make([]*Leaf, len(leaves))
	for i, n := range r.leaves {
		leaves[i].Digest, r.Made[i] = r.Digest(n), &leaves[i]
	}
	return r
}

// Hidden reports whether the version's blocks are not to be listed.
func (r *Revision) Hidden() bool { return r.Kind != record.KindPage }

// Bytes are the bytes of a block; nil where the body was not opened, or is no
// longer at hand and the block is no leaf.
func (r *Revision) Bytes(n int) []byte {
	b := &r.Tree.Blocks[n]
	switch {
	case r.Body != nil:
		return r.Body.Page.Body[b.Start:b.End]
	case r.rested != nil:
		if i, ok := slices.BinarySearch(r.leaves, n); ok {
			return r.Made[i].kept.bytes()
		}
	}
	return nil
}

// Digest is that of a block's bytes; of a body that is one block, that of the
// body as it is stored.
func (r *Revision) Digest(n int) record.Digest {
	if r.Whole {
		return r.Version.Digest
	}
	return sha256.Sum256(r.Bytes(n))
}

// Text is what a block shows; "" where Bytes are nil.
func (r *Revision) Text(n int) string {
	b := &r.Tree.Blocks[n]
	switch {
	case r.Body != nil:
		return r.Body.Text(b.Start, b.End)
	case r.rested != nil:
		return r.rested.textOf(r.Bytes(n))
	}
	return ""
}

// LayoutOnly reports whether two versions of a page, given as their bodies,
// which have no content coding, and their Content-Type, have the same blocks, be
// some of them moved: all that differs is then layout. A History has for such a
// version no block that was added, edited or removed, and for every other it
// has one.
func LayoutOnly(old, new []byte, oldType, newType string) bool {
	return SameBlocks(leafDigests(old, oldType), leafDigests(new, newType))
}

func leafDigests(body []byte, contentType string) []record.Digest {
	v := Version{Digest: sha256.Sum256(body), Size: int64(len(body))}
	v.Body, _ = Open(body, As{Mime: record.Mime(contentType), ContentType: contentType}, Options{})
	var digests []record.Digest
	for _, l := range newRevision(v).Made {
		digests = append(digests, l.Digest)
	}
	return digests
}

// SameBlocks reports whether two lists of digests of leaves are the same, in
// whatever order.
func SameBlocks(old, new []record.Digest) bool {
	if len(old) != len(new) {
		return false
	}
	surplus := map[record.Digest]int{}
	for _, d := range new {
		surplus[d]++
	}
	for _, d := range old {
		if surplus[d]--; surplus[d] < 0 {
			return false
		}
	}
	return true
}

// words is the text by which a leaf is told from others.
func (r *Revision) words(n int) string {
	text := r.Text(n)
	for range page.Words(text) {
		return text
	}
	return string(r.Bytes(n))
}

// Package life follows the blocks of one URL through its versions: which blocks
// stayed, moved, changed, came and went, and since when a block exists.
//
// # Words
//
//	version    one stored body of a URL
//	revision   a version with its blocks, compared with the version before
//	life       the version in which a block first appeared, and its place there
//	twin       a version with the same time as another
//	match      the change of one block from one version to the next
//	fold       the result of a History at one version, stored so that a later
//	           query need not begin at the first version
//	brought    how much a version has that the version before does not have
//	sense      whether a change changes the content of a page, or only dates and counters
//	noise      words that may differ between two texts that say the same
//	resting    the compact form of a History that waits for the next version
package life

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/words"
)

// Version is one stored version of a URL, the input of History.Add.
type Version struct {
	Time record.Time
	Kind record.Kind
	// Digest and Size are the SHA-256 and the number of bytes of the stored body.
	Digest record.Digest
	Size   int64
	Body   *divide.Body // the divided body; nil if divide.Open returned false
	// Made has the leaves of Body as a facts.Reader made them, or is nil.
	Made []*facts.Leaf
}

// History follows the blocks of one URL through its versions. Its results depend
// on these versions alone. The zero value is ready to use.
type History struct {
	last  *Revision
	twins int // number of versions before the last that have the same time
}

// Revision is one version of a URL with its blocks, compared with the version
// before. It is valid until the next version is added to its History.
//
// Only pages have blocks. A page that does not divide, because it shows nothing
// or is plain text, is one block with the path "B"; an empty page has no block. A
// body that is not a page is one hidden block, which shows only whether two such
// bodies differ.
type Revision struct {
	Version
	Tree   *divide.Tree
	Whole  bool      // there is one block, which is all of the body
	Before *Revision // the version before; nil for the first version
	Life   []Life    // the life of each block of Tree

	twin     int32        // number of earlier versions with the same time
	leaves   []int        // the leaves of Tree, as indexes of blocks
	divided  bool         // the body is stored as layout and blocks
	rested   *divide.Body // how the body was read, if r comes from a Resting; nil otherwise
	matches  []Match      // the changes of the leaves; Old and New are indexes into the two Trees
	asWholes bool         // the matches compare whole bodies, because neither version is a page

	layoutHash record.Digest // zero until it is computed
}

// Life identifies a block over all versions of a URL. It is the version in which
// the block first appeared, and the place of the block in that version.
type Life struct {
	FirstSeen record.Time
	twin      int32 // number of earlier versions that have the time FirstSeen too
	place     int32 // index of the block in that version's Tree; 0 means no life is known
}

// Identity returns a name for the block that it keeps as long as it lives, such
// as "20060102T150405-3": the time and the place at which it first appeared. The
// name is unique among the blocks of any one cut.
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

// Add adds the next version of the URL and returns it with its blocks, compared
// with the version before.
func (h *History) Add(v Version) *Revision {
	r := newRevision(v, h.last)
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

// bytes returns an estimate of the memory that h takes, in bytes. The compact forms that Rest
// returned do not count.
func (h *History) bytes() int64 {
	if h.last == nil {
		return 0
	}
	return h.last.Size + int64(len(h.last.Tree.Blocks))*128 + 800
}

// newRevision returns the Revision of a version with its blocks, not yet compared with the
// version before. before is the Revision of that version, or nil. newRevision takes over from
// it the leaves at the start and at the end of the page that are the same.
func newRevision(v Version, before *Revision) *Revision {
	r := &Revision{Version: v}
	switch {
	case v.Kind == record.KindPage && v.Body != nil && len(v.Body.Blocks) > 1:
		r.Tree = v.Body.Tree
	case v.Size == 0:
		r.Tree = &divide.Tree{Blocks: []divide.Block{{Next: 1}}}
	default:
		r.Whole = true
		all := divide.Block{End: int(v.Size), Next: 2}
		if v.Body != nil {
			all.End = len(v.Body.Page.Body)
		}
		whole := all
		whole.Depth, whole.Path = 1, facts.WholePath
		r.Tree = &divide.Tree{Blocks: []divide.Block{all, whole}}
	}
	r.leaves = r.Tree.Cut(0)
	// A body is stored as layout and blocks only if the blocks are ranges of the
	// bytes that were sent.
	r.divided = !r.Whole && v.Body != nil && int64(len(v.Body.Page.Body)) == v.Size
	if !r.Whole && v.Made != nil && len(v.Made) == len(r.leaves) {
		return r
	}
	r.Made = make([]*facts.Leaf, len(r.leaves))
	from, to := r.takeOver(before)
	leaves := make([]facts.Leaf, to-from)
	for i, n := range r.leaves[from:to] {
		leaves[i].Digest, r.Made[from+i] = r.digest(n), &leaves[i]
	}
	return r
}

// takeOver sets elements of r.Made to leaves of before, the version before: for the leaves at
// the start and at the end of r that have the same bytes and are read in the same way. It
// leaves out the leaves i with from <= i < to, which differ. before may be nil.
func (r *Revision) takeOver(before *Revision) (from, to int) {
	to = len(r.leaves)
	if before == nil || r.Whole || before.Whole || r.Body == nil || before.Body == nil || !r.Body.ReadsLike(before.Body) {
		return 0, to
	}
	same := func(i, old int) bool {
		return bytes.Equal(r.Bytes(r.leaves[i]), before.Bytes(before.leaves[old]))
	}
	for from < min(to, len(before.leaves)) && same(from, from) {
		r.Made[from] = before.Made[from]
		from++
	}
	for old := len(before.leaves); to > from && old > from && same(to-1, old-1); {
		to, old = to-1, old-1
		r.Made[to] = before.Made[old]
	}
	return from, to
}

// Hidden reports whether the blocks of the version are hidden: no list shows
// them, because the version is not a page.
func (r *Revision) Hidden() bool { return r.Kind != record.KindPage }

// Bytes returns the bytes of block n, or nil if Version.Body is nil. A Revision that comes from
// a Resting has no Body, but still has the bytes of its leaves.
func (r *Revision) Bytes(n int) []byte {
	b := &r.Tree.Blocks[n]
	switch {
	case r.Body != nil:
		return r.Body.Page.Body[b.Start:b.End]
	case r.rested != nil:
		if i, ok := slices.BinarySearch(r.leaves, n); ok {
			return r.Made[i].Bytes()
		}
	}
	return nil
}

// digest returns the SHA-256 of a block's bytes. For a body that is one block,
// it is the digest of the stored body.
func (r *Revision) digest(n int) record.Digest {
	if r.Whole {
		return r.Version.Digest
	}
	return sha256.Sum256(r.Bytes(n))
}

// Text returns the text that block n shows, or "" if Bytes returns nil.
func (r *Revision) Text(n int) string {
	b := &r.Tree.Blocks[n]
	switch {
	case r.Body != nil:
		return r.Body.Text(b.Start, b.End)
	case r.rested != nil:
		return r.rested.TextOf(r.Bytes(n))
	}
	return ""
}

// LayoutOnly reports whether two versions of a page have the same blocks, in any
// order; only their layout differs then. old and new are bodies without content
// coding, and oldType and newType their Content-Type. If LayoutOnly is true, a
// History reports no block as added, edited or removed; otherwise it reports at
// least one.
func LayoutOnly(old, new []byte, oldType, newType string) bool {
	return sameBlocks(leafDigests(old, oldType), leafDigests(new, newType))
}

func leafDigests(body []byte, contentType string) []record.Digest {
	v := Version{Digest: sha256.Sum256(body), Size: int64(len(body))}
	v.Body, _ = divide.Open(body, divide.As{Mime: message.Mime(contentType), ContentType: contentType}, divide.Options{})
	var digests []record.Digest
	for _, l := range newRevision(v, nil).Made {
		digests = append(digests, l.Digest)
	}
	return digests
}

// sameBlocks reports whether two lists of digests are equal if their order is
// ignored.
func sameBlocks(old, new []record.Digest) bool {
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

// words returns the text by which leaf n is compared with others: the text it
// shows, or its bytes if that text has no word.
func (r *Revision) words(n int) string {
	if text := r.Text(n); words.Least(text, 1) {
		return text
	}
	return string(r.Bytes(n))
}

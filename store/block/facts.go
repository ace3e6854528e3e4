package block

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"infomall/store/packed"
	"infomall/store/page"
	"infomall/store/record"
)

// Facts are what is made of a page once, when it comes in, and kept beside it:
// those of a leaf beside the leaf, wherever that stands again, and those of the
// page beside the capture. They say nothing that the body would not, and are
// passed over where Extractor is another by now.

// Extractor is the version of what makes facts. It goes up by one whenever
// Divide, Labels, Topic or what finds links, words or fingerprints would answer
// otherwise for some page.
const Extractor = 4

// KeptLevel is the level of the cut that facts and folds tell of.
const KeptLevel = 2

// fingerprintWords is the least number of words whose fingerprint is kept. A
// shorter text is sooner read than compared by one.
const fingerprintWords = 32

// ErrFacts is returned when facts are damaged.
var ErrFacts = errors.New("facts of a page are damaged")

// errOther tells of facts that another version made, or for a page read
// otherwise.
var errOther = errors.New("facts are of another extractor or charset")

// The bits of the byte that says how a page or a leaf is read.
const (
	formPlain   = 1 // not as markup
	formCharset = 2 // a charset follows; a leaf of ASCII has none
	formPrint   = 4 // a leaf's fingerprint follows
	formInline  = 8 // the facts of the page's leaves stand with it
)

// Reader makes facts of pages. It remembers those of the leaves that it saw
// last, so that a block is read once however many pages have it. It is used by
// one goroutine.
type Reader struct {
	young, old map[leafKey]leafFacts
}

// leafKey tells leaves apart whose facts may differ.
type leafKey struct {
	digest  record.Digest
	charset string
	plain   bool
}

type leafFacts struct {
	packed []byte
	links  int32
}

// leavesMax is how many leaves each of the two generations of a Reader's memory
// holds, some 15 MB.
const leavesMax = 60_000

// NewReader returns a Reader that remembers nothing yet.
func NewReader() *Reader { return &Reader{young: make(map[leafKey]leafFacts)} }

// Reading is a page with what a Reader made of it.
type Reading struct {
	*Body
	Leaves  []int           // Cut(0)
	Digests []record.Digest // of the leaves
	Facts   [][]byte        // of the leaves
	Links   int             // of the page
	counts  []int32         // links of each leaf
	layout  []byte          // the layout's links, packed
	placed  []place         // of these
}

// place is where a link of the layout stands.
type place struct {
	leaf int // that is behind it
	part int // as Link.Part
}

// Close forgets the markup, which takes more memory than the body. What blocks
// hold can still be asked for.
func (r *Reading) Close() { r.Free() }

// Read makes the facts of a page.
func (m *Reader) Read(b *Body) *Reading {
	r := &Reading{Body: b, Leaves: b.Cut(0)}
	r.Digests = make([]record.Digest, len(r.Leaves))
	r.Facts, r.counts = make([][]byte, len(r.Leaves)), make([]int32, len(r.Leaves))
	var ends []int // of the leaves
	inLayout := false
	b.stretches(func(start, end, leaf int) {
		if leaf < 0 {
			inLayout = inLayout || b.Page.MayLink(start, end)
			return
		}
		ends = append(ends, end)
		r.Digests[leaf] = sha256.Sum256(b.Page.Body[start:end])
		f := m.leaf(b, start, end, r.Digests[leaf])
		r.Facts[leaf], r.counts[leaf] = f.packed, f.links
		r.Links += int(f.links)
	})
	if inLayout {
		r.readLayout(ends)
	}
	return r
}

// readLayout packs the links of the layout, given where the leaves end.
func (r *Reading) readLayout(ends []int) {
	behind := func(offset int) int {
		i, _ := slices.BinarySearch(ends, offset+1)
		return i
	}
	packed, offsets := r.Page.AppendLinks(nil, 0, len(r.Page.Body), r.Charset, func(offset int) bool {
		i := behind(offset)
		return i == len(ends) || offset < r.Blocks[r.Leaves[i]].Start
	})
	cut := r.Cut(KeptLevel)
	for _, at := range offsets {
		r.placed = append(r.placed, place{behind(at), r.partAt(cut, at)})
	}
	r.layout, r.Links = packed, r.Links+len(offsets)
}

// leaf gives the facts of a leaf.
func (m *Reader) leaf(b *Body, start, end int, d record.Digest) leafFacts {
	if end-start == len(b.Page.Body) {
		return b.leafFacts(start, end) // who asks knows a body that it has seen
	}
	k := leafKey{d, b.Charset, b.plain}
	if f, ok := m.young[k]; ok {
		return f
	}
	f, ok := m.old[k]
	if !ok {
		f = b.leafFacts(start, end)
	}
	if len(m.young) >= leavesMax {
		m.old, m.young = m.young, make(map[leafKey]leafFacts)
	}
	m.young[k] = f
	return f
}

func (b *Body) leafFacts(start, end int) leafFacts {
	form := byte(0)
	if b.plain {
		form = formPlain
	}
	if !page.IsASCII(b.Page.Body[start:end]) {
		form |= formCharset
	}
	var print page.Simhash
	text := b.Page.TextRange(start, end, b.Charset)
	if CountWords(text) >= fingerprintWords {
		form |= formPrint
		print.Add(text, 1)
	}
	packed, offsets := b.Page.AppendLinks(nil, start, end, b.Charset, nil)
	if len(offsets) == 0 && form&^formCharset == 0 {
		return leafFacts{[]byte{Extractor}, 0} // most leaves
	}
	dst := []byte{Extractor, form}
	if form&formCharset != 0 {
		dst = appendText(dst, b.Charset)
	}
	if form&formPrint != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, print.Sum())
	}
	return leafFacts{append(dst, packed...), int32(len(offsets))}
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// KeptBlock is a block of a page's cut at KeptLevel, as facts tell of it.
type KeptBlock struct {
	Path   string
	Label  Label
	Leaves int // leaves in it; 0 if it is one
}

// Parent is the path of the block that it is part of.
func (k *KeptBlock) Parent() string {
	return k.Path[:max(0, strings.LastIndexByte(k.Path, '.'))]
}

// Depth is the level at which it appears.
func (k *KeptBlock) Depth() int { return strings.Count(k.Path, ".") + 1 }

// cut is the cut at KeptLevel; of a page that does not divide, what a Revision
// has for it.
func (r *Reading) cut() []KeptBlock {
	if len(r.Blocks) <= 1 {
		return []KeptBlock{{Path: wholePath, Label: Other}}
	}
	labels := r.Labels()
	cut := r.Cut(KeptLevel)
	out := make([]KeptBlock, len(cut))
	next := 0
	for i, n := range cut {
		b := &r.Blocks[n]
		from := next
		for next < len(r.Leaves) && r.Leaves[next] < b.Next {
			next++
		}
		out[i] = KeptBlock{Path: b.Path, Label: labels[n]}
		if !r.Leaf(n) {
			out[i].Leaves = next - from
		}
	}
	return out
}

// AppendFacts appends the facts of the page. Base is the address that it says
// its links are relative to, as written. With inline, those of its leaves stand
// with it, as nobody keeps them beside the leaves.
func (r *Reading) AppendFacts(dst []byte, base string, inline bool) []byte {
	form := byte(formCharset)
	if r.plain {
		form |= formPlain
	}
	if inline {
		form |= formInline
	}
	dst = appendText(append(dst, Extractor, form), r.Charset)
	dst = appendText(dst, base)
	cut := r.cut()
	dst = binary.AppendUvarint(dst, uint64(len(cut)))
	for i := range cut {
		dst = appendText(dst, cut[i].Path)
	}
	for i := range cut {
		dst = append(binary.AppendUvarint(dst, uint64(cut[i].Leaves)), byte(cut[i].Label))
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.Leaves)))
	if inline {
		for _, f := range r.Facts {
			dst = append(binary.AppendUvarint(dst, uint64(len(f))), f...)
		}
	}
	if len(r.placed) > 0 {
		dst = append(dst, r.layout...)
	}
	for _, p := range r.placed {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(p.leaf)), uint64(p.part+1))
	}
	return dst
}

// Kept is what facts say of a page.
type Kept struct {
	Base string // as written, "" if the page names none
	Cut  []KeptBlock

	charset string
	plain   bool
	leaves  [][]byte // inline facts, nil if they are kept beside the leaves
	count   int      // of leaves
	layout  []page.Link
	placed  []place // of these
}

// ReadFacts reads the facts of a page. They are refused where this program
// would make others.
func ReadFacts(src []byte) (*Kept, error) {
	t := packed.Reader{B: src}
	k := &Kept{}
	if t.Byte() != Extractor {
		return nil, errOther
	}
	form := t.Byte()
	k.plain, k.charset, k.Base = form&formPlain != 0, t.Text(), t.Text()
	n := t.Count()
	k.Cut = make([]KeptBlock, n)
	for i := range k.Cut {
		k.Cut[i].Path = t.Text()
	}
	for i := range k.Cut {
		k.Cut[i].Leaves = t.Number()
		if k.Cut[i].Label = Label(t.Byte()); int(k.Cut[i].Label) >= len(labelNames) {
			return nil, ErrFacts
		}
	}
	k.count = t.Number()
	if form&formInline != 0 {
		if k.count > len(t.B) {
			return nil, ErrFacts
		}
		k.leaves = make([][]byte, k.count)
		for i := range k.leaves {
			k.leaves[i] = t.Sized()
		}
	}
	if len(t.B) > 0 {
		if err := k.takeLayout(&t); err != nil {
			return nil, err
		}
	}
	if t.Bad || len(t.B) > 0 {
		return nil, ErrFacts
	}
	return k, nil
}

// takeLayout takes the links of the layout.
func (k *Kept) takeLayout(t *packed.Reader) (err error) {
	if k.layout, t.B, err = page.TakeLinks(t.B); err != nil {
		return err
	}
	for range k.layout {
		p := place{t.Number(), t.Number() - 1}
		if t.Bad || p.part >= len(k.Cut) {
			return ErrFacts
		}
		k.placed = append(k.placed, p)
	}
	return nil
}

// Inline reports whether the facts of the page's leaves stand with it.
func (k *Kept) Inline() bool { return k.leaves != nil || k.count == 0 }

// Links are those that Body.Links would find, without their Offset. Leaves has
// the facts of each leaf, in order, unless they are Inline.
func (k *Kept) Links(leaves [][]byte) ([]Link, error) {
	if k.Inline() {
		leaves = k.leaves
	}
	if len(leaves) != k.count {
		return nil, errOther
	}
	inCut := 0
	for i := range k.Cut {
		inCut += max(1, k.Cut[i].Leaves)
	}
	if inCut != k.count && k.count > 0 {
		return nil, ErrFacts
	}
	var out []Link
	next := 0           // link of the layout
	part, last := -1, 0 // block of the cut, and the leaf behind its last
	for i := 0; ; i++ {
		for i >= last && part+1 < len(k.Cut) {
			part++
			last += max(1, k.Cut[part].Leaves)
		}
		for ; next < len(k.placed) && k.placed[next].leaf <= i; next++ {
			out = append(out, Link{k.layout[next], -1, k.placed[next].part})
		}
		if i >= len(leaves) {
			return out, nil
		}
		f, err := k.leaf(leaves[i])
		if err != nil {
			return nil, err
		}
		if f.links == nil {
			continue
		}
		links, _, err := page.TakeLinks(f.links)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			out = append(out, Link{l, i, part})
		}
	}
}

// Fingerprint is the Simhash of a leaf's text, given its facts; false where it
// is not kept.
func (k *Kept) Fingerprint(leaf []byte) (uint64, bool) {
	f, err := k.leaf(leaf)
	return f.print, err == nil && f.printed
}

// keptLeaf is the facts of a leaf, its links still packed.
type keptLeaf struct {
	print   uint64
	printed bool
	links   []byte // nil for none
}

// leaf reads the facts of a leaf, which were made for a page that may have been
// read otherwise.
func (k *Kept) leaf(src []byte) (keptLeaf, error) {
	t := packed.Reader{B: src}
	if t.Byte() != Extractor {
		return keptLeaf{}, errOther
	}
	if len(t.B) == 0 {
		return keptLeaf{}, nil // no links, in whatever charset
	}
	form := t.Byte()
	if form&formPlain != 0 != k.plain || form&formCharset != 0 && t.Text() != k.charset {
		return keptLeaf{}, errOther
	}
	f := keptLeaf{printed: form&formPrint != 0}
	if f.printed {
		b := t.Take(8)
		if t.Bad {
			return f, ErrFacts
		}
		f.print = binary.LittleEndian.Uint64(b)
	}
	f.links = t.B
	return f, nil
}

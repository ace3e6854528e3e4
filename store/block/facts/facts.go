// Package facts computes what is stored with a page and with each of its leaves:
// their links, labels and fingerprints. It does so once, when the page comes in.
//
// # Words
//
//	facts        what is computed from a page or a leaf once and stored with it
//	short facts  facts of a leaf that say only how to compute them again
//	inline       the facts of a page include those of its leaves
//	extractor    the number of the code that computes facts and folds
//	reading      a page with its leaves and links, as a Reader found them
//	reference    a link without the text at and around it, with the label of its block
package facts

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/packed"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/words"
)

// The facts of a leaf are stored beside the leaf, once for all pages that contain
// it. The facts of a page are stored beside the capture. All facts can be computed
// again from the body. They are ignored if Extractor has changed since.

// Extractor is the version number of the code that computes facts. It must go
// up by one if Divide, Labels, Topic, or the code that finds links, words or
// fingerprints changes its result for any page, or if facts or folds get another form.
const Extractor = 3

// KeptLevel is the level of blocks that facts and folds describe: the page is cut into its
// blocks at this level, and the leaves above this level. A fold says how the blocks of a
// version relate to those of earlier versions.
const KeptLevel = 2

// fingerprintWords is the least number of words of a text whose fingerprint is
// stored. A shorter text is compared word by word, without a fingerprint.
const fingerprintWords = 32

// ErrFacts is returned if the stored facts of a page are damaged.
var ErrFacts = errors.New("facts of a page are damaged")

// ErrOther is returned if stored facts cannot be used: another version of
// Extractor computed them, or they were computed for a page with another charset
// or form.
var ErrOther = errors.New("facts are of another extractor or charset")

// The bits of the form byte. It says how a page or a leaf was read, and which optional
// fields follow in its facts.
const (
	formPlain   = 1  // read as plain text and not as markup
	formCharset = 2  // a charset follows; a leaf of ASCII has none
	formPrint   = 4  // a leaf's fingerprint follows
	formInline  = 8  // the facts of the leaves are part of the facts of the page
	formOutside = 16 // links outside of the markup follow the facts of the leaves
)

// Reader divides pages and computes their facts. It remembers the parts and
// leaves that it met last, and does not read such a part or leaf again in another
// page. Only one goroutine may use it.
type Reader struct {
	young, old map[leafKey]*Leaf
	bytes      int    // total size of the leaves in young
	leavesMax  int    // the most leaves that each of young and old may have
	bytesMax   int    // the most bytes of leaves that each of young and old may have
	links      []byte // the packed links of the leaf that is being read
	parts      *divide.Memory
	mayLink    []bool // for each leaf of the current page, whether the layout before the leaf may have links
}

// leafKey identifies a leaf in the memory of a Reader. Leaves with equal keys
// have equal facts.
type leafKey struct {
	digest  record.Digest
	charset string
	plain   bool
}

// Leaf is a leaf, a block that divides no further, with the facts that a Reader
// computed from it. All pages that contain the leaf share one Leaf.
type Leaf struct {
	Digest record.Digest
	Facts  []byte
	links  int32
	kept   keptBytes
	Words  words.Bag // the words of the leaf's text; nil until package life computes them
}

// Keep stores a copy of b, the bytes of the leaf, unless the leaf has a copy already. turn
// is a number that the caller chooses for a round of calls. The first call in a round
// returns an estimate of the memory that the copy takes, in bytes. Later calls in the same
// round return 0, so that the copy is counted once.
func (l *Leaf) Keep(b []byte, turn uint32) int64 { return l.kept.keep(b, turn) }

// Bytes returns the bytes that were passed to Keep, or nil if Keep was never
// called.
func (l *Leaf) Bytes() []byte { return l.kept.bytes() }

// leavesMax is how many leaves each of the two generations (young and old) of a
// Reader's memory has, about 15 MB. leafBytesMax is how many bytes the leaves of
// one generation may have together.
const (
	leavesMax    = 60_000
	leafBytesMax = 16 << 20
)

// NewReader returns a Reader that remembers nothing yet.
func NewReader() *Reader {
	return &Reader{young: make(map[leafKey]*Leaf), parts: divide.NewMemory(), leavesMax: leavesMax, bytesMax: leafBytesMax}
}

// Forgetful divides the memory limits of m by n.
func (m *Reader) Forgetful(n int) {
	m.leavesMax, m.bytesMax = m.leavesMax/n, m.bytesMax/n
	m.parts.Shrink(n)
}

// Open divides a body, like the function Open of package divide, and returns the
// same results. It does not divide again the parts that m remembers.
func (m *Reader) Open(body []byte, as divide.As, o divide.Options) (*divide.Body, bool) {
	return m.parts.Open(body, as, o)
}

// Reading is a page with the leaves and links that a Reader found in it.
type Reading struct {
	*divide.Body
	Leaves []int   // the leaves, as divide.Body.Cut(0) returns them
	Made   []*Leaf // the facts of each leaf in Leaves
	Links  int     // number of links of the page
	layout []byte  // the layout's links, packed
	placed []place // the places of the links in layout
	rest   []byte  // the result of Layout, nil before its first call
}

// place is the position of one link in the layout, the bytes of a page outside of
// its leaves.
type place struct {
	leaf int // index of the first leaf after the link
	part int // index in the cut of the block that contains the link, -1 if none does
}

// Facts returns the facts of each leaf, in the order of the page. A plain text
// that is a single leaf has short facts, which say only how to compute the facts
// again.
func (r *Reading) Facts() [][]byte {
	facts := make([][]byte, len(r.Made))
	for i, l := range r.Made {
		facts[i] = l.Facts
	}
	return facts
}

// Layout returns the layout of the page: its bytes with a mark in place of each
// leaf. It computes the layout in the first call and remembers it.
func (r *Reading) Layout() []byte {
	if r.rest == nil {
		r.rest = r.Tree.Layout()
	}
	return r.rest
}

// Close frees the markup, which takes more memory than the body. The bytes of
// blocks stay valid.
func (r *Reading) Close() { r.Free() }

// Read finds the leaves and links of the divided page b and computes their facts.
func (m *Reader) Read(b *divide.Body) *Reading {
	r := &Reading{Body: b, Leaves: b.Cut(0)}
	inLayout := m.readLeaves(r)
	r.Links = len(b.Outside)
	for _, l := range r.Made {
		r.Links += int(l.links)
	}
	m.teach(r)
	if inLayout {
		r.readLayout()
	}
	return r
}

// readLayout finds the links of the layout (the bytes outside of the leaves), and
// sets r.layout and r.placed to the packed links and their places.
func (r *Reading) readLayout() {
	next := 0
	end := func(leaf int) int { return r.Blocks[r.Leaves[leaf]].End }
	behind := func(offset int) int { // links are asked for in order
		for next > 0 && end(next-1) > offset {
			next--
		}
		for next < len(r.Leaves) && end(next) <= offset {
			next++
		}
		return next
	}
	packed, offsets := r.Page.AppendLinks(nil, 0, len(r.Page.Body), r.Charset, func(offset int) bool {
		i := behind(offset)
		return i == len(r.Leaves) || offset < r.Blocks[r.Leaves[i]].Start
	})
	cut := r.Cut(KeptLevel)
	for _, at := range offsets {
		r.placed = append(r.placed, place{behind(at), partAt(r.Body, cut, at)})
	}
	r.layout, r.Links = packed, r.Links+len(offsets)
}

// leaf returns the Leaf for Body[start:end] of page b. It takes the leaf from the
// memory of m if m knows it.
func (m *Reader) leaf(b *divide.Body, start, end int) *Leaf {
	d := sha256.Sum256(b.Page.Body[start:end])
	if end-start == len(b.Page.Body) { // a body of one leaf is not remembered: callers do not read a body twice
		l := &Leaf{Digest: d}
		if b.Plain {
			l.Facts = shortFacts(b) // small texts are many, and computing their facts again is quick
		} else {
			l.Facts, l.links = m.readLeaf(b, start, end)
		}
		return l
	}
	k := leafKey{d, b.Charset, b.Plain}
	if l := m.young[k]; l != nil {
		return l
	}
	l := m.old[k]
	if l == nil {
		l = &Leaf{Digest: d}
		l.Facts, l.links = m.readLeaf(b, start, end)
	}
	if m.bytes += end - start; len(m.young) >= m.leavesMax || m.bytes > m.bytesMax {
		m.old, m.young, m.bytes = m.young, make(map[leafKey]*Leaf), end-start
	}
	m.young[k] = l
	return l
}

// readLeaf computes the facts of the leaf that is Body[start:end] of page b. The
// second result is the number of links in the leaf.
func (m *Reader) readLeaf(b *divide.Body, start, end int) (facts []byte, _ int32) {
	form := byte(0)
	if b.Plain {
		form = formPlain
	}
	if !charset.IsASCII(b.Page.Body[start:end]) {
		form |= formCharset
	}
	links, offsets, text := b.Page.AppendLinksText(m.links[:0], start, end, b.Charset)
	m.links = links
	var print words.Simhash
	if words.Least(text, fingerprintWords) {
		form |= formPrint
		print.Add(text, 1)
	}
	if len(offsets) == 0 && form&^formCharset == 0 {
		return noFacts, 0 // most leaves
	}
	dst := append(make([]byte, 0, 2+1+len(b.Charset)+8+len(links)), Extractor, form)
	if form&formCharset != 0 {
		dst = packed.AppendSized(dst, b.Charset)
	}
	if form&formPrint != 0 {
		dst = binary.LittleEndian.AppendUint64(dst, print.Sum())
	}
	return append(dst, links...), int32(len(offsets))
}

// noFacts are the facts of a leaf that has no links and no stored fingerprint.
var noFacts = []byte{Extractor}

// KeptBlock is one block of a page that is divided into blocks at the level
// KeptLevel. Its fields come from the stored facts of the page, not from the body.
type KeptBlock struct {
	Path   string
	Label  label.Label
	Leaves int // number of leaves in the block; 0 if the block is itself a leaf
}

// Parent returns the path of the block that contains block k, such as "C.C" for
// "C.C.3", or "" for a block at level 1.
func (k *KeptBlock) Parent() string {
	return k.Path[:max(0, strings.LastIndexByte(k.Path, '.'))]
}

// Depth returns the level of the block in the tree of blocks, such as 3 for
// "C.C.3".
func (k *KeptBlock) Depth() int { return strings.Count(k.Path, ".") + 1 }

// cut returns the blocks of the cut at KeptLevel. For a page without blocks, it
// returns one block with the path WholePath, as package life does.
func (r *Reading) cut() []KeptBlock {
	if len(r.Blocks) <= 1 {
		return []KeptBlock{{Path: WholePath, Label: label.Other}}
	}
	labels := about.LabelsTo(r.Tree, KeptLevel)
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

// AppendFacts appends the encoded facts of the page to dst and returns the longer
// slice. base is the base address for relative links as the page declares it, or
// "". If inline is true, the facts of the leaves are included; that is for pages
// whose leaves are not stored one by one.
func (r *Reading) AppendFacts(dst []byte, base string, inline bool) []byte {
	form := byte(formCharset)
	if r.Plain {
		form |= formPlain
	}
	if inline {
		form |= formInline
	}
	if len(r.Outside) > 0 {
		form |= formOutside
	}
	dst = packed.AppendSized(append(dst, Extractor, form), r.Charset)
	dst = packed.AppendSized(dst, base)
	cut := r.cut()
	dst = binary.AppendUvarint(dst, uint64(len(cut)))
	var paths pathSteps
	for i := range cut {
		dst = paths.appendPath(dst, cut[i].Path)
	}
	for i := range cut {
		dst = append(dst, byte(cut[i].Label))
	}
	inCut := 0
	for i := range cut {
		dst = binary.AppendUvarint(dst, uint64(cut[i].Leaves))
		inCut += max(1, cut[i].Leaves)
	}
	if inCut == len(r.Leaves) {
		dst = append(dst, 0)
	} else {
		dst = binary.AppendUvarint(dst, 1+uint64(len(r.Leaves)))
	}
	if inline {
		for i, n := range r.Leaves {
			f := Long(r.Bytes(n), r.Made[i].Facts)
			dst = append(binary.AppendUvarint(dst, uint64(len(f))), f...)
		}
	}
	if len(r.Outside) > 0 {
		dst = markup.AppendBareLinks(dst, r.Outside)
	}
	if len(r.placed) > 0 {
		dst = append(dst, r.layout...)
	}
	for _, p := range r.placed {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(p.leaf)), uint64(p.part+1))
	}
	return dst
}

// Kept is the decoded form of the stored facts of a page. Read returns it.
type Kept struct {
	Base string // base address for relative links, as the page declares it; "" if it declares none
	Cut  []KeptBlock

	keptReading
	leaves  [][]byte // facts of the leaves, if the page's facts include them; otherwise nil
	count   int      // number of leaves
	outside []markup.Link
	layout  []markup.Link
	placed  []place // the places of the links in layout
	paths   []byte  // the paths of Cut, one after the other
	ends    []int   // where each of them ends
}

// Read decodes the stored facts of a page. The error is ErrOther if another
// version of Extractor computed the facts; other errors mean that they are
// damaged.
func Read(src []byte) (*Kept, error) {
	k := &Kept{}
	if err := k.Read(src); err != nil {
		return nil, err
	}
	return k, nil
}

// Read decodes src, like the function Read, into k, whose memory it reuses. It overwrites
// the Cut of an earlier call, but texts of that call stay valid. After an error k must not
// be used.
func (k *Kept) Read(src []byte) error {
	t := packed.Reader{B: src}
	*k = Kept{Cut: k.Cut[:0], placed: k.placed[:0], paths: k.paths, ends: k.ends}
	if t.Byte() != Extractor {
		return ErrOther
	}
	form := t.Byte()
	k.plain, k.charset, k.Base = form&formPlain != 0, t.Text(), t.Text()
	n := t.Count()
	k.Cut = slices.Grow(k.Cut, n)[:n]
	k.takePaths(&t)
	labels, inCut := t.Take(n), 0
	for i, l := range labels {
		k.Cut[i].Label, k.Cut[i].Leaves = label.Label(l), t.Number()
		if inCut += max(1, k.Cut[i].Leaves); l > byte(label.Other) {
			return ErrFacts
		}
	}
	k.count = takeLeafCount(&t, inCut)
	if form&formInline != 0 {
		if k.count > len(t.B) {
			return ErrFacts
		}
		k.leaves = make([][]byte, k.count)
		for i := range k.leaves {
			k.leaves[i] = t.Sized()
		}
	}
	if form&formOutside != 0 {
		var err error
		if k.outside, t.B, err = markup.TakeLinks(t.B); err != nil {
			return err
		}
	}
	if len(t.B) > 0 {
		if err := k.takeLayout(&t); err != nil {
			return err
		}
	}
	if t.Bad || len(t.B) > 0 {
		return ErrFacts
	}
	return nil
}

// takePaths reads the path of each block of k.Cut from t. If t ends too early, it
// sets t.Bad.
func (k *Kept) takePaths(t *packed.Reader) {
	k.paths, k.ends = k.paths[:0], k.ends[:0]
	var steps pathSteps
	for range k.Cut {
		k.paths = steps.takePath(k.paths, t)
		k.ends = append(k.ends, len(k.paths))
	}
	all, from := string(k.paths), 0
	for i, end := range k.ends {
		k.Cut[i].Path, from = all[from:end], end
	}
}

// takeLeafCount reads the number of leaves of a page. inCut is the number of leaves of the blocks of its cut.
func takeLeafCount(t *packed.Reader, inCut int) int {
	if n := t.Number(); n > 0 {
		return n - 1
	}
	return inCut
}

// takeLayout reads the links of the layout and their places from t.
func (k *Kept) takeLayout(t *packed.Reader) (err error) {
	if k.layout, t.B, err = markup.TakeLinks(t.B); err != nil {
		return err
	}
	for range k.layout {
		p := place{t.Number(), t.Number() - 1}
		if t.Bad || p.leaf > k.count || p.part >= len(k.Cut) {
			return ErrFacts
		}
		k.placed = append(k.placed, p)
	}
	return nil
}

// Inline reports whether the facts of the page include the facts of its leaves.
// It is also true if the page has no leaf.
func (k *Kept) Inline() bool { return k.leaves != nil || k.count == 0 }

// Links returns the links of the page, the same that the function Links finds in
// its body, except that links in the markup have no Offset. leaves has the facts
// of each leaf, in order; it is ignored if Inline is true.
func (k *Kept) Links(leaves [][]byte) ([]Link, error) {
	if k.Inline() {
		leaves = k.leaves
	}
	if len(leaves) != k.count {
		return nil, ErrOther
	}
	if !k.cutFits() {
		return nil, ErrFacts
	}
	out := OutsideLinks(k.outside)
	next := 0           // link of the layout
	part, last := -1, 0 // index of the current block of the cut, and of the first leaf after the block
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
		links, _, err := markup.TakeLinks(f.links)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			out = append(out, Link{l, i, part})
		}
	}
}

// cutFits reports whether the blocks of the cut together have as many leaves as the page.
func (k *Kept) cutFits() bool {
	inCut := 0
	for i := range k.Cut {
		inCut += max(1, k.Cut[i].Leaves)
	}
	return inCut == k.count || k.count == 0
}

// Fingerprint returns the Simhash of a leaf's text. leaf has the facts of the
// leaf. The second result is false if the facts have no fingerprint or cannot be
// read.
func (k *Kept) Fingerprint(leaf []byte) (uint64, bool) {
	f, err := k.leaf(leaf)
	return f.print, err == nil && f.printed
}

// keptLeaf is the decoded facts of a leaf. The links are still packed.
type keptLeaf struct {
	print   uint64
	printed bool
	links   []byte // nil if the leaf has no links
}

// keptReading is how a page was read: its charset, and whether it is plain
// text.
type keptReading struct {
	charset string
	plain   bool
}

// leaf decodes src, the facts of one leaf of the page. The error is ErrOther if
// the facts are from another Extractor or were computed for a page that was read
// differently.
func (k *keptReading) leaf(src []byte) (keptLeaf, error) {
	t := packed.Reader{B: src}
	if t.Byte() != Extractor {
		return keptLeaf{}, ErrOther
	}
	if len(t.B) == 0 {
		return keptLeaf{}, nil // no links, in whatever charset
	}
	form := t.Byte()
	if form&formPlain != 0 != k.plain || form&formCharset != 0 && string(t.Sized()) != k.charset {
		return keptLeaf{}, ErrOther
	}
	return takeLeaf(form, &t)
}

// takeLeaf decodes the facts of a leaf, after their charset. form is their form byte.
func takeLeaf(form byte, t *packed.Reader) (keptLeaf, error) {
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

// Outside returns the facts of a response whose body has no blocks, and the
// number of links in these facts. The facts list the links in the headers and, if
// the body is a style sheet, the links in the body. Without links Outside returns
// nil and 0.
func Outside(body []byte, as divide.As) (facts []byte, links int) {
	list := divide.Outside(body, as)
	if len(list) == 0 {
		return nil, 0
	}
	r := &Reading{Body: &divide.Body{Tree: &divide.Tree{}, Outside: list}}
	return r.AppendFacts(nil, "", true), len(list)
}

// WholePath is the path of the block that stands for a whole body: the body is
// not a page, was not opened, or shows nothing.
const WholePath = "B"

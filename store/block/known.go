package block

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"slices"
)

// Pages of a site have most of their parts in common, and two versions of a page
// nearly all. A Reader therefore remembers how parts were divided, and the facts of
// their leaves. If it meets a part again, it computes only a hash of its bytes.
//
// The result is the same as that of dividing the part again: from level knownFrom
// on, a part divides by its own markup alone, and the key of a part covers
// everything on which the division depends.

// Parts are remembered that appear at the levels from knownFrom to knownTo. At a
// higher one what a part has of all the page counts; lower ones are small.
const (
	knownFrom = 2
	knownTo   = 5
)

// knownLeast is the size in bytes of the smallest part that is remembered.
// Dividing a smaller part takes no longer than finding it.
const knownLeast = 400

// knownBlocksMax is how many blocks each of the two generations of a memory of
// parts has, some 5 MB. A block of many bytes counts as several of blockBytes.
const (
	knownBlocksMax = 150_000
	blockBytes     = 256
)

// knownParts is the memory of how parts were divided.
type knownParts struct {
	young, old map[partKey]*knownPart
	blocks     int // in young, and what counts as such
	blocksMax  int // in each of the two
	mac        cipher.AEAD
	nonce      []byte
	text, sum  []byte // whose mac a key is, and that
}

// partKey identifies a part: its authentication code (GMAC, NIST SP 800-38D)
// under a key that is random for each memory. The chance that two different
// parts have equal codes is at most n/2^128, where n is their size in bytes.
type partKey [16]byte

// knownPart is the division of one part. Offsets are relative to its start.
type knownPart struct {
	blocks  []partBlock // its own, and those in it
	leaves  []*Leaf
	mayLink bool // its layout, if leaves is not nil
}

// partBlock is a block of a knownPart. Block 0 is the part itself.
type partBlock struct {
	start, end   int32
	parent, next int32
	row          int32 // the node of the row, counted from the part's first; or rowNone, rowOutside
}

// The values of partBlock.row if there is no such node.
const (
	rowNone    = -1 // no cell
	rowOutside = -2 // the part is a cell, or some of one row
)

// placedPart is a known part at its place in a Tree.
type placedPart struct {
	block int
	part  *knownPart
}

func newKnownParts() *knownParts {
	var key [16]byte
	rand.Read(key[:]) // does not fail
	c, err := aes.NewCipher(key[:])
	if err != nil {
		panic("block: AES with a key of 16 bytes: " + err.Error())
	}
	mac, err := cipher.NewGCM(c)
	if err != nil {
		panic("block: GCM: " + err.Error())
	}
	return &knownParts{young: make(map[partKey]*knownPart), blocksMax: knownBlocksMax, mac: mac, nonce: make([]byte, mac.NonceSize())}
}

// key returns the key of part a at level depth, and false if such a part is not
// remembered.
func (m *knownParts) key(d *divider, a *atom, depth int) (_ partKey, ok bool) {
	if depth < knownFrom || depth > knownTo || a.end-a.start < knownLeast || !d.closed(a) {
		return partKey{}, false
	}
	text := append(append(m.text[:0], byte(depth), byte(len(d.charset))), d.charset...)
	text = appendShape(text, a, a)
	for i, nodes := 0, d.t.Nodes[a.from:a.to]; i < len(nodes); i++ {
		n := &nodes[i]
		// Ranges tile, so that the starts tell the ends.
		next := uint64(n.Next) - uint64(a.from) - uint64(i)
		text = binary.LittleEndian.AppendUint64(text, uint64(n.Start-a.start)<<32|next<<11|uint64(n.Kind)<<8|uint64(n.Tag))
	}
	text = append(text, d.t.Body[a.start:a.end]...)
	m.text, m.sum = text, m.mac.Seal(m.sum[:0], m.nonce, nil, text)
	return partKey(m.sum), true
}

// closed reports whether an atom consists of whole neighbouring nodes of one
// element, and is not at the start of the page.
func (m *atoms) closed(a *atom) bool {
	nodes := m.t.Nodes
	if a.start == 0 || nodes[a.from].Start != a.start || nodes[a.to-1].End > a.end {
		return false
	}
	i := a.from
	for i < a.to {
		if nodes[i].Parent != nodes[a.from].Parent {
			return false
		}
		i = nodes[i].Next
	}
	return i == a.to
}

// appendShape appends how atom a, which lies in atom in, is made of parts. It
// calls itself as deep as groups are nested, which levels bound.
func appendShape(dst []byte, a, in *atom) []byte {
	flags := uint64(0)
	if a.apart {
		flags |= 1
	}
	if a.pre {
		flags |= 2
	}
	if a.element != 0 {
		flags |= 4
	}
	dst = binary.AppendUvarint(dst, uint64(len(a.parts))<<3|flags)
	for _, x := range [...]int32{a.start - in.start, in.end - a.end, a.from - in.from, in.to - a.to} {
		dst = binary.AppendVarint(dst, int64(x))
	}
	for i := range a.parts {
		dst = appendShape(dst, &a.parts[i], in)
	}
	return dst
}

// of returns the part with key k, or nil if it is not known.
func (m *knownParts) of(k partKey) *knownPart {
	if p := m.young[k]; p != nil {
		return p
	}
	p := m.old[k]
	if p != nil {
		m.put(k, p)
	}
	return p
}

// put remembers a part under key k. If the young generation is full, it becomes the
// old one, and the parts that only the old one had are forgotten.
func (m *knownParts) put(k partKey, p *knownPart) {
	n := max(len(p.blocks), int(p.blocks[0].end-p.blocks[0].start)/blockBytes)
	if m.blocks += n; m.blocks > m.blocksMax {
		m.old, m.young, m.blocks = m.young, make(map[partKey]*knownPart), n
	}
	m.young[k] = p
}

// recall divides block c, which is atom a, the way it was divided before. It
// returns false, and does nothing, if key k is not known.
func (d *divider) recall(c int, a *atom, k partKey) bool {
	p := d.known.of(k)
	if p == nil {
		return false
	}
	t := d.tree
	own := &t.Blocks[c]
	parent, depth := own.Parent, own.Depth
	t.Blocks = t.Blocks[:c]
	for i := range p.blocks {
		b := &p.blocks[i]
		n := Block{Start: int(a.start + b.start), End: int(a.start + b.end), Parent: parent, Next: c + int(b.next), Depth: depth}
		if i > 0 {
			n.Parent = c + int(b.parent)
			n.Depth = t.Blocks[n.Parent].Depth + 1
		}
		switch b.row {
		case rowNone:
		case rowOutside:
			n.row = d.t.Nodes[a.from].Parent
		default:
			n.row = a.from + b.row
		}
		t.Blocks = append(t.Blocks, n)
	}
	t.parts = append(t.parts, placedPart{c, p})
	return true
}

// learn remembers how block c, which is atom a, was divided.
func (d *divider) learn(c int, a *atom, k partKey) {
	t := d.tree
	p := &knownPart{blocks: make([]partBlock, len(t.Blocks)-c)}
	for i := range p.blocks {
		b := &t.Blocks[c+i]
		row := int32(rowNone)
		if b.row >= a.from {
			row = b.row - a.from
		} else if b.row != 0 {
			row = rowOutside
		}
		p.blocks[i] = partBlock{int32(b.Start) - a.start, int32(b.End) - a.start, int32(b.Parent - c), int32(b.Next - c), row}
	}
	d.known.put(k, p)
	t.parts = append(t.parts, placedPart{c, p})
}

// readLeaves finds the leaves of a page and their facts. It reports whether the
// layout may have links.
func (m *Reader) readLeaves(r *Reading) (inLayout bool) {
	r.Made, m.mayLink = make([]*Leaf, 0, len(r.Leaves)), m.mayLink[:0]
	at := 0 // the end of the leaf before
	known := r.parts
	for i := 0; i < len(r.Leaves); i = len(r.Made) {
		n := r.Leaves[i]
		between := r.Page.MayLink(at, r.Blocks[n].Start)
		m.mayLink = append(m.mayLink, between)
		inLayout = inLayout || between
		for len(known) > 0 && (known[0].part.leaves == nil || known[0].block < n && !known[0].has(n)) {
			known = known[1:]
		}
		if len(known) > 0 && known[0].has(n) {
			p := known[0].part
			inLayout = inLayout || p.mayLink
			r.Made = append(r.Made, p.leaves...)
			for range p.leaves[1:] {
				m.mayLink = append(m.mayLink, p.mayLink)
			}
		} else {
			r.Made = append(r.Made, m.leaf(r.Body, r.Blocks[n].Start, r.Blocks[n].End))
		}
		at = r.Blocks[r.Leaves[len(r.Made)-1]].End
	}
	return inLayout || r.Page.MayLink(at, len(r.Page.Body))
}

// has reports whether block n belongs to the part.
func (p *placedPart) has(n int) bool { return p.block <= n && n < p.block+len(p.part.blocks) }

// teach stores the leaves of a page in those of its parts that do not have them yet,
// and sets r.parts to nil.
func (m *Reader) teach(r *Reading) {
	for i := range r.parts {
		p := &r.parts[i]
		if p.part.leaves != nil {
			continue
		}
		from, _ := slices.BinarySearch(r.Leaves, p.block)
		to, _ := slices.BinarySearch(r.Leaves, p.block+len(p.part.blocks))
		p.part.leaves = slices.Clone(r.Made[from:to])
		p.part.mayLink = slices.Contains(m.mayLink[from+1:to], true)
	}
	r.parts = nil
}

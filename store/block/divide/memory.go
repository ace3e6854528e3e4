package divide

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
)

// Pages of a site have most of their parts in common, and two versions of a page
// nearly all. A Memory therefore remembers how parts were divided. When it meets
// a part again, it computes only a hash of the part's bytes.
//
// The result is the same as that of dividing the part again: from level knownFrom
// on, a part divides by its own markup alone, and the key of a part covers
// everything on which the division depends.

// Parts that appear at the levels from knownFrom to knownTo are remembered. How a
// part of a higher level divides depends on its share of the page. Parts of lower
// levels are small.
const (
	knownFrom = 2
	knownTo   = 5
)

// knownLeast is the size in bytes of the smallest part that is remembered.
// Dividing a smaller part takes no longer than finding it.
const knownLeast = 400

// knownBlocksMax is how many blocks each of the two generations of a Memory has,
// some 5 MB. A part with many bytes and few blocks counts as one block for each
// blockBytes.
const (
	knownBlocksMax = 150_000
	blockBytes     = 256
)

// Memory remembers how parts of pages were divided. It has two generations: parts
// that were not met again while one generation filled up are forgotten. Only one
// goroutine at a time may use it.
type Memory struct {
	young, old map[partKey]*KnownPart
	blocks     int // blocks of the parts in young, see knownBlocksMax
	blocksMax  int // the most blocks in each of young and old
	mac        cipher.AEAD
	nonce      []byte
	text, sum  []byte // memory for the input of mac and its output
}

// partKey identifies a part: its authentication code (GMAC, NIST SP 800-38D)
// under a key that is random for each memory. The chance that two different
// parts have equal codes is at most n/2^128, where n is their size in bytes.
type partKey [16]byte

// KnownPart is a part that a Memory knows.
type KnownPart struct {
	blocks []partBlock // the part's block, and those in it; offsets are relative to the part's start
	// Read is for the caller to keep what it computed from the part. It is nil until
	// the caller sets it.
	Read any
}

// partBlock is a block of a KnownPart. Block 0 is the part itself.
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

// PlacedPart is a KnownPart at its place in a Tree.
type PlacedPart struct {
	Block int // the part's block
	Part  *KnownPart
}

// End returns the first block after Block that is not in the part.
func (p *PlacedPart) End() int { return p.Block + len(p.Part.blocks) }

// Has reports whether block n belongs to the part.
func (p *PlacedPart) Has(n int) bool { return p.Block <= n && n < p.End() }

// NewMemory returns a Memory that knows no part.
func NewMemory() *Memory {
	var key [16]byte
	rand.Read(key[:]) // does not fail
	c, err := aes.NewCipher(key[:])
	if err != nil {
		panic("divide: AES with a key of 16 bytes: " + err.Error())
	}
	mac, err := cipher.NewGCM(c)
	if err != nil {
		panic("divide: GCM: " + err.Error())
	}
	return &Memory{young: make(map[partKey]*KnownPart), blocksMax: knownBlocksMax, mac: mac, nonce: make([]byte, mac.NonceSize())}
}

// Shrink limits the memory to one n-th of the default.
func (m *Memory) Shrink(n int) { m.blocksMax /= n }

// key returns the key of part a at level depth, and false if such a part is not
// remembered.
func (m *Memory) key(d *divider, a *atom, depth int) (_ partKey, ok bool) {
	if depth < knownFrom || depth > knownTo || a.end-a.start < knownLeast || !d.closed(a) {
		return partKey{}, false
	}
	text := append(append(m.text[:0], byte(depth), byte(len(d.charset))), d.charset...)
	text = appendShape(text, a, a)
	for i, nodes := 0, d.Page.Nodes[a.from:a.to]; i < len(nodes); i++ {
		n := &nodes[i]
		// The nodes leave no gaps, so that the end of a node follows from the starts.
		next := uint64(n.Next) - uint64(a.from) - uint64(i)
		text = binary.LittleEndian.AppendUint64(text, uint64(n.Start-a.start)<<32|next<<11|uint64(n.Kind)<<8|uint64(n.Tag))
	}
	text = append(text, d.Page.Body[a.start:a.end]...)
	m.text, m.sum = text, m.mac.Seal(m.sum[:0], m.nonce, nil, text)
	return partKey(m.sum), true
}

// closed reports whether an atom consists of whole neighbouring nodes of one
// element, and is not at the start of the page.
func (m *atoms) closed(a *atom) bool {
	nodes := m.Page.Nodes
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
func (m *Memory) of(k partKey) *KnownPart {
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
func (m *Memory) put(k partKey, p *KnownPart) {
	n := max(len(p.blocks), int(p.blocks[0].end-p.blocks[0].start)/blockBytes)
	if m.blocks += n; m.blocks > m.blocksMax {
		m.old, m.young, m.blocks = m.young, make(map[partKey]*KnownPart), n
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
			n.row = d.Page.Nodes[a.from].Parent
		default:
			n.row = a.from + b.row
		}
		t.Blocks = append(t.Blocks, n)
	}
	t.Known = append(t.Known, PlacedPart{c, p})
	return true
}

// learn remembers how block c, which is atom a, was divided.
func (d *divider) learn(c int, a *atom, k partKey) {
	t := d.tree
	p := &KnownPart{blocks: make([]partBlock, len(t.Blocks)-c)}
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
	t.Known = append(t.Known, PlacedPart{c, p})
}

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
// The result is the same as if the part were divided again: from level knownFrom
// on, the division of a part depends only on its own markup, and the key of a part
// covers everything on which the division depends.

// knownFrom and knownTo are the first and last level of the parts that a Memory
// remembers. A part of a higher level divides depending on its share of the page.
// Parts of lower levels are small.
const (
	knownFrom = 2
	knownTo   = 5
)

// knownLeast is the size in bytes of the smallest part that a Memory remembers.
// Dividing a smaller part takes no longer than finding it in the memory.
const knownLeast = 400

// knownBlocksMax is how many blocks each of the two generations of a Memory may have. They take
// some 5 MB. blockBytes is for parts with many bytes and few blocks: a part counts as at least
// one block for each blockBytes bytes.
const (
	knownBlocksMax = 150_000
	blockBytes     = 256
)

// Memory remembers how parts of pages were divided. It has two generations, young and old. A part
// of old that is met again is also put into young. When young is full, it takes the place of old,
// and the parts that only old had are forgotten. Only one goroutine at a time may use a Memory.
type Memory struct {
	young, old map[partKey]*KnownPart
	blocks     int // blocks of the parts in young, see knownBlocksMax
	blocksMax  int // the most blocks in each of young and old
	mac        cipher.AEAD
	nonce      []byte
	text, sum  []byte // memory for the input of mac and its output
}

// partKey identifies the bytes and structure of a part: its authentication code
// (GMAC, NIST SP 800-38D) under a key that is random for each Memory. The chance
// that two different parts have equal codes is at most n/2^128, if n is their
// size in bytes.
type partKey [16]byte

// KnownPart is a part of a page that a Memory remembers.
type KnownPart struct {
	blocks []partBlock // the part's block, and the blocks in it; offsets are relative to the part's start
	// Read is free for the caller, to store what it computed from the part. It is nil
	// until the caller sets it.
	Read any
}

// partBlock is a block of a KnownPart, with offsets and indexes relative to the
// part. Block 0 is the part itself.
type partBlock struct {
	start, end   int32
	parent, next int32
	row          int32 // if the block is a table cell, the node of its row, counted from the part's first node; otherwise rowNone or rowOutside
}

// The values of partBlock.row if the part contains no row for the block.
const (
	rowNone    = -1 // the block is no table cell
	rowOutside = -2 // the row is outside: the part is a cell, or several cells of one row
)

// PlacedPart is a part of a page that a Memory knew from another page, and its place
// in the Tree of this page.
type PlacedPart struct {
	Block int // index of the part's block in Tree.Blocks
	Part  *KnownPart
}

// End returns the index of the first block after the part.
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

// Shrink limits the memory to the default size divided by n.
func (m *Memory) Shrink(n int) { m.blocksMax /= n }

// key returns the key of the part a at level depth. ok is false if the Memory
// does not remember such parts, because of their level, size or place.
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

// closed reports whether atom a consists of whole neighbouring nodes of one
// element. An atom at the start of the page is not closed.
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

// appendShape appends to dst the encoded shape of atom a: its flags, its offsets, and the
// shapes of its parts. Offsets are relative to the atom in, which contains a. appendShape
// calls itself for each level of nested groups; their number is limited.
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

// of returns the remembered part with key k, or nil if there is none. It moves
// the part to the young generation.
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

// put remembers the part p under key k. If the young generation is full, it
// becomes the old one, and the parts that only the old one had are forgotten.
func (m *Memory) put(k partKey, p *KnownPart) {
	n := max(len(p.blocks), int(p.blocks[0].end-p.blocks[0].start)/blockBytes)
	if m.blocks += n; m.blocks > m.blocksMax {
		m.old, m.young, m.blocks = m.young, make(map[partKey]*KnownPart), n
	}
	m.young[k] = p
}

// recall divides block c, whose atom is a, in the way that d.known remembers
// under key k. If nothing is remembered under k, it changes nothing and returns
// false.
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

// learn stores in d.known, under key k, how block c was divided. a is the atom of
// the block.
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

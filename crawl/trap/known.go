package trap

import "encoding/binary"

// known is a set of hashes, each with a tag (the number of the page on which
// the hash was met last). It forgets hashes that were not met for a long
// time. For that it has two generations. When the younger one is full, it
// becomes the older one, and the previous older one is dropped. Meeting a
// hash puts it into the younger one.
type known struct {
	young, old table
	max        int // maximum number of hashes in a generation
}

// Bounds on the number of hashes in a generation of known. With knownMin hashes, a site
// remembers the content of about a dozen pages, and also what all its pages have in common.
const (
	knownMin = 1 << 10
	knownMax = 1 << 16
)

// meet stores a hash h with a tag. The result before is the tag that h had
// until now. ok is false if h is new to the set.
func (k *known) meet(h uint32, tag uint16) (before uint16, ok bool) {
	if k.young.n >= max(k.max, knownMin) {
		k.old, k.young = k.young, table{}
	}
	if before, ok = k.young.put(h, tag); ok {
		return before, true
	}
	return k.old.get(h)
}

// table is a hash table from 32-bit hashes to tags, with open addressing.
// The key 0 marks a free place; a hash 0 is stored as 1.
type table struct {
	keys []uint32
	tags []uint16
	n    int
}

// find returns the index of h. If ok is false, h is not in the table, and i is the
// free place for it.
func (t *table) find(h uint32) (i int, ok bool) {
	mask := uint32(len(t.keys) - 1)
	for at := (h * 0x9e3779b1) & mask; ; at = (at + 1) & mask {
		switch t.keys[at] {
		case h:
			return int(at), true
		case 0:
			return int(at), false
		}
	}
}

// get returns the tag that is stored with the hash h. ok is false if the table does not have h.
func (t *table) get(h uint32) (tag uint16, ok bool) {
	if t.n == 0 {
		return 0, false
	}
	i, ok := t.find(max(h, 1))
	return t.tags[i], ok
}

// put stores h with a tag. The result before is the tag that h had; ok is false
// if h is new.
func (t *table) put(h uint32, tag uint16) (before uint16, ok bool) {
	if 4*(t.n+1) > 3*len(t.keys) {
		t.grow()
	}
	i, ok := t.find(max(h, 1))
	before = t.tags[i]
	if t.keys[i], t.tags[i] = max(h, 1), tag; !ok {
		t.n++
	}
	return before, ok
}

// grow doubles the number of places.
func (t *table) grow() {
	was := *t
	n := max(256, 2*len(was.keys))
	*t = table{keys: make([]uint32, n), tags: make([]uint16, n)}
	for i, h := range was.keys {
		if h != 0 {
			t.put(h, was.tags[i])
		}
	}
}

// append appends the encoded table to b: the number of hashes, and then each
// hash with its tag.
func (t *table) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(t.n))
	for i, h := range t.keys {
		if h != 0 {
			b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint32(b, h), t.tags[i])
		}
	}
	return b
}

// readTable decodes a table that append has encoded at the start of b, and
// returns the bytes after it. ok is false if b is too short.
func readTable(b []byte) (t table, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size)/6 {
		return t, nil, false
	}
	b = b[size:]
	for range n {
		t.put(binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]))
		b = b[6:]
	}
	return t, b, true
}

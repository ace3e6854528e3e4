package graph

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
)

// nameTable is a hash table that numbers names from 0 in the order in which
// they are added. It has no pointer per name, so that millions of names cost
// the garbage collector nothing. A look-up touches memory outside the
// processor's cache only twice: for the slot, and for the name with its number.
type nameTable struct {
	seed  maphash.Seed
	n     int      // how many names there are
	slots []uint64 // per name, the upper half is part of its hash and the lower half its place in texts, plus 1; 0 is a free slot
	texts [][]byte // the names, each as its number (4 bytes), its length (4 bytes) and its text
	full  int      // how many slices of texts have names
	bytes int64    // how much memory the names take, with their slots
}

const (
	// nameTextSize, which is 2 to the power of nameTextBits, is the size of each slice of
	// nameTable.texts, in bytes.
	nameTextBits = 20
	nameTextSize = 1 << nameTextBits
	// nameHead is how many bytes of texts stand before each name. nameOverhead is how many bytes of
	// memory a name takes besides its text.
	nameHead     = 8
	nameOverhead = nameHead + 2*8
)

// add returns the number of a name. If the table does not have the name, add
// adds it and sets fresh. A name of about a megabyte or more is an error.
func (t *nameTable) add(name []byte) (number uint32, fresh bool, err error) {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	hash := maphash.Bytes(t.seed, name) >> 32
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if s := t.slots[i]; s>>32 == hash {
			at := uint32(s) - 1
			b := t.texts[at>>nameTextBits][at&(nameTextSize-1):]
			if string(b[nameHead:nameHead+binary.LittleEndian.Uint32(b[4:])]) == string(name) {
				return binary.LittleEndian.Uint32(b), false, nil
			}
		}
	}
	at, err := t.keep(name)
	if err != nil {
		return 0, false, err
	}
	t.slots[i] = hash<<32 | uint64(at+1)
	t.n++
	t.bytes += int64(len(name)) + nameOverhead
	return uint32(t.n - 1), true, nil
}

// keep copies a new name, with its number, to t.texts and returns its place.
// The upper bits of the place are the index of a slice in t.texts; the lower
// nameTextBits bits are the offset in this slice.
func (t *nameTable) keep(name []byte) (at uint32, err error) {
	size := nameHead + len(name)
	if size > nameTextSize {
		return 0, fmt.Errorf("the name of a node has %d bytes: more than a URL has", len(name))
	}
	if t.full == 0 || len(t.texts[t.full-1])+size > nameTextSize {
		if t.full == len(t.texts) {
			t.texts = append(t.texts, make([]byte, 0, nameTextSize))
		}
		t.texts[t.full] = t.texts[t.full][:0]
		t.full++
	}
	text := &t.texts[t.full-1]
	at = uint32((t.full-1)<<nameTextBits | len(*text))
	b := binary.LittleEndian.AppendUint32(*text, uint32(t.n))
	*text = append(binary.LittleEndian.AppendUint32(b, uint32(len(name))), name...)
	return at, nil
}

// grow doubles the number of slots, or makes the first 1024.
func (t *nameTable) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots = make([]uint64, max(2*len(old), 1<<10))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := s >> 32 & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// clear removes all names from the table. It keeps the memory for new names.
func (t *nameTable) clear() {
	clear(t.slots)
	t.n, t.full, t.bytes = 0, 0, 0
}

package index

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
)

// dictionary has the terms of the current part, each with its postings. It is a hash table
// of its own, because most terms are new and have one place: a map of strings allocates
// memory for each of them, and the garbage collector reads all of that again and again.
// Making the index of a million captures took 8.4 s of CPU time instead of 10.6 s.
type dictionary struct {
	seed    maphash.Seed
	slots   []slot // their number is a power of two, and at most two thirds are used
	terms   []dictTerm
	many    []posting // of the terms that have several places
	letters []byte    // the letters of all terms, each with their number before them
	room    []byte    // memory for the first bytes of postings
	bytes   int       // an estimate of the memory that all of this takes
	keys    []uint64  // memory of the method inOrder
}

// slot is a place for one term in the hash table.
type slot struct {
	hash uint32
	at   uint32 // number of the term plus 1; 0 if the slot is free
}

// dictTerm is a term with the place that was added last. It is small, because terms are
// many and are read in an order that no cache foresees.
type dictTerm struct {
	from  uint32 // where its letters are in dictionary.letters
	doc   int32  // the document that has the place
	place int32  // position of the place in the document, counted in terms
	more  uint32 // flags, and 1 + an index in dictionary.many if the term has more places
}

// The flags in dictTerm.more.
const (
	termLetter = 1 << 31 // the term is a letter of a run
	termJoined = 1 << 30 // it is Joined at the place
	termFlags  = termLetter | termJoined
)

// firstBytes is how many bytes a posting gets first from dictionary.room, and roomBytes is
// the size of that memory when it is allocated.
const firstBytes, roomBytes = 8, 16 << 10

func newDictionary() dictionary {
	return dictionary{seed: maphash.MakeSeed(), slots: make([]slot, 1<<8)}
}

// reset removes all terms, and keeps the memory for the next ones.
func (d *dictionary) reset() {
	clear(d.slots)
	clear(d.many)
	d.terms, d.many, d.letters, d.bytes = d.terms[:0], d.many[:0], d.letters[:0], 0
}

// of returns the number of a term, and adds the term if it is new. The parameter letter says
// whether the term is a letter of a run. fresh says that the term is new: the caller must
// then set its place.
func (d *dictionary) of(term []byte, letter bool) (n uint32, fresh bool) {
	hash := uint32(maphash.Bytes(d.seed, term))
	mask := uint32(len(d.slots) - 1)
	i := hash & mask
	for ; d.slots[i].at != 0; i = (i + 1) & mask {
		if s := d.slots[i]; s.hash == hash && bytes.Equal(d.lettersAt(d.terms[s.at-1].from), term) {
			return s.at - 1, false
		}
	}
	n = uint32(len(d.terms))
	t := dictTerm{from: uint32(len(d.letters))}
	if letter {
		t.more = termLetter
	}
	d.terms = append(d.terms, t)
	d.letters = append(binary.AppendUvarint(d.letters, uint64(len(term))), term...)
	d.slots[i] = slot{hash, n + 1}
	d.bytes += termBytes + len(term)
	if len(d.terms)*3 > len(d.slots)*2 {
		d.grow()
	}
	return n, true
}

// lettersAt returns the term whose letters begin at from in d.letters.
func (d *dictionary) lettersAt(from uint32) []byte {
	if size := d.letters[from]; size < 0x80 {
		return d.letters[from+1:][:size]
	}
	size, n := binary.Uvarint(d.letters[from:])
	return d.letters[int(from)+n:][:size]
}

// grow doubles the number of slots.
func (d *dictionary) grow() {
	old := d.slots
	d.slots = make([]slot, 2*len(old))
	mask := uint32(len(d.slots) - 1)
	for _, s := range old {
		if s.at == 0 {
			continue
		}
		i := s.hash & mask
		for d.slots[i].at != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = s
	}
}

// add records that document doc has the term at the given place. The parameter letter says
// whether the term is a letter of a run, and joined whether it is Joined there.
func (d *dictionary) add(term []byte, letter bool, doc int32, place int, joined bool) {
	n, fresh := d.of(term, letter)
	t := &d.terms[n]
	if !fresh {
		d.addMore(t, doc)
	}
	t.doc, t.place, t.more = doc, int32(place), t.more&^termJoined
	if joined {
		t.more |= termJoined
	}
}

// addMore moves the last place of t to the postings of t, because t has another place, in
// document doc.
func (d *dictionary) addMore(t *dictTerm, doc int32) {
	if t.more&^termFlags == 0 {
		if len(d.room) < firstBytes {
			d.room = make([]byte, roomBytes)
		}
		d.many = append(d.many, posting{bytes: d.room[:0:firstBytes], docs: 1, before: -1})
		d.room = d.room[firstBytes:]
		t.more |= uint32(len(d.many))
		d.bytes += manyBytes
	}
	p := &d.many[t.more&^termFlags-1]
	before := cap(p.bytes)
	if t.doc == doc {
		p.bytes = t.append(p.bytes, p.before, false)
		p.before = t.place
	} else {
		p.bytes = t.append(p.bytes, p.before, true)
		p.bytes = binary.AppendUvarint(p.bytes, uint64(doc-t.doc))
		p.before, p.docs = -1, p.docs+1
	}
	d.bytes += cap(p.bytes) - before
}

// end returns the postings of t, with its last place, and how many documents have t. The
// postings of a term that has one place are in the memory of room.
func (d *dictionary) end(t *dictTerm, room []byte) (postings []byte, docs int32) {
	n := t.more &^ termFlags
	if n == 0 {
		return t.append(room[:0], -1, true), 1
	}
	p := &d.many[n-1]
	return t.append(p.bytes, p.before, true), p.docs
}

// inOrder calls the function each for every term, in order. letters has the term's letters.
//
// It sorts numbers that have the first bytes of a term and, in their lower bits, the number of
// the term. That takes two thirds of the time of sorting structs by a function.
func (d *dictionary) inOrder(each func(letters []byte, t *dictTerm)) {
	shift := bits.Len(uint(len(d.terms)))
	number := uint64(1)<<shift - 1
	d.keys = slices.Grow(d.keys[:0], len(d.terms))
	for n, t := range d.terms {
		d.keys = append(d.keys, first8(d.lettersAt(t.from))&^number|uint64(n))
	}
	slices.Sort(d.keys)
	for keys := d.keys; len(keys) > 0; {
		n := 1
		for n < len(keys) && keys[n]&^number == keys[0]&^number {
			n++
		}
		if n > 1 {
			slices.SortFunc(keys[:n], func(a, c uint64) int {
				return bytes.Compare(d.lettersAt(d.terms[a&number].from), d.lettersAt(d.terms[c&number].from))
			})
		}
		keys = keys[n:]
	}
	for _, k := range d.keys {
		t := &d.terms[k&number]
		each(d.lettersAt(t.from), t)
	}
}

// first8 returns the first 8 bytes of a term as a number, so that the order of the numbers is
// that of the terms. Bytes that the term does not have are 0.
func first8(term []byte) uint64 {
	var head [8]byte
	copy(head[:], term)
	return binary.BigEndian.Uint64(head[:])
}

// posting collects the postings of a term that has several places. The field bytes has all
// places of the term except the last one, which is in its dictTerm. The encoding of a place
// says whether it is the last place in its document, and this is known only when the next
// place is added.
//
// In many archives most terms have one place only, and no posting, which saves memory.
type posting struct {
	bytes  []byte
	docs   int32
	before int32 // position, counted in terms, of the place before the last one in the same document; -1 if there is none
}

// append encodes the place of t and appends it to dst, the earlier places of t. If there are
// none, it writes the number of the document first. The parameter before is posting.before.
// last says that the document has no later place of the term.
func (t *dictTerm) append(dst []byte, before int32, last bool) []byte {
	if len(dst) == 0 {
		dst = binary.AppendUvarint(dst, uint64(t.doc))
	}
	x := uint64(t.place-before-1) << 1
	if last {
		x |= 1
	}
	if t.more&termLetter != 0 {
		x <<= 1
		if t.more&termJoined != 0 {
			x |= 1
		}
	}
	return binary.AppendUvarint(dst, x)
}

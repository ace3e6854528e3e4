package index

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// dictionary has the terms of the current part, each with its postings. It is a hash table
// of its own, because most terms are new and have one place: a map of strings allocates
// memory for each of them, and the garbage collector reads all of that again and again.
// Making the index of a million captures takes 8.4 s of CPU time instead of 10.6 s.
type dictionary struct {
	seed    maphash.Seed
	slots   []slot // their number is a power of two, and at most two thirds are used
	posts   [][]posting
	count   int    // number of terms
	letters []byte // the letters of all terms, each with their number before them
	room    []byte // memory for the first bytes of postings
	bytes   int    // an estimate of the memory that all of this takes
}

// slot is a place for one term in the hash table.
type slot struct {
	hash uint32
	at   uint32 // number of the term plus 1; 0 if the slot is free
}

const (
	// postsChunk is the number of postings in an element of dictionary.posts. Elements are
	// never copied.
	postsChunk = 1 << 10
	// firstBytes is how many bytes a posting gets first from dictionary.room, and roomBytes
	// is the size of that memory when it is allocated.
	firstBytes, roomBytes = 8, 16 << 10
)

func newDictionary() dictionary {
	return dictionary{seed: maphash.MakeSeed(), slots: make([]slot, 1<<8)}
}

// of returns the postings of a term, which are empty if the term is new. The parameter letter says
// whether the term is a letter of a run. The result is valid until of adds another term.
func (d *dictionary) of(term []byte, letter bool) *posting {
	hash := uint32(maphash.Bytes(d.seed, term))
	mask := uint32(len(d.slots) - 1)
	i := hash & mask
	for ; d.slots[i].at != 0; i = (i + 1) & mask {
		if s := d.slots[i]; s.hash == hash {
			if p := d.at(int(s.at - 1)); bytes.Equal(d.term(p), term) {
				return p
			}
		}
	}
	if d.count%postsChunk == 0 {
		d.posts = append(d.posts, make([]posting, postsChunk))
	}
	p := d.at(d.count)
	p.from, p.letter = uint32(len(d.letters)), letter
	d.letters = append(binary.AppendUvarint(d.letters, uint64(len(term))), term...)
	d.count++
	d.slots[i] = slot{hash, uint32(d.count)}
	d.bytes += termBytes + len(term)
	if d.count*3 > len(d.slots)*2 {
		d.grow()
	}
	return p
}

// at returns the postings of the term with number n.
func (d *dictionary) at(n int) *posting { return &d.posts[n/postsChunk][n%postsChunk] }

// term returns the term whose postings are p.
func (d *dictionary) term(p *posting) []byte {
	size, n := binary.Uvarint(d.letters[p.from:])
	return d.letters[int(p.from)+n:][:size]
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

// add adds to the postings p of a term that document doc has the term at the given place. The
// parameter joined says whether the term is Joined there.
func (d *dictionary) add(p *posting, doc int32, place int, joined bool) {
	before := cap(p.bytes)
	if p.docs > 0 && p.bytes == nil {
		if len(d.room) < firstBytes {
			d.room = make([]byte, roomBytes)
		}
		p.bytes, d.room = d.room[:0:firstBytes], d.room[firstBytes:]
	}
	switch {
	case p.docs == 0:
		p.doc, p.before, p.docs = doc, -1, 1
	case p.doc == doc:
		p.put(false)
		p.before = p.place
	default:
		p.put(true)
		p.bytes = binary.AppendUvarint(p.bytes, uint64(doc-p.doc))
		p.doc, p.before = doc, -1
		p.docs++
	}
	p.place, p.joined = int32(place), joined
	d.bytes += cap(p.bytes) - before
}

// sorted returns the numbers of all terms, in the order of the terms.
func (d *dictionary) sorted() []sortedTerm {
	all := make([]sortedTerm, d.count)
	for n := range all {
		var head [8]byte
		copy(head[:], d.term(d.at(n)))
		all[n] = sortedTerm{binary.BigEndian.Uint64(head[:]), uint32(n)}
	}
	slices.SortFunc(all, func(a, c sortedTerm) int {
		switch {
		case a.head < c.head:
			return -1
		case a.head > c.head:
			return 1
		}
		return bytes.Compare(d.term(d.at(int(a.at))), d.term(d.at(int(c.at))))
	})
	return all
}

// sortedTerm is a term in the order of all terms.
type sortedTerm struct {
	head uint64 // its first 8 bytes
	at   uint32 // its number
}

// posting collects the postings of one term. The field bytes has all places of the term
// except the last one added. The encoding of a place says whether it is the last place in
// its document, and this is known only when the next place is added.
//
// In many archives most terms have one place only. For such a term bytes stays nil, which
// saves memory.
type posting struct {
	bytes  []byte
	docs   int32
	doc    int32  // the document that has the last place
	before int32  // position, counted in terms, of the place before the last one in the same document; -1 if there is none
	place  int32  // position of the last place in its document, counted in terms
	from   uint32 // where the letters of the term are in dictionary.letters
	joined bool
	letter bool
}

// put encodes the last place and appends it to p.bytes. The first call also writes the
// number of the first document before it. The parameter last says that the document has no
// later place of the term.
func (p *posting) put(last bool) {
	if len(p.bytes) == 0 {
		p.bytes = binary.AppendUvarint(p.bytes, uint64(p.doc))
	}
	x := uint64(p.place-p.before-1) << 1
	if last {
		x |= 1
	}
	if p.letter {
		x <<= 1
		if p.joined {
			x |= 1
		}
	}
	p.bytes = binary.AppendUvarint(p.bytes, x)
}

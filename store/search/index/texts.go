package index

import (
	"bytes"
	"crypto/sha256"
	"hash/maphash"
)

// texts remembers texts that were indexed, so that equal texts share a document. It finds a
// text by a short hash, and then compares the whole text: for a few megabytes of texts this
// takes less time than a SHA-256 of each text.
type texts struct {
	seed maphash.Seed
	// slots is a hash table of indexes in list. tags has a byte of the hash for each slot, and 0 if
	// the slot is free. It is so small that it stays in the cache of the processor: for a text
	// that is new, which most are, nothing else is read.
	slots []uint32
	tags  []uint8
	list  []knownText // in the order in which they were added
	// bytes has the texts of the last elements of list, one after the other. The texts before
	// them were dropped: digests has their digests.
	bytes   []byte
	digests []digest
	// bytesMost is the size at which bytes is dropped, and most the length at which list is
	// dropped.
	bytesMost, most int
}

// knownText is a text that a texts remembers.
type knownText struct {
	hash  uint64
	end   uint32 // where the text ends in texts.bytes, unless the text was dropped
	doc   int32  // its document
	shape uint64 // its shape, without the flag shapeNeutral
}

// digest identifies a text that was dropped. It is the start of a SHA-256.
type digest [16]byte

// textBytesMost is how many bytes of texts a Builder remembers in full, and textsMost is
// how many texts it remembers. It then forgets all texts and starts again.
const textBytesMost, textsMost = 8 << 20, 1 << 20

func newTexts() texts {
	return texts{seed: maphash.MakeSeed(), slots: make([]uint32, 1<<8), tags: make([]uint8, 1<<8), bytesMost: textBytesMost, most: textsMost}
}

// reset forgets all texts.
func (t *texts) reset() {
	clear(t.tags)
	t.list, t.bytes, t.digests = t.list[:0], t.bytes[:0], t.digests[:0]
}

// add returns what t has of the text of a block and the texts of its links, anchors. known is
// false if t did not have them: add then adds them, and the caller sets doc and shape. The
// result is valid until the next call.
func (t *texts) add(text string, anchors []string) (of *knownText, known bool) {
	from := len(t.bytes)
	t.bytes = append(t.bytes, text...)
	for _, a := range anchors {
		t.bytes = append(append(t.bytes, 0), a...) // no text has a zero byte
	}
	all := t.bytes[from:]
	hash := maphash.Bytes(t.seed, all)
	mask, tag := uint64(len(t.slots)-1), tagOf(hash)
	i := hash & mask
	for ; t.tags[i] != 0; i = (i + 1) & mask {
		if t.tags[i] != tag {
			continue
		}
		if n := int(t.slots[i]); t.list[n].hash == hash && t.equal(n, all) {
			t.bytes = t.bytes[:from]
			return &t.list[n], true
		}
	}
	if len(t.list) >= t.most {
		t.bytes = append(t.bytes[:0], all...)
		all = t.bytes
		clear(t.tags)
		t.list, t.digests = t.list[:0], t.digests[:0]
		i = hash & mask
	}
	if len(t.bytes) > t.bytesMost {
		t.drop(all)
	}
	t.slots[i], t.tags[i] = uint32(len(t.list)), tag
	t.list = append(t.list, knownText{hash: hash, end: uint32(len(t.bytes))})
	if len(t.list)*2 > len(t.slots) {
		t.grow()
	}
	return &t.list[len(t.list)-1], false
}

// tagOf returns the tag of a hash, which is not 0.
func tagOf(hash uint64) uint8 { return uint8(hash>>56) | 1 }

// text returns text n, which must not have been dropped.
func (t *texts) text(n int) []byte {
	from := uint32(0)
	if n > len(t.digests) {
		from = t.list[n-1].end
	}
	return t.bytes[from:t.list[n].end]
}

// equal reports whether text n is the parameter text. If text n was dropped, equal compares
// the digests.
func (t *texts) equal(n int, text []byte) bool {
	if n < len(t.digests) {
		return t.digests[n] == digestOf(text)
	}
	return bytes.Equal(t.text(n), text)
}

// digestOf returns the digest of a text.
func digestOf(text []byte) digest {
	sum := sha256.Sum256(text)
	return digest(sum[:len(digest{})])
}

// drop replaces the texts in t.bytes by their digests, except for last, the last text there, which
// is not in t.list.
func (t *texts) drop(last []byte) {
	from := uint32(0)
	for _, k := range t.list[len(t.digests):] {
		t.digests = append(t.digests, digestOf(t.bytes[from:k.end]))
		from = k.end
	}
	t.bytes = append(t.bytes[:0], last...)
}

// grow doubles the number of slots.
func (t *texts) grow() {
	t.slots, t.tags = make([]uint32, 2*len(t.slots)), make([]uint8, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for n := range t.list {
		hash := t.list[n].hash
		i := hash & mask
		for t.tags[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i], t.tags[i] = uint32(n), tagOf(hash)
	}
}

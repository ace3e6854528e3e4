package facts

import (
	"bytes"

	"github.com/klauspost/compress/s2"
)

// keptBytes holds a copy of the bytes of a leaf. The copy of a large leaf is
// compressed.
type keptBytes struct {
	packed []byte // the copy; nil if there is none
	size   int32  // size in bytes of the leaf if the copy is compressed; otherwise 0
	turn   uint32 // the turn in which keep last returned the size of the copy
}

// squeezeLeast is the size in bytes of the smallest leaf whose copy is
// compressed. Compressing smaller leaves gains little.
const squeezeLeast = 1 << 10

// keep stores a copy of b, the bytes of a leaf, unless k has a copy. turn is a
// number that the caller chooses for one round of calls. The first call in a
// round returns an estimate of the memory that the leaf takes, in bytes; later
// calls in the same round return 0.
func (k *keptBytes) keep(b []byte, turn uint32) int64 {
	if k.packed == nil {
		if len(b) < squeezeLeast {
			k.packed = append(make([]byte, 0, len(b)), b...)
		} else {
			k.packed, k.size = bytes.Clone(s2.Encode(nil, b)), int32(len(b))
		}
	}
	if k.turn == turn {
		return 0
	}
	k.turn = turn
	return int64(len(k.packed)) + leafBytesBeside
}

// leafBytesBeside is an estimate of the bytes of memory that a leaf takes in
// addition to its content.
const leafBytesBeside = 150

// bytes returns the bytes that were passed to keep, or nil if there were none.
func (k *keptBytes) bytes() []byte {
	if k.size == 0 {
		return k.packed
	}
	b, err := s2.Decode(make([]byte, 0, k.size), k.packed)
	if err != nil {
		panic("facts: a leaf that was compressed in memory: " + err.Error())
	}
	return b
}

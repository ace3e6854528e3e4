package block

import (
	"bytes"
	"encoding/binary"

	"github.com/klauspost/compress/s2"

	"infomall/store/packed"
	"infomall/store/record"
)

// Resting is a History that waits for the next version of its URL. It takes
// less memory than the body of the last version, because it shares the texts of
// its leaves with all Resting that have the same leaves.
type Resting struct {
	packed  []byte  // written by appendPacked; nil if the version does not divide
	leaves  []*Leaf // of the last version
	history History // used if packed is nil
}

// Bytes returns about how much memory r takes, without the bytes of its leaves.
func (r *Resting) Bytes() int64 {
	return int64(len(r.packed)+8*len(r.leaves)) + r.history.bytes()
}

// Rest returns the History in the form in which it waits. The bytes of leaves
// are kept once for all Resting and counted once per turn; newly is about how
// many bytes of leaves were counted for the first time in this turn. After Rest, the changes of the last version are lost,
// and only its leaves have bytes.
func (h *History) Rest(turn uint32) (_ Resting, newly int64) {
	r := h.last
	if r == nil || r.Whole || r.Body == nil {
		if r != nil {
			last := *r
			last.Before, last.matches = nil, nil
			return Resting{history: History{&last, h.twins}}, 0
		}
		return Resting{}, 0
	}
	for i, n := range r.leaves {
		newly += r.Made[i].kept.keep(r.Bytes(n), turn)
	}
	return Resting{packed: r.appendPacked(nil), leaves: r.Made}, newly
}

// appendPacked appends the version, without the bytes of its leaves and layout, in
// the form that Resting.History reads.
func (r *Revision) appendPacked(dst []byte) []byte {
	dst = binary.AppendVarint(dst, int64(r.Time))
	dst = append(dst, byte(r.Kind), byte(r.Tree.Profile))
	dst = append(dst, r.Version.Digest[:]...)
	dst = binary.AppendUvarint(dst, uint64(r.Size))
	dst = appendText(dst, r.Body.Charset)
	sum := r.layoutSum()
	dst = append(append(dst, bit(r.Body.plain)|bit(r.divided)<<1), sum[:]...)
	dst = binary.AppendUvarint(dst, uint64(r.twin))
	dst = r.appendLives(dst)
	blocks := r.Tree.Blocks
	dst = binary.AppendUvarint(dst, uint64(blocks[0].End))
	last := 0
	for n := 1; n < len(blocks); n++ {
		b := &blocks[n]
		dst = binary.AppendUvarint(dst, uint64(b.Start-last))
		dst = binary.AppendUvarint(dst, uint64(b.End-b.Start))
		dst = binary.AppendUvarint(dst, uint64(n-b.Parent))
		dst = binary.AppendUvarint(dst, uint64(b.Next-n))
		dst = appendText(append(dst, byte(b.Depth)), b.Path[len(blocks[b.Parent].Path):])
		last = b.Start
	}
	return dst
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// History returns the History so that versions can be added again.
func (r *Resting) History() (History, error) {
	if r.packed == nil {
		return r.history, nil
	}
	t := packed.Reader{B: r.packed}
	v := &Revision{}
	v.Time = record.Time(t.Varint())
	v.Kind = record.Kind(t.Byte())
	tree := &Tree{Profile: Profile(t.Byte())}
	copy(v.Version.Digest[:], t.Take(len(record.Digest{})))
	v.Size = int64(t.Uvarint())
	v.rested = &Body{Tree: &Tree{}, Charset: t.Text()}
	bits := t.Byte()
	v.rested.plain, v.divided = bits&1 != 0, bits&2 != 0
	copy(v.layoutHash[:], t.Take(len(record.Digest{})))
	v.Tree, v.twin = tree, int32(t.Number())
	var lives Fold
	if err := lives.takeLives(&t, v.Time); err != nil {
		return History{}, err
	}
	v.Life = lives.life
	tree.Blocks = make([]Block, len(v.Life))
	tree.Blocks[0].End = t.Number()
	if err := takeBlocks(&t, tree.Blocks); err != nil {
		return History{}, err
	}
	v.leaves, v.Made = tree.Cut(0), r.leaves
	if len(v.leaves) != len(v.Made) {
		return History{}, ErrFacts
	}
	return History{last: v, twins: int(v.twin)}, nil
}

// takeBlocks reads blocks[1:], as appendPacked wrote them. blocks[0] is the page.
func takeBlocks(t *packed.Reader, blocks []Block) error {
	var paths []byte
	ends := make([]int, len(blocks)) // where the path of each block ends in paths
	last := 0
	for n := 1; n < len(blocks); n++ {
		b := &blocks[n]
		last += t.Number()
		b.Start = last
		b.End = last + t.Number()
		b.Parent, b.Next, b.Depth = n-t.Number(), n+t.Number(), int(t.Byte())
		if t.Bad || b.Parent < 0 || b.Parent >= n || b.Next <= n || b.Next > len(blocks) {
			return ErrFacts
		}
		if p := b.Parent; p > 0 {
			paths = append(paths, paths[ends[p-1]:ends[p]]...)
		}
		paths = append(paths, t.Sized()...)
		ends[n] = len(paths)
	}
	all := string(paths)
	for n := 1; n < len(blocks); n++ {
		blocks[n].Path = all[ends[n-1]:ends[n]]
	}
	blocks[0].Next = len(blocks)
	return nil
}

// keptBytes holds a copy of the bytes of a leaf. Large leaves are compressed.
type keptBytes struct {
	packed []byte // nil if there is no copy
	size   int32  // number of bytes if packed is compressed, otherwise 0
	turn   uint32 // the turn in which keep last counted them
}

// squeezeLeast is the number of bytes from which on a leaf is kept compressed.
// Compressing smaller leaves gains little.
const squeezeLeast = 1 << 10

// keep keeps a copy of the bytes b of a leaf, unless it has one. It returns about
// how much memory the leaf takes, or 0 if that was already counted in this turn.
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

// leafBytesBeside is about how many bytes of memory a leaf takes in addition to its
// content.
const leafBytesBeside = 150

// bytes returns the bytes that were passed to keep.
func (k *keptBytes) bytes() []byte {
	if k.size == 0 {
		return k.packed
	}
	b, err := s2.Decode(make([]byte, 0, k.size), k.packed)
	if err != nil {
		panic("block: a leaf that was compressed in memory: " + err.Error())
	}
	return b
}

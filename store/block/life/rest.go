package life

import (
	"bytes"
	"encoding/binary"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/packed"
	"infomall/store/record"
)

// Resting is the compact form of a History that waits for the next version of its
// URL. It takes less memory than the body of the last version, because it shares
// the bytes of its leaves with all other Resting that have the same leaves.
type Resting struct {
	packed  []byte        // encoded by appendPacked; nil if the version does not divide
	leaves  []*facts.Leaf // the leaves of the last version
	history History       // the History itself, if packed is nil
}

// Bytes returns an estimate of the memory that r takes, in bytes. The bytes of its leaves,
// which it shares with others, do not count.
func (r *Resting) Bytes() int64 {
	return int64(len(r.packed)+8*len(r.leaves)) + r.history.bytes()
}

// Rest returns the compact form of h. It does not have the changes of the last
// version. Of the page it has only the bytes of the leaves, which all Restings
// share. newly is an estimate of the memory of these leaves, in bytes. It does not
// count leaves that an earlier call with the same turn counted. turn is a number
// that the caller chooses for one round of calls.
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
		newly += r.Made[i].Keep(r.Bytes(n), turn)
	}
	var room [512]byte // enough for most pages
	return Resting{packed: bytes.Clone(r.appendPacked(room[:0])), leaves: r.Made}, newly
}

// appendPacked appends the version to dst in the form that Resting.History reads,
// without the bytes of its leaves and layout.
func (r *Revision) appendPacked(dst []byte) []byte {
	dst = binary.AppendVarint(dst, int64(r.Time))
	dst = append(dst, byte(r.Kind), byte(r.Tree.Profile))
	dst = append(dst, r.Version.Digest[:]...)
	dst = binary.AppendUvarint(dst, uint64(r.Size))
	dst = packed.AppendSized(dst, r.Body.Charset)
	sum := r.layoutSum()
	dst = append(append(dst, bit(r.Body.Plain)|bit(r.divided)<<1), sum[:]...)
	dst = binary.AppendUvarint(dst, uint64(r.twin))
	dst = r.appendLives(dst)
	return r.Tree.AppendBlocks(dst)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// History returns the History from which r was made. Versions can be added to
// it. The error is facts.ErrFacts if r is damaged.
func (r *Resting) History() (History, error) {
	if r.packed == nil {
		return r.history, nil
	}
	t := packed.Reader{B: r.packed}
	v := &Revision{}
	v.Time = record.Time(t.Varint())
	v.Kind = record.Kind(t.Byte())
	tree := &divide.Tree{Profile: divide.Profile(t.Byte())}
	copy(v.Version.Digest[:], t.Take(len(record.Digest{})))
	v.Size = int64(t.Uvarint())
	v.rested = &divide.Body{Tree: &divide.Tree{}, Charset: t.Text()}
	bits := t.Byte()
	v.rested.Plain, v.divided = bits&1 != 0, bits&2 != 0
	copy(v.layoutHash[:], t.Take(len(record.Digest{})))
	v.Tree, v.twin = tree, int32(t.Number())
	var lives Fold
	if err := lives.takeLives(&t, v.Time); err != nil {
		return History{}, err
	}
	v.Life = lives.life
	if !tree.TakeBlocks(&t) || len(tree.Blocks) != len(v.Life) {
		return History{}, facts.ErrFacts
	}
	v.leaves, v.Made = tree.Cut(0), r.leaves
	if len(v.leaves) != len(v.Made) {
		return History{}, facts.ErrFacts
	}
	return History{last: v, twins: int(v.twin)}, nil
}

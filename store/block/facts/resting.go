package facts

import (
	"bytes"
	"encoding/binary"

	"infomall/store/block/divide"
	"infomall/store/packed"
	"infomall/store/page/markup"
)

// Resting is the compact form of a Reading. It has neither the body nor what only AppendFacts
// needs. A Reading of a small page takes some 700 bytes, its compact form 50.
type Resting struct {
	packed []byte
	made   []*Leaf
}

// Rest returns the compact form of r.
func (r *Reading) Rest() *Resting {
	var room [512]byte // enough for most pages
	dst := packed.AppendSized(room[:0], r.Charset)
	plain := byte(0)
	if r.Plain {
		plain = 1
	}
	dst = r.AppendBlocks(append(dst, plain))
	dst = binary.AppendUvarint(dst, uint64(r.Links))
	for _, p := range r.placed {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(p.leaf)), uint64(p.part+1))
	}
	return &Resting{bytes.Clone(dst), r.Made}
}

// Reading returns the Reading from which p was made, as it was after Close. body is the body that
// was read, without content coding. AppendFacts must not be called for the result.
func (p *Resting) Reading(body []byte) *Reading {
	t := packed.Reader{B: p.packed}
	all := &struct {
		reading Reading
		body    divide.Body
		tree    divide.Tree
		page    markup.Tree
	}{}
	all.page.Body = body
	all.tree.Page = &all.page
	all.body = divide.Body{Tree: &all.tree, Charset: t.Text(), Plain: t.Byte() == 1}
	ok := all.tree.TakeBlocks(&t)
	r := &all.reading
	r.Body, r.Made, r.Leaves, r.Links = &all.body, p.made, all.body.Cut(0), t.Number()
	for len(t.B) > 0 {
		r.placed = append(r.placed, place{t.Number(), t.Number() - 1})
	}
	if !ok || t.Bad {
		panic("facts: the compact form of a page is damaged in memory")
	}
	return r
}

// Memory returns an estimate of the memory that p and its leaves take, in bytes. p may be nil.
func (p *Resting) Memory() int64 {
	if p == nil {
		return 0
	}
	return int64(48 + len(p.packed) + len(p.made)*80)
}

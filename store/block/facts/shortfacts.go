package facts

import (
	"bytes"

	"infomall/store/block/divide"
	"infomall/store/packed"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
)

// Facts of a leaf that can be computed again from its bytes may be stored in a short
// form, which says only how the leaf is read. That saves space, and costs time when
// the facts are needed.

// shortMark is the first byte of short facts. The first byte of other facts is
// the number of the Extractor, which is never 0.
const shortMark = 0

// shortText is the short facts of a leaf that is plain text in ASCII.
var shortText = []byte{shortMark, formPlain}

// shortFacts returns the short facts of a body of plain text, which is one leaf
// and has no links.
func shortFacts(b *divide.Body) []byte {
	if charset.IsASCII(b.Page.Body) {
		return shortText
	}
	return packed.AppendSized([]byte{shortMark, formPlain | formCharset}, b.Charset)
}

// Short returns facts, the facts of a leaf, in the short form if the function
// Long can compute them again from it and the leaf's bytes. Otherwise it returns
// facts unchanged.
func Short(leaf, facts []byte) []byte {
	t := packed.Reader{B: facts}
	if t.Byte() != Extractor || len(t.B) == 0 {
		return facts
	}
	short := []byte{shortMark, t.Byte() &^ formPrint}
	if short[1]&formCharset != 0 {
		short = packed.AppendSized(short, t.Text())
	}
	if t.Bad || !bytes.Equal(Long(leaf, short), facts) {
		return facts
	}
	return short
}

// Long returns the complete facts of a leaf. If facts are short, it computes them
// again from leaf, the bytes of the leaf, and returns nil if the short form is
// damaged. Other facts are returned unchanged.
func Long(leaf, facts []byte) []byte {
	if len(facts) == 0 || facts[0] != shortMark {
		return facts
	}
	as, ok := readShort(facts)
	if !ok {
		return nil
	}
	b := &divide.Body{Plain: as.plain, Charset: as.charset}
	if b.Plain {
		b.Tree = &divide.Tree{Page: markup.NewPlainTree(leaf)}
	} else {
		b.Tree = &divide.Tree{Page: markup.NewTree(leaf)}
	}
	defer b.Free()
	long, _ := new(Reader).readLeaf(b, 0, len(leaf))
	return long
}

// readShort decodes facts in the short form, which only say how the leaf is read. as.charset is
// "" if the leaf is ASCII. ok is false if the facts are damaged.
func readShort(facts []byte) (as keptReading, ok bool) {
	t := packed.Reader{B: facts[1:]}
	form := t.Byte()
	as.plain = form&formPlain != 0
	if form&formCharset != 0 {
		as.charset = t.Text()
	}
	return as, !t.Bad && len(t.B) == 0
}

// Outdated reports whether another version of Extractor computed facts, which are
// the facts of a leaf or a page, or a fold. Short facts are never outdated.
func Outdated(facts []byte) bool { return facts[0] != Extractor && facts[0] != shortMark }

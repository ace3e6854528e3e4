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

// shortMark begins short facts. No Extractor has the number.
const shortMark = 0

// shortText is the short form of the facts of a plain text in ASCII.
var shortText = []byte{shortMark, formPlain}

// shortFacts returns the facts of a body of plain text, which is one leaf and has no
// links, in the short form.
func shortFacts(b *divide.Body) []byte {
	if charset.IsASCII(b.Page.Body) {
		return shortText
	}
	return packed.AppendSized([]byte{shortMark, formPlain | formCharset}, b.Charset)
}

// Short returns the facts of a leaf in the short form, if LongFacts restores
// them from it. Otherwise it returns facts unchanged.
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

// Long returns the complete facts of a leaf whose facts may be in the short
// form. It returns nil if a short form is damaged.
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

// readShort returns how a leaf is read, from its facts in the short form. The charset
// is "" if they have none, because the leaf is ASCII. ok is false if the facts are
// damaged.
func readShort(facts []byte) (as keptReading, ok bool) {
	t := packed.Reader{B: facts[1:]}
	form := t.Byte()
	as.plain = form&formPlain != 0
	if form&formCharset != 0 {
		as.charset = t.Text()
	}
	return as, !t.Bad && len(t.B) == 0
}

// Outdated reports whether facts of a leaf or a page, or a fold, are of another
// Extractor.
func Outdated(facts []byte) bool { return facts[0] != Extractor && facts[0] != shortMark }

package block

import (
	"bytes"

	"infomall/store/packed"
	"infomall/store/page"
)

// Facts of a leaf that are soon made again of its bytes can be kept short: as how
// the leaf is read, and no more. What is dense on disk is so at the cost of
// whoever asks first.

// shortMark begins short facts. No Extractor has the number.
const shortMark = 0

// shortText is the short facts of a text of ASCII that is no markup.
var shortText = []byte{shortMark, formPlain}

// shortFacts gives the facts of a body that is one leaf and no markup, and so has
// no links, in the short form.
func (b *Body) shortFacts() []byte {
	if page.IsASCII(b.Page.Body) {
		return shortText
	}
	return packed.AppendSized([]byte{shortMark, formPlain | formCharset}, b.Charset)
}

// ShortFacts gives the facts of a leaf in the short form, if LongFacts makes the
// same of that; else as they are.
func ShortFacts(leaf, facts []byte) []byte {
	t := packed.Reader{B: facts}
	if t.Byte() != Extractor || len(t.B) == 0 {
		return facts
	}
	short := []byte{shortMark, t.Byte() &^ formPrint}
	if short[1]&formCharset != 0 {
		short = packed.AppendSized(short, t.Text())
	}
	if t.Bad || !bytes.Equal(LongFacts(leaf, short), facts) {
		return facts
	}
	return short
}

// LongFacts gives the facts of a leaf that may be in the short form; nil if they
// are damaged.
func LongFacts(leaf, facts []byte) []byte {
	if len(facts) == 0 || facts[0] != shortMark {
		return facts
	}
	as, ok := readShort(facts)
	if !ok {
		return nil
	}
	b := &Body{plain: as.plain, Charset: as.charset}
	if b.plain {
		b.Tree = &Tree{Page: page.NewPlainTree(leaf)}
	} else {
		b.Tree = &Tree{Page: page.NewTree(leaf)}
	}
	defer b.Free()
	long, _ := new(Reader).readLeaf(b, 0, len(leaf))
	return long
}

// readShort tells of short facts how the leaf is read; false if they are damaged. It
// has no charset where it is ASCII.
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

package facts

import (
	"infomall/store/block/label"
	"infomall/store/packed"
)

// Outline is the beginning of the stored facts of a page: how the page was read, and its blocks
// without their paths. A caller that goes through many pages can decode them all into one
// Outline: Read uses its memory again.
type Outline struct {
	Charset []byte // charset of the page; shares memory with the facts
	Plain   bool   // the page was read as plain text, and not as markup
	Inline  bool   // the facts of the leaves are part of the facts of the page
	Cut     []OutlineBlock
	Leaves  int // number of leaves of the page
}

// OutlineBlock is one block of the cut at KeptLevel.
type OutlineBlock struct {
	Leaves int // number of leaves, 1 if the block is itself a leaf
	Label  label.Label
}

// Read decodes the beginning of src, the facts of a page, into o. The error is ErrOther if
// another version of Extractor computed the facts, and ErrFacts if they are damaged.
func (o *Outline) Read(src []byte) error {
	t := packed.Reader{B: src}
	if len(src) == 0 || t.Byte() != Extractor {
		return ErrOther
	}
	form := t.Byte()
	o.Plain, o.Inline = form&formPlain != 0, form&formInline != 0
	o.Charset = t.Sized()
	t.Sized() // the base of links
	blocks := t.Count()
	skipPaths(&t, blocks)
	o.Cut = o.Cut[:0]
	sum := 0
	for _, l := range t.Take(blocks) {
		b := OutlineBlock{max(1, t.Number()), label.Label(l)}
		if t.Bad || b.Label > label.Other {
			return ErrFacts
		}
		sum += b.Leaves
		o.Cut = append(o.Cut, b)
	}
	if o.Leaves = takeLeafCount(&t, sum); t.Bad || o.Leaves > 0 && sum != o.Leaves {
		return ErrFacts
	}
	return nil
}

package facts

import (
	"infomall/store/block/label"
	"infomall/store/packed"
	"infomall/store/page/markup"
	"infomall/store/record"
)

// Reference is the target of one link of a page, without the link's text and the
// text around the link.
type Reference struct {
	markup.Reference
	// Label is the label of the block (of the cut at KeptLevel) that contains the
	// link, or Other if no block contains the link.
	Label label.Label
}

// References reads the targets of links from the facts of pages, one page after the
// other. It reuses its memory: results share memory with the facts, and are valid
// until the next call of Page or Links. Only one goroutine at a time may use it.
// The zero value is ready.
type References struct {
	Base []byte // the base address that the page names, as written; empty if it names none

	keptReading
	cut     []keptPart
	count   int           // number of leaves
	inline  bool          // the facts of the leaves are in those of the page
	leaves  []record.Leaf // the inline facts of the leaves; empty if they are not inline
	outside []byte        // begins with the packed links outside of the markup; nil if there are none
	layout  []byte        // packed links of the layout, followed by the place of each: the leaf after it and its block
	tree    markup.Tree   // the current leaf, if its links must be read from its bytes
	links   []markup.Reference
	list    []Reference
}

// keptPart is one block of the cut of a page, like KeptBlock but without the
// path.
type keptPart struct {
	leaves int // number of leaves in the block; 0 if the block is itself a leaf
	label  label.Label
}

// Page prepares r for the page that has these facts; call Links next. The error
// is ErrOther if another version of Extractor computed the facts; other errors
// mean that they are damaged.
func (r *References) Page(facts []byte) error {
	t := packed.Reader{B: facts}
	if t.Byte() != Extractor {
		return ErrOther
	}
	form := t.Byte()
	r.plain, r.inline = form&formPlain != 0, form&formInline != 0
	if charset := t.Sized(); string(charset) != r.charset {
		r.charset = string(charset)
	}
	r.Base = t.Sized()
	parts := t.Count()
	skipPaths(&t, parts)
	r.cut = r.cut[:0]
	inCut := 0
	for _, l := range t.Take(parts) {
		p := keptPart{t.Number(), label.Label(l)}
		if p.label > label.Other {
			return ErrFacts
		}
		r.cut = append(r.cut, p)
		inCut += max(1, p.leaves)
	}
	r.count, r.leaves = takeLeafCount(&t, inCut), r.leaves[:0]
	if r.inline {
		if r.count > len(t.B) {
			return ErrFacts
		}
		for range r.count {
			r.leaves = append(r.leaves, record.Leaf{Facts: t.Sized()})
		}
	}
	if t.Bad {
		return ErrFacts
	}
	r.outside, r.layout = nil, t.B
	if form&formOutside != 0 {
		var err error
		if r.links, r.layout, err = markup.AppendReferences(r.links[:0], t.B); err != nil {
			return err
		}
		r.outside = t.B
	}
	return nil
}

// Inline reports whether the facts of the page include those of its leaves, so that
// Links needs no argument.
func (r *References) Inline() bool { return r.inline || r.count == 0 }

// Links returns the links of the current page. They are the same as the result of Kept.Links, but
// in another order: first the links outside of the markup, then the links of the layout, then the
// links of each leaf. leaves has the facts of each leaf, in order, and also its bytes if the facts
// are short. leaves is ignored if Inline is true.
func (r *References) Links(leaves []record.Leaf) ([]Reference, error) {
	if r.Inline() {
		leaves = r.leaves
	}
	return r.all(len(leaves), func(i int) error { return r.takeLeaf(leaves[i]) })
}

// Apart returns the links of the current page that are in none of its leaves: those outside of the
// markup and those of the layout. leaves is the number of leaves that the page has where it is stored.
// Inline must be false.
func (r *References) Apart(leaves int) ([]Reference, error) {
	if leaves != r.count {
		return nil, ErrOther
	}
	inCut := 0
	for _, p := range r.cut {
		inCut += max(1, p.leaves)
	}
	if inCut < leaves {
		return nil, ErrFacts
	}
	r.list = r.list[:0]
	if err := r.takeOutside(); err != nil {
		return nil, err
	}
	err := r.takeLayout()
	return r.list, err
}

// Fits reports whether the facts of a leaf can be used for the current page.
func (r *References) Fits(leaf *LeafFacts) bool { return leaf.of(&r.keptReading) }

// InLeaf returns the links of a leaf of the current page. They are valid until the next call of Apart or
// InLeaf.
func (r *References) InLeaf(leaf *LeafFacts) (_ []markup.Reference, err error) {
	r.links = r.links[:0]
	switch {
	case !r.Fits(leaf):
		return nil, ErrOther
	case leaf.links != nil:
		r.links, _, err = markup.AppendReferences(r.links, leaf.links)
	}
	return r.links, err
}

// all returns the links of the current page, which has this number of leaves. The function take
// sets r.links to the links of leaf i.
func (r *References) all(leaves int, take func(i int) error) ([]Reference, error) {
	if leaves != r.count {
		return nil, ErrOther
	}
	r.list = r.list[:0]
	if err := r.takeOutside(); err != nil {
		return nil, err
	}
	if err := r.takeLayout(); err != nil {
		return nil, err
	}
	part, last := -1, 0 // current block of the cut, and the index of the leaf after it
	for i := range leaves {
		for i >= last && part+1 < len(r.cut) {
			part++
			last += max(1, r.cut[part].leaves)
		}
		if i >= last {
			return nil, ErrFacts
		}
		if err := take(i); err != nil {
			return nil, err
		}
		for _, l := range r.links {
			r.list = append(r.list, Reference{l, r.cut[part].label})
		}
	}
	return r.list, nil
}

// takeLeaf sets r.links to the links of a leaf. If the facts of the leaf are short,
// it reads the links from the bytes of the leaf.
func (r *References) takeLeaf(leaf record.Leaf) (err error) {
	r.links = r.links[:0]
	if len(leaf.Facts) > 0 && leaf.Facts[0] == shortMark {
		as, ok := readShort(leaf.Facts)
		switch {
		case !ok:
			return ErrFacts
		case as.plain != r.plain || as.charset != "" && as.charset != r.charset:
			return ErrOther
		case !as.plain:
			r.tree.Read(leaf.Bytes)
			r.links = r.tree.AppendTargets(r.links, as.charset)
		}
		return nil
	}
	f, err := r.leaf(leaf.Facts)
	if err == nil && f.links != nil {
		r.links, _, err = markup.AppendReferences(r.links, f.links)
	}
	return err
}

// takeOutside appends the links outside of the markup to r.list, with label Other.
func (r *References) takeOutside() (err error) {
	if r.outside == nil {
		return nil
	}
	r.links, _, err = markup.AppendReferences(r.links[:0], r.outside)
	for _, l := range r.links {
		r.list = append(r.list, Reference{l, label.Other})
	}
	return err
}

// takeLayout appends the links of the layout to r.list, each with the label of
// the block that contains it, or Other.
func (r *References) takeLayout() (err error) {
	if len(r.layout) == 0 {
		return nil
	}
	var t packed.Reader
	if r.links, t.B, err = markup.AppendReferences(r.links[:0], r.layout); err != nil {
		return err
	}
	for _, l := range r.links {
		next, part, purpose := t.Number(), t.Number()-1, label.Other // next is the leaf after the link
		if t.Bad || next > r.count || part >= len(r.cut) {
			return ErrFacts
		}
		if part >= 0 {
			purpose = r.cut[part].label
		}
		r.list = append(r.list, Reference{l, purpose})
	}
	if len(t.B) > 0 {
		return ErrFacts
	}
	return nil
}

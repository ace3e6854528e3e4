package block

import (
	"infomall/store/packed"
	"infomall/store/page"
	"infomall/store/record"
)

// Reference is a link of a page without what is said at and around it.
type Reference struct {
	page.Reference
	Label Label // of the block of the cut at KeptLevel that it is in; Other in the layout
}

// References reads of facts where the links of pages lead, one page after the
// other, and takes no memory for each: what it gives shares that of the facts, and
// is valid until the next page. It is for one goroutine. The zero value is ready.
type References struct {
	Base []byte // that the page names, as written; empty if it names none

	keptReading
	cut     []keptPart
	count   int           // of leaves
	inline  bool          // leaves are the facts of these
	leaves  []record.Leaf // else none
	outside []byte        // packed links and what follows, or nil
	layout  []byte        // links and where they stand
	tree    page.Tree     // of a leaf whose facts are short
	links   []page.Reference
	list    []Reference
}

// keptPart is a block of the cut, as KeptBlock has it.
type keptPart struct {
	leaves int
	label  Label
}

// Page begins the page with these facts. They are refused where this program would
// make others.
func (r *References) Page(facts []byte) error {
	t := packed.Reader{B: facts}
	if t.Byte() != Extractor {
		return errOther
	}
	form := t.Byte()
	r.plain, r.inline = form&formPlain != 0, form&formInline != 0
	if charset := t.Sized(); string(charset) != r.charset {
		r.charset = string(charset)
	}
	r.Base = t.Sized()
	parts := t.Count()
	for range parts {
		t.Sized() // the path
	}
	r.cut = r.cut[:0]
	for range parts {
		p := keptPart{t.Number(), Label(t.Byte())}
		if int(p.label) >= len(labelNames) {
			return ErrFacts
		}
		r.cut = append(r.cut, p)
	}
	r.count, r.leaves = t.Number(), r.leaves[:0]
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
		if r.links, r.layout, err = page.AppendReferences(r.links[:0], t.B); err != nil {
			return err
		}
		r.outside = t.B
	}
	return nil
}

// Inline reports whether the facts of the page's leaves stand with it.
func (r *References) Inline() bool { return r.inline || r.count == 0 }

// Links are those of Kept.Links in another order: first those outside of the markup, then those of the layout.
// Leaves has what is kept of each leaf, in order, unless they are Inline.
func (r *References) Links(leaves []record.Leaf) ([]Reference, error) {
	if r.Inline() {
		leaves = r.leaves
	}
	if len(leaves) != r.count {
		return nil, errOther
	}
	r.list = r.list[:0]
	if err := r.takeOutside(); err != nil {
		return nil, err
	}
	if err := r.takeLayout(); err != nil {
		return nil, err
	}
	part, last := -1, 0 // block of the cut, and the leaf behind its last
	for i, leaf := range leaves {
		for i >= last && part+1 < len(r.cut) {
			part++
			last += max(1, r.cut[part].leaves)
		}
		if i >= last {
			return nil, ErrFacts
		}
		if err := r.takeLeaf(leaf); err != nil {
			return nil, err
		}
		for _, l := range r.links {
			r.list = append(r.list, Reference{l, r.cut[part].label})
		}
	}
	return r.list, nil
}

// takeLeaf takes the links of a leaf. Of one whose facts are short they are read.
func (r *References) takeLeaf(leaf record.Leaf) (err error) {
	r.links = r.links[:0]
	if len(leaf.Facts) > 0 && leaf.Facts[0] == shortMark {
		as, ok := readShort(leaf.Facts)
		switch {
		case !ok:
			return ErrFacts
		case as.plain != r.plain || as.charset != "" && as.charset != r.charset:
			return errOther
		case !as.plain:
			r.tree.Read(leaf.Bytes)
			r.links = r.tree.AppendTargets(r.links, as.charset)
		}
		return nil
	}
	f, err := r.leaf(leaf.Facts)
	if err == nil && f.links != nil {
		r.links, _, err = page.AppendReferences(r.links, f.links)
	}
	return err
}

// takeOutside takes the links outside of the markup.
func (r *References) takeOutside() (err error) {
	if r.outside == nil {
		return nil
	}
	r.links, _, err = page.AppendReferences(r.links[:0], r.outside)
	for _, l := range r.links {
		r.list = append(r.list, Reference{l, Other})
	}
	return err
}

// takeLayout takes the links of the layout.
func (r *References) takeLayout() (err error) {
	if len(r.layout) == 0 {
		return nil
	}
	var t packed.Reader
	if r.links, t.B, err = page.AppendReferences(r.links[:0], r.layout); err != nil {
		return err
	}
	for _, l := range r.links {
		t.Number() // of the leaf behind it
		part, label := t.Number()-1, Other
		if t.Bad || part >= len(r.cut) {
			return ErrFacts
		}
		if part >= 0 {
			label = r.cut[part].label
		}
		r.list = append(r.list, Reference{l, label})
	}
	if len(t.B) > 0 {
		return ErrFacts
	}
	return nil
}

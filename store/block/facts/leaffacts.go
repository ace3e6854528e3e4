package facts

import (
	"bytes"

	"infomall/store/block/divide"
	"infomall/store/packed"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/words"
)

// LeafFacts is the decoded facts of one leaf. It serves a caller that needs the facts of
// the same leaf for many pages. The zero value is of a leaf whose facts cannot be used.
type LeafFacts struct {
	keptLeaf
	as   keptReading // how the leaf was read; as.charset is "" if the leaf is ASCII
	fits fits
}

// fits says which pages can use the facts of a leaf.
type fits uint8

const (
	fitsNone  fits = iota // no page: the facts are missing or damaged, or of another Extractor
	fitsAll               // pages of any reading
	fitsAlike             // pages that are read as the leaf was
)

// of reports whether a page that is read in this way can use the facts.
func (f *LeafFacts) of(page *keptReading) bool {
	return f.fits == fitsAll || f.fits == fitsAlike && f.as.plain == page.plain && (f.as.charset == "" || f.as.charset == page.charset)
}

// None reports whether f says that the leaf has neither links nor a fingerprint, whatever page it is
// in. Most leaves have such facts.
func (f *LeafFacts) None() bool { return f.fits == fitsAll && !f.printed && f.links == nil }

// Size returns an estimate of the memory that f takes, in bytes.
func (f *LeafFacts) Size() int { return 80 + len(f.links) }

// LeafText is the text of a leaf, as LeafReader.Read found it.
type LeafText struct {
	Text    string
	Anchors []string // the texts of links, see divide.Body.AnchorsOf

	as    keptReading
	known bool
}

// In reports whether the leaf has this text in the given reading. It is false if the text
// is not known.
func (t *LeafText) In(cs string, plain bool) bool {
	return t.known && t.as.plain == plain && (t.as.charset == cs || t.as.charset == "" && charset.ASCIISafe(cs))
}

// LeafReader decodes the facts of leaves. Only one goroutine may use it. The zero value is
// ready.
type LeafReader struct {
	tree   markup.Tree
	packed []byte
}

// Read decodes the facts of a leaf. If they are short, and l has the bytes of the leaf, it
// computes them from the bytes, and also returns the text of the leaf. That takes one pass
// over the bytes, where Long and divide.Body.AppendTextAndAnchors would take two. From short
// facts without the bytes it knows no fingerprint, no link and no text.
func (r *LeafReader) Read(l record.Leaf) (f LeafFacts, text LeafText) {
	if len(l.Facts) == 0 {
		return f, text
	}
	if l.Facts[0] == shortMark {
		switch as, ok := readShort(l.Facts); {
		case !ok:
			return f, text
		case l.Bytes == nil:
			return LeafFacts{as: as, fits: fitsAlike}, text
		default:
			return r.compute(l.Bytes, as)
		}
	}
	t := packed.Reader{B: l.Facts}
	if t.Byte() != Extractor {
		return f, text
	}
	if f.fits = fitsAll; len(t.B) == 0 {
		return f, text
	}
	f.fits = fitsAlike
	form := t.Byte()
	f.as.plain = form&formPlain != 0
	if form&formCharset != 0 {
		f.as.charset = t.Text()
	}
	var err error
	if f.keptLeaf, err = takeLeaf(form, &t); err != nil || t.Bad {
		return LeafFacts{}, text
	}
	f.links = bytes.Clone(f.links)
	return f, text
}

// compute returns the facts and the text of a leaf from its bytes.
func (r *LeafReader) compute(leaf []byte, as keptReading) (f LeafFacts, text LeafText) {
	if as.plain {
		r.tree.ReadPlain(leaf)
	} else {
		r.tree.Read(leaf)
	}
	f.as, text.as, text.known = as, as, true
	links, offsets, shown := r.tree.AppendLinksText(r.packed[:0], 0, len(leaf), as.charset)
	r.packed, text.Text = links, shown
	if len(offsets) > 0 {
		f.links = bytes.Clone(links)
		if !as.plain {
			list, _, _ := markup.TakeLinks(links) // unreachable error: AppendLinksText wrote them
			text.Anchors = divide.AnchorsIn(list)
		}
	}
	var print words.Simhash
	if f.printed = words.Least(shown, fingerprintWords); f.printed {
		print.Add(shown, 1)
		f.print = print.Sum()
	}
	if f.fits = fitsAlike; len(offsets) == 0 && !as.plain && !f.printed {
		f.fits = fitsAll
	}
	return f, text
}

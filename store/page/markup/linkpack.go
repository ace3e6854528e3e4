package markup

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"infomall/store/packed"
)

// errPacked is returned if bytes are not in the form that AppendLinks writes.
var errPacked = errors.New("packed links are damaged")

// The bits of the first byte of a packed link. packedKind is the mask of its
// LinkKind.
const (
	packedKind   = 0x0f
	packedRel    = 0x10 // a rel follows
	packedAnchor = 0x20 // an anchor follows, because it differs from the text at the link
)

// AppendLinks appends to dst the links of those elements that start in
// Body[start:end], in the packed form that TakeLinks reads. That form lacks the
// Offset of each link; the result offsets has them. If keep is not nil,
// AppendLinks leaves out the links for whose offset keep returns false.
//
// The anchors of neighbouring links and the text around them overlap. The text
// is therefore stored once, without parts that no link needs, and each link has
// a range of it.
func (t *Tree) AppendLinks(dst []byte, start, end int, charset string, keep func(offset int) bool) (_ []byte, offsets []int) {
	w := t.findLinks(start, end, charset, keep)
	defer w.free()
	return w.appendLinks(dst)
}

// AppendLinksText does the work of AppendLinks (without keep) and of TextRange in
// one pass over the body.
func (t *Tree) AppendLinksText(dst []byte, start, end int, charset string) (_ []byte, offsets []int, text string) {
	w := t.newLinkWriter(charset)
	defer w.free()
	w.walk(start, end)
	dst, offsets = w.appendLinks(dst)
	if w.cut {
		return dst, offsets, t.TextRange(start, end, charset)
	}
	return dst, offsets, string(w.text.out)
}

// appendLinks appends the links that w has found to dst in packed form. It
// returns the Offset of each, see AppendLinks.
func (w *linkWriter) appendLinks(dst []byte) (_ []byte, offsets []int) {
	out := w.text.out
	if len(w.links) > 0 {
		offsets = make([]int, 0, len(w.links))
	}
	for i := range w.links {
		if at := w.links[i].offset; w.keep == nil || w.keep(at) {
			offsets = append(offsets, at)
		}
	}
	if len(offsets) == 0 {
		return append(dst, 0), nil
	}
	dst = slices.Grow(dst, min(len(out), len(offsets)*contextBytes)+len(offsets)*contextBytes)
	dst = binary.AppendUvarint(dst, uint64(len(offsets)))
	text := w.near[:0]
	done := 0  // the bytes of out up to done are copied to text or left out
	shift := 0 // the bytes left out: an offset in text is the offset in out minus shift
	last := 0
	for i := range w.links {
		l := &w.links[i]
		if w.keep != nil && !w.keep(l.offset) {
			continue
		}
		// One more byte than is shown on each side says where a rune begins and ends.
		from, to := max(done, l.from-contextBytes-1), min(len(out), l.to+contextBytes+1)
		shift += from - done
		if done = from; to > done {
			text, done = append(text, out[from:to]...), to
		}
		first := byte(l.kind)
		if len(l.rel) > 0 {
			first |= packedRel
		}
		if len(l.anchor) > 0 {
			first |= packedAnchor
		}
		dst = append(dst, first)
		dst = binary.AppendUvarint(dst, uint64(l.from-shift-last))
		dst = binary.AppendUvarint(dst, uint64(l.to-l.from))
		last = l.from - shift
		dst = packed.AppendSized(dst, l.target)
		if len(l.rel) > 0 {
			dst = packed.AppendSized(dst, l.rel)
		}
		if len(l.anchor) > 0 {
			dst = packed.AppendSized(dst, l.anchor)
		}
	}
	w.near = text
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...), offsets
}

// AppendBareLinks appends links, which have no text at or around them, to dst in
// the packed form that TakeLinks reads.
func AppendBareLinks(dst []byte, links []Link) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(links)))
	if len(links) == 0 {
		return dst
	}
	for i := range links {
		l := &links[i]
		first := byte(l.Kind)
		if l.Rel != "" {
			first |= packedRel
		}
		dst = packed.AppendSized(append(dst, first, 0, 0), l.Target) // two zeros: an empty range at the beginning of the text
		if l.Rel != "" {
			dst = packed.AppendSized(dst, l.Rel)
		}
	}
	return append(dst, 0) // the text
}

// TakeLinks decodes the packed links at the start of src, which AppendLinks or
// AppendBareLinks wrote. rest has the bytes after them. The error is errPacked if
// src is damaged.
func TakeLinks(src []byte) (links []Link, rest []byte, err error) {
	u := packed.Reader{B: src}
	n := u.Count()
	if u.Bad {
		return nil, nil, errPacked
	}
	if n == 0 {
		return nil, u.B, nil
	}
	links = make([]Link, n)
	at := make([][2]int, n)
	last := 0
	for i := range links {
		l := &links[i]
		first := u.Byte()
		l.Kind = LinkKind(first & packedKind)
		if int(l.Kind) >= len(linkKinds) {
			return nil, nil, errPacked
		}
		last += u.Number()
		at[i] = [2]int{last, last + u.Number()}
		l.Target = u.Text()
		if first&packedRel != 0 {
			l.Rel = u.Text()
			l.NoFollow = hasWord(l.Rel, "nofollow")
		}
		if first&packedAnchor != 0 {
			l.Anchor = u.Text()
		}
	}
	text := u.Text()
	for i := range links {
		from, to := at[i][0], at[i][1]
		if u.Bad || from < 0 || to > len(text) {
			return nil, nil, errPacked
		}
		links[i].around(text, from, to)
	}
	return links, u.B, nil
}

// Reference is the target of a link, without the text at and around the link.
type Reference struct {
	Kind     LinkKind
	NoFollow bool
	Target   []byte // the same as Link.Target
}

// AppendReferences decodes the packed links at the start of src, as TakeLinks
// does, and appends them to dst as References, which share the memory of src.
// rest has the bytes after the links.
func AppendReferences(dst []Reference, src []byte) (_ []Reference, rest []byte, err error) {
	u := packed.Reader{B: src}
	n := u.Count()
	if n == 0 && !u.Bad {
		return dst, u.B, nil
	}
	end := 0 // of the furthest link, in the text
	last := 0
	for range n {
		first := u.Byte()
		r := Reference{Kind: LinkKind(first & packedKind)}
		if int(r.Kind) >= len(linkKinds) {
			return dst, nil, errPacked
		}
		last += u.Number()
		end = max(end, last+u.Number())
		r.Target = u.Sized()
		if first&packedRel != 0 {
			r.NoFollow = hasWord(string(u.Sized()), "nofollow")
		}
		if first&packedAnchor != 0 {
			u.Sized()
		}
		dst = append(dst, r)
	}
	if text := u.Sized(); u.Bad || end > len(text) {
		return dst, nil, errPacked
	}
	return dst, u.B, nil
}

// around sets Before and After of l, and also Anchor, unless Anchor is set
// already. text[from:to] is the text of the link.
func (l *Link) around(text string, from, to int) {
	if l.Anchor == "" {
		l.Anchor = strings.TrimSpace(text[from:to])
	}
	l.Before, l.After = lastBytes(text[:from]), firstBytes(text[to:])
}

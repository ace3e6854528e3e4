package markup

import (
	"bytes"
	"iter"
	"unicode/utf8"
)

// Attr is one attribute of a start tag. Name is as written in the page. Value is
// without quotes; its character references, such as &amp;, are not resolved. Both
// are slices of the body.
type Attr struct {
	Name, Value []byte
}

// The classes of a byte, by its meaning in a start tag or in text.
const (
	classSpace   = 1 << iota // separates attributes
	classNameEnd             // ends an attribute's name
	classBareEnd             // ends a value without quotes
	classInk                 // is a visible ASCII character other than "&"
	classTagEnd              // ends a tag's name
	classWord                // is part of a word of a text
)

// AttrSet is a set of groups of attributes, such as AttrNames.
type AttrSet uint8

// The groups of attributes.
const (
	AttrNames   AttrSet = 1 << iota // class, id, role
	AttrStyle                       // style, size, color
	AttrSize                        // width, height
	AttrAddress                     // the attributes in addressNames
	AttrType                        // type
	AttrDates                       // itemprop, title, datetime, and names such as data-date
)

// attrSets has, for each kind of attribute name, the groups to which the name
// may belong. The index is the result of attrSlot for the first letter and the
// length of the name.
var attrSets = func() (sets [512]AttrSet) {
	for set, names := range map[AttrSet][]string{
		AttrNames:   {"class", "id", "role"},
		AttrStyle:   {"style", "size", "color"},
		AttrSize:    {"width", "height"},
		AttrAddress: addressNames,
		AttrType:    {"type"},
		AttrDates:   {"itemprop", "title", "datetime"},
	} {
		for _, name := range names {
			sets[attrSlot(name[0], len(name))] |= set
		}
	}
	for size := len("data-") + 1; size <= slotSizeMax; size++ {
		sets[attrSlot('d', size)] |= AttrDates // data-date, data-time and others
	}
	return sets
}()

// slotSizeMax is the largest length of attribute names that attrSlot
// distinguishes. It treats longer names as having this length.
const slotSizeMax = 15

func attrSlot(first byte, size int) int { return min(size, slotSizeMax)<<5 | int(first&31) }

// May reports whether element n may have an attribute of one of the groups in
// sorts. If the result is false, it has none; if it is true, it may still have
// none.
func (t *Tree) May(n int, sorts AttrSet) bool { return t.Nodes[n].attrs&sorts != 0 }

var class = func() (c [256]byte) {
	for _, b := range []byte(" \t\n\f\r") {
		c[b] = classSpace | classNameEnd | classBareEnd | classTagEnd
	}
	c['/'] |= classNameEnd | classTagEnd
	c['='] |= classNameEnd
	c['>'] |= classNameEnd | classBareEnd | classTagEnd
	for b := range utf8.RuneSelf {
		if b == '_' || isAlnum(byte(b)) {
			c[b] |= classWord
		}
	}
	for b := '!'; b <= '~'; b++ {
		if b != '&' {
			c[b] |= classInk
		}
	}
	return c
}()

// NextAttr reads the first attribute at or after offset i in a start tag of b.
// at is the place of the attribute, and next the offset after it. If there is
// no further attribute, ok is false and next is the offset of the tag's ">", or
// len(b) if the tag never ends.
func NextAttr(b []byte, i int) (at AttrPlace, next int, ok bool) {
	for i < len(b) && (class[b[i]]&classSpace != 0 || b[i] == '/') {
		i++
	}
	if i >= len(b) || b[i] == '>' {
		return at, i, false
	}
	at.Name = i
	i++ // A first "=" belongs to the name.
	for i < len(b) && class[b[i]]&classNameEnd == 0 {
		i++
	}
	at.NameEnd = i
	for i < len(b) && class[b[i]]&classSpace != 0 {
		i++
	}
	if i >= len(b) || b[i] != '=' {
		return at, i, true
	}
	i++
	for i < len(b) && class[b[i]]&classSpace != 0 {
		i++
	}
	if i >= len(b) {
		return at, i, true
	}
	if q := b[i]; q == '"' || q == '\'' {
		end := bytes.IndexByte(b[i+1:], q)
		if end < 0 {
			return at, len(b), false
		}
		at.Value, at.ValueEnd = i+1, i+1+end
		return at, at.ValueEnd + 1, true
	}
	at.Value = i
	for i < len(b) && class[b[i]]&classBareEnd == 0 {
		i++
	}
	at.ValueEnd = i
	return at, i, true
}

// tagEnd returns the offset of the ">" that ends a start tag, or -1 if the tag
// never ends. i is the offset after the name of the tag. slash reports whether
// "/" comes directly before the ">". attrs are the groups to which the
// attributes of the tag may belong.
func tagEnd(b []byte, i int) (end int, slash bool, attrs AttrSet) {
	for i < len(b) {
		c := b[i]
		i++
		switch {
		case c == '>':
			return i - 1, slash, attrs
		case class[c]&classSpace != 0:
			slash = false
			continue
		case c == '/':
			slash = true
			continue
		}
		// A name; a first "=" belongs to it.
		slash = false
		from := i - 1
		for i < len(b) && class[b[i]]&classNameEnd == 0 {
			i++
		}
		attrs |= attrSets[attrSlot(c, i-from)]
		for i < len(b) && class[b[i]]&classSpace != 0 {
			i++
		}
		if i >= len(b) || b[i] != '=' {
			continue
		}
		i++
		for i < len(b) && class[b[i]]&classSpace != 0 {
			i++
		}
		if i >= len(b) {
			break
		}
		if q := b[i]; q == '"' || q == '\'' {
			n := bytes.IndexByte(b[i+1:], q)
			if n < 0 {
				break
			}
			i += n + 2
			continue
		}
		for i < len(b) && class[b[i]]&classBareEnd == 0 {
			i++
		}
	}
	return -1, false, 0
}

// Attrs ranges over the attributes of element n in order, including repeated
// names.
func (t *Tree) Attrs(n int) iter.Seq[Attr] {
	return func(yield func(Attr) bool) {
		e := &t.Nodes[n]
		if e.Kind != Element {
			return
		}
		b := t.Body[:e.Inner]
		for i := t.nameEnd(n); ; {
			at, next, ok := NextAttr(b, i)
			if !ok || !yield(Attr{b[at.Name:at.NameEnd], b[at.Value:at.ValueEnd]}) {
				return
			}
			i = next
		}
	}
}

// Attr returns the value of the first attribute of element n with this name,
// which must be in lower case. ok is false if the element has no such attribute.
func (t *Tree) Attr(n int, name string) (value []byte, ok bool) {
	if sorts := attrSets[attrSlot(name[0], len(name))]; sorts != 0 && !t.May(n, sorts) {
		return nil, false
	}
	for a := range t.Attrs(n) {
		if EqualFold(a.Name, name) {
			return a.Value, true
		}
	}
	return nil, false
}

// Name returns the name of element n as written in the page.
func (t *Tree) Name(n int) []byte { return t.Body[t.Nodes[n].Start+1 : t.nameEnd(n)] }

func (t *Tree) nameEnd(n int) int {
	return nameEnd(t.Body, int(t.Nodes[n].Start)+1)
}

// nameEnd returns the offset after the tag name that starts at i.
func nameEnd(b []byte, i int) int {
	for i < len(b) && class[b[i]]&classTagEnd == 0 {
		i++
	}
	return i
}

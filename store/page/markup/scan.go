package markup

import "bytes"

// The functions of this file read markup token by token, for a caller that
// needs places in a body but no Tree.

// AttrPlace is the place of an attribute in a body: the offsets at which its name
// and its value begin and end. The value is without quotes. Value and ValueEnd are
// 0 if the attribute has no value.
type AttrPlace struct{ Name, NameEnd, Value, ValueEnd int }

// TagOf returns the Tag of a name in upper or lower case, or TagOther.
func TagOf(name []byte) Tag { return tagAt(name, 0, len(name)) }

// NameEnd returns the offset in b after the name of a tag that starts at i.
func NameEnd(b []byte, i int) int { return nameEnd(b, i) }

// CommentEnd returns the length in bytes of the comment at the start of b,
// which begins with "<!--". If the comment never ends, it returns the length of
// b.
func CommentEnd(b []byte) int { return commentEnd(b) }

// RawEnd returns the offset in b of the end tag of a raw element, such as
// script, whose content is not markup. tag is the Tag of the element, and b
// begins after its start tag. It returns -1 if there is no end tag.
func RawEnd(b []byte, tag Tag) int { return rawEnd(b, tag) }

// TagEnd returns the offset of the ">" that ends a tag, or -1 if the tag never
// ends. i is the offset after the name of the tag.
func TagEnd(b []byte, i int) int {
	end, _, _ := tagEnd(b, i)
	return end
}

// MayHaveAddress reports whether css, a style sheet or a part of one, contains
// url(, @import or image-set(. SheetPlaces finds nothing in other sheets.
func MayHaveAddress(css []byte) bool {
	return mayHaveAddress(css) || bytes.Contains(bytes.ToLower(css), []byte("image-set("))
}

// SheetUnescape returns s, an address as written in a style sheet, with its
// escapes resolved.
func SheetUnescape(s string) string { return cssUnescape(s) }

package value

import (
	"cmp"
	"strings"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Value is one value of the query language, such as 200. Type says which field
// holds it. The zero Value is NULL.
type Value struct {
	Type  Type
	Bool  bool
	Int   int64 // the value of an Int, a Time or a Duration
	Float float64
	Text  string // the value of a Text or a URL
}

// The functions below make a Value of a Go value.

// OfBool returns b as a Value of type Bool.
func OfBool(b bool) Value { return Value{Type: Bool, Bool: b} }

// OfInt returns i as a Value of type Int.
func OfInt(i int64) Value { return Value{Type: Int, Int: i} }

// OfFloat returns f as a Value of type Float.
func OfFloat(f float64) Value { return Value{Type: Float, Float: f} }

// OfText returns s as a Value of type Text.
func OfText(s string) Value { return Value{Type: Text, Text: s} }

// TextOrNull returns s as a Text, or NULL if s is empty.
func TextOrNull(s string) Value {
	if s == "" {
		return Value{}
	}
	return OfText(s)
}

// OfURL returns u as a Value of type URL. u must be a canonical URL; OfURL does
// not check that.
func OfURL(u string) Value { return Value{Type: URL, Text: u} }

// OfTime returns t as a Value of type Time, or NULL if t is record.NoTime.
func OfTime(t record.Time) Value {
	if t == record.NoTime {
		return Value{}
	}
	return Value{Type: Time, Int: int64(t)}
}

// OfDuration returns a Value of type Duration with ms milliseconds.
func OfDuration(ms int64) Value { return Value{Type: Duration, Int: ms} }

// IsNull reports whether the value v is NULL.
func (v Value) IsNull() bool { return v.Type == Null }

// Textual reports whether t is Text or URL.
func (t Type) Textual() bool { return t == Text || t == URL }

// Numeric reports whether t is Int or Float.
func (t Type) Numeric() bool { return t == Int || t == Float }

// Common returns the type to which values of the types a and b can be converted
// without a CAST, or false if there is none. Equal types need no conversion.
// Int and Float become Float, Text and URL become Text, and Null becomes any
// other type.
func Common(a, b Type) (Type, bool) {
	switch {
	case a == b, b == Null:
		return a, true
	case a == Null:
		return b, true
	case a.Numeric() && b.Numeric():
		return Float, true
	case a.Textual() && b.Textual():
		return Text, true
	}
	return Null, false
}

// Compare returns -1 if a sorts before b, 0 if they are equal, and 1 if a sorts
// after b. Neither is NULL. Both have the same type, or are an Int and a Float,
// compared as numbers, or a URL and a Text, compared as texts. Texts sort by
// their bytes, URLs by their SURT key (the host with its labels in reverse,
// then the path), and false before true. NaN equals NaN and sorts after all
// other floats.
func Compare(a, b Value) int {
	switch {
	case a.Type == URL && b.Type == URL:
		return compareURLs(a.Text, b.Text)
	case a.Type.Textual():
		return strings.Compare(a.Text, b.Text)
	case a.Type == Float || b.Type == Float:
		return compareFloats(a.Number(), b.Number())
	case a.Type == Bool:
		return compareBools(a.Bool, b.Bool)
	}
	return cmp.Compare(a.Int, b.Int)
}

// Number returns the value of v as a float64. v is an Int or a Float, or a Time or a Duration, whose
// number is in milliseconds.
func (v Value) Number() float64 {
	if v.Type == Float {
		return v.Float
	}
	return float64(v.Int)
}

// Compare returns -1, 0 or 1 if row i of v sorts before row j of w, equals it,
// or sorts after it, like the function Compare. v and w have the same type, and
// neither row is NULL.
func (v *Vector) Compare(i int, w *Vector, j int) int {
	switch v.Type {
	case Bool:
		return compareBools(v.Bools[i], w.Bools[j])
	case Float:
		return compareFloats(v.Floats[i], w.Floats[j])
	case Text:
		return strings.Compare(v.Texts[i], w.Texts[j])
	case URL:
		return compareURLs(v.Texts[i], w.Texts[j])
	}
	return cmp.Compare(v.Ints[i], w.Ints[j])
}

// compareBools returns -1, 0 or 1 if a sorts before b, equals b, or sorts after
// b. false sorts before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareFloats returns -1, 0 or 1 if a sorts before b, equals b, or sorts
// after b. NaN sorts after all other floats, unlike in cmp.Compare, which sorts
// it first.
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return compareBools(a != a, b != b)
}

// compareURLs returns -1, 0 or 1 if the canonical URL a sorts before b, equals
// b, or sorts after b. It compares SURT keys, which begin with the labels of
// the host in reverse: cn,edu,pku,)/path.
func compareURLs(a, b string) int {
	if a == b {
		return 0
	}
	return strings.Compare(urlkey.Key(a), urlkey.Key(b))
}

package value

import (
	"cmp"
	"strings"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Value is one value; the field that Type calls for holds it, as in Vector.
// The zero Value is NULL.
type Value struct {
	Type  Type
	Bool  bool
	Int   int64 // of Int, Time and Duration
	Float float64
	Text  string // of Text and URL
}

// The makers of values.

// OfBool is b.
func OfBool(b bool) Value { return Value{Type: Bool, Bool: b} }

// OfInt is i.
func OfInt(i int64) Value { return Value{Type: Int, Int: i} }

// OfFloat is f.
func OfFloat(f float64) Value { return Value{Type: Float, Float: f} }

// OfText is s.
func OfText(s string) Value { return Value{Type: Text, Text: s} }

// OfURL is the canonical URL u.
func OfURL(u string) Value { return Value{Type: URL, Text: u} }

// OfTime is t; NoTime is NULL.
func OfTime(t record.Time) Value {
	if t == record.NoTime {
		return Value{}
	}
	return Value{Type: Time, Int: int64(t)}
}

// OfDuration is ms milliseconds.
func OfDuration(ms int64) Value { return Value{Type: Duration, Int: ms} }

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.Type == Null }

// Textual reports whether values of type t are texts: Text and URL are.
func (t Type) Textual() bool { return t == Text || t == URL }

// Numeric reports whether t is a number: Int and Float are.
func (t Type) Numeric() bool { return t == Int || t == Float }

// Common is the type that values of types a and b share without a CAST: the
// same type, Float for two numbers, Text for a URL and a text, and any type
// with Null. It reports whether there is one.
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

// Compare orders two values of one type, neither of them NULL: -1, 0 or 1.
// Texts order by bytes, URLs by their SURT key, false before true, and NaN,
// equal to itself, after all other floats. An int and a float compare as
// numbers, a URL and a text as texts.
func Compare(a, b Value) int {
	switch {
	case a.Type == URL && b.Type == URL:
		return compareURLs(a.Text, b.Text)
	case a.Type.Textual():
		return strings.Compare(a.Text, b.Text)
	case a.Type == Float || b.Type == Float:
		return compareFloats(a.number(), b.number())
	case a.Type == Bool:
		return compareBools(a.Bool, b.Bool)
	}
	return cmp.Compare(a.Int, b.Int)
}

// number is the value of an Int or Float as a float.
func (v Value) number() float64 {
	if v.Type == Float {
		return v.Float
	}
	return float64(v.Int)
}

// Compare orders row i of v and row j of w, two vectors of one type, as the
// function Compare does. Neither row is NULL.
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

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareFloats differs from cmp.Compare in where NaN stands.
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

func compareURLs(a, b string) int {
	if a == b {
		return 0
	}
	return strings.Compare(urlkey.Key(a), urlkey.Key(b))
}

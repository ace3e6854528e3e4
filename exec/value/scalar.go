package value

import (
	"cmp"
	"strings"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Value is one value. Type says which field holds it. The zero Value is NULL.
type Value struct {
	Type  Type
	Bool  bool
	Int   int64 // of Int, Time and Duration
	Float float64
	Text  string // of Text and URL
}

// The makers of values.

// OfBool returns a Bool.
func OfBool(b bool) Value { return Value{Type: Bool, Bool: b} }

// OfInt returns an Int.
func OfInt(i int64) Value { return Value{Type: Int, Int: i} }

// OfFloat returns a Float.
func OfFloat(f float64) Value { return Value{Type: Float, Float: f} }

// OfText returns a Text.
func OfText(s string) Value { return Value{Type: Text, Text: s} }

// OfURL returns a URL. u is a canonical URL; OfURL does not check that.
func OfURL(u string) Value { return Value{Type: URL, Text: u} }

// OfTime returns a Time, or NULL if t is record.NoTime.
func OfTime(t record.Time) Value {
	if t == record.NoTime {
		return Value{}
	}
	return Value{Type: Time, Int: int64(t)}
}

// OfDuration returns a Duration of ms milliseconds.
func OfDuration(ms int64) Value { return Value{Type: Duration, Int: ms} }

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.Type == Null }

// Textual reports whether t is Text or URL.
func (t Type) Textual() bool { return t == Text || t == URL }

// Numeric reports whether t is Int or Float.
func (t Type) Numeric() bool { return t == Int || t == Float }

// Common returns the type to which values of types a and b convert without a
// CAST, and reports whether there is one. Equal types convert to themselves,
// Int and Float to Float, Text and URL to Text, and Null to any type.
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

// Compare returns -1, 0 or 1 as a sorts before b, equals b or sorts after b.
// Neither is NULL. Both have the same type, or are an Int and a Float, compared
// as numbers, or a URL and a Text, compared as texts. Texts sort by their
// bytes, URLs by their SURT key, and false before true. NaN equals NaN and
// sorts after all other floats.
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

// number returns the value of an Int or a Float as a float.
func (v Value) number() float64 {
	if v.Type == Float {
		return v.Float
	}
	return float64(v.Int)
}

// Compare compares row i of v with row j of w as the function Compare does. v
// and w have the same type, and neither row is NULL.
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

// compareBools sorts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareFloats sorts NaN after all other floats. (cmp.Compare sorts it first.)
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

// compareURLs sorts canonical URLs by their SURT key, which begins with the
// labels of the host in reverse: cn,edu,pku,)/path.
func compareURLs(a, b string) int {
	if a == b {
		return 0
	}
	return strings.Compare(urlkey.Key(a), urlkey.Key(b))
}

package value

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"infomall/store/urlkey"
)

// Order is the direction in which ORDER BY sorts by one of its keys, and the
// place of NULLs.
type Order struct {
	Desc       bool
	NullsFirst bool // otherwise NULLs are last, even if Desc
}

// AppendKey appends the sort key of row i of v to dst, and returns dst. o is
// the direction of sorting. A sort key is a string of bytes: the keys of two
// rows of one type, compared as bytes, sort like the rows.
//
// Two keys are equal only if the values are equal or both NULL. No key is a
// prefix of another. So the concatenated keys of several columns are a key of
// the whole row, for ORDER BY, GROUP BY and DISTINCT. Zero equals minus zero,
// and NaN equals NaN.
func (v *Vector) AppendKey(dst []byte, i int, o Order) []byte {
	const (
		nullFirst = 0
		present   = 1
		nullLast  = 2
	)
	if v.IsNull(i) {
		if o.NullsFirst {
			return append(dst, nullFirst)
		}
		return append(dst, nullLast)
	}
	dst = append(dst, present)
	start := len(dst)
	switch v.Type {
	case Bool:
		dst = appendBoolKey(dst, v.Bools[i])
	case Int, Time, Duration, Float:
		dst = binary.BigEndian.AppendUint64(dst, v.number(i))
	case Text:
		dst = appendTextKey(dst, v.Texts[i])
	case URL:
		dst = endTextKey(urlkey.AppendKey(dst, v.Texts[i]), start)
	}
	if o.Desc {
		for k := start; k < len(dst); k++ {
			dst[k] = ^dst[k]
		}
	}
	return dst
}

// HasKeyNumbers reports whether KeyNumber may be called for values of type t.
func HasKeyNumbers(t Type) bool { return t == Int || t == Time || t == Duration || t == Float }

// KeyNumber returns a number for row i of v, which must not be NULL. The numbers of two
// rows sort like the rows in the direction of o.
func (v *Vector) KeyNumber(i int, o Order) uint64 {
	if o.Desc {
		return ^v.number(i)
	}
	return v.number(i)
}

// number returns what KeyNumber returns for row i of v in ascending order.
func (v *Vector) number(i int) uint64 {
	if v.Type == Float {
		return floatKey(v.Floats[i])
	}
	return uint64(v.Ints[i]) ^ 1<<63
}

// appendBoolKey appends a byte to dst, 1 for true and 0 for false, and returns
// dst.
func appendBoolKey(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// floatKey returns an integer for f. These integers sort like the floats, with
// NaN last. Zero and minus zero give the same integer.
func floatKey(f float64) uint64 {
	const sign = 1 << 63
	switch {
	case f != f:
		return math.MaxUint64
	case f == 0:
		return sign
	}
	bits := math.Float64bits(f)
	if bits&sign != 0 {
		return ^bits
	}
	return bits | sign
}

// appendTextKey appends s and then two zero bytes to dst, and returns dst. Each
// zero byte within s is written as 0 255. In this way the end of a text sorts
// before every byte that could follow in a longer text.
func appendTextKey(dst []byte, s string) []byte {
	start := len(dst)
	return endTextKey(append(dst, s...), start)
}

// endTextKey makes dst[start:], a text, into a key in place, in the form of appendTextKey.
func endTextKey(dst []byte, start int) []byte {
	if bytes.IndexByte(dst[start:], 0) >= 0 {
		rest := bytes.ReplaceAll(dst[start:], []byte{0}, []byte{0, 0xff})
		dst = append(dst[:start], rest...)
	}
	return append(dst, 0, 0)
}

// FromKey reports whether AppendOfKey can decode a value of type t from its sort key. It cannot
// decode a Float, because zero and minus zero have the same key, nor a URL.
func FromKey(t Type) bool { return t != Float && t != URL }

// AppendOfKey appends to v the value whose sort key is at the start of key, and returns the rest of
// key. AppendKey must have made key from a vector of the same type, in the zero Order (ascending).
// FromKey must be true for the type.
func (v *Vector) AppendOfKey(key []byte) (rest []byte) {
	rest = SkipKey(v.Type, key)
	if key[0] != 1 {
		v.AppendValue(Value{})
		return rest
	}
	switch b := key[1 : len(key)-len(rest)]; v.Type {
	case Bool:
		v.AppendValue(OfBool(b[0] != 0))
	case Text:
		v.AppendValue(OfText(strings.ReplaceAll(string(b[:len(b)-2]), "\x00\xff", "\x00")))
	default:
		v.AppendValue(Value{Type: v.Type, Int: int64(binary.BigEndian.Uint64(b) ^ 1<<63)})
	}
	return rest
}

// SkipKey returns what follows the sort key at the start of key. That is the key of a value of type
// t. AppendKey must have made it in the zero Order (ascending).
func SkipKey(t Type, key []byte) (rest []byte) {
	if key[0] != 1 {
		return key[1:]
	}
	switch key = key[1:]; t {
	case Bool:
		return key[1:]
	case Text, URL:
		for {
			n := bytes.IndexByte(key, 0)
			if key[n+1] == 0 {
				return key[n+2:]
			}
			key = key[n+2:]
		}
	}
	return key[8:]
}

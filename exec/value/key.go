package value

import (
	"encoding/binary"
	"math"
	"strings"

	"infomall/store/urlkey"
)

// Order is how one key of a sort orders its values.
type Order struct {
	Desc       bool
	NullsFirst bool // else NULLs are last, also when Desc
}

// AppendKey appends bytes that stand for row i of v: keys of two rows of one
// type compare, as bytes, as the rows do in order o, are equal only for equal
// values or two NULLs, and none is a prefix of another. So the keys of several
// columns, one behind the other, order and tell apart whole rows, for ORDER BY,
// GROUP BY and DISTINCT. Zero and minus zero are equal, and so are all NaN.
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
	case Int, Time, Duration:
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.Ints[i])^1<<63)
	case Float:
		dst = binary.BigEndian.AppendUint64(dst, floatKey(v.Floats[i]))
	case Text:
		dst = appendTextKey(dst, v.Texts[i])
	case URL:
		dst = appendTextKey(dst, urlkey.Key(v.Texts[i]))
	}
	if o.Desc {
		for k := start; k < len(dst); k++ {
			dst[k] = ^dst[k]
		}
	}
	return dst
}

func appendBoolKey(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// floatKey maps floats to integers in the same order.
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

// appendTextKey ends the text with 0 0 and writes a 0 within it as 0 255, so
// that the end sorts before every byte.
func appendTextKey(dst []byte, s string) []byte {
	for {
		n := strings.IndexByte(s, 0)
		if n < 0 {
			dst = append(dst, s...)
			return append(dst, 0, 0)
		}
		dst = append(dst, s[:n]...)
		dst = append(dst, 0, 0xff)
		s = s[n+1:]
	}
}

package value

import (
	"encoding/binary"
	"math"
	"strings"

	"infomall/store/urlkey"
)

// Order is the direction in which ORDER BY sorts one of its keys.
type Order struct {
	Desc       bool
	NullsFirst bool // otherwise NULLs are last, even if Desc
}

// AppendKey appends the sort key of row i of v in order o. A sort key is a
// string of bytes: the keys of two rows of one type compare, as bytes, like the
// rows. Two keys are equal only if the values are equal or both NULL, and no
// key is a prefix of another. So the keys of several columns, concatenated, are
// the key of a whole row, as ORDER BY, GROUP BY and DISTINCT use it. Zero
// equals minus zero, and NaN equals NaN.
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

// appendBoolKey appends 1 for true and 0 for false.
func appendBoolKey(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// floatKey maps f to an integer such that the integers sort like the floats,
// with NaN last.
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

// appendTextKey appends s, then the two bytes 0 0. A byte 0 within s becomes 0
// 255. So the end of a text sorts before every byte that could follow.
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

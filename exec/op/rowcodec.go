package op

import (
	"encoding/binary"
	"math"

	"infomall/exec/value"
)

// appendRow appends the values of row i of b, for decodeRow to read. Rows are
// put so into memory that is sorted, and into temporary files.
func appendRow(dst []byte, b *value.Batch, i int) []byte {
	for _, c := range b.Cols {
		dst = appendValue(dst, c.At(i))
	}
	return dst
}

// decodeRow appends a row to the columns of b. The texts share one string.
func decodeRow(b *value.Batch, src []byte) {
	text := string(src)
	for _, c := range b.Cols {
		var v value.Value
		v, text = decodeValue(text)
		c.AppendValue(v)
	}
	b.N++
}

// appendValue appends a value's type and content.
func appendValue(dst []byte, v value.Value) []byte {
	dst = append(dst, byte(v.Type))
	switch v.Type {
	case value.Bool:
		if v.Bool {
			return append(dst, 1)
		}
		return append(dst, 0)
	case value.Int, value.Time, value.Duration:
		return binary.AppendVarint(dst, v.Int)
	case value.Float:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.Float))
	case value.Text, value.URL:
		dst = binary.AppendUvarint(dst, uint64(len(v.Text)))
		return append(dst, v.Text...)
	}
	return dst
}

// decodeValue reads what appendValue wrote and gives what follows.
func decodeValue(src string) (value.Value, string) {
	v := value.Value{Type: value.Type(src[0])}
	src = src[1:]
	switch v.Type {
	case value.Bool:
		v.Bool = src[0] == 1
		return v, src[1:]
	case value.Int, value.Time, value.Duration:
		u, n := uvarint(src)
		v.Int = int64(u>>1) ^ -int64(u&1)
		return v, src[n:]
	case value.Float:
		v.Float = math.Float64frombits(binary.BigEndian.Uint64([]byte(src[:8])))
		return v, src[8:]
	case value.Text, value.URL:
		u, n := uvarint(src)
		v.Text = src[n : n+int(u)]
		return v, src[n+int(u):]
	}
	return v, src
}

// uvarint is binary.Uvarint of a string.
func uvarint(s string) (uint64, int) {
	var u uint64
	for i := range len(s) {
		u |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return u, i + 1
		}
	}
	panic("op: a row in memory or in a temporary file ends within a number")
}

// newBatch makes an empty batch with the columns cols.
func newBatch(cols []value.Column) *value.Batch {
	b := &value.Batch{Cols: make([]*value.Vector, len(cols))}
	for i, c := range cols {
		b.Cols[i] = &value.Vector{Type: c.Type}
	}
	return b
}

// clearBatch makes b empty and keeps its memory.
func clearBatch(b *value.Batch) {
	b.N = 0
	for _, c := range b.Cols {
		c.Resize(c.Type, 0)
	}
}

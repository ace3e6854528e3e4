package spill

import (
	"encoding/binary"
	"math"

	"infomall/exec/value"
)

// AppendRow appends the values of row i of the batch b to dst, in the form that
// DecodeRow reads. Sorters and temporary files hold rows in this form.
func AppendRow(dst []byte, b *value.Batch, i int) []byte {
	for _, c := range b.Cols {
		dst = AppendValue(dst, c.At(i))
	}
	return dst
}

// DecodeRow appends to b the row that AppendRow encoded as src. The texts of the row share the
// memory of one string.
func DecodeRow(b *value.Batch, src []byte) {
	DecodeColumns(b.Cols, string(src))
	b.N++
}

// DecodeColumns appends to each vector of cols the value that AppendRow encoded for it at the start
// of src. It returns the rest of src. Texts share the memory of src.
func DecodeColumns(cols []*value.Vector, src string) string {
	for _, c := range cols {
		var v value.Value
		v, src = DecodeValue(src)
		c.AppendValue(v)
	}
	return src
}

// RowBuffer collects rows that AppendRow encoded, and decodes them together. The texts of all its
// rows share the memory of one string, which saves an allocation for each row.
type RowBuffer struct {
	rows []byte
	n    int
}

// Add adds a copy of an encoded row.
func (r *RowBuffer) Add(row []byte) {
	r.rows = append(r.rows, row...)
	r.n++
}

// Decode appends the rows to cols, and empties r.
func (r *RowBuffer) Decode(cols []*value.Vector) {
	src := string(r.rows)
	for range r.n {
		src = DecodeColumns(cols, src)
	}
	r.rows, r.n = r.rows[:0], 0
}

// AppendValue appends the type and the content of v to dst, in the form that
// DecodeValue reads.
func AppendValue(dst []byte, v value.Value) []byte {
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

// DecodeValue returns the first value in src, which AppendValue wrote, and the
// rest of src. The text of the value shares the memory of src if that is a string,
// and is a copy otherwise.
func DecodeValue[S string | []byte](src S) (value.Value, S) {
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
		v.Text = string(src[n : n+int(u)])
		return v, src[n+int(u):]
	}
	return v, src
}

// uvarint returns the number at the start of s and how many bytes it takes,
// like binary.Uvarint. It panics if s ends within the number.
func uvarint[S string | []byte](s S) (uint64, int) {
	var u uint64
	for i := range len(s) {
		u |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return u, i + 1
		}
	}
	panic("spill: a row in memory or in a temporary file ends within a number")
}

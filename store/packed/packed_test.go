package packed

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestReader decodes what was appended. From a text that was cut it decodes no
// value that was not there.
func TestReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v := rapid.Uint64().Draw(t, "u"), rapid.Int64().Draw(t, "v")
		n := rapid.IntRange(0, math.MaxInt32).Draw(t, "n")
		f, text := rapid.Float64().Draw(t, "f"), rapid.StringN(0, 20, 300).Draw(t, "text")
		b := []byte{7}
		b = binary.AppendUvarint(b, u)
		b = binary.AppendVarint(b, v)
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
		b = AppendSized(b, text)
		b = AppendSized(b, []byte(text))
		cut := rapid.IntRange(0, len(b)).Draw(t, "cut")
		r := Reader{B: b[:cut]}
		x, gotU, gotV, gotN, gotF, gotText, gotBytes := r.Byte(), r.Uvarint(), r.Varint(), r.Number(), r.Float(), r.Text(), r.Sized()
		if r.Bad != (cut < len(b)) {
			t.Fatalf("%d of %d bytes: bad is %v", cut, len(b), r.Bad)
		}
		whole := x == 7 && gotU == u && gotV == v && gotN == n && gotF == f && gotText == text && string(gotBytes) == text
		if whole == r.Bad && (cut == len(b) || len(text) > 0) {
			t.Fatalf("%d of %d bytes: got %d %d %d %d %v %q %q", cut, len(b), x, gotU, gotV, gotN, gotF, gotText, gotBytes)
		}
	})
}

// TestBounds shows which values are refused although their bytes are there.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		take func(r *Reader)
	}{
		{"number of 32 bits", binary.AppendUvarint(nil, 1<<31), func(r *Reader) { r.Number() }},
		{"count of more than there are bytes", []byte{3, 1, 2}, func(r *Reader) { r.Count() }},
		{"varint of eleven bytes", []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), func(r *Reader) { r.Uvarint() }},
		{"size above every int", binary.AppendUvarint(nil, math.MaxUint64), func(r *Reader) { r.Sized() }},
		{"more than there is", []byte("ab"), func(r *Reader) { r.Take(3) }},
	} {
		r := Reader{B: c.b}
		if c.take(&r); !r.Bad || r.B != nil || r.Byte() != 0 {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

package packed

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
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

// TestUvarints decodes the same numbers, and the same damage, with one call of Uvarints and with
// many calls of Uvarint.
func TestUvarints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		list := rapid.SliceOf(rapid.OneOf(rapid.Uint64Range(0, 300), rapid.Uint64())).Draw(t, "list")
		for _, x := range list {
			b = binary.AppendUvarint(b, x)
		}
		b = append(b[:rapid.IntRange(0, len(b)).Draw(t, "cut")], rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "more")...)
		n := rapid.IntRange(0, len(list)+1).Draw(t, "n")
		one, many := Reader{B: b}, Reader{B: b}
		got, want := make([]uint64, n), make([]uint64, n)
		for i := range want {
			want[i] = one.Uvarint()
		}
		many.Uvarints(got)
		if many.Bad != one.Bad || !bytes.Equal(many.B, one.B) || !slices.Equal(got, want) {
			t.Fatalf("got %d, %+v; want %d, %+v", got, many, want, one)
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

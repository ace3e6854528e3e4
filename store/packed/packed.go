// Package packed decodes numbers and texts from the front of a slice of bytes
// that may be damaged. The files of segments, the facts kept beside blocks and
// the state of a crawl are stored in this encoding.
package packed

import (
	"encoding/binary"
	"math"
)

// Reader decodes values from the front of B and advances B. If B ends too early
// or a value is invalid, Bad is set, and this value and all later ones are zero.
// A caller therefore checks Bad only once, after the last value.
type Reader struct {
	B   []byte
	Bad bool
}

func (r *Reader) fail() { r.Bad, r.B = true, nil }

// Byte decodes one byte.
func (r *Reader) Byte() byte {
	if len(r.B) == 0 {
		r.Bad = true
		return 0
	}
	x := r.B[0]
	r.B = r.B[1:]
	return x
}

// Uvarint decodes a number that binary.AppendUvarint wrote.
func (r *Reader) Uvarint() uint64 {
	if len(r.B) > 0 && r.B[0] < 0x80 {
		x := r.B[0]
		r.B = r.B[1:]
		return uint64(x)
	}
	return r.longUvarint()
}

// Uvarints fills dst with numbers that binary.AppendUvarint wrote. It takes less time than
// len(dst) calls of Uvarint.
func (r *Reader) Uvarints(dst []uint64) {
	b := r.B
	for i := range dst {
		switch {
		case len(b) > 0 && b[0] < 0x80:
			dst[i], b = uint64(b[0]), b[1:]
		case len(b) > 1 && b[1] < 0x80:
			dst[i], b = uint64(b[0]&0x7f)|uint64(b[1])<<7, b[2:]
		default:
			x, n := binary.Uvarint(b)
			if n <= 0 {
				clear(dst[i:])
				r.fail()
				return
			}
			dst[i], b = x, b[n:]
		}
	}
	r.B = b
}

func (r *Reader) longUvarint() uint64 {
	x, n := binary.Uvarint(r.B)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.B = r.B[n:]
	return x
}

// Varint decodes a number that binary.AppendVarint wrote.
func (r *Reader) Varint() int64 {
	x := r.Uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

// Number decodes a number that binary.AppendUvarint wrote. If the number is 1<<31
// or more, Number sets Bad and returns 0.
func (r *Reader) Number() int {
	x := r.Uvarint()
	if x > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(x)
}

// Count decodes the number of items that follow. It sets Bad if B has fewer bytes
// than items, because each item takes at least one byte.
func (r *Reader) Count() int {
	n := r.Number()
	if n > len(r.B) {
		r.fail()
		return 0
	}
	return n
}

// Float decodes a float64 from eight bytes, the most significant byte first.
func (r *Reader) Float() float64 {
	if b := r.Take(8); b != nil {
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return 0
}

// Take returns the next n bytes, or nil and sets Bad if there are fewer. The
// result shares memory with B. n must not be negative.
func (r *Reader) Take(n int) []byte {
	if n > len(r.B) {
		r.fail()
		return nil
	}
	out := r.B[:n:n]
	r.B = r.B[n:]
	return out
}

// Sized decodes a slice of bytes that AppendSized wrote: its length, as a Uvarint,
// and its bytes. The result shares memory with B.
func (r *Reader) Sized() []byte {
	n := r.Uvarint()
	if n > uint64(len(r.B)) {
		r.fail()
		return nil
	}
	return r.Take(int(n))
}

// Text decodes a text that AppendSized wrote: its length and its bytes.
func (r *Reader) Text() string { return string(r.Sized()) }

// AppendSized appends to dst the length of b, as a Uvarint, and then the bytes of
// b. Reader.Sized and Reader.Text decode them.
func AppendSized[T ~string | ~[]byte](dst []byte, b T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// Package packed takes numbers and texts off the front of bytes that may be
// damaged: those of db-files, of what is kept beside blocks, and of the state of
// a crawl.
package packed

import (
	"encoding/binary"
	"math"
)

// Reader takes values off the front of B. Once a value is not there, Bad is set,
// and that and all further values are zero: a caller asks once, at the end.
type Reader struct {
	B   []byte
	Bad bool
}

func (r *Reader) fail() { r.Bad, r.B = true, nil }

// Byte takes one byte.
func (r *Reader) Byte() byte {
	if len(r.B) == 0 {
		r.Bad = true
		return 0
	}
	x := r.B[0]
	r.B = r.B[1:]
	return x
}

// Uvarint takes what binary.AppendUvarint appends.
func (r *Reader) Uvarint() uint64 {
	if len(r.B) > 0 && r.B[0] < 0x80 {
		x := r.B[0]
		r.B = r.B[1:]
		return uint64(x)
	}
	return r.longUvarint()
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

// Varint takes what binary.AppendVarint appends.
func (r *Reader) Varint() int64 {
	x := r.Uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

// Number takes a Uvarint below 1<<31: any place in a body is.
func (r *Reader) Number() int {
	x := r.Uvarint()
	if x > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(x)
}

// Count takes a Number of things of a byte or more, which follow.
func (r *Reader) Count() int {
	n := r.Number()
	if n > len(r.B) {
		r.fail()
		return 0
	}
	return n
}

// Float takes eight bytes, the higher first.
func (r *Reader) Float() float64 {
	if b := r.Take(8); b != nil {
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return 0
}

// Take takes n bytes, which share memory with B.
func (r *Reader) Take(n int) []byte {
	if n > len(r.B) {
		r.fail()
		return nil
	}
	out := r.B[:n:n]
	r.B = r.B[n:]
	return out
}

// Sized takes a length and as many bytes, which share memory with B.
func (r *Reader) Sized() []byte {
	n := r.Uvarint()
	if n > uint64(len(r.B)) {
		r.fail()
		return nil
	}
	return r.Take(int(n))
}

// Text takes a length and a text.
func (r *Reader) Text() string { return string(r.Sized()) }

// AppendSized appends b behind its length, for Sized and Text.
func AppendSized[T ~string | ~[]byte](dst []byte, b T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

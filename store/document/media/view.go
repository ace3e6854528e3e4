package media

import (
	"encoding/binary"
	"math"
)

// View is bytes of a file. A read beyond the end gives zero, and a range beyond the end
// is cut, so that a damaged length cannot make a reader fail.
type View []byte

// Sub returns n bytes from position at, or fewer if the view ends before.
func (v View) Sub(at, n int) View {
	if at < 0 || at >= len(v) || n <= 0 {
		return nil
	}
	return v[at : at+min(n, len(v)-at)]
}

// From returns the bytes from position at to the end.
func (v View) From(at int) View { return v.Sub(at, math.MaxInt) }

// After returns the position n bytes after position at. If the view ends before that position, or n
// is negative, it returns the end of the view.
func (v View) After(at, n int) int {
	if n < 0 || n > len(v)-at {
		return len(v)
	}
	return at + n
}

// Has reports whether the bytes at position at are s.
func (v View) Has(at int, s string) bool { return string(v.Sub(at, len(s))) == s }

// Byte returns the byte at position at.
func (v View) Byte(at int) byte {
	if at < 0 || at >= len(v) {
		return 0
	}
	return v[at]
}

// word returns n bytes, at most 8, from position at, with zeros for missing bytes.
func (v View) word(at, n int) (w [8]byte) {
	copy(w[:n], v.Sub(at, n))
	return w
}

// Big16 returns the 2 bytes at position at as a number, most significant byte first. The
// other methods with Big in their name do this for other sizes.
func (v View) Big16(at int) int { w := v.word(at, 2); return int(binary.BigEndian.Uint16(w[:])) }

// Big24 is described at Big16.
func (v View) Big24(at int) int { w := v.word(at, 3); return int(w[0])<<16 | int(w[1])<<8 | int(w[2]) }

// Big32 is described at Big16. On a system whose ints have 32 bits, a large number is negative.
func (v View) Big32(at int) int { w := v.word(at, 4); return int(binary.BigEndian.Uint32(w[:])) }

// Big64 is described at Big16.
func (v View) Big64(at int) uint64 { w := v.word(at, 8); return binary.BigEndian.Uint64(w[:]) }

// Little16 returns the 2 bytes at position at as a number, least significant byte first.
// The other methods with Little in their name do this for other sizes.
func (v View) Little16(at int) int {
	w := v.word(at, 2)
	return int(binary.LittleEndian.Uint16(w[:]))
}

// Little32 is described at Little16. On a system whose ints have 32 bits, a large number is
// negative.
func (v View) Little32(at int) int {
	w := v.word(at, 4)
	return int(binary.LittleEndian.Uint32(w[:]))
}

// little64 is described at Little16.
func (v View) little64(at int) uint64 { w := v.word(at, 8); return binary.LittleEndian.Uint64(w[:]) }

// Signed returns a 64-bit number as an int, or -1 if it is too large to be a length or
// a position of a file.
func Signed(n uint64) int {
	if n > min(uint64(math.MaxInt32)*1024, math.MaxInt) {
		return -1
	}
	return int(n)
}

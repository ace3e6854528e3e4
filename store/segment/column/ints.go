package column

import (
	"encoding/binary"
	"math/bits"

	"infomall/store/packed"
)

// The forms in which a column of integers is encoded. The first byte of a column is
// its form.
const (
	IntsFrame = 0 // least value, common factor, width, packed multiples
	IntsDelta = 1 // first value, differences as varints
	IntsDict  = 2 // distinct values, packed positions
)

// DictMax is how many distinct values a dictionary of integers has at most. With
// more, its positions would be hardly shorter than the values.
const DictMax = 256

// AppendInts appends the integers v to dst as a column, in the form that takes the
// fewest bytes. Without integers it appends nothing.
func AppendInts(dst []byte, v []int64) []byte {
	if len(v) == 0 {
		return dst
	}
	lo, hi := v[0], v[0]
	deltaSize := varintLen(v[0])
	for i, x := range v[1:] {
		lo, hi = min(lo, x), max(hi, x)
		deltaSize += varintLen(x - v[i])
	}
	var factor uint64
	for _, x := range v {
		if factor = gcd(factor, uint64(x)-uint64(lo)); factor == 1 {
			break
		}
	}
	factor = max(factor, 1)
	width := PackWidth((uint64(hi) - uint64(lo)) / factor)
	frameSize := varintLen(lo) + uvarintLen(factor) + 1 + PackedLen(len(v), width)
	var dict smallDict
	dictSize := dict.of(v, min(frameSize, deltaSize))
	switch {
	case dictSize < frameSize && dictSize < deltaSize:
		dst = append(dst, IntsDict)
		dst = binary.AppendUvarint(dst, uint64(dict.n))
		for _, x := range dict.list[:dict.n] {
			dst = binary.AppendVarint(dst, x)
		}
		return appendPacked(dst, len(v), PackWidth(uint64(dict.n-1)), func(i int) uint64 { return uint64(dict.place(v[i])) })
	case deltaSize < frameSize:
		dst = append(dst, IntsDelta)
		dst = binary.AppendVarint(dst, v[0])
		for i, x := range v[1:] {
			dst = binary.AppendVarint(dst, x-v[i])
		}
		return dst
	default:
		dst = append(dst, IntsFrame)
		dst = binary.AppendVarint(dst, lo)
		dst = binary.AppendUvarint(dst, factor)
		dst = append(dst, byte(width))
		return appendPacked(dst, len(v), width, func(i int) uint64 { return (uint64(v[i]) - uint64(lo)) / factor })
	}
}

// smallDict is the list of distinct values of a column of integers, in order of
// first appearance.
type smallDict struct {
	list  [DictMax]int64
	n     int
	slots [2 * DictMax]uint16 // hash table of the list: 1 + index in list
}

// of fills d with the distinct values of v, and returns the size in bytes of the column that is
// encoded with this list. It stops early and returns limit or more if the column cannot be
// smaller than limit, or if v has more distinct values than the list can hold.
func (d *smallDict) of(v []int64, limit int) int {
	size := 2
	for _, x := range v {
		n := d.n
		if size >= limit {
			return limit
		}
		if d.place(x) < n {
			continue
		}
		if d.n > n {
			size += varintLen(x)
			continue
		}
		return limit // the dictionary is full
	}
	return size + PackedLen(len(v), PackWidth(uint64(d.n-1)))
}

// place returns the index of x in the list. It appends x if x is new. If x is new
// and the list is full, it returns the length of the list.
func (d *smallDict) place(x int64) int {
	const hash = 0x9e3779b97f4a7c15 // Fibonacci hashing
	for at := uint64(x) * hash >> 32; ; at++ {
		slot := &d.slots[at%uint64(len(d.slots))]
		switch p := int(*slot) - 1; {
		case p >= 0 && d.list[p] == x:
			return p
		case p >= 0:
		case d.n == len(d.list):
			return d.n
		default:
			d.list[d.n] = x
			d.n++
			*slot = uint16(d.n)
			return d.n - 1
		}
	}
}

// DecodeInts decodes src, a column of n integers with nothing after it. It reuses
// dst if that is large enough.
func DecodeInts(dst []int64, src []byte, n int) ([]int64, error) {
	return decodeInts(Sized(dst, n), src, 0, true)
}

// DecodeIntRange decodes n integers of the column src. The first of them is the integer at
// index from.
func DecodeIntRange(src []byte, from, n int) ([]int64, error) {
	return decodeInts(make([]int64, n), src, from, false)
}

// decodeInts fills dst with the integers of the column src, from index from on, and returns dst.
// If whole is set, the column must end with the last of them.
func decodeInts(dst []int64, src []byte, from int, whole bool) ([]int64, error) {
	if len(dst) == 0 {
		return dst, nil
	}
	if len(src) == 0 {
		return nil, ErrDamaged
	}
	r := packed.Reader{B: src[1:]}
	fits := func(width uint) bool {
		need := PackedLen(from+len(dst), width)
		return need == len(r.B) || need < len(r.B) && !whole
	}
	switch src[0] {
	case IntsFrame:
		lo, factor, width := r.Varint(), r.Uvarint(), uint(r.Byte())
		if r.Bad || width > 56 && width != 64 || !fits(width) {
			return nil, ErrDamaged
		}
		if width == 0 {
			for i := range dst {
				dst[i] = lo
			}
			return dst, nil
		}
		Unpack(dst, r.B, width, from)
		for i, x := range dst {
			dst[i] = int64(uint64(lo) + uint64(x)*factor)
		}
	case IntsDelta:
		x := int64(0)
		for range from {
			x += r.Varint()
		}
		for i := range dst {
			x += r.Varint()
			dst[i] = x
		}
		if r.Bad || len(r.B) != 0 && whole {
			return nil, ErrDamaged
		}
	case IntsDict:
		k := r.Uvarint()
		if r.Bad || k == 0 || k > DictMax {
			return nil, ErrDamaged
		}
		var dict [DictMax]int64
		for i := range int(k) {
			dict[i] = r.Varint()
		}
		width := PackWidth(k - 1)
		if r.Bad || !fits(width) {
			return nil, ErrDamaged
		}
		Unpack(dst, r.B, width, from)
		for i, x := range dst {
			if uint64(x) >= k {
				return nil, ErrDamaged
			}
			dst[i] = dict[x]
		}
	default:
		return nil, ErrDamaged
	}
	return dst, nil
}

// PackWidth returns how many bits each number of a column takes if the largest of the numbers
// is most. Widths from 57 to 63 are rounded up to 64, because a single 64-bit load could not
// read such a number at every bit offset.
func PackWidth(most uint64) uint {
	if w := uint(bits.Len64(most)); w <= 56 {
		return w
	}
	return 64
}

// PackedLen returns how many bytes n numbers of width bits each take.
func PackedLen(n int, width uint) int { return (n*int(width) + 7) / 8 }

// appendPacked appends n numbers of width bits each to dst, without gaps, lowest
// bit first. at(i) is number i.
func appendPacked(dst []byte, n int, width uint, at func(int) uint64) []byte {
	if width == 0 {
		return dst
	}
	if width == 64 {
		for i := range n {
			dst = binary.LittleEndian.AppendUint64(dst, at(i))
		}
		return dst
	}
	var acc uint64
	var have uint
	for i := range n {
		acc |= at(i) << have
		for have += width; have >= 8; have -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

// Unpack fills dst with numbers of width bits each, as appendPacked writes them, from the
// number at index from on. src must have the bytes of from+len(dst) numbers at least.
func Unpack(dst []int64, src []byte, width uint, from int) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := ^uint64(0)
	if width < 64 {
		mask = 1<<width - 1
	}
	// Loads of eight bytes while eight bytes are left, then byte by byte.
	i, bit := 0, uint(from)*width
	for ; i < len(dst) && int(bit>>3)+8 <= len(src); i++ {
		dst[i] = int64(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
	for ; i < len(dst); i++ {
		var x uint64
		for j, b := range src[bit>>3:] {
			x |= uint64(b) << (8 * uint(j))
		}
		dst[i] = int64(x >> (bit & 7) & mask)
		bit += width
	}
}

func varintLen(x int64) int { return uvarintLen(uint64(x)<<1 ^ uint64(x>>63)) }

func uvarintLen(x uint64) int { return (bits.Len64(x|1) + 6) / 7 }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

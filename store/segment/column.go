package segment

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"infomall/store/packed"
)

// A column is the values of one property of consecutive entries, encoded in the
// form that takes the fewest bytes. The encoding has all that decoding needs,
// except for the number of values. store/FORMAT.md draws the forms.

// errColumn is returned if the bytes of a column are not what an encoder writes:
// they are damaged.
var errColumn = errors.New("column is damaged")

// The forms in which a column of integers is encoded. The first byte of a column is
// its form.
const (
	intsFrame = 0 // least value, common factor, width, packed multiples
	intsDelta = 1 // first value, differences as varints
	intsDict  = 2 // distinct values, packed positions
)

// dictMax is how many distinct values a dictionary of integers has at most. With
// more, its positions would be hardly shorter than the values.
const dictMax = 256

// appendInts appends the integers v to dst as a column, in the form that takes the
// fewest bytes. Without integers it appends nothing.
func appendInts(dst []byte, v []int64) []byte {
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
	width := packWidth((uint64(hi) - uint64(lo)) / factor)
	frameSize := varintLen(lo) + uvarintLen(factor) + 1 + packedLen(len(v), width)
	var dict smallDict
	dictSize := dict.of(v, min(frameSize, deltaSize))
	switch {
	case dictSize < frameSize && dictSize < deltaSize:
		dst = append(dst, intsDict)
		dst = binary.AppendUvarint(dst, uint64(dict.n))
		for _, x := range dict.list[:dict.n] {
			dst = binary.AppendVarint(dst, x)
		}
		return appendPacked(dst, len(v), packWidth(uint64(dict.n-1)), func(i int) uint64 { return uint64(dict.place(v[i])) })
	case deltaSize < frameSize:
		dst = append(dst, intsDelta)
		dst = binary.AppendVarint(dst, v[0])
		for i, x := range v[1:] {
			dst = binary.AppendVarint(dst, x-v[i])
		}
		return dst
	default:
		dst = append(dst, intsFrame)
		dst = binary.AppendVarint(dst, lo)
		dst = binary.AppendUvarint(dst, factor)
		dst = append(dst, byte(width))
		return appendPacked(dst, len(v), width, func(i int) uint64 { return (uint64(v[i]) - uint64(lo)) / factor })
	}
}

// smallDict is the list of distinct values of a column of integers, in order of
// first appearance.
type smallDict struct {
	list  [dictMax]int64
	n     int
	slots [2 * dictMax]uint16 // hash table of the list: 1 + index in list
}

// of builds the list of the values of v, and returns the size in bytes of the
// column encoded with that list. It stops early and returns limit or more if the
// column cannot be smaller than limit, or has more distinct values than the list
// can hold.
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
	return size + packedLen(len(v), packWidth(uint64(d.n-1)))
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

// decodeInts decodes src, a column of n integers with nothing after it. It reuses
// dst if that is large enough.
func decodeInts(dst []int64, src []byte, n int) ([]int64, error) {
	dst = sized(dst, n)
	if n == 0 {
		return dst, nil
	}
	if len(src) == 0 {
		return nil, errColumn
	}
	r := packed.Reader{B: src[1:]}
	switch src[0] {
	case intsFrame:
		lo, factor, width := r.Varint(), r.Uvarint(), uint(r.Byte())
		if r.Bad || width > 64 || packedLen(n, width) != len(r.B) {
			return nil, errColumn
		}
		if width == 0 {
			for i := range dst {
				dst[i] = lo
			}
			return dst, nil
		}
		unpack(dst, r.B, width)
		for i, x := range dst {
			dst[i] = int64(uint64(lo) + uint64(x)*factor)
		}
	case intsDelta:
		x := r.Varint()
		dst[0] = x
		for i := 1; i < n; i++ {
			x += r.Varint()
			dst[i] = x
		}
		if r.Bad || len(r.B) != 0 {
			return nil, errColumn
		}
	case intsDict:
		k := r.Uvarint()
		if r.Bad || k == 0 || k > dictMax {
			return nil, errColumn
		}
		var dict [dictMax]int64
		for i := range int(k) {
			dict[i] = r.Varint()
		}
		width := packWidth(k - 1)
		if r.Bad || packedLen(n, width) != len(r.B) {
			return nil, errColumn
		}
		unpack(dst, r.B, width)
		for i, x := range dst {
			if uint64(x) >= k {
				return nil, errColumn
			}
			dst[i] = dict[x]
		}
	default:
		return nil, errColumn
	}
	return dst, nil
}

// packWidth returns how many bits each number takes if the largest number is most.
// Widths from 57 to 63 are rounded up to 64, because a single 64-bit load could not
// read such a number at every bit offset.
func packWidth(most uint64) uint {
	if w := uint(bits.Len64(most)); w <= 56 {
		return w
	}
	return 64
}

func packedLen(n int, width uint) int { return (n*int(width) + 7) / 8 }

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

// unpack fills dst with numbers of width bits each, as appendPacked writes them.
// src must have exactly the bytes of len(dst) numbers.
func unpack(dst []int64, src []byte, width uint) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := ^uint64(0)
	if width < 64 {
		mask = 1<<width - 1
	}
	// Loads of eight bytes while eight bytes are left, then byte by byte.
	i, bit := 0, uint(0)
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

// The forms in which a column of strings is encoded. The first byte of a column is
// its form.
const (
	textsConst = 0 // one string for all
	textsPlain = 1 // lengths as a column, then the bytes
	textsDict  = 2 // distinct strings as a plain column, positions as a column
)

// appendTexts appends the strings v to dst as a column. Without strings it appends
// nothing.
func appendTexts(dst []byte, v []string) []byte {
	if len(v) == 0 {
		return dst
	}
	if !slices.ContainsFunc(v[1:], func(s string) bool { return s != v[0] }) {
		return append(append(dst, textsConst), v[0]...)
	}
	place := make(map[string]int64)
	var dict []string
	at := make([]int64, len(v))
	total, distinct := 0, 0
	for i, s := range v {
		p, ok := place[s]
		if !ok {
			p = int64(len(dict))
			place[s] = p
			dict = append(dict, s)
			distinct += len(s)
		}
		at[i] = p
		total += len(s)
	}
	switch {
	case distinct+len(v) < total:
		dst = append(dst, textsDict)
		dst = binary.AppendUvarint(dst, uint64(len(dict)))
		dst = packed.AppendSized(dst, appendPlain(nil, dict))
		return appendInts(dst, at)
	default:
		return appendPlain(append(dst, textsPlain), v)
	}
}

func appendPlain(dst []byte, v []string) []byte {
	lens := make([]int64, len(v))
	for i, s := range v {
		lens[i] = int64(len(s))
	}
	dst = packed.AppendSized(dst, appendInts(nil, lens))
	for _, s := range v {
		dst = append(dst, s...)
	}
	return dst
}

// decodeTexts decodes src, a column of n strings with nothing after it. It reuses
// dst if that is large enough. The strings do not share memory with src.
func decodeTexts(dst []string, src []byte, n int) ([]string, error) {
	out := sized(dst, n)
	if n == 0 {
		return out, nil
	}
	if len(src) == 0 {
		return nil, errColumn
	}
	switch src[0] {
	case textsConst:
		s := string(src[1:])
		for i := range out {
			out[i] = s
		}
		return out, nil
	case textsPlain:
		return decodePlain(out, src[1:])
	case textsDict:
		dict, positions, err := cutDict(src[1:], n)
		if err != nil {
			return nil, err
		}
		at, err := decodeInts(nil, positions, n)
		if err != nil {
			return nil, err
		}
		for i, p := range at {
			if uint64(p) >= uint64(len(dict)) {
				return nil, errColumn
			}
			out[i] = dict[p]
		}
		return out, nil
	}
	return nil, errColumn
}

// cutDict decodes dict, the distinct strings of a column of n strings in the form
// textsDict. positions is the encoded column with the index in dict of each string.
func cutDict(src []byte, n int) (dict []string, positions []byte, err error) {
	r := packed.Reader{B: src}
	k := r.Uvarint()
	plain := r.Sized()
	if r.Bad || k > uint64(n) {
		return nil, nil, errColumn
	}
	dict, err = decodePlain(make([]string, k), plain)
	return dict, r.B, err
}

func decodePlain(out []string, src []byte) ([]string, error) {
	r := packed.Reader{B: src}
	lens, err := decodeInts(nil, r.Sized(), len(out))
	if err != nil || r.Bad {
		return nil, errColumn
	}
	all := string(r.B)
	for i, l := range lens {
		if l < 0 || l > int64(len(all)) {
			return nil, errColumn
		}
		out[i], all = all[:l], all[l:]
	}
	if all != "" {
		return nil, errColumn
	}
	return out, nil
}

// appendKeys appends sorted strings to dst. Of each string it writes the length of
// the prefix that it shares with the string before, the length of the rest, and the
// rest.
func appendKeys(dst []byte, keys []string) []byte {
	last := ""
	for _, k := range keys {
		n := 0
		for n < len(k) && n < len(last) && k[n] == last[n] {
			n++
		}
		dst = binary.AppendUvarint(dst, uint64(n))
		dst = binary.AppendUvarint(dst, uint64(len(k)-n))
		dst = append(dst, k[n:]...)
		last = k
	}
	return dst
}

// texts is a decoded column of strings. Its memory is used again for the next column.
type texts struct {
	list []string // one for all, or the distinct ones, or one for each
	at   []int64  // index in list of each string; nil: one for all, or one for each
	mem  []int64
}

// of returns string i.
func (t *texts) of(i int) string {
	switch {
	case len(t.list) == 1:
		i = 0
	case t.at != nil:
		i = int(t.at[i])
	}
	return t.list[i]
}

// decode decodes src, a column of n strings with nothing after it. It does not expand
// the forms textsConst and textsDict, so it takes little time and memory for columns in
// which most strings are equal.
func (t *texts) decode(src []byte, n int) (err error) {
	t.list, t.at = append(t.list[:0], ""), nil
	switch {
	case n == 0:
		return nil
	case len(src) == 0:
		return errColumn
	case src[0] == textsConst:
		t.list[0] = string(src[1:])
	case src[0] == textsDict:
		var positions []byte
		if t.list, positions, err = cutDict(src[1:], n); err != nil {
			return err
		}
		if t.mem, err = decodeInts(t.mem, positions, n); err != nil {
			return err
		}
		t.at = t.mem
		for _, p := range t.at {
			if uint64(p) >= uint64(len(t.list)) {
				return errColumn
			}
		}
	default:
		t.list, err = decodeTexts(t.list, src, n)
	}
	return err
}

// cutEndings decodes the endings of n keys into ends, from the beginning of src, and
// returns the part of src that holds the stems. The endings (the last bytes of the
// keys) are stored apart from the stems.
func cutEndings(ends *texts, src []byte, n int) (stems []byte, err error) {
	r := packed.Reader{B: src}
	col := r.Sized()
	if r.Bad || len(col) == 0 {
		return nil, errColumn
	}
	return r.B, ends.decode(col, n)
}

// extensionMax is the greatest length of a file name's extension.
const extensionMax = 5

// keyEnding returns how many bytes at the end of a key belong to its ending: the
// scheme with the blank before it, and the extension of a file name. Keys are
// looked up by stem and ending, so a change of this rule needs a new format.
func keyEnding(key string) int {
	at := strings.LastIndexByte(key, ' ')
	if at < 0 {
		return 0
	}
	for i := at - 1; i >= 0 && i >= at-1-extensionMax; i-- {
		c := key[i]
		if c == '.' {
			return len(key) - i
		}
		if c|0x20 < 'a' || c|0x20 > 'z' {
			break
		}
	}
	return len(key) - at
}

// appendTightKeys appends sorted, distinct keys to dst: a column of their endings
// and one of their stems. room is working memory, one string for each key.
func appendTightKeys(dst []byte, keys, room []string) []byte {
	for i, k := range keys {
		room[i] = k[len(k)-keyEnding(k):]
	}
	dst = packed.AppendSized(dst, appendTexts(nil, room))
	for i, k := range keys {
		room[i] = k[:len(k)-len(room[i])]
	}
	return appendKeys(dst, room)
}

// keyBytesMax bounds the total size in bytes of the keys of one run. A damaged
// length then cannot make a reader allocate more memory.
const keyBytesMax = 64 << 20

// sized returns a slice of n elements, in the memory of dst if that is large
// enough. The content of the slice is arbitrary.
func sized[T any](dst []T, n int) []T {
	if cap(dst) < n {
		return make([]T, n)
	}
	return dst[:n]
}

// decodeKeys decodes n keys. src is exactly their stems, and ends has their
// endings. It reuses dst if that is large enough. The keys share memory with each
// other, but not with src.
func decodeKeys(dst []string, src []byte, n int, ends *texts) ([]string, error) {
	// The keys of the run before, if dst has them, took about as much memory.
	size := 0
	for _, k := range dst {
		size += len(k)
	}
	if size += size / 32; size == 0 {
		size = 4 * len(src)
	}
	var b strings.Builder
	b.Grow(size)
	keys := sized(dst, n)
	all, last := "", "" // what was written, and the stem of the key at its end
	for i := range keys {
		var shared, rest uint64
		if len(src) > 1 && src[0]|src[1] < 0x80 { // most lengths take one byte
			shared, rest, src = uint64(src[0]), uint64(src[1]), src[2:]
		} else {
			r := packed.Reader{B: src}
			shared, rest, src = r.Uvarint(), r.Uvarint(), r.B
			if r.Bad {
				return nil, errColumn
			}
		}
		if shared > uint64(len(last)) || rest > uint64(len(src)) || len(all) > keyBytesMax {
			return nil, errColumn
		}
		start := len(all)
		b.WriteString(last[:shared])
		b.Write(src[:rest])
		src = src[rest:]
		stem := b.Len() - start
		b.WriteString(ends.of(i))
		all = b.String()
		keys[i] = all[start:]
		last = keys[i][:stem]
	}
	if len(src) != 0 {
		return nil, errColumn
	}
	return keys, nil
}

func varintLen(x int64) int { return uvarintLen(uint64(x)<<1 ^ uint64(x>>63)) }

func uvarintLen(x uint64) int { return (bits.Len64(x|1) + 6) / 7 }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

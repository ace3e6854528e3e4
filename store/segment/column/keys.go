package column

import (
	"encoding/binary"
	"strings"

	"infomall/store/packed"
)

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

// CutEndings decodes the endings of n keys into ends, from the beginning of src, and
// returns the part of src that holds the stems. The endings (the last bytes of the
// keys) are stored apart from the stems.
func CutEndings(ends *Texts, src []byte, n int) (stems []byte, err error) {
	r := packed.Reader{B: src}
	col := r.Sized()
	if r.Bad || len(col) == 0 {
		return nil, ErrDamaged
	}
	return r.B, ends.Decode(col, n)
}

// extensionMax is the greatest length of a file name's extension.
const extensionMax = 5

// KeyEnding returns how many bytes at the end of a key belong to its ending: the
// scheme with the blank before it, and the extension of a file name. Keys are
// looked up by stem and ending, so a change of this rule needs a new format.
func KeyEnding(key string) int {
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

// AppendTightKeys appends sorted, distinct keys to dst: a column of their endings
// and one of their stems. room is working memory, one string for each key.
func AppendTightKeys(dst []byte, keys, room []string) []byte {
	for i, k := range keys {
		room[i] = k[len(k)-KeyEnding(k):]
	}
	dst = packed.AppendSized(dst, AppendTexts(nil, room))
	for i, k := range keys {
		room[i] = k[:len(k)-len(room[i])]
	}
	return appendKeys(dst, room)
}

// KeyBytesMax bounds the total size in bytes of the keys of one run. A damaged
// length then cannot make a reader allocate more memory.
const KeyBytesMax = 64 << 20

// DecodeKeys decodes n keys. src is exactly their stems, and ends has their
// endings. It reuses dst if that is large enough. The keys share memory with each
// other, but not with src.
func DecodeKeys(dst []string, src []byte, n int, ends *Texts) ([]string, error) {
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
	keys := Sized(dst, n)
	all, last := "", "" // what was written, and the stem of the key at its end
	for i := range keys {
		var shared, rest uint64
		if len(src) > 1 && src[0]|src[1] < 0x80 { // most lengths take one byte
			shared, rest, src = uint64(src[0]), uint64(src[1]), src[2:]
		} else {
			r := packed.Reader{B: src}
			shared, rest, src = r.Uvarint(), r.Uvarint(), r.B
			if r.Bad {
				return nil, ErrDamaged
			}
		}
		if shared > uint64(len(last)) || rest > uint64(len(src)) || len(all) > KeyBytesMax {
			return nil, ErrDamaged
		}
		start := len(all)
		b.WriteString(last[:shared])
		b.Write(src[:rest])
		src = src[rest:]
		stem := b.Len() - start
		b.WriteString(ends.Of(i))
		all = b.String()
		keys[i] = all[start:]
		last = keys[i][:stem]
	}
	if len(src) != 0 {
		return nil, ErrDamaged
	}
	return keys, nil
}

// PickKeys appends to dst those of the keys that DecodeKeys would return whose indexes are in at,
// which is ascending. It makes no strings of the other keys.
func PickKeys(dst []string, src []byte, ends *Texts, at []int) ([]string, error) {
	var mem [256]byte
	stem := mem[:0]
	for i := 0; len(at) > 0; i++ {
		r := packed.Reader{B: src}
		shared, rest := r.Uvarint(), r.Uvarint()
		if r.Bad || shared > uint64(len(stem)) || rest > uint64(len(r.B)) || len(stem) > KeyBytesMax {
			return nil, ErrDamaged
		}
		stem, src = append(stem[:shared], r.B[:rest]...), r.B[rest:]
		if i == at[0] {
			dst, at = append(dst, string(stem)+ends.Of(i)), at[1:]
		}
	}
	return dst, nil
}

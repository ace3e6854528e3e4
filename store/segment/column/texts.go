package column

import (
	"encoding/binary"
	"slices"

	"infomall/store/packed"
)

// The forms in which a column of strings is encoded. The first byte of a column is
// its form.
const (
	TextsConst = 0 // one string for all
	textsPlain = 1 // lengths as a column, then the bytes
	TextsDict  = 2 // distinct strings as a plain column, positions as a column
)

// AppendTexts appends the strings v to dst as a column. Without strings it appends
// nothing.
func AppendTexts(dst []byte, v []string) []byte {
	if len(v) == 0 {
		return dst
	}
	if !slices.ContainsFunc(v[1:], func(s string) bool { return s != v[0] }) {
		return append(append(dst, TextsConst), v[0]...)
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
		dst = append(dst, TextsDict)
		dst = binary.AppendUvarint(dst, uint64(len(dict)))
		dst = packed.AppendSized(dst, appendPlain(nil, dict))
		return AppendInts(dst, at)
	default:
		return appendPlain(append(dst, textsPlain), v)
	}
}

func appendPlain(dst []byte, v []string) []byte {
	lens := make([]int64, len(v))
	for i, s := range v {
		lens[i] = int64(len(s))
	}
	dst = packed.AppendSized(dst, AppendInts(nil, lens))
	for _, s := range v {
		dst = append(dst, s...)
	}
	return dst
}

// DecodeTexts decodes src, a column of n strings with nothing after it. It reuses
// dst if that is large enough. The strings do not share memory with src.
func DecodeTexts(dst []string, src []byte, n int) ([]string, error) {
	out := Sized(dst, n)
	if n == 0 {
		return out, nil
	}
	if len(src) == 0 {
		return nil, ErrDamaged
	}
	switch src[0] {
	case TextsConst:
		s := string(src[1:])
		for i := range out {
			out[i] = s
		}
		return out, nil
	case textsPlain:
		return decodePlain(out, src[1:])
	case TextsDict:
		dict, positions, err := CutDict(src[1:], n)
		if err != nil {
			return nil, err
		}
		at, err := DecodeInts(nil, positions, n)
		if err != nil {
			return nil, err
		}
		return pick(out, dict, at)
	}
	return nil, ErrDamaged
}

// DecodeTextRange decodes n strings of src, a column of all strings. The first of them is the
// string at index from.
func DecodeTextRange(src []byte, all, from, n int) ([]string, error) {
	switch {
	case len(src) == 0:
		return nil, ErrDamaged
	case src[0] == TextsConst:
		return slices.Repeat([]string{string(src[1:])}, n), nil
	case src[0] == TextsDict:
		dict, positions, err := CutDict(src[1:], all)
		if err != nil {
			return nil, err
		}
		at, err := DecodeIntRange(positions, from, n)
		if err != nil {
			return nil, err
		}
		return pick(make([]string, n), dict, at)
	}
	out, err := DecodeTexts(nil, src, all)
	if err != nil {
		return nil, err
	}
	return out[from : from+n], nil
}

// pick fills out with the strings of dict at the given indexes, and returns it.
func pick(out, dict []string, at []int64) ([]string, error) {
	for i, p := range at {
		if uint64(p) >= uint64(len(dict)) {
			return nil, ErrDamaged
		}
		out[i] = dict[p]
	}
	return out, nil
}

// CutDict decodes dict, the distinct strings of a column of n strings in the form
// TextsDict. positions is the encoded column with the index in dict of each string.
func CutDict(src []byte, n int) (dict []string, positions []byte, err error) {
	r := packed.Reader{B: src}
	k := r.Uvarint()
	plain := r.Sized()
	if r.Bad || k > uint64(n) {
		return nil, nil, ErrDamaged
	}
	dict, err = decodePlain(make([]string, k), plain)
	return dict, r.B, err
}

func decodePlain(out []string, src []byte) ([]string, error) {
	r := packed.Reader{B: src}
	lens, err := DecodeInts(nil, r.Sized(), len(out))
	if err != nil || r.Bad {
		return nil, ErrDamaged
	}
	all := string(r.B)
	for i, l := range lens {
		if l < 0 || l > int64(len(all)) {
			return nil, ErrDamaged
		}
		out[i], all = all[:l], all[l:]
	}
	if all != "" {
		return nil, ErrDamaged
	}
	return out, nil
}

// Texts is a decoded column of strings. Its memory is used again for the next column.
type Texts struct {
	List []string // the string that all are equal to, or the distinct strings, or all strings in order
	At   []int64  // if List has the distinct strings: the index in List of each string; otherwise nil
	mem  []int64
}

// Of returns string i.
func (t *Texts) Of(i int) string {
	switch {
	case len(t.List) == 1:
		i = 0
	case t.At != nil:
		i = int(t.At[i])
	}
	return t.List[i]
}

// Decode decodes src, a column of n strings with nothing after it. It does not expand
// the forms TextsConst and TextsDict, so it takes little time and memory for columns in
// which most strings are equal.
func (t *Texts) Decode(src []byte, n int) (err error) {
	t.List, t.At = append(t.List[:0], ""), nil
	switch {
	case n == 0:
		return nil
	case len(src) == 0:
		return ErrDamaged
	case src[0] == TextsConst:
		t.List[0] = string(src[1:])
	case src[0] == TextsDict:
		var positions []byte
		if t.List, positions, err = CutDict(src[1:], n); err != nil {
			return err
		}
		if t.mem, err = DecodeInts(t.mem, positions, n); err != nil {
			return err
		}
		t.At = t.mem
		for _, p := range t.At {
			if uint64(p) >= uint64(len(t.List)) {
				return ErrDamaged
			}
		}
	default:
		t.List, err = DecodeTexts(t.List, src, n)
	}
	return err
}

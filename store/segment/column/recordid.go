package column

import (
	"crypto/sha1"
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strings"
)

// The forms in which a column of the names of WARC records is encoded. The first
// byte of the column is its form.
const (
	namesTexts = 0 // a column of texts, packed one by one
	namesUUIDs = 1 // UUIDs of one version: the mark, the version, then the other bits of each UUID
)

// A UUID has 16 bytes. The upper four bits of byte 6 are its version. The upper two
// bits of byte 8 are the same in all UUIDs that RFC 9562 defines. The ten other
// bits of these two bytes are stored as a byte and two bits.
const (
	uuidVersionAt, uuidVersionMask            = 6, 0xf0
	uuidVariantAt, uuidVariantMask, uuidKnown = 8, 0xc0, 0x80
)

// AppendRecordIDs appends the names of WARC records to dst as a column. If all are
// UUIDs of one version, it stores the UUIDs; otherwise it stores texts.
func AppendRecordIDs(dst []byte, names []string) []byte {
	if len(names) == 0 {
		return dst
	}
	texts := make([]string, len(names))
	for i, s := range names {
		texts[i] = packID(s)
	}
	like := func(s string) bool {
		return len(s) == packedID && s[0] == texts[0][0] && s[1+uuidVariantAt]&uuidVariantMask == uuidKnown &&
			(s[1+uuidVersionAt]^texts[0][1+uuidVersionAt])&uuidVersionMask == 0
	}
	if len(texts[0]) != packedID || texts[0][0] == 0 || slices.ContainsFunc(texts, func(s string) bool { return !like(s) }) {
		return AppendTexts(append(dst, namesTexts), texts)
	}
	dst = append(dst, namesUUIDs, texts[0][0], texts[0][1+uuidVersionAt]&uuidVersionMask)
	for _, s := range texts {
		u := s[1:]
		dst = append(dst, u[:uuidVersionAt]...)
		dst = append(dst, u[uuidVersionAt+1:uuidVariantAt]...)
		dst = append(dst, u[uuidVariantAt+1:]...)
		dst = append(dst, u[uuidVersionAt]<<4|u[uuidVariantAt]&0x0f)
	}
	return appendPacked(dst, len(texts), 2, func(i int) uint64 { return uint64(texts[i][1+uuidVariantAt] >> 4 & 3) })
}

// RecordNames is a decoded column of the names of WARC records.
type RecordNames struct {
	texts Texts   // the encoded column, if it has the form namesUUIDs
	uuids []byte  // in the form namesUUIDs: the column
	high  []int64 // for each UUID, the two bits of byte 8 that are stored apart
}

// uuidHead is the size in bytes of the head of a column in the form namesUUIDs. uuidEach is how
// many bytes each UUID takes after the head.
const (
	uuidHead = 3
	uuidEach = 15
)

// Decode decodes src, a column of n record names with nothing after it. r then refers to src,
// which must not change. r may have another column, which is forgotten.
func (r *RecordNames) Decode(src []byte, n int) error {
	r.uuids = nil // otherwise a column of texts would be read as the UUIDs of the column before
	if n == 0 {
		return nil
	}
	if len(src) == 0 {
		return ErrDamaged
	}
	if src[0] == namesTexts {
		return r.texts.Decode(src[1:], n)
	}
	if src[0] != namesUUIDs || len(src) != uuidHead+n*uuidEach+PackedLen(n, 2) || src[1] == 0 || src[2]&^uuidVersionMask != 0 {
		return ErrDamaged
	}
	r.uuids, r.high = src, make([]int64, n)
	Unpack(r.high, src[uuidHead+n*uuidEach:], 2, 0)
	return nil
}

// Of returns name i.
func (r *RecordNames) Of(i int) string {
	if r.uuids == nil {
		return unpackID(r.texts.Of(i))
	}
	var name [packedID]byte
	name[0] = r.uuids[1]
	b, u := r.uuids[uuidHead+i*uuidEach:][:uuidEach], name[1:]
	copy(u[:uuidVersionAt], b)
	u[uuidVersionAt] = r.uuids[2] | b[uuidEach-1]>>4
	copy(u[uuidVersionAt+1:uuidVariantAt], b[uuidVersionAt:])
	u[uuidVariantAt] = uuidKnown | byte(r.high[i])<<4 | b[uuidEach-1]&0x0f
	copy(u[uuidVariantAt+1:], b[uuidVariantAt-1:uuidEach-1])
	return unpackID(string(name[:]))
}

// DecodeRecordIDs decodes src, a column of n record names with nothing after it.
func DecodeRecordIDs(src []byte, n int) ([]string, error) {
	var r RecordNames
	if err := r.Decode(src, n); err != nil {
		return nil, err
	}
	names := make([]string, n)
	for i := range names {
		names[i] = r.Of(i)
	}
	return names, nil
}

// packID shortens s, the name of a record, to 17 bytes if it has the usual form
// with "urn:uuid:". Any other name is returned after a zero byte; "" stays "".
func packID(s string) string {
	if s == "" {
		return ""
	}
	if _, hexes, ok := strings.Cut(s, uuidForm); ok {
		raw, err := hex.DecodeString(strings.TrimSuffix(strings.ReplaceAll(hexes, "-", ""), ">"))
		for _, first := range []string{markBracketed, markBare} {
			if packed := first + string(raw); err == nil && len(packed) == packedID && unpackID(packed) == s {
				return packed
			}
		}
	}
	return "\x00" + s
}

func unpackID(s string) string {
	if len(s) != packedID || s[0] == 0 {
		return trimMark(s)
	}
	h := hex.EncodeToString([]byte(s[1:]))
	id := uuidForm + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	if s[:1] == markBracketed {
		return "<" + id + ">"
	}
	return id
}

// PackDigest shortens s, a declared digest, to 21 bytes if it has the usual form:
// "sha1:" and base32. Any other digest is returned after a zero byte; "" stays "".
func PackDigest(s string) string {
	if s == "" {
		return ""
	}
	if len(s) == 37 && s[:5] == "sha1:" {
		if raw, err := base32.StdEncoding.DecodeString(s[5:]); err == nil && len(raw) == sha1.Size {
			return "\x01" + string(raw)
		}
	}
	return "\x00" + s
}

func UnpackDigest(s string) string {
	if len(s) != 21 || s[0] != 1 {
		return trimMark(s)
	}
	return "sha1:" + base32.StdEncoding.EncodeToString([]byte(s[1:]))
}

func trimMark(s string) string {
	if s == "" {
		return ""
	}
	return s[1:]
}

// uuidForm begins the record names that most WARC writers make. Such a name is
// packed into 17 bytes: a mark that says whether the name was in angle brackets,
// and the 16 bytes of the UUID.
const (
	uuidForm      = "urn:uuid:"
	markBracketed = "\x01"
	markBare      = "\x02"
	packedID      = 17
)

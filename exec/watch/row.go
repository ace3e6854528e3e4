package watch

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// The first byte of the keys of rows: hashes of keys, rows of the query, and hashes
// of deleted URLs.
const (
	keyHash    = 'k'
	keyRow     = 'r'
	keyDeleted = 'd'
)

// hashBytes is the length of the hash of a row's key, and urlHashBytes that of the
// hash of a URL's key.
const (
	hashBytes    = 16
	urlHashBytes = 8
)

// between returns the range of all keys with this first byte.
func between(first byte) []urlkey.Range {
	return []urlkey.Range{{From: string(first), To: string(first + 1)}}
}

// rowKey returns the key under which row n of a batch is stored.
func rowKey(batch, n int64) []byte {
	b := binary.BigEndian.AppendUint64([]byte{keyRow}, uint64(batch))
	return binary.BigEndian.AppendUint64(b, uint64(n))
}

// parseRowKey returns the batch and the number of the row from a key that rowKey has made.
func parseRowKey(key []byte) (batch, n int64, err error) {
	if len(key) != 17 || key[0] != keyRow {
		return 0, 0, errRow
	}
	return int64(binary.BigEndian.Uint64(key[1:])), int64(binary.BigEndian.Uint64(key[9:])), nil
}

// appendURLHash appends the hash of a URL's key to dst.
func appendURLHash(dst []byte, key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return append(dst, sum[:urlHashBytes]...)
}

// appendKeyHash appends the hash of the values to dst. A Text and a URL with the
// same letters are the same, so that a column whose type changes from one to the
// other makes no row new.
func appendKeyHash(dst []byte, values []value.Value) []byte {
	var b []byte
	for _, v := range values {
		if v.Type == value.URL {
			v.Type = value.Text
		}
		b = appendValue(b, v)
	}
	sum := sha256.Sum256(b)
	return append(dst, sum[:hashBytes]...)
}

// errRow is returned for a row that this program cannot read. Its file has a
// correct checksum, so another program has written it.
var errRow = errors.New("a row of a watch is of another form: another version of this program has written it")

// letters has a letter for each type of value, in the order of the types.
const letters = "nbiftuTd"

// Gone says which rows about a URL DROP POOL hides: the rows that depend on captures of the
// pool only.
type Gone struct {
	Key string // of the URL
	// Before is when the first capture of the URL that stays was added. A row that was found
	// earlier depends on no capture that stays. record.MaxTime means that no capture stays.
	Before record.Time
	// A row whose column time lies between From and To, the times of the first and the last
	// capture of the URL in the pool, is a row about a capture of the pool.
	From, To record.Time
}

// appendGone appends g without its key to dst, in the form that parseGone reads.
func appendGone(dst []byte, g *Gone) []byte {
	for _, t := range []record.Time{g.Before, g.From, g.To} {
		dst = binary.BigEndian.AppendUint64(dst, uint64(t))
	}
	return dst
}

// parseGone returns the Gone, without its key, that appendGone wrote to src.
func parseGone(src []byte) (g Gone, err error) {
	if len(src) != 3*8 {
		return g, errRow
	}
	for i, t := range []*record.Time{&g.Before, &g.From, &g.To} {
		*t = record.Time(binary.BigEndian.Uint64(src[8*i:]))
	}
	return g, nil
}

// appendValue appends v to dst in the form that parseValue reads.
func appendValue(dst []byte, v value.Value) []byte {
	dst = append(dst, letters[v.Type])
	switch v.Type {
	case value.Bool:
		if v.Bool {
			return append(dst, 1)
		}
		return append(dst, 0)
	case value.Int, value.Time, value.Duration:
		return binary.AppendVarint(dst, v.Int)
	case value.Float:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.Float))
	case value.Text, value.URL:
		dst = binary.AppendUvarint(dst, uint64(len(v.Text)))
		return append(dst, v.Text...)
	}
	return dst
}

// parseValue returns the first value in src and the rest of src.
func parseValue(src []byte) (v value.Value, rest []byte, err error) {
	if len(src) == 0 {
		return v, nil, errRow
	}
	letter := src[0]
	src = src[1:]
	switch letter {
	case 'n':
		return v, src, nil
	case 'b':
		if len(src) == 0 {
			return v, nil, errRow
		}
		return value.OfBool(src[0] == 1), src[1:], nil
	case 'i', 'T', 'd':
		n, size := binary.Varint(src)
		if size <= 0 {
			return v, nil, errRow
		}
		v.Type, v.Int = value.Int, n
		if letter == 'T' {
			v.Type = value.Time
		} else if letter == 'd' {
			v.Type = value.Duration
		}
		return v, src[size:], nil
	case 'f':
		if len(src) < 8 {
			return v, nil, errRow
		}
		return value.OfFloat(math.Float64frombits(binary.BigEndian.Uint64(src))), src[8:], nil
	case 't', 'u':
		n, size := binary.Uvarint(src)
		if size <= 0 || n > uint64(len(src)-size) {
			return v, nil, errRow
		}
		v.Type, v.Text = value.Text, string(src[size:size+int(n)])
		if letter == 'u' {
			v.Type = value.URL
		}
		return v, src[size+int(n):], nil
	}
	return v, nil, errRow
}

// Row is one row that a watch has found.
type Row struct {
	Part   *Part
	Batch  int64
	Seen   record.Time   // the time of the run that found the row
	Values []value.Value // one for each of Part.Columns
}

// appendRow appends a row to dst, in the form that parseRow reads. seen is when the run that found
// the row began.
func appendRow(dst []byte, seen record.Time, values []value.Value) []byte {
	dst = binary.AppendVarint(dst, int64(seen))
	for _, v := range values {
		dst = appendValue(dst, v)
	}
	return dst
}

// parseRow returns the row of the part p that appendRow wrote to src.
func parseRow(p *Part, src []byte) (row Row, err error) {
	seen, size := binary.Varint(src)
	if size <= 0 {
		return row, errRow
	}
	row = Row{Part: p, Seen: record.Time(seen), Values: make([]value.Value, len(p.Columns))}
	src = src[size:]
	for i := range row.Values {
		if row.Values[i], src, err = parseValue(src); err != nil {
			return row, err
		}
	}
	if len(src) > 0 {
		return row, errRow
	}
	return row, nil
}

// time returns the value of the column time of the row. It returns record.NoTime if the query
// has no such column with times, or it is NULL.
func (r *Row) time() record.Time {
	if i := r.Part.Column("time"); i >= 0 && r.Values[i].Type == value.Time {
		return record.Time(r.Values[i].Int)
	}
	return record.NoTime
}

// URL returns the URL that the row is about, or "" if the query has no column url.
func (r *Row) URL() string {
	if i := r.Part.Column("url"); i >= 0 {
		return r.Values[i].Text
	}
	return ""
}

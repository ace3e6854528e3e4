// Package lines reads and writes the archive's small text files: lines of
// tab-separated fields. The first line has the format, and the last line the crc32c
// of all bytes before it.
//
//	infomall catalogue ⇥ draft 1      the kind of the file, and the format
//	generation ⇥ 12                   lines of fields, the name of the line first
//	static ⇥ 200806
//	crc32c ⇥ 1b2c3d4e                 of all bytes before this line
//
// A field is a text without tabs and line ends, a number, a checksum in eight hex
// digits, a text in quotes of Go, or segment numbers separated by blanks.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"infomall/store/crc32c"
	"infomall/store/disk"
)

// Quoted is a field that may hold any text. It is written in quotes of Go.
type Quoted string

// Hex is a field that holds a checksum. It is written as eight hexadecimal
// digits.
type Hex uint32

// New returns the content of a new file of this kind, which has only its first line.
// The caller appends lines with Append, and the last one with Seal.
func New(kind string) []byte { return []byte(disk.Head(kind)) }

// Append appends a line with these fields to b. A field is a string without tabs
// and line ends, a Quoted, a Hex, segment numbers as []uint32, or an integer of
// any type.
func Append(b []byte, fields ...any) []byte {
	for i, f := range fields {
		if i > 0 {
			b = append(b, '\t')
		}
		switch f := f.(type) {
		case string:
			b = append(b, f...)
		case Quoted:
			b = strconv.AppendQuote(b, string(f))
		case Hex:
			b = fmt.Appendf(b, "%08x", uint32(f))
		case []uint32:
			for i, id := range f {
				if i > 0 {
					b = append(b, ' ')
				}
				b = strconv.AppendUint(b, uint64(id), 10)
			}
		default:
			b = fmt.Appendf(b, "%d", f)
		}
	}
	return append(b, '\n')
}

// AppendSummed appends a line with these fields and one more field to b. The last
// field is the crc32c of the bytes of the line before it.
func AppendSummed(b []byte, fields ...any) []byte {
	from := len(b)
	b = Append(b, fields...)
	b[len(b)-1] = '\t'
	return Append(b, Hex(crc32c.Sum(b[from:])))
}

// Seal appends the last line of a file to b, the content before it. The line has the
// crc32c of b.
func Seal(b []byte) []byte { return Append(b, "crc32c", Hex(crc32c.Sum(b))) }

// Reader reads the lines of a file, and the fields of each line one by one:
//
//	for r.Next() {
//		switch r.Text() {
//		case "generation":
//			n = r.Uint()
//		default:
//			r.Fail()
//		}
//	}
//	return r.Err()
//
// The methods that read a field return a zero value if the field is missing or not
// of the expected form. Next then returns false, and Err an error.
type Reader struct {
	rest    string   // the lines after the current one
	fields  []string // the fields of the current line that were not read yet
	bad     bool     // a field was missing, or was not of the expected form
	damaged error    // the error that Err returns for damage
}

// Open returns a Reader for the lines of a file, without the first and the last. b is
// the content of the file, and kind the kind that its first line must name. Open
// returns a *disk.FormatError if the file has another format, and the error damaged
// if its first or last line is wrong. The method Err of the Reader also returns
// damaged.
func Open(b []byte, kind string, damaged error) (*Reader, error) {
	rest, err := disk.CutHead(string(b), kind)
	if errors.Is(err, disk.ErrNoHead) {
		return nil, damaged
	}
	if err != nil {
		return nil, err
	}
	return open(b, rest, damaged)
}

// OpenList returns a Reader for a list of lines that Seal has completed. The list
// has no first line that names a format. OpenList returns the error damaged if
// the checksum is wrong.
func OpenList(b []byte, damaged error) (*Reader, error) { return open(b, string(b), damaged) }

// open returns a Reader for the lines in rest, without the last. rest is b without its
// beginning. open returns the error damaged if the last line does not have the checksum
// of the bytes of b before it.
func open(b []byte, rest string, damaged error) (*Reader, error) {
	at := strings.LastIndex(rest, "crc32c\t")
	if at < 0 || !bytes.Equal(b, Seal(bytes.Clone(b[:len(b)-len(rest)+at]))) {
		return nil, damaged
	}
	return &Reader{rest: rest[:at], damaged: damaged}, nil
}

// OpenLine returns a Reader for the fields of one line that AppendSummed has
// made. line must be without its line end. OpenLine returns the error damaged if
// the checksum is wrong.
func OpenLine(line string, damaged error) (*Reader, error) {
	at := strings.LastIndexByte(line, '\t') + 1
	if line[at:] != fmt.Sprintf("%08x", crc32c.Sum([]byte(line[:at]))) {
		return nil, damaged
	}
	return &Reader{fields: strings.Split(line[:max(at-1, 0)], "\t"), damaged: damaged}, nil
}

// Next moves to the next line and reports whether there is one. It returns false
// if a field of the current line was not read, was missing, or was not of the
// expected form.
func (r *Reader) Next() bool {
	if r.Err() != nil || r.rest == "" {
		return false
	}
	line, rest, whole := strings.Cut(r.rest, "\n")
	// A copy, so that a caller who keeps a field does not keep the whole file in memory.
	r.fields, r.rest, r.bad = strings.Split(strings.Clone(line), "\t"), rest, !whole
	return true
}

// Err returns the error that was passed as damaged if a field was missing, was
// not of the expected form, or was not read. Otherwise it returns nil.
func (r *Reader) Err() error {
	if r.bad || len(r.fields) > 0 {
		return r.damaged
	}
	return nil
}

// Fail tells r that the caller has found damage. Next then returns false, and Err
// returns the error for damage.
func (r *Reader) Fail() { r.bad = true }

// Text reads the next field of the current line and returns it unchanged.
func (r *Reader) Text() string {
	if len(r.fields) == 0 {
		r.bad = true
		return ""
	}
	s := r.fields[0]
	r.fields = r.fields[1:]
	return s
}

// Int reads the next field as a decimal number.
func (r *Reader) Int() int64 {
	n, err := strconv.ParseInt(r.Text(), 10, 64)
	r.bad = r.bad || err != nil
	return n
}

// Uint reads the next field as a decimal number that is not negative.
func (r *Reader) Uint() uint64 { return r.uint(10, 64) }

// Sum reads the next field as a checksum, which was written as Hex.
func (r *Reader) Sum() uint32 { return uint32(r.uint(16, 32)) }

func (r *Reader) uint(base, bits int) uint64 {
	n, err := strconv.ParseUint(r.Text(), base, bits)
	r.bad = r.bad || err != nil
	return n
}

// Quoted reads the next field as a text that was written as Quoted.
func (r *Reader) Quoted() string {
	s, err := strconv.Unquote(r.Text())
	r.bad = r.bad || err != nil
	return s
}

// Words reads the next field and returns its words, which are separated by blanks.
func (r *Reader) Words() []string { return strings.Fields(r.Text()) }

// IDs reads the next field as segment numbers separated by blanks.
func (r *Reader) IDs() (out []uint32) {
	for _, s := range r.Words() {
		n, err := strconv.ParseUint(s, 10, 32)
		r.bad = r.bad || err != nil
		out = append(out, uint32(n))
	}
	return out
}

// Bytes returns the n bytes after the current line. They may be any bytes. A line
// end must follow them, and Bytes skips it.
func (r *Reader) Bytes(n uint64) []byte {
	if r.bad || n >= uint64(len(r.rest)) || r.rest[n] != '\n' {
		r.bad = true
		return nil
	}
	b := []byte(r.rest[:n])
	r.rest = r.rest[n+1:]
	return b
}

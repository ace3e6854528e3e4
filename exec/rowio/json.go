package rowio

import (
	"io"
	"math"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/lang/cells"
)

var (
	jsonFormat  = &Format{Name: "json", MediaType: "application/json", Suffixes: []string{".json"}, make: newJSON}
	jsonlFormat = &Format{Name: "jsonl", MediaType: "application/x-ndjson", Suffixes: []string{".jsonl"}, make: newJSONL}
)

// objects is the Writer of json, which is an array with one object per line,
// and of jsonl, which is only the lines. Numbers, booleans and null are those
// of JSON. A duration is a number of seconds, and a time is a string. NaN and
// the infinities, which JSON lacks, become null.
type objects struct {
	sink
	o     Options
	array bool
	keys  [][]byte // for each column, its name as a JSON string, and a colon
	rows  int64
}

// newJSON returns a writer of the format json.
func newJSON(w io.Writer, o Options) Writer {
	return &objects{sink: sink{w: w}, o: o, array: true}
}

// newJSONL returns a writer of the format jsonl.
func newJSONL(w io.Writer, o Options) Writer {
	return &objects{sink: sink{w: w}, o: o}
}

// Begin takes the columns, and writes the start of the array for json.
func (j *objects) Begin(cols []value.Column) error {
	for _, c := range cols {
		j.keys = append(j.keys, append(AppendJSON(nil, c.Name), ':'))
	}
	if j.array {
		j.buf = append(j.buf, '[')
	}
	return j.flush()
}

// Write writes one object per row of the batch.
func (j *objects) Write(b *value.Batch) error {
	for i := range b.N {
		j.begin()
		for k, v := range b.Cols {
			if k > 0 {
				j.buf = append(j.buf, ',')
			}
			j.buf = append(j.buf, j.keys[k]...)
			j.cell(v, i)
		}
		j.buf = append(j.buf, '}')
		if !j.array {
			j.buf = append(j.buf, '\n')
		}
		if err := j.full(); err != nil {
			return err
		}
	}
	return j.flush()
}

// begin writes the opening brace of the next row's object. In an array, it first writes the
// comma after the previous object, if there is one, and a line break.
func (j *objects) begin() {
	if j.array {
		if j.rows > 0 {
			j.buf = append(j.buf, ',')
		}
		j.buf = append(j.buf, '\n')
	}
	j.rows++
	j.buf = append(j.buf, '{')
}

// End writes the end of the array for json.
func (j *objects) End() error {
	if !j.array {
		return nil
	}
	if j.rows > 0 {
		j.buf = append(j.buf, '\n')
	}
	j.buf = append(j.buf, ']', '\n')
	return j.flush()
}

// cell appends the value in row i of v as JSON.
func (j *objects) cell(v *value.Vector, i int) {
	switch {
	case v.IsNull(i), v.Type == value.Float && (math.IsNaN(v.Floats[i]) || math.IsInf(v.Floats[i], 0)):
		j.buf = append(j.buf, "null"...)
	case v.Type == value.Text || v.Type == value.URL:
		j.buf = AppendJSON(j.buf, v.Texts[i])
	case v.Type == value.Time:
		j.buf = append(j.buf, '"')
		j.buf = append(v.AppendText(j.buf, i, j.o.Zone), '"')
	case v.Type == value.Duration:
		j.buf = value.AppendSeconds(j.buf, v.Ints[i])
	default:
		j.buf = v.AppendText(j.buf, i, j.o.Zone)
	}
}

// AppendJSON appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD. U+2028 and U+2029 are escaped because some readers take them for line
// ends. Control characters such as DEL are escaped because terminals act on
// them.
func AppendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && size == 1) && !cells.Unprintable(r) {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendJSONRune(dst, r)
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendJSONRune appends the escape sequence of r in a JSON string, such as \n,
// or U+FFFD for utf8.RuneError.
func appendJSONRune(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case utf8.RuneError:
		return append(dst, "\uFFFD"...)
	}
	return cells.AppendHex(append(dst, '\\', 'u'), r, 4)
}

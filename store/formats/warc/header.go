package warc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// magic is the text with which every WARC record begins. Some writers write it in
// lower case.
const magic = "WARC/"

// hasMagic reports whether b begins with "WARC/", in upper or lower case.
func hasMagic(b []byte) bool {
	return len(b) >= len(magic) && bytes.EqualFold(b[:len(magic)], []byte(magic))
}

// indexMagic returns the index of the first "WARC/" in b, in upper or lower case,
// or -1 if there is none.
func indexMagic(b []byte) int {
	for from := 0; ; {
		slash := bytes.IndexByte(b[from:], '/')
		if slash < 0 {
			return -1
		}
		from += slash + 1
		if at := from - len(magic); at >= 0 && hasMagic(b[at:]) {
			return at
		}
	}
}

// headerMax is how many bytes the header of a record may have.
const headerMax = 1 << 20

// lengthMax is the largest Content-Length that is accepted. The sum of a length and
// an offset then fits an int64.
const lengthMax = 1 << 61

// header is the header of one record.
type header struct {
	bytes  int64 // length of the header with the empty line that ends it
	length int64 // declared length of the block
	fields []field
	folded []byte // what the lines after the last field add to its value, see endField
}

type field struct{ name, value string }

// The reasons why a header cannot be used.
var (
	errNoHeader  = errors.New("no WARC record where one should begin")
	errCutHeader = errors.New("file ends within the header of a record")
)

// parseHeader parses the record header at the start of b. Lines may end in LF alone, or
// in several CRs and LF. parseHeader joins folded lines (continued on the next line),
// and skips lines without a colon. If only a usable Content-Length is missing, it
// returns the header together with an error.
func parseHeader(b []byte) (header, error) {
	if !startsRecord(b) {
		return header{}, errNoHeader
	}
	var h header
	for pos := bytes.IndexByte(b, '\n') + 1; ; {
		end := bytes.IndexByte(b[pos:], '\n')
		if end < 0 {
			return header{}, errCutHeader
		}
		line := bytes.TrimRight(b[pos:pos+end], "\r")
		pos += end + 1
		if len(line) == 0 {
			h.bytes = int64(pos)
			h.endField()
			break
		}
		h.line(line)
	}
	length := h.get("Content-Length")
	if length == "" {
		return h, errors.New("record without Content-Length")
	}
	n, err := strconv.ParseUint(length, 10, 64)
	if err != nil || n > lengthMax {
		return h, fmt.Errorf("record with Content-Length %.80q, which is no length", length)
	}
	h.length = int64(n)
	return h, nil
}

// startsRecord reports whether b begins with a line such as "WARC/1.0".
func startsRecord(b []byte) bool {
	if !hasMagic(b) {
		return false
	}
	rest := b[len(magic):]
	version, _, ok := bytes.Cut(rest[:min(len(rest), 32)], []byte("\n"))
	version = bytes.TrimRight(version, "\r \t")
	major, minor, dot := bytes.Cut(version, []byte("."))
	return ok && dot && isDigits(major) && isDigits(minor)
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// line adds one line of text to the header. A line that begins with a blank or a
// tab continues the field before it.
func (h *header) line(line []byte) {
	if line[0] == ' ' || line[0] == '\t' {
		if more := bytes.TrimSpace(line); len(more) > 0 {
			h.folded = append(append(h.folded, ' '), more...)
		}
		return
	}
	if name, value, ok := bytes.Cut(line, []byte(":")); ok {
		h.endField()
		h.fields = append(h.fields, field{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
	}
}

// endField adds the lines that continue the last field to its value. It joins them only once for
// each field, because a hostile header may have very many of them.
func (h *header) endField() {
	if n := len(h.fields); n > 0 && len(h.folded) > 0 {
		f := &h.fields[n-1]
		f.value = strings.TrimSpace(f.value + string(h.folded))
	}
	h.folded = h.folded[:0]
}

// get returns the value of the first field called name, in upper or lower case, or
// "" if there is none.
func (h *header) get(name string) string {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			return f.value
		}
	}
	return ""
}

// uri returns the value of the field called name, which holds a URI, or "" if there
// is none. It removes the angle brackets that some writers put around the URI, as
// the grammar of WARC 1.0 says.
func (h *header) uri(name string) string {
	value := h.get(name)
	if inner, ok := strings.CutPrefix(value, "<"); ok {
		value = strings.TrimSuffix(inner, ">")
	}
	return value
}

// uris returns the values of all fields called name, which hold URIs, without angle
// brackets around them.
func (h *header) uris(name string) (list []string) {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			list = append(list, strings.Trim(f.value, "<>"))
		}
	}
	return list
}

// dateLayouts are the accepted forms of a WARC-Date: those of RFC 3339, the
// shorter ones of W3CDTF, such as "2008-04", and the digits of ARC and CDX
// files. A date without a zone is in UTC. Seconds may have a fraction in each
// form.
var dateLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04", "2006-01-02", "2006-01", "2006",
	"20060102150405", "200601021504", "2006010215", "20060102",
}

// parseDate parses s, the value of a WARC-Date, such as 2008-04-30T20:48:25Z. The T and
// the Z may be in lower case, a blank may replace the T, and a date of 14 digits may
// have more digits, the fraction of a second, after them.
func parseDate(s string) (time.Time, error) {
	upper := strings.ToUpper(s)
	if date, clock, ok := strings.Cut(upper, " "); ok {
		upper = date + "T" + strings.ReplaceAll(clock, " ", "") // before a zone too
	}
	if n := len("20060102150405"); len(upper) > n && len(upper) <= n+9 && isDigits([]byte(upper)) {
		upper = upper[:n] + "." + upper[n:]
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, upper); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("can't read WARC-Date %.80q: want one like 2008-04-30T20:48:25Z", s)
}

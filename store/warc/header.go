package warc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// magic begins every record.
const magic = "WARC/"

// headerMax bounds a record's header, in bytes.
const headerMax = 1 << 20

// lengthMax bounds Content-Length, so that sums with an offset fit an int64.
const lengthMax = 1 << 61

// header is the header of a record.
type header struct {
	bytes  int64 // with the empty line that ends it
	length int64 // of the block, as declared
	fields []field
}

type field struct{ name, value string }

// Why a header can't be used.
var (
	errNoHeader  = errors.New("no WARC record where one is due")
	errCutHeader = errors.New("file ends within the header of a record")
)

// parseHeader reads the header at the start of b. It takes lines that end in a
// bare LF or in more than one CR, joins folded ones, and passes over those without a colon.
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
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return false
	}
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

// line adds one line of a header.
func (h *header) line(line []byte) {
	if line[0] == ' ' || line[0] == '\t' {
		if n := len(h.fields); n > 0 {
			f := &h.fields[n-1]
			f.value = strings.TrimSpace(f.value + " " + string(bytes.TrimSpace(line)))
		}
		return
	}
	if name, value, ok := bytes.Cut(line, []byte(":")); ok {
		h.fields = append(h.fields, field{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
	}
}

// get is the first value of that name, or "".
func (h *header) get(name string) string {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			return f.value
		}
	}
	return ""
}

// uri is a field that holds a URI. Some writers put it in angle brackets, as
// the grammar of WARC 1.0 has it.
func (h *header) uri(name string) string {
	value := h.get(name)
	if inner, ok := strings.CutPrefix(value, "<"); ok {
		value = strings.TrimSuffix(inner, ">")
	}
	return value
}

// dateLayouts are the forms of a WARC-Date: those of RFC 3339 and, coarser,
// of W3CDTF, and the 14 digits of ARC and CDX files. Without a zone it is UTC.
var dateLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006", "20060102150405",
}

// parseDate reads a WARC-Date.
func parseDate(s string) (time.Time, error) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("can't read WARC-Date %.80q: want one like 2008-04-30T20:48:25Z", s)
}

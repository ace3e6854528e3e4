package tianwang

import (
	"bytes"
	"math"
	"strconv"
)

// magic is the text with which every record begins.
const magic = "version:"

// headMax is how many bytes the head of a record may have. Real heads have a few
// hundred bytes, but a URL may be long.
const headMax = 64 << 10

// maxOffset is the largest declared length that is accepted. The sum of two lengths
// and an offset then fits an int64.
const maxOffset = math.MaxInt64 / 4

// head is the parsed head of a record: lines "name: value" up to an empty line.
type head struct {
	bytes   int64 // length of the head with the empty line that ends it
	length  int64 // declared length of the data
	unzip   int64 // declared length of the data before compression; -1 if absent
	crlf    bool  // some line of the head ends in CR LF
	version string
	url     string
	origin  string
	date    string
	ip      string
	sum     string // checksum as eight hex digits, or ""
	extra   []byte // the other properties, as lines "name: value\n"
}

// parseHead parses the head of a record at the start of b. It accepts the
// properties in any order after version, lines that end in CR LF, and "time"
// instead of "date". ok is false if b does not begin with a whole head that has a
// length.
func parseHead(b []byte) (h head, ok bool) {
	if !bytes.HasPrefix(b, []byte(magic)) {
		return head{}, false
	}
	h = head{length: -1, unzip: -1}
	for pos := 0; ; {
		end := bytes.IndexByte(b[pos:], '\n')
		if end < 0 {
			return head{}, false
		}
		line := b[pos : pos+end]
		pos += end + 1
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line, h.crlf = line[:n-1], true
		}
		if len(line) == 0 {
			h.bytes = int64(pos)
			return h, h.length >= 0
		}
		if !h.property(line) {
			return head{}, false
		}
	}
}

// property adds one line of a head to h. It returns false if the line cannot be a
// property, or repeats a property that may appear only once.
func (h *head) property(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || !isName(name) {
		return false
	}
	for _, c := range value {
		if c < ' ' && c != '\t' {
			return false
		}
	}
	value = bytes.TrimSpace(value)
	switch string(name) {
	case "version":
		return isVersion(value) && setOnce(&h.version, value)
	case "url":
		return setOnce(&h.url, value)
	case "origin":
		return setOnce(&h.origin, value)
	case "date", "time":
		return setOnce(&h.date, value)
	case "ip":
		return setOnce(&h.ip, value)
	case "length":
		return h.length < 0 && setNumber(&h.length, value)
	case "unzip-length":
		return h.unzip < 0 && setNumber(&h.unzip, value)
	case "crc32c":
		return setOnce(&h.sum, value)
	default:
		h.extra = append(append(append(append(h.extra, name...), ": "...), value...), '\n')
		return true
	}
}

// isName reports whether b can be the name of a property: 1 to 64 lower-case
// letters, digits, dashes and underscores.
func isName(b []byte) bool {
	for _, c := range b {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 64
}

func isVersion(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 16
}

func setOnce(dst *string, value []byte) bool {
	if *dst != "" {
		return false
	}
	*dst = string(value)
	return true
}

func setNumber(dst *int64, value []byte) bool {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 || n > maxOffset || value[0] == '+' {
		return false
	}
	*dst = n
	return true
}

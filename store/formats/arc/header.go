package arc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// headerMax is how many bytes the header line of a record may have.
const headerMax = 64 << 10

// lengthMax is the largest Archive-length that is accepted. The sum of a length and
// an offset then fits an int64.
const lengthMax = 1 << 61

// header is the header line of a record. In version 1 it has the URL, the
// server's address, the date, the media type and the length. Version 2 has five
// more fields before the length.
type header struct {
	bytes  int64 // length of the header line with its line end
	length int64 // declared length of the data; -1 if the field is not a valid number
	url    string
	ip     string
	date   string
	mime   string

	// The other fields come from version 2 only. They are "" if the line has
	// "-".
	code, checksum, location string
}

// parseHeader parses the header line of an ARC record at the start of b. ok is
// false if b does not begin with a whole header line. cut is true if b ends before the
// line ends, so that more bytes might show a header.
//
// A URL may contain blanks, so parseHeader recognizes a header by its date field.
// It recognizes the header of the filedesc record by its scheme, because some
// writers put dashes in all other fields.
func parseHeader(b []byte) (h header, ok, cut bool) {
	scheme := bytes.IndexByte(b[:min(len(b), 40)], ':')
	if scheme <= 0 || !isScheme(b[:scheme]) {
		return h, false, false
	}
	end := bytes.IndexByte(b[:min(len(b), headerMax)], '\n')
	if end < 0 {
		return h, false, len(b) < headerMax
	}
	h.bytes = int64(end) + 1
	f := strings.Split(strings.TrimRight(string(b[:end]), "\r "), " ")
	last := len(f) - 1
	h.length = -1
	if n, err := strconv.ParseInt(f[last], 10, 64); err == nil && isNumber(f[last]) && n <= lengthMax {
		h.length = n
	}
	if strings.HasPrefix(f[0], fileScheme) {
		h.url = f[0]
		return h, true, false
	}
	at := dateField(f)
	if at < 0 {
		return header{}, false, false
	}
	if h.date = f[at]; at == 1 {
		h.url = f[0]
	} else {
		h.url, h.ip = strings.Join(f[:at-1], " "), f[at-1]
	}
	rest := f[at+1 : last]
	if len(rest) != 6 && hasServerAndDate(rest) {
		return header{}, false, false // torn, and the rest of the next record's line follows
	}
	if len(rest) == 6 && (isNumber(rest[4]) || rest[4] == "-") {
		h.mime, h.code, h.checksum, h.location = rest[0], known(rest[1]), known(rest[2]), known(rest[3])
	} else {
		h.mime = known(strings.Join(rest, " ")) // writers left its parameters in
	}
	return h, true, false
}

// dateField returns the index of the date in f, the fields of a header line, or -1 if
// the line is not a header. The date comes directly after the server's address and is
// never the last field. If all else is right, the address may be missing, or the date
// may be a dash.
func dateField(f []string) int {
	last := len(f) - 1
	for at := 2; at < last; at++ {
		if isDate(f[at]) && isServer(f[at-1]) {
			return at
		}
	}
	switch {
	case !strings.Contains(f[0], "://"):
	case last >= 2 && len(f[1]) == len(dateLayout) && isDate(f[1]):
		return 1
	case (last == 4 || last == 9) && isServer(f[1]) && f[2] == "-" && isNumber(f[last]):
		return 2
	}
	return -1
}

// hasServerAndDate reports whether the fields of a line contain a server's address
// directly followed by a date of 14 digits.
func hasServerAndDate(fields []string) bool {
	for i := 1; i < len(fields); i++ {
		if len(fields[i]) == len(dateLayout) && isNumber(fields[i]) && isServer(fields[i-1]) {
			return true
		}
	}
	return false
}

// known returns field, the value of a field in a header line, or "" if it is a
// dash, which means unknown.
func known(field string) string {
	if field == "-" {
		return ""
	}
	return field
}

// address returns the server's address, or "" if it is not known: the field is
// "-" or "0.0.0.0".
func (h *header) address() string {
	if h.ip == "0.0.0.0" {
		return ""
	}
	return known(h.ip)
}

// isUsual reports whether url has a scheme that crawlers fetch, such as http, or a
// scheme that crawlers use for records of their own, such as filedesc.
func isUsual(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "dns", "whois", "filedesc", "warcinfo", "metadata":
		return true
	}
	return false
}

// isScheme reports whether b has only characters that the scheme of a URL may have.
func isScheme(b []byte) bool {
	for i, c := range b {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return true
}

// isServer reports whether s may be the address field of a header line: an IP
// address, a host name, or "-" for an unknown address.
func isServer(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(".:-_%", rune(c)) {
			return false
		}
	}
	return s != ""
}

// The form of a date: 14 digits, as in 20080430204825. A date has at least the 8
// digits of the day (dateMin). Writers that know fractions of a second add further
// digits, up to 20 in all (dateMax).
const (
	dateLayout = "20060102150405"
	dateMin    = len("20060102")
	dateMax    = 20
)

func isDate(s string) bool { return len(s) >= dateMin && len(s) <= dateMax && isNumber(s) }

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// parseDate returns the time that s, the date in a header line, means in UTC. The
// first 8 to 14 digits are the date and time; digits after the 14th are a fraction
// of a second.
func parseDate(s string) (time.Time, error) {
	whole, fraction := s, ""
	if len(s) > len(dateLayout) {
		whole, fraction = s[:len(dateLayout)], "."+s[len(dateLayout):]
	}
	layout := dateLayout[:min(len(whole), len(dateLayout))]
	if fraction != "" {
		layout += ".999999"
	}
	t, err := time.Parse(layout, whole+fraction)
	if err != nil {
		return t, fmt.Errorf("can't read the date %.40q: want one like 20080430204825", s)
	}
	return t, nil
}

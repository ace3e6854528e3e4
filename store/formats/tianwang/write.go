package tianwang

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zlib"

	"infomall/store/crc32c"
	"infomall/store/record"
)

// Record is a Tianwang record that is to be written.
type Record struct {
	URL    string
	Origin string // the URL that was requested first, if it differs from URL; or ""
	Time   record.Time
	IP     string // address of the server, or ""
	// Extra holds further properties as lines "name: value\n", such as
	// Capture.Extra. If one of them is a date, it is written instead of Time.
	Extra []byte
	Data  []byte // the HTTP response: status line, headers, body
	// Compress says to compress Data with zlib.
	Compress bool
	// Sum says to add the property crc32c, a checksum that reveals any damage
	// of the record.
	Sum bool
}

// Append appends r to dst as a record of version 1.0. It returns an error, and dst
// unchanged, if r has no URL, if a property contains a line end, or if r.Extra has
// an invalid line.
func Append(dst []byte, r *Record) ([]byte, error) {
	data, unzip := r.Data, int64(-1)
	if r.Compress {
		data, unzip = deflate(data), int64(len(data))
	}
	out, err := appendHead(dst, r, unzip, int64(len(data)), data)
	if err != nil {
		return dst, err
	}
	return append(append(out, data...), '\n'), nil
}

// appendHead appends the head of r and the empty line after it to dst. length is
// the length of the data as written; unzip is its length before compression, or −1
// if it is not compressed. data is used only for the checksum, if r.Sum is set.
func appendHead(dst []byte, r *Record, unzip, length int64, data []byte) ([]byte, error) {
	if r.URL == "" {
		return dst, fmt.Errorf("write a Tianwang record: it has no URL")
	}
	for _, value := range []string{r.URL, r.Origin, r.IP} {
		if strings.ContainsAny(value, "\r\n") {
			return dst, fmt.Errorf("write a Tianwang record: a line end in %q", value)
		}
	}
	date, extra, err := splitExtra(r)
	if err != nil {
		return dst, err
	}
	out := fmt.Appendf(dst, "version: 1.0\nurl: %s\n", r.URL)
	if r.Origin != "" {
		out = fmt.Appendf(out, "origin: %s\n", r.Origin)
	}
	out = fmt.Appendf(out, "date: %s\n", date)
	if r.IP != "" {
		out = fmt.Appendf(out, "ip: %s\n", r.IP)
	}
	out = append(out, extra...)
	var lengths []byte
	if unzip >= 0 {
		lengths = fmt.Appendf(lengths, "unzip-length: %d\n", unzip)
	}
	lengths = fmt.Appendf(lengths, "length: %d\n", length)
	if r.Sum {
		crc := crc32c.Add(0, out[len(dst):])
		crc = crc32c.Add(crc, lengths)
		out = append(out, sumLine(crc32c.Add(crc, data))...)
	}
	return append(append(out, lengths...), '\n'), nil
}

// splitExtra separates the date in r.Extra from the other properties in it. If
// r.Extra has no date, date is that of r.Time.
func splitExtra(r *Record) (date string, extra []byte, err error) {
	date = r.Time.Std().Format(dateLayout)
	for line := range bytes.Lines(r.Extra) {
		name, value, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(":"))
		if !ok || !isName(name) || bytes.ContainsRune(value, '\r') {
			return "", nil, fmt.Errorf("write a Tianwang record: %q is no property: want lines \"name: value\\n\"", line)
		}
		switch string(name) {
		case "version", "url", "origin", "ip", "length", "unzip-length", "crc32c":
			return "", nil, fmt.Errorf("write a Tianwang record: property %q has a field of its own", name)
		case "date", "time":
			date = string(bytes.TrimSpace(value))
		default:
			extra = fmt.Appendf(extra, "%s: %s\n", name, bytes.TrimSpace(value))
		}
	}
	return date, extra, nil
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data) // a bytes.Buffer does not fail
	w.Close()
	return b.Bytes()
}

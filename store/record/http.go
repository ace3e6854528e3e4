package record

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
)

// headMax bounds the search for the end of an HTTP head, in bytes.
const headMax = 256 << 10

// SplitHead tells where the body of an HTTP message starts: behind the first
// empty line, which may be CR LF or a bare LF. It is 0 where data does not
// begin with a status line, so that all of it is body.
//
// Old spiders stored heads without an empty line, or cut them and put a LF at
// the cut. So a line that is no "Name: value" begins the body, unless it
// stands among lines that end in CR LF and an empty one follows them.
func SplitHead(data []byte) int {
	if !hasStatusLine(data) {
		return 0
	}
	head := data[:min(len(data), headMax)]
	for pos := nextLine(head, 0); pos < len(head); {
		next := nextLine(head, pos)
		line := head[pos:next]
		if isBlank(line) {
			return next
		}
		if !isHeaderLine(line) {
			return endOfCutHead(head, pos)
		}
		pos = next
	}
	return len(head)
}

// MessageLength returns the length of the HTTP response at the start of data, as
// its Content-Length says, and its head. ok is false where data begins with no
// status line, the head does not end in data or is damaged (it has a second status
// line or control characters), or there is no Content-Length.
func MessageLength(data []byte) (length int64, head []byte, ok bool) {
	n := SplitHead(data)
	control := func(r rune) bool { return r < ' ' && r != '\r' && r != '\n' && r != '\t' }
	if n == 0 || n == len(data) || bytes.Contains(data[:n], []byte("\nHTTP/")) || bytes.ContainsFunc(data[:n], control) {
		return 0, nil, false
	}
	body, err := strconv.ParseUint(Header(data[:n], "Content-Length"), 10, 61)
	return int64(n) + int64(body), data[:n], err == nil
}

// endOfCutHead is SplitHead's answer where the line at pos is no header line:
// the end of the head if the lines from pos on still belong to it, else pos.
func endOfCutHead(head []byte, pos int) int {
	if !bytes.HasSuffix(head[:nextLine(head, 0)], []byte("\r\n")) {
		return pos
	}
	for at := pos; at < len(head); {
		next := nextLine(head, at)
		line := head[at:next]
		if isBlank(line) {
			return next
		}
		if !bytes.HasSuffix(line, []byte("\r\n")) || line[0] == '<' || at != pos && !isHeaderLine(line) {
			return pos
		}
		at = next
	}
	return pos
}

// Status is the status code in the first line of head, such as 302 for
// "HTTP/1.1 302" or "ICY 302 Moved". It is 0 if there is none.
func Status(head []byte) int {
	if !hasStatusLine(head) {
		return 0
	}
	line := head[:nextLine(head, 0)]
	_, rest, _ := bytes.Cut(line, []byte(" "))
	rest = bytes.TrimSpace(rest)
	if len(rest) < 3 || len(rest) > 3 && isDigit(rest[3]) {
		return 0
	}
	code := 0
	for _, c := range rest[:3] {
		if !isDigit(c) {
			return 0
		}
		code = code*10 + int(c-'0')
	}
	return code
}

// Header is the value of the first header of that name in head, in whatever
// case it is written, trimmed and unfolded; "" if there is none. Bytes are
// given as they stand, be they text in any charset or not.
func Header(head []byte, name string) string {
	for value := range Headers(head, name) {
		return value
	}
	return ""
}

// Headers yields the values of all headers of that name in head, each as Header
// gives the first.
func Headers(head []byte, name string) iter.Seq[string] {
	return func(yield func(string) bool) { eachHeader(head, name, yield) }
}

func eachHeader(head []byte, name string, yield func(string) bool) {
	for pos := nextLine(head, 0); pos < len(head); {
		next := nextLine(head, pos)
		line := head[pos:next]
		pos = next
		if len(line) <= len(name) || line[0] == ' ' || line[0] == '\t' || !foldEqual(line[:len(name)], name) {
			continue
		}
		value, ok := bytes.CutPrefix(bytes.TrimLeft(line[len(name):], " \t"), []byte(":"))
		if !ok {
			continue
		}
		if !yield(unfold(bytes.TrimSpace(value), head[pos:])) {
			return
		}
	}
}

// unfold joins value with the continuation lines that rest begins with.
func unfold(value, rest []byte) string {
	if len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return string(value)
	}
	var b strings.Builder
	b.Write(value)
	for pos := 0; pos < len(rest) && (rest[pos] == ' ' || rest[pos] == '\t'); {
		next := nextLine(rest, pos)
		if more := bytes.TrimSpace(rest[pos:next]); len(more) > 0 {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.Write(more)
		}
		pos = next
	}
	return b.String()
}

// Chunked reports whether head says that the body is sent in chunks: chunked is
// the last transfer coding, be it the only one or not.
func Chunked(head []byte) bool {
	last := ""
	for value := range Headers(head, "Transfer-Encoding") {
		last = value[strings.LastIndexByte(value, ',')+1:]
	}
	return strings.EqualFold(strings.TrimSpace(last), "chunked")
}

// Codings returns the codings of a body, in the order in which they were applied
// and separated by commas: those of Content-Encoding, and then those by which the
// body was compressed for its transfer only. An example is "br,gzip"; "" means
// none. Chunks are not among them.
func Codings(head []byte) string {
	codings := Header(head, "Content-Encoding")
	for value := range Headers(head, "Transfer-Encoding") {
		for coding := range strings.SplitSeq(value, ",") {
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "gzip", "x-gzip", "deflate":
				codings += "," + coding
			}
		}
	}
	return strings.TrimPrefix(codings, ",")
}

// Mime is the type that a Content-Type names: lower case, without parameters.
// It is "" where contentType is no "type/subtype".
func Mime(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	name, _, _ = strings.Cut(name, ",")
	name = strings.TrimSpace(name)
	kind, sub, ok := strings.Cut(name, "/")
	if !ok || !isToken(kind) || !isToken(sub) {
		return ""
	}
	return strings.ToLower(name)
}

// hasStatusLine reports whether data begins as an HTTP response does.
func hasStatusLine(data []byte) bool {
	return bytes.HasPrefix(data, []byte("HTTP/")) || bytes.HasPrefix(data, []byte("ICY "))
}

// nextLine is where the line behind the one at pos starts, or the end of data.
func nextLine(data []byte, pos int) int {
	if i := bytes.IndexByte(data[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(data)
}

// isBlank reports whether line is nothing but its end. Some writers doubled
// each CR.
func isBlank(line []byte) bool {
	return line[len(line)-1] == '\n' && len(bytes.TrimRight(line, "\r\n")) == 0
}

// isHeaderLine reports whether line is "Name: value" or continues one. Names
// are judged leniently: servers wrote spaces and brackets into them.
func isHeaderLine(line []byte) bool {
	if line[0] == ' ' || line[0] == '\t' {
		return true
	}
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return false
	}
	for _, c := range line[:colon] {
		if c < ' ' || c >= 0x7f || c == '<' || c == '>' || c == '"' || c == '{' || c == '(' {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isToken reports whether s is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// foldEqual reports whether b is the ASCII word s in any case.
func foldEqual(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range len(s) {
		if lower(b[i]) != lower(s[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

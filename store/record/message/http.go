// Package message reads and writes HTTP messages as archives keep them: the head
// and the body of a response, whole or cut, framed in chunks or not, in memory or
// in a temporary file. It fills record.Capture with what it reads.
//
// # Words
//
// The head is the status line, the header lines and the empty line after them.
// The framing is the sizes of the chunks in which a body was sent. The archive
// stores it beside the body, so that the message can be written again as it was
// sent. A spool is a temporary file that holds a body too large for memory. A
// window is a part of a large file that is read into memory.
package message

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
)

// headMax is how many bytes an HTTP head may have. SplitHead does not look further
// for the end of a head.
const headMax = 256 << 10

// SplitHead returns the offset in data, an HTTP message, at which the body starts:
// after the first empty line. Lines may end in CR LF or LF. SplitHead returns 0 if
// data does not begin with a status line; all of data is then the body.
//
// Old crawlers stored heads without an empty line, or cut them and put a LF at the
// cut. Therefore the body also begins at a line that is not "Name: value", unless
// that line and those around it end in CR LF and an empty line follows.
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

// MessageLength returns the length in bytes of the HTTP response at the start of
// data, and its head. The length is that of the head plus the Content-Length. ok is
// false if there is no Content-Length, if data does not begin with a status line,
// if the head does not end within data, or if it is damaged: it has a second status
// line or control characters.
func MessageLength(data []byte) (length int64, head []byte, ok bool) {
	n := SplitHead(data)
	control := func(r rune) bool { return r < ' ' && r != '\r' && r != '\n' && r != '\t' }
	if n == 0 || n == len(data) || bytes.Contains(data[:n], []byte("\nHTTP/")) || bytes.ContainsFunc(data[:n], control) {
		return 0, nil, false
	}
	body, err := strconv.ParseUint(Header(data[:n], "Content-Length"), 10, 61)
	return int64(n) + int64(body), data[:n], err == nil
}

// endOfCutHead returns the offset at which a head ends that a crawler may have cut.
// The line at the offset pos is the first line that is not a header line. If the
// lines from pos on still belong to the head, endOfCutHead returns the offset after
// the empty line; otherwise it returns pos.
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

// Status returns the status code in the first line of head, such as 302 for
// "HTTP/1.1 302" or "ICY 302 Moved". It returns 0 if that line has none.
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

// Header returns the value of the first header called name in head, or "" if there
// is none. Upper and lower case are the same. The value is trimmed, and
// continuation lines are joined to it. Its bytes may be in any charset.
func Header(head []byte, name string) string {
	for value := range Headers(head, name) {
		return value
	}
	return ""
}

// Headers yields the values of all headers called name in head, in order. Each
// value is trimmed and joined as by Header.
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

// unfold returns value, the first line of a header's value, joined with the
// continuation lines at the start of rest by blanks.
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

// Chunked reports whether head says that the body was sent in chunks: the last
// transfer coding is "chunked".
func Chunked(head []byte) bool {
	last := ""
	for value := range Headers(head, "Transfer-Encoding") {
		last = value[strings.LastIndexByte(value, ',')+1:]
	}
	return strings.EqualFold(strings.TrimSpace(last), "chunked")
}

// Codings returns the compressions of a body according to its head, in the order in
// which they were applied and separated by commas, such as "br,gzip". First come
// those of Content-Encoding, then those of Transfer-Encoding. "" means that there
// are none. Chunking is not among them.
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

// Mime returns the media type in the value of a Content-Type header, in lower
// case and without parameters, such as "text/html". It returns "" if
// contentType is not of the form type/subtype.
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

// hasStatusLine reports whether data begins like an HTTP response.
func hasStatusLine(data []byte) bool {
	return bytes.HasPrefix(data, []byte("HTTP/")) || bytes.HasPrefix(data, []byte("ICY "))
}

// nextLine returns the offset at which the line after pos begins, or the length of
// data if there is no further line.
func nextLine(data []byte, pos int) int {
	if i := bytes.IndexByte(data[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(data)
}

// isBlank reports whether line consists only of its line end. Some writers wrote
// two CR before the LF, so any number of CR is allowed.
func isBlank(line []byte) bool {
	return line[len(line)-1] == '\n' && len(bytes.TrimRight(line, "\r\n")) == 0
}

// isHeaderLine reports whether line has the form "Name: value" or continues
// such a line. The check of the name is lenient, because servers wrote blanks
// and brackets into names.
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

// isToken reports whether s is a token as RFC 9110 defines it: not empty, without
// blanks and separators.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// foldEqual reports whether b equals the ASCII word s, ignoring case.
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

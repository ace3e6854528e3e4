package render

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"infomall/store/record/message"
)

// The greatest sizes in bytes of a request that the browser sends.
const (
	requestHeadMax = 256 << 10
	requestBodyMax = 32 << 20
)

// request is a request as a proxy received it.
type request struct {
	method, target string
	head           []byte // header lines for Request.Head
	body           []byte
	socket         bool
	stream         bool   // the answer is a stream of events, which may never end
	key            string // value of Sec-WebSocket-Key
	site, dest     string // values of Sec-Fetch-Site and Sec-Fetch-Dest
}

// ofPage reports whether a page, and not the browser itself, made the request q. The browser
// also sends requests to its maker, such as for updates. These ask for no document, and have
// the header "Sec-Fetch-Site: none" or no such header.
func (q *request) ofPage() bool {
	if q.socket || strings.HasPrefix(q.target, "http://") {
		return true // these have no such headers
	}
	return q.dest == "document" || q.site != "" && q.site != "none"
}

// ofFrame reports whether q asks for the document of a frame. For requests to http URLs it
// returns false, because browsers do not send the header that says so.
func (q *request) ofFrame() bool {
	switch q.dest {
	case "iframe", "frame", "embed", "object":
		return true
	}
	return false
}

// hopHeaders are the headers of one connection. They are not passed on.
var hopHeaders = map[string]bool{
	"connection": true, "proxy-connection": true, "proxy-authorization": true, "proxy-authenticate": true,
	"keep-alive": true, "te": true, "trailer": true, "transfer-encoding": true, "content-length": true,
}

// unshownHeaders are headers of responses that the browser does not get. They would
// make it ask for a password in a window, use another protocol, or report to others
// long after the page.
var unshownHeaders = map[string]bool{
	"www-authenticate": true, "alt-svc": true, "nel": true, "report-to": true, "reporting-endpoints": true,
}

// readRequest reads a request. It returns io.EOF if there is none. Before it reads a body, it calls
// admit with the length of the body, and returns the error of admit.
func readRequest(r *bufio.Reader, admit func(length int) error) (*request, error) {
	raw, err := readHead(r)
	if err != nil {
		return nil, err
	}
	line, rest, _ := bytes.Cut(raw, []byte("\n"))
	part := strings.Fields(string(line))
	if len(part) != 3 || !strings.HasPrefix(part[2], "HTTP/1.") {
		return nil, fmt.Errorf("no request of HTTP: %.100q", line)
	}
	q := &request{method: part[0], target: part[1]}
	length := 0
	for name, field := range fields(rest) {
		value := strings.TrimSpace(string(field[len(name)+1:]))
		switch name = strings.ToLower(name); name {
		case "content-length":
			if length, err = strconv.Atoi(value); err != nil || length < 0 || length > requestBodyMax {
				return nil, fmt.Errorf("a request with a body of %.30q bytes; at most %d MB are sent", value, requestBodyMax>>20)
			}
		case "transfer-encoding":
			return nil, errors.New("a request whose body has no length")
		case "upgrade":
			q.socket = strings.EqualFold(value, "websocket")
		case "accept":
			q.stream = value == "text/event-stream"
		case "sec-websocket-key":
			q.key = value
		case "sec-fetch-site":
			q.site = value
		case "sec-fetch-dest":
			q.dest = value
		}
		if name != "host" && !hopHeaders[name] {
			q.head = append(append(q.head, field...), "\r\n"...)
		}
	}
	if length > 0 {
		if err := admit(length); err != nil {
			return nil, err
		}
		q.body = make([]byte, length)
		if _, err := io.ReadFull(r, q.body); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// readHead reads the first line and the headers of a message up to the empty line.
func readHead(r *bufio.Reader) ([]byte, error) {
	var b []byte
	for whole := true; ; { // whether the line before is whole
		line, err := r.ReadSlice('\n')
		empty := whole && len(bytes.TrimRight(line, "\r\n")) == 0
		whole = err == nil
		b = append(b, line...)
		switch {
		case len(b) > requestHeadMax:
			return nil, fmt.Errorf("a request with headers over %d KB", requestHeadMax>>10)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case empty && len(b) > 2:
			return b, nil
		}
	}
}

// fields yields the name and the whole line of each header in lines, without the end
// of the line. A continuation line is joined to its header by a blank. Lines that are
// no headers are left out.
func fields(lines []byte) func(yield func(name string, line []byte) bool) {
	return func(yield func(name string, line []byte) bool) {
		var field []byte
		joined := false // field is a copy, to which lines were added
		flush := func() bool {
			name, _, ok := bytes.Cut(field, []byte(":"))
			name = bytes.TrimRight(name, " \t")
			if !ok || len(name) == 0 || bytes.ContainsAny(field, "\x00\r") || bytes.ContainsAny(name, " \t") {
				return true
			}
			if len(name) < len(field) && field[len(name)] != ':' { // blanks before the colon
				_, value, _ := bytes.Cut(field, []byte(":"))
				field = append(append(bytes.Clone(name), ':'), value...)
			}
			return yield(string(name), field)
		}
		for line := range bytes.SplitSeq(lines, []byte("\n")) {
			line = bytes.TrimRight(line, "\r")
			if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
				if !joined {
					field, joined = bytes.Clone(field), true
				}
				field = append(append(field, ' '), bytes.TrimSpace(line)...)
				continue
			}
			if field != nil && !flush() {
				return
			}
			field, joined = line, false
		}
		if field != nil {
			flush()
		}
	}
}

// writeResponse writes s as the answer to a request with this method. The browser gets
// the headers as they were received, without those of the connection and unshownHeaders.
func writeResponse(w io.Writer, method string, s *Response) error {
	status := message.Status(s.Head)
	if status < 200 || status > 599 {
		status = 200
	}
	b := fmt.Appendf(nil, "HTTP/1.1 %d Status\r\n", status)
	_, lines, _ := bytes.Cut(s.Head, []byte("\n"))
	for name, line := range fields(lines) {
		if name = strings.ToLower(name); !hopHeaders[name] && !unshownHeaders[name] {
			b = append(append(b, line...), "\r\n"...)
		}
	}
	body := s.Body
	if method == "HEAD" || status == 204 || status == 304 {
		body = nil
	} else {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(body))
	}
	if _, err := w.Write(append(b, "\r\n"...)); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

// failure is an answer that the browser takes for a failed connection. It does not send
// the request again, as it would if the connection were closed without an answer.
const failure = "HTTP/1.1 502 Failed\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"

// handshake returns the answer that opens a WebSocket: the headers of s, with the
// proof that the browser's key asks for.
func handshake(s *Response, key string) []byte {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	b := []byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n")
	_, lines, _ := bytes.Cut(s.Head, []byte("\n"))
	for name, line := range fields(lines) {
		if name = strings.ToLower(name); !hopHeaders[name] && !unshownHeaders[name] && name != "sec-websocket-accept" {
			b = append(append(b, line...), "\r\n"...)
		}
	}
	return fmt.Appendf(b, "Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
}

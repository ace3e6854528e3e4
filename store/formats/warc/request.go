package warc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// request is a request record. The request belongs to a response record beside it.
type request struct {
	target     string   // value of WARC-Target-URI
	id         string   // value of WARC-Record-ID
	concurrent []string // values of WARC-Concurrent-To: identifiers of records of the same exchange
	head       []byte   // request line and headers, with the empty line after them
	method     string
	media      string // value of Content-Type in the request
	body       []byte
}

// requestAt reads the request record with the header h and the block at off. It reads
// at most message.ViewMax bytes of the block, and ignores the rest. It returns nil if
// the block is not an HTTP request.
func (s *scanner) requestAt(off int64, h *header) (*request, error) {
	b, err := s.Window.View(off, int(min(h.length, message.ViewMax)))
	if err != nil {
		return nil, err
	}
	head := b[:headEnd(b)]
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) != 3 || !strings.HasPrefix(words[2], "HTTP/") {
		return nil, nil
	}
	return &request{
		head:   bytes.Clone(head),
		target: h.uri("WARC-Target-URI"), id: h.uri("WARC-Record-ID"), concurrent: h.uris("WARC-Concurrent-To"),
		method: words[0], media: message.Header(head, "Content-Type"), body: bytes.Clone(b[len(head):]),
	}, nil
}

// headEnd returns the offset after the first empty line of b, a request, or its length
// if it has none.
func headEnd(b []byte) int {
	for at := 0; at < len(b); {
		n := bytes.IndexByte(b[at:], '\n') + 1
		if n == 0 {
			return len(b)
		}
		if at += n; len(bytes.TrimRight(b[at-n:at], "\r\n")) == 0 {
			return at
		}
	}
	return len(b)
}

// asks reports whether r is the request to which c is the response. concurrent are the identifiers
// of records that the record of c names in its field WARC-Concurrent-To.
func (r *request) asks(c *record.Capture, concurrent []string) bool {
	if len(r.concurrent) > 0 || len(concurrent) > 0 {
		return c.RecordID != "" && slices.Contains(r.concurrent, c.RecordID) || r.id != "" && slices.Contains(concurrent, r.id)
	}
	return r.target == c.AskedURL
}

// pairing gives each capture its request before it is yielded. The request record may
// come directly before the record of the response, or a few records after it. In the
// second case pairing holds the capture back until it has read the request.
type pairing struct {
	yield      func(record.Item) bool
	before     *request      // the request in the last record, if no capture has it yet; otherwise nil
	held       []record.Item // the capture that is held back, and the items after it; empty if none is held back
	concurrent []string      // values of WARC-Concurrent-To in the record of that capture
}

// heldMax is how many items pairing holds back at most while it waits for the request
// of a capture. A request comes within a few records.
const heldMax = 4

// add is called with each item of the file, in the order of the offsets. It yields the item, or
// holds it back. h is the header of the item's record, and r is the request in that record, or nil
// if it is not a request record. more is false if the receiver wants no more items.
func (p *pairing) add(it record.Item, h *header, r *request) (more bool) {
	switch {
	case it.Capture != nil:
		if !p.flush() {
			it.Capture.Close()
			return false
		}
		concurrent := h.uris("WARC-Concurrent-To")
		before := p.before
		if p.before = nil; before != nil && before.asks(it.Capture, concurrent) {
			before.name(it.Capture)
			return p.yield(it)
		}
		p.held, p.concurrent = append(p.held, it), concurrent
		return true
	case it.Damage != "", len(p.held) == heldMax:
		more = p.flush()
	case r != nil && len(p.held) > 0 && r.asks(p.held[0].Capture, p.concurrent):
		r.name(p.held[0].Capture)
		r = nil
		more = p.flush()
	default:
		more = true
	}
	if p.before = r; !more {
		return false
	}
	if len(p.held) == 0 {
		return p.yield(it)
	}
	p.held = append(p.held, it)
	return true
}

// flush yields all items that are held back. more is false if the receiver wants no more items.
func (p *pairing) flush() (more bool) {
	held := p.held
	p.held = nil
	for i, it := range held {
		if p.yield(it) {
			continue
		}
		for _, left := range held[i+1:] {
			if left.Capture != nil {
				left.Capture.Close()
			}
		}
		return false
	}
	return true
}

// drop closes the capture that is held back, if there is one, without yielding it.
func (p *pairing) drop() {
	for _, it := range p.held {
		if it.Capture != nil {
			it.Capture.Close()
		}
	}
	p.held = nil
}

// name records that r is the request of capture c. It sets c.Request to the head of r, and
// c.AskedURL to the URL under which the archive keeps the response. If r is not a GET, that URL
// also has the method and the body of the request. If c is a resource, name changes nothing.
func (r *request) name(c *record.Capture) {
	if c.Via == record.ViaResource {
		return
	}
	c.Request = r.head
	asked := urlkey.WithMethod(c.AskedURL, r.method, r.media, r.body)
	if c.RefersURL == c.AskedURL {
		c.RefersURL = asked
	}
	c.AskedURL = asked
}

// target returns the URL that was requested for a capture. asked is the URL under which the archive
// keeps the capture; if the request was not a GET, asked also has its method and body, and target
// removes them. For a resource, which had no request, target returns asked unchanged. via is the
// Via of the capture.
func target(asked string, via record.Via) string {
	if page, _, _, ok := urlkey.Method(asked); ok && via != record.ViaResource {
		return page
	}
	return asked
}

// writeRequest writes the request record for the capture s, if the archive has the head of the
// request or the request was not a GET. From the record, readers of the file learn the method. The
// archive does not have the body of the request as it was sent, so the record has a form with the
// same arguments. id is the identifier of the record of s.
func (w *Writer) writeRequest(s *message.Stored, id string) error {
	page, method, query, ok := urlkey.Method(s.AskedURL)
	if !ok {
		page, method = s.AskedURL, "GET"
	}
	kept := s.Request
	if sent, _, _ := bytes.Cut(kept, []byte(" ")); string(sent) != method {
		kept = nil // an imported file may have anything
	}
	if !ok && kept == nil || s.Via == record.ViaResource {
		return nil
	}
	head, body := string(kept), []byte(nil)
	if ok {
		body = urlkey.FormBody(query)
		head = formHead(kept, page, method, body)
	}
	h := newHeader("request", page, s.Time, recordID("request", s.AskedURL, s.Time, s.Offset))
	h.add("WARC-Concurrent-To", "<"+id+">")
	h.add("Content-Type", "application/http;msgtype=request")
	return w.record(h, head, one(body))
}

// formHead returns the head of a request for the URL page whose body is a form, body. The
// headers that do not describe the body are copied from kept, the head of the request as it
// was sent. kept is nil if the archive does not have that head.
func formHead(kept []byte, page, method string, body []byte) string {
	var b strings.Builder
	if len(kept) == 0 {
		_, host, _ := strings.Cut(page, "://")
		path := "/"
		if i := strings.IndexAny(host, "/?"); i >= 0 {
			host, path = host[:i], "/"+strings.TrimPrefix(host[i:], "/")
		}
		fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, host[strings.LastIndexByte(host, '@')+1:])
	}
	for line := range bytes.Lines(kept) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch strings.ToLower(string(bytes.TrimSpace(name))) {
		case "", "content-type", "content-length", "content-encoding", "transfer-encoding":
		default:
			b.Write(line)
		}
	}
	if len(body) > 0 || method == "POST" || method == "PUT" {
		fmt.Fprintf(&b, "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	return b.String()
}

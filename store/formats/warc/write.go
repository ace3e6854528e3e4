package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"hash"
	"io"
	"iter"
	"net/netip"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"infomall/store/record"
	"infomall/store/record/message"
)

// WriterOptions says how a Writer writes a WARC file. The zero value works.
type WriterOptions struct {
	Plain    bool        // write without compression; otherwise each record is a gzip member
	Filename string      // name of the file, for the warcinfo record
	Software string      // name of the writing program, for the warcinfo record, such as "infomall/1.0"
	Now      record.Time // date of the warcinfo record
	Append   bool        // write no warcinfo record, because the file has one already
}

// Writer writes captures as the records of a WARC 1.1 file. It does not write a
// body again if the file already has that body for the same URL, in a record of the
// same type, status and media type: the capture then becomes a revisit record. The
// Writer remembers the digests of the bodies of one URL only. The captures of a URL
// should therefore come together and in order of time.
//
// A revisit record cannot hold the transfer framing of a body. Everything else
// comes back from Read.
type Writer struct {
	w      counter
	o      WriterOptions
	zip    *gzip.Writer
	url    string                      // the URL of the last capture
	have   map[record.Digest]*original // by digest of a body: the record of that URL that has the body
	moment message.Moment              // remembers the captures that were written with the last URL and time
	before *original                   // the record that has the body of the last capture; nil if there is none
}

// original is a record with a body that a later revisit record can refer to.
type original struct {
	time    record.Time
	url     string // value of WARC-Target-URI in the record
	payload string // digest of the payload, such as "sha1:BASE32"
	head    bool   // the record is a response with a head, not a resource
	status  int
	mime    string
	// second is set if an earlier record of the file has the same URL, time and body. A reader would
	// take a revisit record that names this URL and time for a revisit of that earlier record.
	second bool
}

// like reports whether s may be written as a revisit of the record o. It may if both are responses
// or both are resources, and if they have the same status and media type. Their heads may differ.
func (o *original) like(s *message.Stored) bool {
	head := len(s.Head) > 0
	return o.head == head && (head || s.Via == record.ViaResource) && o.status == s.Status && o.mime == s.MediaType()
}

// counter is an io.Writer that writes to w and counts the bytes.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// NewWriter returns a Writer that writes to w, and writes the warcinfo record (the
// first of the file) to w at once, unless o.Append is set. The Writer never closes w.
func NewWriter(w io.Writer, o WriterOptions) (*Writer, error) {
	out := &Writer{w: counter{w: w}, o: o, have: make(map[record.Digest]*original)}
	if !o.Plain {
		out.zip = gzip.NewWriter(&out.w)
	}
	if o.Append {
		return out, nil
	}
	var fields []byte
	if o.Software != "" {
		fields = fmt.Appendf(fields, "software: %s\r\n", o.Software)
	}
	fields = append(fields, "format: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"...)
	h := newHeader("warcinfo", "", o.Now, recordID("warcinfo", o.Filename, o.Now, 0))
	if o.Filename != "" && !strings.ContainsAny(o.Filename, "\r\n") {
		h.add("WARC-Filename", o.Filename)
	}
	h.add("Content-Type", "application/warc-fields")
	return out, out.record(h, "", one(fields))
}

// Placed says where the record of a capture is in the file.
type Placed struct {
	Offset, Length int64  // of the record, or of its gzip member if the file is compressed, in bytes
	Revisit        bool   // the record is a revisit record
	Payload        string // payload digest of the record, such as "sha1:BASE32"; "" if unknown
	ID             string // identifier of the record, such as "urn:uuid:…"
}

// Write writes one capture and returns where its record is in the file. It writes the
// record of the request after it, if the archive has the request's head or the request was
// not a GET.
func (w *Writer) Write(s *message.Stored) (Placed, error) {
	if s.URL != w.url {
		w.url, w.before = s.URL, nil
		clear(w.have)
	}
	if strings.ContainsAny(s.AskedURL, "\r\n") {
		return Placed{}, fmt.Errorf("write a WARC record: a line end in URL %q", s.AskedURL)
	}
	at := Placed{Offset: w.w.n}
	var err error
	o, before := w.have[s.Digest], w.before
	w.before = o
	var twin *message.Written // the record in the file for which a reader would take this one
	if s.NoBody == "" {
		twin = w.moment.Twin(s)
	}
	switch {
	case s.NoBody != "" && (s.Via != record.ViaNotModified || len(s.Head) == 0):
		at.Revisit, at.Payload = true, s.DeclaredDigest
		err = w.revisit(s, target(s.RefersURL, s.Via), s.RefersTime, s.DeclaredDigest)
	case s.NoBody != "", s.Via == record.ViaNotModified && (o == nil || o == before && (o.second || twin != nil)):
		// The server said that nothing changed: the record has a head and no body.
		// A reader takes it for a visit that found the same as the capture before.
		err = w.whole(s, nil, "")
	case s.Via == record.ViaNotModified, o != nil && s.Size > 0 && o.like(s) && (o.head || !o.second) && twin == nil:
		at.Revisit, at.Payload = true, o.payload
		err = w.revisit(s, o.url, o.time, o.payload)
	case twin != nil && !twin.Revisit:
		// The two captures differ only in that one of them is a revisit.
		if at.Payload, err = digestOf(s.Entity()); err != nil {
			return at, err
		}
		at.Revisit = true
		err = w.revisit(s, target(s.URL, s.Via), s.Time, at.Payload)
	default:
		if at.Payload, err = digestOf(s.Entity()); err != nil {
			return at, err
		}
		err = w.whole(s, s.Wire(), at.Payload)
		if head := len(s.Head) > 0; head || s.Via == record.ViaResource {
			w.before = &original{s.Time, target(s.AskedURL, s.Via), at.Payload, head, s.Status, s.MediaType(), w.moment.HasBody(s)}
			w.have[s.Digest] = w.before
		} else {
			// A later visit that found nothing new refers to this record, and not
			// to the one that had the same body before.
			delete(w.have, s.Digest)
			w.before = nil
		}
	}
	bodiless := at.Revisit || s.Via == record.ViaNotModified
	switch {
	case s.NoBody == "" && twin == nil:
		w.moment.Add(s, bodiless)
	case s.NoBody == "" && !bodiless:
		twin.Revisit = false
	}
	at.Length = w.w.n - at.Offset
	if at.ID = captureID(wholeKind(s), s); at.Revisit {
		at.ID = captureID(kindRevisit, s)
	}
	if err == nil {
		err = w.writeRequest(s, at.ID)
	}
	return at, err
}

// kindRevisit is the type of records that refer to the body in another record.
const kindRevisit = "revisit"

// wholeKind returns the type of a record that has the body of s.
func wholeKind(s *message.Stored) string {
	if s.Via == record.ViaResource {
		return "resource"
	}
	return "response"
}

// whole writes the capture s as a response or resource record with its body. If
// body is nil, the body is empty. payload is the digest of the payload, or "".
func (w *Writer) whole(s *message.Stored, body iter.Seq2[[]byte, error], payload string) error {
	content := "application/http;msgtype=response"
	if s.Via == record.ViaResource {
		content = s.Mime
	}
	h := captureHeader(wholeKind(s), s)
	if payload != "" {
		h.add("WARC-Payload-Digest", payload)
	}
	if written := h.extra(s.Extra); written != "" {
		content = written
	}
	if content != "" {
		h.add("Content-Type", content)
	}
	return w.record(h, string(s.Head), body)
}

// The values of the field WARC-Profile in revisit records: the body is the same, or
// the server said that nothing changed.
const (
	profileSame        = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	profileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// revisit writes a revisit record for s, whose body is in another record. url and t are
// the URL and the time of that record, and payload is the digest of the body. If one of
// them is not known ("" or record.NoTime), its header field is left out.
func (w *Writer) revisit(s *message.Stored, url string, t record.Time, payload string) error {
	h := captureHeader(kindRevisit, s)
	profile := profileSame
	if s.Via == record.ViaNotModified {
		profile = profileNotModified
	}
	h.add("WARC-Profile", profile)
	if url != "" {
		h.add("WARC-Refers-To-Target-URI", url)
	}
	if t != record.NoTime {
		h.add("WARC-Refers-To-Date", date(t))
	}
	if payload != "" {
		h.add("WARC-Payload-Digest", payload)
	}
	h.extra(s.Extra)
	h.add("Content-Type", "application/http;msgtype=response")
	return w.record(h, string(s.Head), nil)
}

// record writes a record with the header h, to which it adds the length and the
// digest of the block. The block is head followed by body. record ranges over body
// twice, because length and digest come before the block.
func (w *Writer) record(h *headerText, head string, body iter.Seq2[[]byte, error]) error {
	if body == nil {
		body = one(nil)
	}
	sum, size := sha1.New(), int64(len(head))
	io.WriteString(sum, head)
	for b, err := range body {
		if err != nil {
			return err
		}
		sum.Write(b)
		size += int64(len(b))
	}
	h.add("WARC-Block-Digest", sha1Text(sum))
	h.add("Content-Length", fmt.Sprint(size))
	var to io.Writer = &w.w
	if w.zip != nil {
		w.zip.Reset(&w.w)
		to = w.zip
	}
	if _, err := io.WriteString(to, h.b.String()+"\r\n"+head); err != nil {
		return err
	}
	for b, err := range body {
		if err != nil {
			return err
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(to, "\r\n\r\n"); err != nil || w.zip == nil {
		return err
	}
	return w.zip.Close()
}

// one returns a sequence that yields b once, without an error.
func one(b []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { yield(b, nil) }
}

// PayloadDigest returns the digest of the body of s, as a Writer writes it: such as
// "sha1:BASE32". If the archive does not have the body, it returns the digest that
// the imported record declared, or "".
func PayloadDigest(s *message.Stored) (string, error) {
	if s.NoBody != "" {
		return s.DeclaredDigest, nil
	}
	return digestOf(s.Entity())
}

// digestOf returns the SHA-1 of body in the form of WARC files, such as
// "sha1:BASE32".
func digestOf(body iter.Seq2[[]byte, error]) (string, error) {
	sum := sha1.New()
	for b, err := range body {
		if err != nil {
			return "", err
		}
		sum.Write(b)
	}
	return sha1Text(sum), nil
}

func sha1Text(h hash.Hash) string { return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(nil)) }

// headerText is the header of a record that is being written.
type headerText struct{ b strings.Builder }

func newHeader(kind, url string, t record.Time, id string) *headerText {
	h := new(headerText)
	h.b.WriteString("WARC/1.1\r\n")
	h.add("WARC-Type", kind)
	h.add("WARC-Record-ID", "<"+id+">")
	h.add("WARC-Date", date(t))
	if url != "" {
		h.add("WARC-Target-URI", url)
	}
	return h
}

func (h *headerText) add(name, value string) { h.b.WriteString(name + ": " + value + "\r\n") }

// captureID returns the identifier of the record for the capture s. It is the identifier
// with which s was imported, if that is valid in a header, and otherwise a new one. kind is
// the type of the record, such as "response".
func captureID(kind string, s *message.Stored) string {
	if !strings.Contains(s.RecordID, ":") || strings.ContainsAny(s.RecordID, "<> \r\n") {
		return recordID(kind, s.AskedURL, s.Time, s.Offset)
	}
	return s.RecordID
}

// captureHeader returns a header with the first fields for the record of the
// capture s. kind is the type of the record, such as "response".
func captureHeader(kind string, s *message.Stored) *headerText {
	h := newHeader(kind, target(s.AskedURL, s.Via), s.Time, captureID(kind, s))
	if _, err := netip.ParseAddr(s.IP); err == nil {
		h.add("WARC-IP-Address", s.IP)
	} else if s.IP != "" {
		h.add(fieldServer, s.IP)
	}
	if s.Origin != "" {
		h.add(fieldOrigin, s.Origin)
	}
	if s.Truncated && !bytes.Contains(bytes.ToLower(s.Extra), []byte("warc-truncated:")) {
		h.add("WARC-Truncated", "unspecified")
	}
	return h
}

// fieldServer and fieldOrigin are the names of header fields that only this program
// writes. They hold facts of a Tianwang record for which WARC has no field.
const (
	fieldServer = "Infomall-Server" // name of the server, if its address is not known
	fieldOrigin = "Infomall-Origin" // URL that was requested first, if a redirect led to another
)

// renewed has the names, in lower case, of the header fields that the Writer does not
// copy from the imported record. It writes them itself, or they refer to records that
// are not in this file.
var renewed = map[string]bool{
	"warc-type": true, "warc-record-id": true, "warc-target-uri": true, "warc-ip-address": true, "content-length": true,
	"warc-block-digest": true, "warc-payload-digest": true, "warc-date": true, "warc-profile": true,
	"warc-refers-to": true, "warc-refers-to-target-uri": true, "warc-refers-to-date": true,
	"warc-concurrent-to": true, "warc-warcinfo-id": true, "warc-segment-number": true,
	"warc-segment-origin-id": true, "warc-segment-total-length": true,
}

// extra adds header fields to h from lines, each "name: value\n". It skips the
// fields in renewed. It does not add the field Content-Type either, but returns its
// value, or "" if there is none.
func (h *headerText) extra(lines []byte) (contentType string) {
	for line := range bytes.Lines(lines) {
		name, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		value = strings.TrimSpace(value)
		switch lower := strings.ToLower(name); {
		case !ok || name == "" || renewed[lower] || strings.ContainsAny(name, " \t\r") || strings.ContainsRune(value, '\r'):
		case lower == "content-type":
			contentType = value
		default:
			h.add(name, value)
		}
	}
	return contentType
}

// date returns t in the form of RFC 3339, with as many digits of a second's
// fraction as needed.
func date(t record.Time) string { return t.Std().Format(time.RFC3339Nano) }

// recordID computes an identifier for a record from its type, URL and time, as
// "urn:uuid:" and a UUID. The same arguments always give the same UUID. n is a number
// that differs for records with equal type, URL and time.
func recordID(kind, url string, t record.Time, n int64) string {
	id := sha1.Sum(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", kind, url, t, n))
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80 // version 5, as RFC 9562 has it
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

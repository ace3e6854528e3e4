package warc

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"infomall/store/record"
	"infomall/store/record/message"
)

// placed has the names, in lower case, of the header fields that are not stored in
// Capture.Extra. A Capture has a field of its own for them, or they mean nothing after
// the record was read.
var placed = map[string]bool{
	"warc-type": true, "warc-record-id": true, "warc-date": true, "warc-target-uri": true,
	"warc-ip-address": true, "warc-refers-to-target-uri": true, "warc-refers-to-date": true,
	"content-type": true, "content-length": true, "infomall-server": true, "infomall-origin": true,
}

// capture reads the record at pos as a capture. h is the header of the record, and
// kind its type, such as "response". The result why says what is wrong with the
// header fields, such as "response record without WARC-Target-URI"; it is "" if nothing
// is wrong. err is a failure to read.
func (s *scanner) capture(pos int64, kind string, h header) (c *record.Capture, why string, err error) {
	t, err := parseDate(h.get("WARC-Date"))
	if err != nil {
		return nil, err.Error(), nil
	}
	url := h.uri("WARC-Target-URI")
	if url == "" {
		return nil, kind + " record without WARC-Target-URI", nil
	}
	c = &record.Capture{
		AskedURL:   url,
		Time:       record.At(t),
		IP:         cmp.Or(h.get("WARC-IP-Address"), h.get(fieldServer)),
		Origin:     h.get(fieldOrigin),
		RefersTime: record.NoTime,
		Truncated:  h.get("WARC-Truncated") != "" || h.get("WARC-Segment-Number") != "",
		Source:     s.o.Source,
		RecordID:   h.uri("WARC-Record-ID"),
	}
	c.DeclaredDigest, c.Extra = digestAndExtra(&h)
	if !c.Time.Std().Equal(t) {
		c.Extra = fmt.Appendf(c.Extra, "WARC-Date: %s\n", h.get("WARC-Date"))
	}
	switch off := pos + h.bytes; {
	case kind == "revisit":
		err = s.revisit(c, off, h)
	case kind == "response" && s.isHTTP(off, h):
		err = message.Read(c, s.Window, off, h.length, s.o.Limits)
	default:
		written := h.get("Content-Type")
		c.Via, c.Mime = record.ViaResource, message.Mime(written)
		if c.Mime != written {
			c.Extra = fmt.Appendf(c.Extra, "Content-Type: %s\n", written)
		}
		err = message.ReadBody(c, s.Window, off, h.length, s.o.Limits)
	}
	return c, "", err
}

// digestAndExtra returns two parts of the header h. digest is the digest that h declares
// for the payload, such as "sha1:BASE32", or, if it declares none, that for the block.
// extra has the header fields for which a Capture has no field, as lines
// "name: value\n".
func digestAndExtra(h *header) (digest string, extra []byte) {
	of := "WARC-Payload-Digest"
	if digest = h.get(of); digest == "" {
		of = "WARC-Block-Digest"
		digest = h.get(of)
	}
	for _, f := range h.fields {
		if !placed[strings.ToLower(f.name)] && f.value != "" && !strings.EqualFold(f.name, of) {
			extra = fmt.Appendf(extra, "%s: %s\n", f.name, f.value)
		}
	}
	return digest, extra
}

// isHTTP reports whether a response record holds an HTTP response: the Content-Type in its header h
// says so, or its content, which begins at the offset off, begins with "HTTP/".
func (s *scanner) isHTTP(off int64, h header) bool {
	switch message.Mime(h.get("Content-Type")) {
	case "application/http", "message/http":
		return true
	}
	b, err := s.Window.View(off, len("HTTP/"))
	return err == nil && string(b) == "HTTP/"
}

// revisit fills c from a revisit record with the header h and the block at off. The
// block of such a record is the head of a response, or empty.
func (s *scanner) revisit(c *record.Capture, off int64, h header) error {
	c.Via = record.ViaRevisit
	b, err := s.Window.View(off, int(min(h.length, message.ViewMax)))
	if err != nil {
		return err
	}
	c.Head = bytes.Clone(b[:message.SplitHead(b)])
	c.Status = message.Status(c.Head)
	if c.Status == 304 || strings.Contains(strings.ToLower(h.get("WARC-Profile")), "server-not-modified") {
		c.Via = record.ViaNotModified
	}
	c.RefersURL = h.uri("WARC-Refers-To-Target-URI")
	if t, err := parseDate(h.get("WARC-Refers-To-Date")); err == nil {
		c.RefersTime = record.At(t)
	}
	return nil
}

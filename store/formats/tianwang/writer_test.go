package tianwang

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/message"
)

// stored draws a capture such as any format may have brought.
func stored(t *rapid.T) *message.Stored {
	draw := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	s := &message.Stored{URL: "http://a.example/"}
	s.AskedURL = draw("asked", "http://a.example/", "http://A.example:80/", "http://a.example/#x y", "http://a.example/\xd6\xd0")
	s.Time = record.Time(rapid.Int64Range(-3_000_000_000_000, 4_000_000_000_000).Draw(t, "time"))
	s.RefersTime = record.NoTime
	s.IP = draw("ip", "", "10.0.0.1", "2001:db8::1", "www.a.example")
	s.Origin = draw("origin", "", "http://o.example/")
	s.Truncated = rapid.Bool().Draw(t, "truncated")
	s.DeclaredDigest = draw("digest", "", "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	s.RecordID = draw("record", "", "urn:uuid:1")
	s.Extra = []byte(draw("extra", "", "id: 7\n", "date: 15 Apr 03 08:13\n", "WARC-Identified-Payload-Type: text/html\n", "length: 7\ncrc32c: 1\n", "infomall-resource: x\n", "no colon\n"))
	s.Request = []byte(draw("request", "", "GET / HTTP/1.1\r\nHost: a.example\r\nX-Empty:\r\n\r\n"))
	body := draw("body", "", "one", "two\n\nversion: 1.0\nlength: 2\n\nxx\n", "0\r\n\r\n", "\x78\x9cno zlib")
	s.Via = rapid.SampledFrom([]record.Via{record.ViaResponse, record.ViaRevisit, record.ViaNotModified, record.ViaResource}).Draw(t, "via")
	if s.Via == record.ViaResource {
		s.Mime = draw("mime", "", "image/png")
	} else {
		s.Head = []byte(draw("head", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 404 x\nContent-Type: a/b\n\n", "HTTP/1.1 304 Not Modified\r\n\r\n", ""))
		if s.Via == record.ViaResponse && string(s.Head[:min(12, len(s.Head))]) == "HTTP/1.1 304" {
			s.Head = nil // it would be a 304
		}
		if s.Via == record.ViaResponse && len(body) > 0 && rapid.Bool().Draw(t, "chunked") {
			s.Head = []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			_, s.Framing, _ = message.Dechunk(fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(body), body))
		}
		s.Status = message.Status(s.Head)
	}
	if s.Via == record.ViaRevisit || s.Via == record.ViaNotModified {
		s.RefersURL, s.RefersTime = draw("refers", "", "http://c.example/"), 1_000_000_000_123
		if rapid.Bool().Draw(t, "no body") {
			s.NoBody, body = "its original is not here", ""
		}
	}
	s.Body, s.Size = []byte(body), int64(len(body))
	if rapid.Bool().Draw(t, "large") {
		s.Large, s.Body = func(yield func([]byte, error) bool) {
			for i := range len(body) {
				if !yield([]byte(body[i:i+1]), nil) {
					return
				}
			}
		}, nil
	}
	return s
}

// TestWriteRead writes captures and reads them back.
func TestWriteRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(stored), 1, 6).Draw(t, "captures")
		var file bytes.Buffer
		w := NewWriter(&file, rapid.Bool().Draw(t, "compress"))
		for _, s := range list {
			if err := w.Write(s); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for it, err := range Read(context.Background(), bytes.NewReader(file.Bytes()), Options{}) {
			if err != nil || it.Capture == nil || n == len(list) {
				t.Fatalf("record %d: %v, %+v\n%q", n, err, it, file.Bytes())
			}
			compare(t, it.Capture, list[n])
			n++
		}
		if n != len(list) {
			t.Fatalf("%d records for %d captures in\n%q", n, len(list), file.Bytes())
		}
	})
}

// compare compares what was read with what was written.
func compare(t *rapid.T, got *record.Capture, want *message.Stored) {
	if got.AskedURL != want.AskedURL || got.Time != want.Time || got.IP != want.IP || got.Origin != want.Origin ||
		got.Truncated != want.Truncated || got.DeclaredDigest != want.DeclaredDigest || got.RecordID != want.RecordID {
		t.Errorf("read %+v, want %+v", got, want.Capture)
	}
	via, body := want.Via, want.Body
	if want.Large != nil {
		for b := range want.Large {
			body = append(body, b...)
		}
	}
	switch {
	case want.NoBody != "" || via == record.ViaNotModified:
		body = nil
		if via == record.ViaRevisit && (got.RefersURL != want.RefersURL || got.RefersTime != want.RefersTime) {
			t.Errorf("refers to %s at %v, want %s, %v", got.RefersURL, got.RefersTime, want.RefersURL, want.RefersTime)
		}
	case via == record.ViaRevisit:
		via = record.ViaResponse // it goes out whole
		if want.Status == 304 && len(body) == 0 {
			via = record.ViaNotModified
		}
	}
	if got.Via != via || got.Status != want.Status || got.Mime != want.Mime || !bytes.Equal(got.Head, want.Head) || !bytes.Equal(got.Body, body) || !bytes.Equal(got.Framing, want.Framing) {
		t.Errorf("read %v %d %s %q %q %x, want %v %d %s %q %q %x", got.Via, got.Status, got.Mime, got.Head, got.Body, got.Framing,
			via, want.Status, want.Mime, want.Head, body, want.Framing)
	}
	if !bytes.Equal(got.Request, want.Request) {
		t.Errorf("request %q, want %q", got.Request, want.Request)
	}
	for line := range strings.Lines(string(want.Extra)) {
		keeps := strings.HasPrefix(line, "id:") || strings.HasPrefix(line, "WARC-")
		if keeps && !strings.Contains(string(got.Extra), strings.ToLower(line)) {
			t.Errorf("properties %q, want %q among them", got.Extra, line)
		}
	}
}

// TestTwin writes captures of one URL and moment: a second one with the same status
// and body becomes a revisit of the first, and no other does.
func TestTwin(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n\r\n"
	capture := func(via record.Via, head, body, digest string, at record.Time) *message.Stored {
		s := &message.Stored{URL: "http://a.example/", Digest: sha256.Sum256([]byte(body)), Size: int64(len(body))}
		s.AskedURL, s.Time, s.RefersTime, s.Via = s.URL, at, record.NoTime, via
		s.Head, s.Body, s.Status, s.DeclaredDigest = []byte(head), []byte(body), message.Status([]byte(head)), digest
		return s
	}
	first := capture(record.ViaResponse, head, "one", "sha1:A", 7)
	for _, tt := range []struct {
		name   string
		second *message.Stored
		twin   bool
	}{
		{"a revisit", capture(record.ViaRevisit, head, "one", "sha1:B", 7), true},
		{"a moment later", capture(record.ViaRevisit, head, "one", "sha1:A", 8), false},
		{"another body", capture(record.ViaRevisit, head, "two", "sha1:A", 7), false},
		{"another status", capture(record.ViaRevisit, "HTTP/1.1 404 x\r\n\r\n", "one", "sha1:A", 7), false},
		{"a file", capture(record.ViaResource, "", "one", "sha1:A", 7), false},
	} {
		var file bytes.Buffer
		w := NewWriter(&file, false)
		for _, s := range []*message.Stored{first, tt.second} {
			if err := w.Write(s); err != nil {
				t.Fatal(err)
			}
		}
		var got []*record.Capture
		for it, err := range Read(t.Context(), bytes.NewReader(file.Bytes()), Options{}) {
			if err != nil || it.Capture == nil {
				t.Fatalf("%s: %+v, %v", tt.name, it, err)
			}
			got = append(got, it.Capture)
		}
		if len(got) != 2 || string(got[0].Body) != "one" {
			t.Fatalf("%s: %d captures, want 2 and the first with its body", tt.name, len(got))
		}
		c := got[1]
		if !tt.twin {
			if !bytes.Equal(c.Body, tt.second.Body) {
				t.Errorf("%s: body %q, want %q", tt.name, c.Body, tt.second.Body)
			}
			continue
		}
		if c.Via != record.ViaRevisit || string(c.Head) != head || c.Body != nil || c.RefersURL != first.URL || c.RefersTime != first.Time || c.DeclaredDigest != "sha1:A" {
			t.Errorf("%s: read %+v, want a revisit of %s at %d with the digest sha1:A", tt.name, c, first.URL, first.Time)
		}
	}
}

// TestOwnIsUnderstoodOrKept shows that a property of ours with a value that
// means nothing is kept like one of others.
func TestOwnIsUnderstoodOrKept(t *testing.T) {
	for _, line := range []string{"infomall-milliseconds: 1000\n", "infomall-revisit: perhaps\n", "infomall-refers-date: today\n", "infomall-new: 1\n"} {
		c := &record.Capture{Extra: []byte(line)}
		takeOwn(c)
		if string(c.Extra) != line || c.Via != record.ViaResponse || c.Time != 0 {
			t.Errorf("%q is taken for %+v", line, c)
		}
	}
}

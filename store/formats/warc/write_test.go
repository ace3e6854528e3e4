package warc

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// stored draws a capture of one of a few URLs, with one of a few bodies.
func stored(t *rapid.T) *message.Stored {
	draw := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	s := &message.Stored{URL: draw("url", "http://a.example/", "http://a.example/f?__wb_method=POST&q=%E5%8C%97%20%B1&r=1+2", "http://b.example/x?y=1")}
	s.AskedURL, s.RefersTime = s.URL, record.NoTime
	s.Time = record.Time(rapid.Int64Range(0, 2_000_000_000_000).Draw(t, "time"))
	s.IP = draw("ip", "", "10.0.0.1", "2001:db8::1", "www.a.example")
	s.Origin = draw("origin", "", "http://o.example/")
	s.Truncated = rapid.Bool().Draw(t, "truncated")
	s.Via = rapid.SampledFrom([]record.Via{record.ViaResponse, record.ViaRevisit, record.ViaNotModified, record.ViaResource}).Draw(t, "via")
	body := draw("body", "", "one", "two\r\n\r\nWARC/1.1\r\n", "0\r\n\r\n")
	switch s.Via {
	case record.ViaResource:
		s.Mime = draw("mime", "text/plain", "image/png")
	case record.ViaNotModified:
		s.Head = []byte("HTTP/1.1 304 Not Modified\r\n\r\n")
		s.Status = 304
	default:
		s.Head = []byte(draw("head", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 404 x\nContent-Type: a/b\n\n", "HTTP/1.1 302 F\r\nLocation: /\r\n\r\n"))
		s.Status = message.Status(s.Head)
		if rapid.Bool().Draw(t, "chunked") {
			s.Head = []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			s.Status = 200
			if len(body) > 0 {
				_, s.Framing, _ = message.Dechunk(fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(body), body))
			}
		}
	}
	s.Request = []byte(draw("request", "", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "POST /f HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"))
	s.Body, s.Size = []byte(body), int64(len(body))
	copy(s.Digest[:], body+"\x00")
	if s.Via == record.ViaRevisit && rapid.Bool().Draw(t, "no body") {
		s.NoBody, s.Body, s.Digest = "its original is not here", nil, record.Digest{}
		s.DeclaredDigest = "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
		s.RefersURL, s.RefersTime = "http://c.example/", 1_000_000_000_000
	}
	return s
}

// TestWriteRead writes captures and reads them back.
func TestWriteRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(stored), 1, 8).Draw(t, "captures")
		slices.SortStableFunc(list, func(a, b *message.Stored) int { return bytes.Compare([]byte(a.URL), []byte(b.URL)) })
		var file bytes.Buffer
		w, err := NewWriter(&file, WriterOptions{Plain: rapid.Bool().Draw(t, "plain"), Filename: "f.warc", Software: "test"})
		if err != nil {
			t.Fatal(err)
		}
		var placed []Placed
		for _, s := range list {
			p, err := w.Write(s)
			if err != nil {
				t.Fatal(err)
			}
			placed = append(placed, p)
		}
		if w.w.n != int64(file.Len()) {
			t.Errorf("%d bytes counted of %d", w.w.n, file.Len())
		}
		n := -1 // the warcinfo record comes first
		bodies := map[string][]byte{}
		for it, err := range Read(context.Background(), bytes.NewReader(file.Bytes()), Options{}) {
			if err != nil || it.Damage != "" {
				t.Fatalf("record %d: %v %s\n%q", n, err, it.Damage, file.Bytes())
			}
			if it.Skipped == "request record" {
				continue
			}
			if n++; n > 0 {
				compare(t, it.Capture, list[n-1], placed[n-1], bodies)
			}
		}
		if n != len(list) {
			t.Errorf("%d records for %d captures", n, len(list))
		}
	})
}

// compare compares what was read with what was written. Bodies has those read
// so far, by the URL, moment and payload digest that revisits name: two
// captures of a URL can have one moment.
func compare(t *rapid.T, got *record.Capture, want *message.Stored, at Placed, bodies map[string][]byte) {
	if got.AskedURL != want.AskedURL || got.Time != want.Time || got.IP != want.IP || got.Origin != want.Origin || got.Truncated != want.Truncated || got.Status != want.Status {
		t.Errorf("read %+v, want %+v", got, want.Capture)
	}
	if got.Offset != at.Offset || !bytes.Equal(got.Head, want.Head) {
		t.Errorf("offset %d, head %q; want %d, %q", got.Offset, got.Head, at.Offset, want.Head)
	}
	_, _, _, form := urlkey.Method(want.AskedURL)
	post := bytes.HasPrefix(want.Request, []byte("POST"))
	switch {
	case want.Via == record.ViaResource || !form && post:
		if got.Request != nil {
			t.Errorf("request %q, want none", got.Request)
		}
	case form: // the body is another one, so its headers are too
		if !strings.HasPrefix(string(got.Request), "POST /f HTTP/1.1\r\nHost: a.example\r\n") || strings.Contains(string(got.Request), "json") || strings.Contains(string(got.Request), "900") {
			t.Errorf("request %q, want %q with the media type and length of a form", got.Request, want.Request)
		}
	case !bytes.Equal(got.Request, want.Request):
		t.Errorf("request %q, want %q", got.Request, want.Request)
	}
	name := func(url string, t record.Time) string { return fmt.Sprint(url, t, got.DeclaredDigest) }
	switch {
	case want.NoBody != "":
		if got.Via != want.Via || got.RefersURL != want.RefersURL || got.RefersTime != want.RefersTime || got.DeclaredDigest != want.DeclaredDigest {
			t.Errorf("read %+v, want its reference to %s", got, want.RefersURL)
		}
	case want.Via == record.ViaNotModified:
		if got.Via != want.Via || len(got.Body) > 0 {
			t.Errorf("a 304 comes back as %v with %d bytes", got.Via, len(got.Body))
		}
	case at.Revisit:
		if body, ok := bodies[name(got.RefersURL, got.RefersTime)]; !ok || !bytes.Equal(body, want.Body) {
			t.Errorf("a revisit of %s at %v, which has %q; want %q", got.RefersURL, got.RefersTime, body, want.Body)
		}
	default:
		if !bytes.Equal(got.Body, want.Body) || !bytes.Equal(got.Framing, want.Framing) || got.Mime != want.Mime {
			t.Errorf("body %q framing %x mime %q, want %q %x %q", got.Body, got.Framing, got.Mime, want.Body, want.Framing, want.Mime)
		}
		bodies[name(got.AskedURL, got.Time)] = got.Body
	}
}

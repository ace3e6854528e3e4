package message_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"infomall/store/record"
	"infomall/store/record/message"
)

// TestDechunk shows which bytes count as chunked framing, and that the wire
// form can always be restored byte for byte.
func TestDechunk(t *testing.T) {
	tests := []struct {
		name, wire string
		ok         bool
		body       string
	}{
		{"plain", "4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n", true, "Wikipedia"},
		{"upper case, zeros, spaces", "000A \r\n0123456789\r\n00\r\n\r\n", true, "0123456789"},
		{"extension", "4;a=\"b\"\r\nWiki\r\n0;x\r\n\r\n", true, "Wiki"},
		{"trailers", "4\r\nWiki\r\n0\r\nExpires: x\r\n\r\n", true, "Wiki"},
		{"bytes behind the end", "4\r\nWiki\r\n0\r\n\r\n\r\n\r\n", true, "Wiki"},
		{"empty body", "0\r\n\r\n", true, ""},
		{"no last chunk", "4\r\nWiki\r\n", true, "Wiki"},
		{"cut in the last size", "4\r\nWiki\r\n1f", true, "Wiki"},
		{"cut in the CR LF of the last size", "4\r\nWiki\r\n1f\r", true, "Wiki"},
		{"cut in the second chunk", "4\r\nWiki\r\n5\r\nped", true, "Wikiped"},
		{"cut in the third, like the second", "4\r\nWiki\r\n4\r\nWiki\r\n4\r\nWi", true, "WikiWikiWi"},
		{"cut before CR LF", "4\r\nWiki\r\n5\r\npedia", true, "Wikipedia"},
		{"cut within CR LF", "4\r\nWiki\r\n5\r\npedia\r", true, "Wikipedia"},
		{"page kept without framing", "<html>\r\n</html>\r\n", false, ""},
		{"text that begins with digits", "2024\r\nwas a year\r\n", false, ""},
		{"cut in the first chunk", "4\r\nWik", false, ""},
		{"wrong size", "3\r\nWiki\r\n0\r\n\r\n", false, ""},
		{"bare LF", "4\nWiki\n0\n\n", false, ""},
		{"no digits", ";x\r\nWiki\r\n0\r\n\r\n", false, ""},
		{"size beyond 62 bits", "7fffffffffffffff\r\nWiki\r\n0\r\n\r\n", false, ""},
		{"much behind the end", "1\r\nx\r\n0\r\n\r\n" + strings.Repeat("x", 70000), false, ""},
		{"empty", "", false, ""},
	}
	for _, tt := range tests {
		body, framing, ok := message.Dechunk([]byte(tt.wire))
		if ok != tt.ok || string(body) != tt.body {
			t.Errorf("%s: Dechunk = %q, %v, want %q, %v", tt.name, body, ok, tt.body, tt.ok)
			continue
		}
		if !ok {
			continue
		}
		if wire, err := reframe(body, framing); err != nil || string(wire) != tt.wire {
			t.Errorf("%s: framed again it is %q, %v, want %q", tt.name, wire, err, tt.wire)
		}
	}
}

// TestFramingIsSmall shows that the residue of equal chunks, the common case,
// takes a few bytes.
func TestFramingIsSmall(t *testing.T) {
	wire := chunked(bytes.Repeat([]byte("x"), 10<<20), 8000)
	_, framing, ok := message.Dechunk(wire)
	if !ok || len(framing) > 16 {
		t.Errorf("residue of %d bytes has %d bytes, want at most 16", len(wire), len(framing))
	}
}

// reframe returns the wire form of a body.
func reframe(body, framing []byte) (wire []byte, err error) {
	s := message.Stored{Capture: record.Capture{Body: body, Framing: framing}}
	for b, err := range s.Wire() {
		if err != nil {
			return nil, err
		}
		wire = append(wire, b...)
	}
	return wire, nil
}

func TestReframeDamaged(t *testing.T) {
	body, framing, _ := message.Dechunk([]byte("4\r\nWiki\r\n5 \r\npedia\r\n0\r\n\r\n"))
	for i := range framing {
		reframe(body, framing[:i]) // must not panic
	}
	if _, err := reframe(body[1:], framing); err == nil {
		t.Error("a shorter body gives no error")
	}
	if wire, err := reframe(body, nil); err != nil || !bytes.Equal(wire, body) {
		t.Errorf("without framing it is %q, %v, want the body", wire, err)
	}
}

func chunked(body []byte, size int) []byte {
	var wire []byte
	for len(body) > 0 {
		n := min(size, len(body))
		wire = fmt.Appendf(wire, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return append(wire, "0\r\n\r\n"...)
}

func FuzzDechunk(f *testing.F) {
	f.Add([]byte("4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n"))
	f.Add([]byte("000A;q\r\n0123456789\r\n2\r\nab\r\n2\r\nab\r\n2\r\na"))
	f.Add([]byte("1\r\nx\r\n0\r\nA: b\r\n\r\n\r\n"))
	f.Add([]byte("1\r\nx\r\n1f"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		before := bytes.Clone(wire)
		body, framing, ok := message.Dechunk(wire)
		if !bytes.Equal(wire, before) {
			t.Fatal("Dechunk changed its input")
		}
		if !ok {
			return
		}
		got, err := reframe(body, framing)
		if err != nil || !bytes.Equal(got, wire) {
			t.Fatalf("%q framed again is %q, %v", wire, got, err)
		}
	})
}

func FuzzReframe(f *testing.F) {
	body, framing, _ := message.Dechunk([]byte("4\r\nWiki\r\n5 \r\npedia\r\n0\r\n\r\n"))
	f.Add(body, framing)
	// Chunks that were cut, one after the other: only the last chunk of a body can be.
	f.Add([]byte{}, bytes.Repeat([]byte{5}, 70))
	f.Add([]byte{}, append(bytes.Repeat([]byte("1"), 62), 1))
	f.Fuzz(func(t *testing.T, body, framing []byte) {
		wire, err := reframe(body, framing)
		// A size line of the residue may be said again for each byte of the body.
		if err == nil && len(wire) > len(body)*(len(framing)+20)+2*len(framing)+64 {
			t.Fatalf("%d bytes of body and %d of residue became %d", len(body), len(framing), len(wire))
		}
	})
}

func BenchmarkDechunk(b *testing.B) {
	wire := chunked(bytes.Repeat([]byte("<p>text</p>"), 10000), 4096)
	b.SetBytes(int64(len(wire)))
	for b.Loop() {
		message.Dechunk(wire)
	}
}

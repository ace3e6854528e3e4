package message

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
)

// TestWire splits chunked messages into pieces and joins them again.
func TestWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var wire []byte
		for range rapid.IntRange(1, 6).Draw(t, "chunks") {
			data := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "data")
			wire = append(appendSizeLine(wire, int64(len(data))), data...)
			wire = append(wire, "\r\n"...)
		}
		wire = append(wire, rapid.SampledFrom([]string{plainEnd, "0\r\nA: b\r\n\r\n", "", "7\r\nabc"}).Draw(t, "end")...)
		body, framing, ok := Dechunk(wire)
		if !ok {
			t.Skip("not chunked")
		}
		cut := rapid.IntRange(1, 9).Draw(t, "piece")
		s := Stored{Capture: record.Capture{Framing: framing}, Large: func(yield func([]byte, error) bool) {
			for from := 0; from < len(body); from += cut {
				if !yield(body[from:min(from+cut, len(body))], nil) {
					return
				}
			}
		}}
		var got []byte
		for b, err := range s.Wire() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b...)
		}
		if !bytes.Equal(got, wire) {
			t.Fatalf("wire form %q, want %q", got, wire)
		}
		for range s.Wire() {
			break // stopping early must not call on
		}
	})
}

// TestWireDamage shows that a residue of another body is an error.
func TestWireDamage(t *testing.T) {
	_, framing, _ := Dechunk([]byte("3\r\nabc\r\n0\r\n\r\n"))
	for _, body := range []string{"", "ab", "abcd"} {
		s := Stored{Capture: record.Capture{Body: []byte(body), Framing: framing}}
		var last error
		for _, err := range s.Wire() {
			last = err
		}
		if last == nil {
			t.Errorf("body %q with the framing of another: no error", body)
		}
	}
}

// TestFrameWhole shows that a body becomes a single chunk if its head says
// chunked, in memory and on disk, and that it is restored even if it looks like
// chunks itself.
func TestFrameWhole(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct{ head, body, want string }{
		{head, "", "0\r\n\r\n"},
		{head, "0\r\n\r\n", "5\r\n0\r\n\r\n\r\n0\r\n\r\n"},
		{head, "a page of text", "e\r\na page of text\r\n0\r\n\r\n"},
		{"HTTP/1.1 200 OK\r\n\r\n", "0\r\n\r\n", "0\r\n\r\n"},
		{"", "0\r\n\r\n", "0\r\n\r\n"},
	} {
		s := Stored{Capture: record.Capture{Head: []byte(tt.head), Body: []byte(tt.body)}, Size: int64(len(tt.body))}
		s.FrameWhole()
		got := ""
		for b, err := range s.Wire() {
			if err != nil {
				t.Fatal(err)
			}
			got += string(b)
		}
		if got != tt.want {
			t.Errorf("%q after %q goes out as %q, want %q", tt.body, tt.head, got, tt.want)
		}
		var c record.Capture
		if Set(&c, []byte(tt.head+got)); tt.head != "" && string(c.Body) != tt.body {
			t.Errorf("%q comes back as %q", tt.body, c.Body)
		}
	}
}

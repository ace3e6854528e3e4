package message_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"infomall/store/record"
	"infomall/store/record/message"
)

// TestReadMessage reads each message in memory and on disk: head, body and
// framing must be the same.
func TestReadMessage(t *testing.T) {
	page := strings.Repeat("<p>text</p>\n", 5000)
	const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	tests := []struct {
		name, message, head, body string
		status                    int
	}{
		{"plain", "HTTP/1.1 404 No\r\n\r\n" + page, "HTTP/1.1 404 No\r\n\r\n", page, 404},
		{"chunked", chunkedHead + string(chunked([]byte(page), 777)), chunkedHead, page, 200},
		{"says chunked and is not", chunkedHead + page, chunkedHead, page, 200},
		{"no head", page, "", page, 0},
	}
	for _, tt := range tests {
		for _, limit := range []int64{0, 100} {
			const before = "bytes before "
			w := message.NewWindow(t.Context(), strings.NewReader(before+tt.message+"and behind"))
			var c record.Capture
			limits := message.BodyLimits{MemoryMax: limit, TempDir: t.TempDir()}
			if err := message.Read(&c, w, int64(len(before)), int64(len(tt.message)), limits); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if (limit != 0) != (c.Spool != nil) {
				t.Errorf("%s: limit %d, spool %v", tt.name, limit, c.Spool)
			}
			body := bodyOf(t, &c)
			wire, err := reframe(body, c.Framing)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			if string(c.Head) != tt.head || string(body) != tt.body || c.Status != tt.status || string(c.Head)+string(wire) != tt.message {
				t.Errorf("%s, limit %d: head %q, %d bytes of body, status %d; want %q, %d, %d", tt.name, limit, c.Head, len(body), c.Status, tt.head, len(tt.body), tt.status)
			}
			c.Close()
		}
	}
}

func bodyOf(t *testing.T, c *record.Capture) []byte {
	t.Helper()
	if c.Spool == nil {
		return c.Body
	}
	b, err := io.ReadAll(io.NewSectionReader(c.Spool.File, 0, c.Spool.Size))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNotModified(t *testing.T) {
	var c record.Capture
	message.Set(&c, []byte("HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"))
	if c.Via != record.ViaNotModified || c.Body != nil {
		t.Errorf("304: via %v, body %q, want not_modified and none", c.Via, c.Body)
	}
	c = record.Capture{}
	message.Set(&c, []byte("HTTP/1.1 200 OK\r\n\r\n"))
	if c.Via != record.ViaResponse || c.Body == nil {
		t.Errorf("200 without a body: via %v, body nil %v, want response and an empty body", c.Via, c.Body == nil)
	}
}

func TestSpoolIsUnlinked(t *testing.T) {
	dir := t.TempDir()
	s, err := message.NewSpool(strings.NewReader("body"), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.File.Close()
	if left, _ := os.ReadDir(dir); s.Size != 4 || len(left) != 0 {
		t.Errorf("size %d, files left %v, want 4 and none", s.Size, left)
	}
}

func TestWindow(t *testing.T) {
	data := make([]byte, 2<<20)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	copy(data[1<<20-3:], "needle")
	w := message.NewWindow(t.Context(), bytes.NewReader(data))
	for _, tt := range []struct {
		off  int64
		n    int
		want int
	}{{0, 10, 10}, {5, 10, 10}, {1 << 20, 1 << 20, 1 << 20}, {100, 10, 10}, {2<<20 - 4, 10, 4}, {2 << 20, 10, 0}, {1 << 62, 10, 0}} {
		got, err := w.View(tt.off, tt.n)
		if err != nil || len(got) != tt.want || !bytes.Equal(got, data[min(tt.off, 2<<20):][:tt.want]) {
			t.Errorf("View(%d, %d) has %d bytes, %v, want %d", tt.off, tt.n, len(got), err, tt.want)
		}
	}
	if at, found, err := w.Find(7, []byte("needle")); at != 1<<20-3 || !found || err != nil {
		t.Errorf("Find = %d, %v, %v, want %d", at, found, err, 1<<20-3)
	}
	if at, found, err := w.Find(1<<20, []byte("needle")); at != 2<<20 || found || err != nil {
		t.Errorf("Find behind the last = %d, %v, %v, want %d, false", at, found, err, 2<<20)
	}
}

func TestWindowCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := message.NewWindow(ctx, strings.NewReader("data"))
	if _, err := w.View(0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("View after cancel: %v, want context.Canceled", err)
	}
	var c record.Capture
	if err := message.ReadBody(&c, w, 0, 4, message.BodyLimits{MemoryMax: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadBody after cancel: %v, want context.Canceled", err)
	}
}

package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWire shows that SHOW PAGE … AS wire prints each response as it came: with
// its chunks, compressed as it was, and, for a visit that found nothing new,
// without a body.
func TestWire(t *testing.T) {
	responses := []struct{ time, wire string }{
		{"2008-06-01", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>ne\r\n007;x=1\r\nws</p>\n\r\n0\r\nTrailer: 1\r\n\r\n"},
		{"2008-06-02", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n"},
		{"2008-06-03", "HTTP/1.0 200 Fine\r\ncontent-type:text/html\r\n\r\n<p>other news</p>"},
		{"2008-06-04", "HTTP/1.1 204 No Content\r\n\r\n"},
	}
	name := filepath.Join(t.TempDir(), "in.warc")
	var file []byte
	for i, r := range responses {
		kind := "response"
		if i == 1 {
			kind = "revisit\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"
		}
		file = fmt.Appendf(file, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: %sT00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"+
			"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, r.time, i, len(r.wire), r.wire)
	}
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "archive")
	runMain(t, []string{"-a", archive, "-c", "IMPORT '" + name + "'"})
	for _, r := range responses {
		got := runMain(t, []string{"-a", archive, "-c", "SHOW PAGE 'a.example' AT " + r.time + " AS wire"})
		if got != r.wire {
			t.Errorf("at %s got %q, want %q", r.time, got, r.wire)
		}
	}
}

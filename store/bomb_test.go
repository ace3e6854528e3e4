package store

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"infomall/store/record"
	"infomall/store/record/task"
)

// TestBombs imports pages of a few kilobytes that would inflate to 256 MB of
// small elements. They are stored as they were sent, and cost no more memory
// than other bytes do.
func TestBombs(t *testing.T) {
	tags := bytes.Repeat([]byte("<p>"), 1<<20)
	bombs := make(map[string][]byte)
	for _, coding := range []string{"gzip", "deflate", "zstd"} {
		var b bytes.Buffer
		var w interface {
			Write([]byte) (int, error)
			Close() error
		}
		var err error
		switch coding {
		case "gzip":
			w = gzip.NewWriter(&b)
		case "deflate":
			w = zlib.NewWriter(&b)
		case "zstd":
			w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		}
		for n := 0; n < 256<<20 && err == nil; n += len(tags) {
			_, err = w.Write(tags)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		bombs[coding] = b.Bytes()
	}
	// took imports the bodies under these codings, and tells the memory taken.
	took := func(bodies map[string][]byte) (a *Archive, bytes uint64) {
		var file []byte
		for coding, body := range bodies {
			block := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: %s\r\n\r\n%s", coding, body)
			file = fmt.Appendf(file, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://x.cn/%s\r\nWARC-Date: 2008-06-30T22:00:00Z\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", coding, len(block), block)
		}
		name := filepath.Join(t.TempDir(), "x.warc")
		if err := writeFile(name, file); err != nil {
			t.Fatal(err)
		}
		a = openAt(t.TempDir(), Options{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		results, err := a.Import(t.Context(), task.ImportOptions{Patterns: []string{name}})
		runtime.ReadMemStats(&after)
		if err != nil || results[0].Stored != int64(len(bodies)) {
			t.Fatalf("import: %+v, %v", results, err)
		}
		return a, after.TotalAlloc - before.TotalAlloc
	}
	same := make(map[string][]byte)
	for coding, b := range bombs {
		same[coding] = bytes.Repeat([]byte{0}, len(b))
	}
	other, plain := took(same)
	defer other.Close()
	a, bytesTaken := took(bombs)
	defer a.Close()
	if bytesTaken > plain+64<<20 {
		t.Errorf("the import of bombs took %d bytes of memory, of others as large %d; want at most 64 MB more", bytesTaken, plain)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for rows, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColPage}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows.N {
			p, err := v.Payload(t.Context(), rows.Ref[i])
			if coding := filepath.Base(rows.URLs()[i]); err != nil || !bytes.Equal(p.Body, bombs[coding]) || rows.BlockCount[i] != -1 {
				t.Errorf("%s: %d bytes, %d blocks, %v; want %d as sent, undivided", coding, len(p.Body), rows.BlockCount[i], err, len(bombs[coding]))
			}
		}
	}
}

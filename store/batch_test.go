package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/record/task"
)

// TestLargeBatch imports as many captures into a small and into a large archive. The large one gets fewer db-files,
// because the batches of the import are larger.
func TestLargeBatch(t *testing.T) {
	a := openAt(t.TempDir(), Options{BatchBytes: 60 << 10})
	defer a.Close()
	files := func() int {
		v, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		return len(v.Pin.Segments)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var added []int // for each import, how many db-files it added
	for month := 1; month <= 6; month++ {
		var b strings.Builder
		for i := range 80 {
			body := "<p>"
			for range 100 {
				body += fmt.Sprintf("%x ", r.Uint64()) // does not compress well
			}
			response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%s", body)
			fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%04d%04d-0000-0000-0000-000000000000>\r\nWARC-Date: 2008-%02d-01T00:00:00Z\r\n"+
				"WARC-Target-URI: http://a.example/%d\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", month, i, month, i, len(response), response)
		}
		file := filepath.Join(t.TempDir(), "x.warc")
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		before := files()
		if _, err := a.Import(t.Context(), task.ImportOptions{Patterns: []string{file}}); err != nil {
			t.Fatal(err)
		}
		added = append(added, files()-before)
	}
	if first, last := added[0], added[len(added)-1]; last >= first {
		t.Errorf("the imports added %d db-files, want fewer from the last one", added)
	}
}

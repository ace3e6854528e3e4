package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	executor "infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store"
	"infomall/store/document"
)

// endingReader reads no document. Its call number end cancels what runs.
type endingReader struct {
	calls, end int
	cancel     func()
}

// Read counts the call.
func (r *endingReader) Read(ctx context.Context, _ *document.Input) (*document.Document, error) {
	if r.calls++; r.calls == r.end {
		r.cancel()
	}
	return nil, ctx.Err()
}

// writeDocuments writes a file of WARC records with n documents, and returns its name.
func writeDocuments(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/x-test\r\n\r\ndocument %d", i)
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nWARC-Target-URI: http://a.example/%[1]d\r\nWARC-Date: 2008-06-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, len(response), response)
	}
	name := filepath.Join(t.TempDir(), "documents.warc")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestImportIsEndedWhileItReads ends an IMPORT while it reads documents. All captures are
// in the archive, and the error names the statement that reads the others, which reads
// only what was not read.
func TestImportIsEndedWhileItReads(t *testing.T) {
	const documents, end = 10, 4
	ctx, cancel := context.WithCancel(context.Background())
	reader := &endingReader{end: end, cancel: cancel}
	a := store.Open(t.TempDir(), store.Options{Documents: reader, Warn: func(err error) { t.Error(err) }})
	defer a.Close()
	o := session.Options{Archive: joined(a, nil), Settings: session.DefaultSettings()}
	st, err := lang.ParseOne("IMPORT '"+writeDocuments(t, documents)+"'", "")
	if err != nil {
		t.Fatal(err)
	}
	res, err := executor.New(o).Run(ctx, st)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	rows := 0
	for b, e := range res.Rows {
		if err = e; err == nil {
			rows += b.N
		}
	}
	if rows != 1 || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "REINDEX DOCUMENTS") {
		t.Errorf("%d rows, and the error %v", rows, err)
	}
	if got := rowsOf(t, a, "SELECT count(*) FROM captures", o); fmt.Sprint(got) != fmt.Sprintf("[%d|]", documents) {
		t.Errorf("the archive has %v captures, want %d", got, documents)
	}
	rowsOf(t, a, "REINDEX DOCUMENTS", o)
	if want := documents + 1; reader.calls != want { // the body that was not finished is read again
		t.Errorf("%d bodies were read, want %d", reader.calls, want)
	}
}

// TestSettingDocuments imports with each value of the setting documents. A daemon then reads
// the documents that IMPORT did not read.
func TestSettingDocuments(t *testing.T) {
	name := writeDocuments(t, 3)
	for _, tt := range []struct {
		value            string
		imported, daemon bool // whether IMPORT and a daemon after it read documents
	}{{"import", true, false}, {"later", false, true}, {"off", false, false}} {
		dir := filepath.Join(t.TempDir(), "archive")
		read := func() bool {
			files, err := filepath.Glob(filepath.Join(dir, "documents", "*.docs"))
			if err != nil {
				t.Fatal(err)
			}
			return len(files) > 0
		}
		set := "SET documents = " + tt.value
		if out, err := exec.Command("infomall", "-q", "-a", dir, "-c", set, "-c", "IMPORT '"+name+"'").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if read() != tt.imported {
			t.Errorf("%s: after IMPORT, documents are read: %v", tt.value, read())
		}
		if !tt.daemon {
			continue
		}
		cmd := exec.Command("infomall", "-a", dir, "--daemon")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		for end := time.Now().Add(patience); !read() && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if !read() {
			t.Errorf("%s: the daemon has not read the documents", tt.value)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: the daemon ends with %v", tt.value, err)
		}
	}
}

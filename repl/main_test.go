package repl

import (
	"context"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"infomall/exec"
	"infomall/exec/op"
	"infomall/store/record"
	"infomall/store/urlkey"
)

var update = flag.Bool("update", false, "rewrite what the scripts in testdata expect")

// TestMain lets scripts and terminal tests run the program: as infomall, and as
// endless, whose archive holds captures without end.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"infomall": func() {
			os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
		},
		"endless": func() {
			p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
			p.openArchive = func(string, func(error)) (exec.Archive, io.Closer) {
				return endless{}, io.NopCloser(nil)
			}
			os.Exit(p.main(context.Background(), os.Args[1:]))
		},
	})
}

// endless is an archive in which one page was captured again and again since
// 1970, so that a query over all captures never ends by itself.
type endless struct{}

func (endless) Snapshot(context.Context) (op.Snapshot, error) { return endless{}, nil }

func (endless) Import(context.Context, record.ImportOptions) ([]record.ImportResult, error) {
	return nil, nil
}

func (endless) Exists() bool { return true }

func (endless) Path() string { return "endless" }

func (endless) Scan(ctx context.Context, s record.Scan) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		const url = "http://www.lanshan.example/"
		b := &record.Batch{N: record.BatchRows}
		for range b.N {
			b.Key = append(b.Key, urlkey.Key(url))
			b.URL = append(b.URL, url)
			b.Status = append(b.Status, 200)
		}
		b.Time = make([]record.Time, b.N)
		b.Ref = make([]record.Ref, b.N)
		b.Kind = make([]record.Kind, b.N)
		b.Bytes = make([]int64, b.N)
		b.Change = make([]record.Change, b.N)
		for t := record.Time(0); ; {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			for i := range b.Time {
				b.Time[i] = t
				t += 1000
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

func (endless) Payload(context.Context, record.Ref) (record.Payload, error) {
	return record.Payload{}, nil
}

func (endless) Pools(context.Context) ([]record.Pool, error) { return nil, nil }

func (endless) Files(context.Context) ([]record.File, error) { return nil, nil }

func (endless) Stats() record.ReadStats { return record.ReadStats{} }

func (endless) SetCache(bool) {}

func (endless) Close() error { return nil }

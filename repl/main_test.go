package repl

import (
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/repl/memory"
	"infomall/repl/printer"
	"infomall/store/document/child"
	"infomall/store/memo"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/search"
	"infomall/store/urlkey"
)

var update = flag.Bool("update", false, "rewrite what the scripts in testdata expect")

const raceOptions = "atexit_sleep_ms=0"

// TestMain lets the test program be a child that reads documents. It lets tests of scripts and
// terminals run the program: as infomall; as endless, whose archive has endless captures; and
// as stuck, whose statements ignore Ctrl-C. The program killat runs another one and kills it.
func TestMain(m *testing.M) {
	// A program with the race detector else waits for a second when it ends.
	os.Setenv("GORACE", raceOptions)
	if len(os.Args) > 1 && os.Args[1] == child.Argument {
		// All tests share the compiled form of PDFium, which takes seconds to make.
		os.Setenv("XDG_CACHE_HOME", filepath.Join(os.TempDir(), "infomall-test-cache"))
		os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
	}
	memory.AllowGarbage() // once for all programs that run in this process
	testscript.Main(m, map[string]func(){
		"infomall": func() {
			status := mainElsewhere(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
			notePeak()
			os.Exit(status)
		},
		"killat":   killAt,
		"hasty":    hasty,
		"dividing": dividing,
		"endless":  func() { mainWith(endless{}) },
		"stuck":    func() { mainWith(stuck{}) },
		// What to crawl, which benchmarks have in a process of its own.
		"benchsite":  serveBenchSite,
		"benchhosts": serveBenchHosts,
	})
}

// mainWith runs the program with the archive a.
func mainWith(a session.Archive) {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	p.openArchive = func(string, func(error)) (session.Archive, io.Closer, error) { return a, io.NopCloser(nil), nil }
	os.Exit(p.main(context.Background(), os.Args[1:]))
}

// stuck is an archive whose import reports that it has begun and never ends.
type stuck struct{ endless }

func (stuck) Import(context.Context, task.ImportOptions) ([]task.ImportResult, error) {
	fmt.Fprintln(os.Stderr, "it has begun")
	select {}
}

func (stuck) Reindex(context.Context, task.ReindexOptions) ([]task.ReindexResult, error) {
	return nil, nil
}

// endless is an archive in which one page was captured again and again since
// 1970, so that a query over all captures never ends by itself. A query that
// needs each URL only once ends: it gets one row.
type endless struct{}

func (endless) Snapshot(context.Context) (relation.Snapshot, error) { return endless{}, nil }

func (endless) Delete(context.Context, task.DeleteOptions) (task.DeleteResult, error) {
	panic("not asked for")
}

func (endless) Since(string, record.Time, int) record.Time { return record.MinTime }

func (endless) SampleLevels(context.Context, int) (least, greatest int, err error) { return 0, 0, nil }

func (endless) Kept(context.Context, record.Ref) (record.Facts, error) { return record.Facts{}, nil }

func (endless) Knew(context.Context, record.Ref, string, record.Time) (bool, error) {
	return false, nil
}

func (endless) LeafFacts(context.Context, record.Ref) ([][]byte, error) { return nil, nil }

func (endless) Layout(context.Context, record.Ref) ([]byte, error) { return nil, nil }

func (endless) LeafSpans(_ context.Context, dst []record.LeafSpan, _ record.Ref) ([]record.LeafSpan, error) {
	return dst, nil
}

func (endless) SpanFacts(_ context.Context, dst [][]byte, _ record.LeafSpan) ([][]byte, error) {
	return dst, nil
}

func (endless) AppendLeaves(_ context.Context, dst []record.Leaf, _ record.Ref) ([]record.Leaf, error) {
	return dst, nil
}

func (endless) Digests(context.Context, record.Ref, int, []int) ([]record.Digest, error) {
	return nil, nil
}

func (endless) BlockList(context.Context) (*task.BlockList, error)   { return new(task.BlockList), nil }
func (endless) LeftOut() (left, all int)                             { return 0, 0 }
func (endless) Hide(*record.Hiding)                                  {}
func (endless) Tombstones(context.Context) ([]task.Tombstone, error) { return nil, nil }

func (endless) Definitions(context.Context) ([]task.Definition, error) { return nil, nil }

func (endless) Define(context.Context, func([]task.Definition) ([]task.Definition, error)) error {
	panic("not asked for")
}

func (endless) SaveResult(context.Context, task.Result, iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	panic("not asked for")
}

func (endless) DropResult(context.Context, string, string) (int, error) { panic("not asked for") }

func (endless) Words(context.Context, search.Question, []urlkey.Range, record.Time, record.Time) (*search.Words, error) {
	return nil, nil
}

func (endless) Linking(context.Context, []urlkey.Range, record.Time, int) (map[record.Ref]bool, bool, error) {
	return nil, false, nil
}

func (endless) ToRead(context.Context, record.Scan, record.FilePart) (record.Reading, error) {
	return record.Reading{}, nil
}

func (endless) KeysOf(context.Context, []record.Ref) ([]string, error) { return nil, nil }

func (endless) LastAdded() record.Time { return 0 }

func (endless) WordsIndexed(record.Time, record.Time) (int, int, int64) { return 0, 0, 0 }
func (endless) WordsUsable(record.Time, record.Time) (int, int, int)    { return 0, 0, 0 }

func (endless) HasDocuments() bool { return false }

func (endless) NearWords(_ context.Context, words []string, _ []urlkey.Range, _, _ record.Time) ([][]search.NearWord, error) {
	return make([][]search.NearWord, len(words)), nil
}

func (endless) Leaves(_ context.Context, dst []search.LeafRef, _ record.Ref) ([]search.LeafRef, search.Reading, bool, error) {
	return dst, search.Reading{}, false, nil
}

func (endless) LeafText(search.LeafRef, search.Reading) (string, error) { panic("not asked for") }

func (endless) Results(context.Context, string) ([]task.Result, error) { return nil, nil }

func (endless) ResultRows(context.Context, task.Result, []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	panic("not asked for")
}

func (endless) Exists() bool { return true }

func (endless) Path() string { return "endless" }

func (endless) Local() string { return "endless" }

func (endless) Seek(context.Context, record.Seek) ([]string, bool, error) { return nil, false, nil }

func (e endless) Tally(ctx context.Context, t record.Tally) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		for b, err := range e.Scan(ctx, t.Scan) {
			if b != nil {
				b.Host, b.Count = slices.Repeat([]string{"www.lanshan.example"}, b.N), slices.Repeat([]int64{1}, b.N)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func (endless) Scan(ctx context.Context, s record.Scan) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		const url = "http://www.lanshan.example/"
		const n = record.BatchRows
		if s.Once {
			yield(&record.Batch{N: 1, Key: []string{urlkey.Key(url)}}, nil)
			return
		}
		b := &record.Batch{
			N: n, Time: make([]record.Time, n), Ref: make([]record.Ref, n),
			Kind: make([]record.Kind, n), Bytes: make([]int64, n), Change: make([]record.Change, n),
			Previous: make([]record.Time, n), PreviousVersion: make([]record.Time, n), VersionTime: make([]record.Time, n),
			Via: make([]record.Via, n), Truncated: make([]bool, n), Added: make([]record.Time, n),
			Digest: make([]record.Digest, n), SourceOffset: make([]int64, n),
			Key:    slices.Repeat([]string{urlkey.Key(url)}, n),
			Status: slices.Repeat([]int32{200}, n),
		}
		empty := make([]string, n)
		b.Mime, b.Pool, b.Job, b.IP, b.Origin, b.AskedURL = empty, empty, empty, empty, empty, empty
		b.Location, b.Source, b.RecordID, b.DeclaredDigest = empty, empty, empty, empty
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

func (endless) Document(context.Context, record.Ref) ([]byte, error) { return nil, nil }

func (endless) Stored(context.Context, record.Ref) (message.Stored, error) {
	return message.Stored{}, nil
}

func (endless) Pools(context.Context) ([]record.Pool, error) { return nil, nil }

func (endless) Files(context.Context) ([]record.File, error) { return nil, nil }

func (endless) Stats() record.ReadStats { return record.ReadStats{} }

func (endless) Block(context.Context, record.Ref, int, int) ([]byte, error)      { return nil, nil }
func (endless) Memo() *memo.Cache                                                { return nil }
func (endless) SetCache(int64)                                                   {}
func (endless) SkipDamage()                                                      {}
func (endless) Borders(context.Context, record.Scan, int, int) ([]string, error) { return nil, nil }
func (endless) State() string                                                    { return "" }
func (endless) Damage() error                                                    { return nil }

func (endless) Close() error { return nil }

// TestStatusOf shows the exit status after an error in writing results. The same error of an
// archive is no closed pipe.
func TestStatusOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{&printer.OutputError{Err: syscall.EPIPE}, statusDone},
		{&printer.OutputError{Err: syscall.ENOSPC}, statusArchive},
		{&printer.OutputError{Err: io.ErrShortWrite}, statusFailed},
		{fmt.Errorf("import: %w", syscall.EPIPE), statusFailed},
	} {
		if got := statusOf(c.err); got != c.want {
			t.Errorf("statusOf(%v) gave %d, want %d", c.err, got, c.want)
		}
	}
}

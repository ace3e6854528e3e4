package repl

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/child"
	"infomall/store/document/documenttest"
	"infomall/store/document/kinds"
)

// The bounds of a damaged document: the time of CPU and the memory of the child that reads it.
const (
	damagedTime   = 5 * time.Second
	damagedMemory = 256 << 20
)

// damagedVariable is set in the process that TestDamagedDocuments starts.
const damagedVariable = "INFOMALL_TEST_DAMAGED"

// TestDamagedDocuments reads damaged documents of each kind by children of the program, which
// is how an archive reads them. The documents are those of the tests of all kinds. No body may
// stop its child, make a reader panic, or take more time or memory than the bounds. The test
// starts a process of its own for that: the peak of a child begins at that of its parent, and
// other tests take much memory.
func TestDamagedDocuments(t *testing.T) {
	if os.Getenv(damagedVariable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDamagedDocuments$", "-test.v",
			fmt.Sprintf("-mutations=%d", *documenttest.Mutations), fmt.Sprintf("-mutations.seed=%d", documenttest.Seed(t)))
		cmd.Env = append(os.Environ(), damagedVariable+"=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	warm := newDocuments()
	bodies := sampleDocuments(t)
	// A child that has to compile PDFium first takes more memory than the bound.
	for _, body := range bodies["pdf"] {
		if _, err := warm.Read(t.Context(), &document.Input{Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if err := warm.Close(); err != nil {
		t.Fatal(err)
	}
	seed := documenttest.Seed(t)
	for kind, bodies := range bodies {
		t.Run(kind, func(t *testing.T) { readDamaged(t, seed, bodies) })
	}
}

// sampleDocuments returns the documents in the folders testdata of all kinds, by the name of
// their kind.
func sampleDocuments(t *testing.T) map[string][][]byte {
	t.Helper()
	names, err := filepath.Glob("../store/document/*/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][][]byte)
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if kind := kinds.NameOf(&document.Input{Body: body}); kind != "" {
			out[kind] = append(out[kind], body)
		}
	}
	for _, kind := range []string{"ooxml", "opendocument", "uof", "epub", "rtf", "pdf", "doc", "xls", "ppt", "flash", "picture", "sound", "video", "archive"} {
		if len(out[kind]) == 0 {
			t.Errorf("no sample of the kind %s", kind)
		}
	}
	return out
}

// readDamaged reads damaged copies of the bodies, as many as the flag -mutations says.
func readDamaged(t *testing.T, seed uint64, bodies [][]byte) {
	var mu sync.Mutex
	var commands []*exec.Cmd
	p := child.NewPool(child.Options{Kind: kinds.NameOf, Time: damagedTime, Memory: damagedMemory, Command: func() *exec.Cmd {
		cmd := exec.Command("/proc/self/exe", child.Argument)
		mu.Lock()
		defer mu.Unlock()
		commands = append(commands, cmd)
		return cmd
	}})
	var next, read, longest atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for !t.Failed() && read.Load() < int64(*documenttest.Mutations) {
				i := next.Add(1)
				body := documenttest.Damage(rand.New(rand.NewPCG(seed, uint64(i))), bodies)
				begun := time.Now()
				d, err := p.Read(t.Context(), &document.Input{Body: body})
				switch {
				case err != nil:
					t.Errorf("number %d: %v", i, err)
				case d == nil:
					continue // the damage has made it a body that no kind reads
				case strings.HasPrefix(d.Reason, "the reader of"):
					t.Errorf("number %d, %d bytes: %s", i, len(body), d.Reason)
				}
				read.Add(1)
				for took := time.Since(begun).Nanoseconds(); ; {
					if old := longest.Load(); took <= old || longest.CompareAndSwap(old, took) {
						break
					}
				}
			}
		})
	}
	all.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	var peak int64
	for _, cmd := range commands {
		if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, used.Maxrss<<10)
		}
	}
	// Nobody looks at a child between two looks of the pool: its own peak is what counts.
	if peak == 0 || peak > damagedMemory {
		t.Errorf("a child took %d MB of memory, %d MB at most expected", peak>>20, damagedMemory>>20)
	}
	t.Logf("%d of %d damaged bodies are documents; %d children; the longest took %v by the clock, the largest child %d MB",
		read.Load(), next.Load(), len(commands), time.Duration(longest.Load()).Round(time.Millisecond), peak>>20)
}

package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"infomall/store/document"
)

// TestMain runs the test program also as a child, and as the parent of one.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == Argument:
		if err := Serve(os.Stdin, os.Stdout, Reader{Prepare: prepareFake, Read: readFake}, func() { os.Exit(0) }); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case len(os.Args) > 1 && os.Args[1] == "parent":
		beParent()
	}
	os.Exit(m.Run())
}

// spun counts the rounds of a fake reader that spins. eaten is the memory of one that eats.
var (
	spun  int
	eaten [][]byte
)

// prepareFake exits for a body that says so.
func prepareFake(in *document.Input) error {
	if string(in.Body) == "unopened" {
		os.Exit(3)
	}
	return nil
}

// readFake does what the body says.
func readFake(in *document.Input) *document.Document {
	switch body := string(in.Body); body {
	case "many pages":
		for in.Limits.WithDefaults().Pages > firstPages {
			spun++
		}
	case "spin":
		fmt.Fprint(os.Stderr, "it spins")
		for {
			spun++
		}
	case "sleep":
		fmt.Fprint(os.Stderr, "it sleeps")
		time.Sleep(time.Hour)
	case "eat":
		for {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			eaten = append(eaten, b)
		}
	case "exit":
		os.Exit(3)
	case "panic":
		panic("of the reader")
	case "garbage":
		os.Stdout.WriteString(strings.Repeat("garbage ", 100))
	case "none":
		return nil
	}
	d := document.New()
	d.Kind, d.Title, d.Author, d.Pages = "fake", string(in.Body), in.Mime+" "+in.Charset, int64(in.Limits.Pages)
	return d
}

// newPool returns a pool whose children are the test program, and a counter of children.
func newPool(t *testing.T, o Options) (*Pool, *atomic.Int64) {
	var started atomic.Int64
	o.Command = func() *exec.Cmd { started.Add(1); return self() }
	o.Kind = func(in *document.Input) string {
		if string(in.Body) == "unknown" {
			return ""
		}
		return "fake"
	}
	p := NewPool(o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, &started
}

func read(t *testing.T, p *Pool, body string) *document.Document {
	t.Helper()
	d, err := p.Read(t.Context(), &document.Input{Body: []byte(body), Mime: "text/x", Charset: "gbk", Limits: document.Limits{Pages: 700}})
	if err != nil {
		t.Fatalf("%.20s: %v", body, err)
	}
	return d
}

// TestRead shows that a child gets all of the input and that the pool returns all of the
// document, with one child for many bodies.
func TestRead(t *testing.T) {
	p, started := newPool(t, Options{})
	if d := read(t, p, "unknown"); d != nil || started.Load() != 0 {
		t.Errorf("got %v and %d children for a body that no kind reads", d, started.Load())
	}
	for _, body := range []string{"one", "", strings.Repeat("large ", 1<<20)} {
		d := read(t, p, body)
		if d == nil || d.Title != body || d.Author != "text/x gbk" || d.Pages != 700 || d.Reason != "" {
			t.Errorf("%.20q: got %.200v", body, d)
		}
	}
	if d := read(t, p, "none"); d != nil {
		t.Errorf("got %v, want nil", d)
	}
	if n := started.Load(); n != 1 {
		t.Errorf("%d children", n)
	}
}

// TestStopped shows the reasons of bodies that stop their child, and that the next body
// is read.
func TestStopped(t *testing.T) {
	for _, c := range []struct {
		body, reason string
		children     int64
		o            Options
	}{
		{"spin", "the reader of fake was stopped after 100ms", 3, Options{Time: 100 * time.Millisecond}},
		{"sleep", "the reader of fake was stopped after 100ms", 3, Options{Time: 100 * time.Millisecond}},
		{"eat", "the reader of fake was stopped because it took more than 64 MB of memory", 2, Options{Time: time.Hour, Memory: 64 << 20}},
		{"exit", "the reader of fake ended without an answer", 3, Options{}},
		{"panic", "the reader of fake ended without an answer", 3, Options{}},
		{"garbage", "the reader of fake sent something that is not an answer", 3, Options{}},
	} {
		t.Run(c.body, func(t *testing.T) {
			if c.body == "eat" && runtime.GOOS != "linux" {
				t.Skip("the memory of a child is known on Linux only")
			}
			p, started := newPool(t, c.o)
			d := read(t, p, c.body)
			if d == nil || d.Kind != "fake" || d.Reason != c.reason {
				t.Errorf("got %+v, want %q", d, c.reason)
			}
			if d := read(t, p, "next"); d == nil || d.Title != "next" {
				t.Errorf("next: got %+v", d)
			}
			if n := started.Load(); n != c.children {
				t.Errorf("%d children, want %d", n, c.children)
			}
		})
	}
}

// TestManyPages shows that the first pages are read of a body of which all pages take too
// long.
func TestManyPages(t *testing.T) {
	p, started := newPool(t, Options{Time: 100 * time.Millisecond})
	d, err := p.Read(t.Context(), &document.Input{Body: []byte("many pages")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "the reader of fake was stopped after 100ms: no more than 100 pages are read"; d.Title != "many pages" || d.Reason != want || d.Pages != firstPages {
		t.Errorf("got %+v, want %q", d, want)
	}
	if n := started.Load(); n != 2 {
		t.Errorf("%d children", n)
	}
}

// TestNotReady shows that a child that ends before it is ready, or cannot be started, is
// an error, which says nothing about the body.
func TestNotReady(t *testing.T) {
	p, _ := newPool(t, Options{})
	d, err := p.Read(t.Context(), &document.Input{Body: []byte("unopened")})
	if want := "the reader of documents ended without an answer before it was ready"; d != nil || err == nil || err.Error() != want {
		t.Errorf("got %v, %v, want %q", d, err, want)
	}
	p = NewPool(Options{Command: func() *exec.Cmd { return exec.Command("/nonexistent/infomall") }, Kind: func(*document.Input) string { return "fake" }})
	d, err = p.Read(t.Context(), &document.Input{})
	if d != nil || err == nil || !strings.Contains(err.Error(), "start the reader of documents /nonexistent/infomall") {
		t.Errorf("got %v, %v", d, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestCancel shows that a read ends with its context, and that all reads end when the
// pool is closed.
func TestCancel(t *testing.T) {
	p, _ := newPool(t, Options{Time: time.Hour})
	cause := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	signal, began := spy(p)
	go func() { <-began; cancel(cause) }()
	if d, err := p.Read(ctx, &document.Input{Body: []byte("spin")}); d != nil || err != cause {
		t.Errorf("got %v, %v", d, err)
	}
	signal.Close()
	signal, began = spy(p)
	defer signal.Close()
	go func() { <-began; p.Close() }()
	if d, err := p.Read(t.Context(), &document.Input{Body: []byte("sleep")}); d != nil || err != errClosed {
		t.Errorf("got %v, %v", d, err)
	}
}

// spy makes the children of p write to a pipe when they begin to read. It returns the
// end of the pipe that the caller closes, and a channel that is closed when a child has
// written.
func spy(p *Pool) (io.Closer, <-chan struct{}) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	p.o.Command = func() *exec.Cmd { cmd := self(); cmd.Stderr = w; return cmd }
	began := make(chan struct{})
	go func() {
		defer r.Close()
		if n, _ := r.Read(make([]byte, 1)); n > 0 {
			close(began)
		}
	}()
	return w, began
}

// TestIdle shows that a child without work ends.
func TestIdle(t *testing.T) {
	p, started := newPool(t, Options{Idle: time.Nanosecond})
	read(t, p, "one")
	p.all.Wait()
	read(t, p, "two")
	if n := started.Load(); n != 2 {
		t.Errorf("%d children", n)
	}
}

// TestMany shows that many goroutines share few children.
func TestMany(t *testing.T) {
	p, started := newPool(t, Options{Size: 2})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				body := fmt.Sprint(i, j)
				d, err := p.Read(t.Context(), &document.Input{Body: []byte(body)})
				if err != nil || d.Title != body {
					t.Errorf("%s: got %v, %v", body, d, err)
				}
			}
		})
	}
	all.Wait()
	if n := started.Load(); n > 2 {
		t.Errorf("%d children", n)
	}
}

// beParent reads a body that keeps its child busy for ever. The child writes to stderr.
func beParent() {
	p := NewPool(Options{
		Command: func() *exec.Cmd { cmd := self(); cmd.Stderr = os.Stderr; return cmd },
		Kind:    func(*document.Input) string { return "fake" },
		Time:    time.Hour,
	})
	p.Read(context.Background(), &document.Input{Body: []byte(os.Args[2])})
	os.Exit(1)
}

// TestParentDies shows that a child ends when its parent is killed, even if a body keeps
// it busy.
func TestParentDies(t *testing.T) {
	for _, body := range []string{"spin", "sleep"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		parent := exec.Command(self().Path, "parent", body)
		parent.Stderr = w
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if _, err := r.Read(make([]byte, 1)); err != nil { // the child has begun
			t.Fatal(err)
		}
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = parent.Wait() // it was killed
		// The pipe ends when nobody has it: neither the parent nor the child.
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Error(err)
		}
		r.Close()
	}
}

// TestFrames shows that a frame gives its content back, and that one which is cut or
// changed is an error.
func TestFrames(t *testing.T) {
	var out bytes.Buffer
	if err := writeFrame(&out, []byte("con"), nil, []byte("tent")); err != nil {
		t.Fatal(err)
	}
	frame := out.Bytes()
	if got, err := readFrame(bytes.NewReader(frame)); err != nil || string(got) != "content" {
		t.Errorf("got %q, %v", got, err)
	}
	for i := range frame {
		if got, err := readFrame(bytes.NewReader(frame[:i])); err == nil {
			t.Errorf("cut at %d: %q", i, got)
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			changed := bytes.Clone(frame)
			changed[i] ^= flip
			if got, err := readFrame(bytes.NewReader(changed)); err == nil {
				t.Errorf("byte %d changed: %q", i, got)
			}
		}
	}
}

// TestTimeOfInput shows that a body may have a time of its own.
func TestTimeOfInput(t *testing.T) {
	p, _ := newPool(t, Options{Time: time.Hour})
	d, err := p.Read(t.Context(), &document.Input{Body: []byte("spin"), Limits: document.Limits{Time: 50 * time.Millisecond, Pages: 1}})
	if want := "the reader of fake was stopped after 50ms"; err != nil || d.Reason != want {
		t.Errorf("got %+v, %v, want %q", d, err, want)
	}
}

// TestAllocated shows that allocated counts what the process allocates.
func TestAllocated(t *testing.T) {
	before := allocated()
	kept := make([]byte, prepareMany)
	if got := allocated() - before; got < prepareMany {
		t.Errorf("%d bytes are counted after %d were allocated", got, len(kept))
	}
}

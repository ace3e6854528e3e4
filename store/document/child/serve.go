package child

import (
	"bufio"
	"io"
	"runtime/debug"
	"runtime/metrics"

	"infomall/store/document"
)

// Reader has the two functions with which a child reads documents.
type Reader struct {
	Prepare func(*document.Input) error              // opens what reading the body needs, such as a library; nil if there is nothing to open
	Read    func(*document.Input) *document.Document // reads the body; returns nil if no kind reads it
}

// softMemory is the memory in bytes from which on the Go runtime of a child
// collects garbage all the time. Compiling PDFium uses 240 MB; a lower limit
// takes more CPU time and saves little.
const softMemory = 300 << 20

// prepareMany is a number of bytes. If opening a library has allocated more,
// Serve returns unused memory to the system afterwards.
const prepareMany = 32 << 20

// Serve reads requests from in and writes the answers to out. When in ends,
// Serve calls exit, which ends the process, even while a document is being
// read.
func Serve(in io.Reader, out io.Writer, r Reader, exit func()) error {
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(softMemory)
	requests := make(chan []byte)
	go func() {
		defer close(requests)
		from := bufio.NewReader(in)
		for {
			request, err := readFrame(from)
			if err != nil {
				exit()
				return
			}
			requests <- request
		}
	}()
	for request := range requests {
		if err := answer(out, request, r); err != nil {
			return err
		}
	}
	return nil
}

// answer reads the body of one request and writes the two frames of the answer
// to out.
func answer(out io.Writer, request []byte, r Reader) error {
	in, err := unpackInput(request)
	if err != nil {
		return err
	}
	if r.Prepare != nil {
		prepare(r, in)
	}
	if err := writeFrame(out); err != nil {
		return err
	}
	d := r.Read(in)
	if d == nil {
		return writeFrame(out, []byte{0})
	}
	return writeFrame(out, []byte{1}, d.Append(nil))
}

// prepare calls r.Prepare to open what reading the body needs. If that has
// allocated much memory, it returns unused memory to the system.
func prepare(r Reader, in *document.Input) {
	before := allocated()
	_ = r.Prepare(in) // reading the body tries to open the same, and says why it failed
	if allocated()-before > prepareMany {
		debug.FreeOSMemory()
	}
}

// allocated returns how many bytes the process has allocated on the heap since it began. Unlike
// runtime.ReadMemStats, it does not stop all goroutines.
func allocated() uint64 {
	s := [...]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}

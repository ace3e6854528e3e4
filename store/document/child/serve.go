package child

import (
	"bufio"
	"io"
	"runtime"
	"runtime/debug"

	"infomall/store/document"
)

// Reader is the function with which a child reads documents.
type Reader struct {
	Prepare func(*document.Input) error              // opens what reading the body needs; nil if there is nothing to open
	Read    func(*document.Input) *document.Document // returns nil if no kind reads the body
}

// softMemory is the memory of a child beyond which Go collects garbage all the time. Compiling
// PDFium uses 240 MB; a lower limit takes more CPU time and saves little.
const softMemory = 300 << 20

// prepareMany is how many bytes opening a library must allocate for Serve to return unused memory
// to the system afterwards.
const prepareMany = 32 << 20

// Serve reads requests from in and writes the answers to out. When in ends, Serve calls
// exit, which ends the process; it does so also while it reads a document.
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

// answer answers one request.
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

// prepare opens what the body needs.
func prepare(r Reader, in *document.Input) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = r.Prepare(in) // reading the body tries to open the same, and says why it failed
	runtime.ReadMemStats(&after)
	if after.TotalAlloc-before.TotalAlloc > prepareMany {
		debug.FreeOSMemory()
	}
}

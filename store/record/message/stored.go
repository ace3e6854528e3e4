package message

import (
	"encoding/binary"
	"iter"

	"infomall/store/record"
)

// Stored is one capture as the archive has it, given to a writer of another format.
// Its slices may be shared and must not be changed.
type Stored struct {
	// Capture is the capture as it was imported. But a revisit has the body of the capture that it
	// refers to, and if it has no head of its own, also the head of that capture. Spool is always nil.
	record.Capture
	URL    string        // the URL of the capture in its canonical form
	Title  string        // title of a page; or ""
	Digest record.Digest // sha256 of the body; zero if NoBody is set
	// Large yields the pieces of a body above LargeBody bytes, in order; Body
	// is then nil. It may be ranged over several times.
	Large iter.Seq2[[]byte, error]
	Size  int64 // size of the body in bytes, whether it is in Body or in Large
	// NoBody says why the archive has no body for this capture; or "".
	NoBody string
}

// MediaType returns the media type of the body in lower case and without
// parameters, such as "text/html"; "" if unknown. It comes from the Content-Type
// header or, for a resource, from the resource's record.
func (s *Stored) MediaType() string {
	if s.Via == record.ViaResource || s.Status == 0 {
		return s.Mime
	}
	return Mime(Header(s.Head, "Content-Type"))
}

// Entity yields the pieces of the body in order, without chunk framing. A piece is
// valid until the next one. If there is an error, it is in the last pair.
func (s *Stored) Entity() iter.Seq2[[]byte, error] {
	if s.Large != nil {
		return s.Large
	}
	return func(yield func([]byte, error) bool) {
		if len(s.Body) > 0 {
			yield(s.Body, nil)
		}
	}
}

// Wire yields the body as it was sent: the pieces of Entity, with their chunk
// framing if the body was sent in chunks.
func (s *Stored) Wire() iter.Seq2[[]byte, error] {
	if len(s.Framing) == 0 {
		return s.Entity()
	}
	return reframed(s.Entity(), s.Framing)
}

// FrameWhole sets s.Framing to that of a single chunk with the whole body, if the
// head says that the body is chunked but s has no framing. Otherwise a reader could
// mistake a body that looks like chunks for a chunked body.
func (s *Stored) FrameWhole() {
	if len(s.Framing) > 0 || !isChunked(&s.Capture) {
		return
	}
	var f framer
	if s.Size > 0 {
		f.add(appendSizeLine(nil, s.Size), s.Size)
	}
	s.Framing = f.end([]byte(plainEnd))
}

// reframed yields the wire form of a chunked body: the pieces of body with the size
// lines of their chunks. framing is what Dechunk returned for the body.
func reframed(body iter.Seq2[[]byte, error], framing []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		next, stop := iter.Pull2(body)
		defer stop()
		r := reframer{next: next, yield: yield, framing: framing}
		if err := r.run(); err != nil && !r.stopped {
			yield(nil, err)
		}
	}
}

// reframer yields a body with chunk framing around its data.
type reframer struct {
	next    func() ([]byte, error, bool)
	yield   func([]byte, error) bool
	framing []byte
	piece   []byte // the rest of the current piece
	stopped bool   // yield has returned false
}

func (r *reframer) run() error {
	cut := false // the last group was open, so only the end may follow
	for {
		code, n := binary.Uvarint(r.framing)
		if n <= 0 {
			return errFraming
		}
		r.framing = r.framing[n:]
		if code>>2 == 0 {
			return r.end(code)
		}
		if cut {
			return errFraming
		}
		cut = code&groupOpen != 0
		line, rest, ok := groupLine(code, r.framing)
		if !ok {
			return errFraming
		}
		r.framing = rest
		repeat := uint64(0)
		if code&groupOpen == 0 {
			if repeat, n = binary.Uvarint(r.framing); n <= 0 {
				return errFraming
			}
			r.framing = r.framing[n:]
		}
		for i := uint64(0); i <= repeat; i++ {
			if err := r.chunk(line, code); err != nil {
				return err
			}
		}
	}
}

// chunk yields one chunk of the wire form: line, which is its size line, its data
// from the body, and CR LF. code is the number that begins the chunk's group in the
// framing; it has the size.
func (r *reframer) chunk(line []byte, code uint64) error {
	if err := r.give(line); err != nil {
		return err
	}
	if code&groupOpen != 0 {
		_, err := r.pass(1<<63 - 1)
		return err
	}
	if left, err := r.pass(int64(code >> 2)); left > 0 || err != nil {
		if err == nil {
			err = errFraming
		}
		return err
	}
	return r.give([]byte("\r\n"))
}

// end yields the end of the wire form, after the last chunk with data. It returns
// an error if the body has not ended. code is the byte that begins the end in the
// framing.
func (r *reframer) end(code uint64) error {
	switch left, err := r.pass(1); {
	case err != nil:
		return err
	case left == 0 || code > endPlain || code == endPlain && len(r.framing) > 0:
		return errFraming
	case code == endPlain:
		return r.give([]byte(plainEnd))
	}
	return r.give(r.framing)
}

func (r *reframer) give(b []byte) error {
	if len(b) > 0 && !r.yield(b, nil) {
		r.stopped = true
		return errFraming // ends run; the caller ignores it
	}
	return nil
}

// pass yields up to n bytes of the body. left is how many of the n bytes are
// missing because the body has ended; 0 if none are.
func (r *reframer) pass(n int64) (left int64, err error) {
	for n > 0 {
		for len(r.piece) == 0 {
			b, err, ok := r.next()
			if !ok {
				return n, nil
			}
			if err != nil {
				return n, err
			}
			r.piece = b
		}
		m := min(n, int64(len(r.piece)))
		if err := r.give(r.piece[:m]); err != nil {
			return n, err
		}
		r.piece = r.piece[m:]
		n -= m
	}
	return 0, nil
}

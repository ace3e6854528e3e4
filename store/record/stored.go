package record

import (
	"encoding/binary"
	"iter"
)

// Stored is one capture as the archive has it, for who writes it to a file of
// another format. Its slices may be shared and are not to be changed.
type Stored struct {
	// Capture is what came in, with the body that the archive knows the
	// capture to have: of a revisit its original's. A revisit without a head
	// has the original's head. Spool is always nil.
	Capture
	URL    string // canonical
	Title  string // of a page, as read when it came in; or ""
	Digest Digest // sha256 of the body; zero with NoBody
	// Large yields the pieces of a body above LargeBody bytes, in order and as
	// often as it is ranged over; Body is then nil.
	Large iter.Seq2[[]byte, error]
	Size  int64 // of the body, either way
	// NoBody says why the archive has no body for this capture; or "".
	NoBody string
}

// MediaType is the type of the body as its headers, or a resource's record, say:
// lower case, without parameters; "" if unknown.
func (s *Stored) MediaType() string {
	if s.Via == ViaResource || s.Status == 0 {
		return s.Mime
	}
	return Mime(Header(s.Head, "Content-Type"))
}

// Entity yields the pieces of the body. A piece is valid until the next; an
// error is the last pair.
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

// Wire is Entity with the framing that the body came in.
func (s *Stored) Wire() iter.Seq2[[]byte, error] {
	if len(s.Framing) == 0 {
		return s.Entity()
	}
	return reframed(s.Entity(), s.Framing)
}

// FrameWhole makes the framing of a body that came in without its own, where the
// head says that it is chunked: one chunk. Else a body that looks like chunks
// would be taken for these.
func (s *Stored) FrameWhole() {
	if len(s.Framing) > 0 || !s.isChunked() {
		return
	}
	var f framer
	if s.Size > 0 {
		f.add(appendSizeLine(nil, s.Size), s.Size)
	}
	s.Framing = f.end([]byte(plainEnd))
}

// reframed makes the wire form of a body again, given what Dechunk took away.
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

// reframer puts framing around the pieces of a body.
type reframer struct {
	next    func() ([]byte, error, bool)
	yield   func([]byte, error) bool
	framing []byte
	piece   []byte // what is left of the one at hand
	stopped bool   // yield wants no more
}

func (r *reframer) run() error {
	for {
		code, n := binary.Uvarint(r.framing)
		if n <= 0 {
			return errFraming
		}
		r.framing = r.framing[n:]
		if code>>2 == 0 {
			return r.end(code)
		}
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

// chunk gives one chunk of a group.
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

// end gives what ends the message.
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
		return errFraming // ends the run; nobody hears it
	}
	return nil
}

// pass hands on up to n bytes of the body and returns how many are missing.
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

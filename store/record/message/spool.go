package message

import (
	"context"
	"fmt"
	"io"
	"os"

	"infomall/store/record"
)

// BodyLimits says how large a message may be that a reader keeps in memory, and
// where it puts larger ones. The zero value works.
type BodyLimits struct {
	MemoryMax int64  // bytes of a message that is kept in memory; 0 means 32 MB
	TempDir   string // folder for larger messages; "" is os.TempDir()
}

func (l BodyLimits) memoryMax() int64 {
	if l.MemoryMax == 0 {
		return 32 << 20
	}
	return l.MemoryMax
}

// InMemory reports whether a message of n bytes is kept in memory by these limits.
func (l BodyLimits) InMemory(n int64) bool { return n <= l.memoryMax() }

// newSpool creates an empty spool: a temporary file without a name in the folder
// dir.
func newSpool(dir string) (*record.Spool, error) {
	f, err := os.CreateTemp(dir, "infomall-body-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for a large body: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("unlink the temporary file of a large body: %w", err)
	}
	return &record.Spool{File: f}, nil
}

// NewSpool copies all of r to a temporary file without a name in the folder dir,
// and returns it as a Spool. An empty dir means os.TempDir(). The caller closes the
// Spool's File.
func NewSpool(r io.Reader, dir string) (*record.Spool, error) {
	s, err := newSpool(dir)
	if err != nil {
		return nil, err
	}
	if err := appendAll(s, r); err != nil {
		s.File.Close()
		return nil, err
	}
	return s, nil
}

// appendAll appends all bytes of r to the spool s and updates s.Size.
func appendAll(s *record.Spool, r io.Reader) error {
	n, err := io.Copy(s.File, r)
	s.Size += n
	if err != nil {
		return fmt.Errorf("write a large body to a temporary file: %w", err)
	}
	return nil
}

// Set parses data, an HTTP message, and sets Head, Status, Body and Framing of c,
// and Via if the status is 304. c keeps slices of data, so the caller must not
// change data afterwards.
func Set(c *record.Capture, data []byte) {
	n := SplitHead(data)
	setHead(c, data[:n:n])
	c.Body = data[n:]
	if isChunked(c) {
		if body, framing, ok := Dechunk(c.Body); ok {
			c.Body, c.Framing = body, framing
		}
	}
	notModified(c)
}

// Read parses the HTTP message in the n bytes of w that begin at off, and sets the
// fields of c as Set does. All n bytes must exist. A body larger than limits allow
// goes to c.Spool.
func Read(c *record.Capture, w *Window, off, n int64, limits BodyLimits) error {
	if limits.InMemory(n) {
		data := make([]byte, n)
		if err := w.Read(data, off); err != nil {
			return err
		}
		Set(c, data)
		return nil
	}
	start, err := w.View(off, int(min(n, headMax)))
	if err != nil {
		return err
	}
	split := SplitHead(start)
	setHead(c, append([]byte(nil), start[:split]...))
	if err := ReadBody(c, w, off+int64(split), n-int64(split), limits); err != nil {
		return err
	}
	if c.Spool == nil || !isChunked(c) {
		return nil
	}
	spool, framing, err := dechunkSpool(NewWindow(w.ctx, c.Spool.File), c.Spool, limits.TempDir)
	if err != nil {
		c.Close()
		return err
	}
	c.Spool, c.Framing = spool, framing
	return nil
}

// ReadBody sets c.Body, or c.Spool if n is larger than limits allow, to the n bytes
// of w that begin at off. It does not decode them.
func ReadBody(c *record.Capture, w *Window, off, n int64, limits BodyLimits) error {
	if limits.InMemory(n) {
		c.Body = make([]byte, n)
		return w.Read(c.Body, off)
	}
	spool, err := NewSpool(contextReader{w.ctx, io.NewSectionReader(w.r, off, n)}, limits.TempDir)
	if err != nil {
		return err
	}
	c.Spool = spool
	return nil
}

func setHead(c *record.Capture, head []byte) {
	c.Head = head
	c.Status = Status(head)
}

func isChunked(c *record.Capture) bool { return Chunked(c.Head) }

func notModified(c *record.Capture) {
	if c.Status == 304 && len(c.Body) == 0 {
		c.Via, c.Body = record.ViaNotModified, nil
	}
}

// contextReader reads from r until its context has ended. From then on it returns
// the cause of that end as an error.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

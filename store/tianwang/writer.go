package tianwang

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/klauspost/compress/zlib"

	"infomall/store/record"
)

// Writer writes captures as records of version 1.0, each with its whole
// response byte for byte, but for those that twin finds. A capture whose body the archive does not have, a file
// that is no response, and whatever else the format has no place for goes into
// properties of our own, so that all comes back from Read as it was.
type Writer struct {
	w        io.Writer
	compress bool
	sum      bool
	data     []byte // of the record at hand
	out      []byte

	moment record.Moment
}

// NewWriter returns a Writer to w, which it never closes. compress has each
// record's data compressed with zlib.
func NewWriter(w io.Writer, compress bool) *Writer { return &Writer{w: w, compress: compress} }

// NewJournal returns a Writer to w of records that have a checksum, those with
// large bodies excepted: what a crash tore is then not read as whole.
func NewJournal(w io.Writer) *Writer { return &Writer{w: w, sum: true} }

// Write writes one capture. Captures of a URL come together and in order of time.
func (w *Writer) Write(s *record.Stored) error {
	s = w.twin(s)
	r := recordOf(s)
	r.Sum = w.sum && s.Large == nil
	if s.Large != nil && s.Via != record.ViaNotModified {
		return w.large(r, s)
	}
	w.data = w.data[:0]
	for b, err := range data(s) {
		if err != nil {
			return err
		}
		w.data = append(w.data, b...)
	}
	r.Data = w.data
	// What has no bytes, or looks compressed and is not, would be no record.
	r.Compress = w.compress || s.Via != record.ViaResource && (len(r.Data) == 0 || isZlib(r.Data))
	var err error
	if w.out, err = Append(w.out[:0], r); err != nil {
		return err
	}
	_, err = w.w.Write(w.out)
	return err
}

// twin returns the capture to write for s. That is s, unless the file has a capture
// already that s would be taken for. That happens when a revisit is of the same
// moment as its original. Then s becomes a revisit of the first.
func (w *Writer) twin(s *record.Stored) *record.Stored {
	if s.NoBody != "" || s.Via == record.ViaNotModified || s.Digest == (record.Digest{}) {
		return s
	}
	first := w.moment.Twin(s)
	if first == nil {
		w.moment.Add(s, false)
		return s
	}
	out := *s
	out.Via, out.NoBody = record.ViaRevisit, "the file has it with the capture before"
	out.Body, out.Large, out.Size = nil, nil, 0
	out.RefersURL, out.RefersTime = s.URL, s.Time
	out.DeclaredDigest = cmp.Or(first.Declared, s.DeclaredDigest)
	return &out
}

// large writes a capture whose body comes in pieces. It goes over them twice:
// the length stands before them.
func (w *Writer) large(r *Record, s *record.Stored) error {
	// As in Write: what has no head may look compressed.
	compress := w.compress || len(s.Head) == 0 && s.Via != record.ViaResource
	var plain, packed counter
	to := io.Writer(&plain)
	z := zlib.NewWriter(&packed)
	if compress {
		to = io.MultiWriter(&plain, z)
	}
	for _, out := range []io.Writer{to, nil} {
		if out == nil {
			length, unzip := int64(plain), int64(-1)
			if out = w.w; compress {
				if err := z.Close(); err != nil {
					return err
				}
				length, unzip = int64(packed), int64(plain)
				z.Reset(w.w)
				out = z
			}
			head, err := appendHead(nil, r, unzip, length, nil)
			if err != nil {
				return err
			}
			if _, err := w.w.Write(head); err != nil {
				return err
			}
		}
		for b, err := range data(s) {
			if err == nil {
				_, err = out.Write(b)
			}
			if err != nil {
				return err
			}
		}
	}
	if compress {
		if err := z.Close(); err != nil {
			return err
		}
	}
	_, err := w.w.Write([]byte("\n"))
	return err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// data is a record's data: the response as it came, of a resource the file, and
// of what has no body of its own the head.
func data(s *record.Stored) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if s.Via != record.ViaResource && len(s.Head) > 0 && !yield(s.Head, nil) {
			return
		}
		if s.NoBody == "" && s.Via != record.ViaNotModified {
			s.Wire()(yield)
		}
	}
}

// recordOf is the record of a capture, without data.
func recordOf(s *record.Stored) *Record {
	r := &Record{URL: s.AskedURL, Time: s.Time}
	if !isValue(r.URL) {
		r.URL = s.URL
	}
	if isValue(s.Origin) {
		r.Origin = s.Origin
	}
	if isValue(s.IP) {
		r.IP = s.IP
	}
	for line := range bytes.Lines(s.Extra) {
		name, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		name, value = strings.ToLower(name), strings.TrimSpace(value)
		switch {
		case !ok || !isName([]byte(name)) || !isValue(value) || strings.HasPrefix(name, ownPrefix):
		case name == "version", name == "url", name == "origin", name == "ip", name == "length", name == "unzip-length", name == "crc32c", name == "time":
		case name == "date":
			// As it was written, if that means the same wherever it is read.
			if t, err := parseDate(value, time.UTC); err == nil && t.Unix() == s.Time.Std().Unix() {
				r.Extra = fmt.Appendf(r.Extra, "date: %s\n", value)
			}
		default:
			r.Extra = fmt.Appendf(r.Extra, "%s: %s\n", name, value)
		}
	}
	r.Extra = append(r.Extra, ownLines(s)...)
	return r
}

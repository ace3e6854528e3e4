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
	"infomall/store/record/message"
)

// Writer writes captures as Tianwang records of version 1.0. A record has the whole
// response byte for byte, unless the method twin makes it a revisit. Facts for which
// the format has no property are written as properties that only this program uses, for
// example that the archive does not have the body, or that the capture is a file and
// not an HTTP response. Read returns all captures as they were.
type Writer struct {
	w        io.Writer
	compress bool
	sum      bool
	data     []byte // the data of the current record, reused
	out      []byte // the current record, reused

	moment message.Moment // remembers the captures that were written with the last URL and time
}

// NewWriter returns a Writer that writes to w and never closes w. If compress is
// set, it compresses the data of each record with zlib.
func NewWriter(w io.Writer, compress bool) *Writer { return &Writer{w: w, compress: compress} }

// NewJournal returns a Writer that writes to w and gives each record a checksum. If a
// crash tears a record, a reader then notices that it is not whole. Records with large
// bodies have no checksum.
func NewJournal(w io.Writer) *Writer { return &Writer{w: w, sum: true} }

// Write writes one capture. The captures of a URL must come together and in
// order of time.
func (w *Writer) Write(s *message.Stored) error {
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
	// Data that is empty, or looks compressed and is not, would make an invalid record.
	r.Compress = w.compress || s.Via != record.ViaResource && (len(r.Data) == 0 || isZlib(r.Data))
	var err error
	if w.out, err = Append(w.out[:0], r); err != nil {
		return err
	}
	_, err = w.w.Write(w.out)
	return err
}

// twin returns the capture to write for s. That is s itself, unless the file already
// has a capture with the same URL, time and body, for example if s is a revisit of it: a
// reader would then drop s as a duplicate. In that case twin returns s as a revisit of
// the capture that the file has.
func (w *Writer) twin(s *message.Stored) *message.Stored {
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

// large writes r, the record of s, whose body comes in pieces. It ranges over the
// body twice, because the length comes before the data.
func (w *Writer) large(r *Record, s *message.Stored) error {
	// As in Write: data without a head may look compressed.
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

// counter is an io.Writer that only counts the bytes written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// data yields the data of the record of s, in pieces: the response as it was
// received, the file of a resource, or the head alone if s has no body of its own.
func data(s *message.Stored) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if s.Via != record.ViaResource && len(s.Head) > 0 && !yield(s.Head, nil) {
			return
		}
		if s.NoBody == "" && s.Via != record.ViaNotModified {
			s.Wire()(yield)
		}
	}
}

// recordOf returns the record in which the capture s is written, without its data.
func recordOf(s *message.Stored) *Record {
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
			// The date stays as it was written, if it means the same in every zone.
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

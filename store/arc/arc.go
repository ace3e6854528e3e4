// Package arc reads ARC files, versions 1 and 2 of the records' headers, plain
// and compressed with gzip: a member a record, or in any other way. It is the
// format that the Internet Archive's crawlers wrote before WARC.
//
// A file may be damaged or cut. The reader gives back every whole record and
// names each damaged span.
package arc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"infomall/store/gzipped"
	"infomall/store/record"
)

// Options says how to read. The zero value works.
type Options struct {
	Source string // Capture.Source of what is read
	Limits record.BodyLimits
}

// fileScheme begins the record that tells of the file itself.
const fileScheme = "filedesc:"

// Read reads the records of r in order. Damage is an item; an error, the last
// pair, is one of r, of the disk or the cause for which ctx ended. The
// receiver owns each item, and closes its capture's Spool.
//
// What is no HTTP response, such as one of DNS, comes as a resource.
func Read(ctx context.Context, r io.ReaderAt, o Options) iter.Seq2[record.Item, error] {
	return func(yield func(record.Item, error) bool) {
		_, compressed, err := detect(r)
		if err != nil {
			yield(record.Item{}, err)
			return
		}
		s := &scanner{gzipped.NewWalk(ctx, r, compressed, gzipped.Options{TempDir: o.Limits.TempDir, Starts: hasRecord}), o}
		defer s.Close()
		if err := s.run(func(it record.Item) bool { return yield(it, nil) }); err != nil {
			yield(record.Item{}, err)
		}
	}
}

// Detect reports whether r looks like an ARC file: a record starts in its first
// megabyte, compressed or not, if perhaps behind damage.
func Detect(r io.ReaderAt) (bool, error) {
	is, _, err := detect(r)
	return is, err
}

// detect is Detect that also tells whether the file is compressed.
func detect(r io.ReaderAt) (is, compressed bool, err error) {
	start := make([]byte, 1<<20)
	n, err := r.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return false, false, fmt.Errorf("read the file's first bytes: %w", err)
	}
	start = start[:n]
	for at, c := range start {
		if c == gzipped.Magic[0] && gzipped.IsMember(r, int64(at), hasRecord) {
			return true, true, nil
		}
		if at == 0 || start[at-1] == '\n' {
			if _, ok, _ := parseHeader(start[at:]); ok {
				return true, false, nil
			}
		}
	}
	return false, bytes.HasPrefix(start, gzipped.Magic), nil
}

// hasRecord reports whether a record starts in text.
func hasRecord(text []byte) bool {
	for line := range bytes.Lines(text) {
		if _, ok, _ := parseHeader(line); ok {
			return true
		}
	}
	return false
}

// scanner walks over the records of one file.
type scanner struct {
	*gzipped.Walk
	o Options
}

// run goes from record to record. It returns nil as well when yield says stop.
func (s *scanner) run(yield func(record.Item) bool) error {
	return s.Each(func(pos int64) (next int64, more bool, err error) {
		h, why, err := s.recordAt(pos)
		if err != nil {
			return 0, false, err
		}
		var it record.Item
		if why != "" {
			it, next, err = s.Damage(pos, why, s.search)
		} else {
			it, err = s.item(pos, &h)
			next = pos + h.bytes + h.length
		}
		if err != nil {
			return 0, false, err
		}
		return next, yield(it), nil
	})
}

// headerAt reads the header at pos; ok is false where there is none.
func (s *scanner) headerAt(pos int64) (h header, ok bool, err error) {
	for _, n := range []int{1 << 10, headerMax} {
		b, err := s.Window.View(pos, n)
		if err != nil {
			return h, false, err
		}
		var cut bool
		if h, ok, cut = parseHeader(b); ok || !cut || len(b) < n {
			return h, ok, nil
		}
	}
	return h, false, nil
}

// recordAt reads the header at pos and checks that the record ends where its
// length says. why says what is wrong.
func (s *scanner) recordAt(pos int64) (h header, why string, err error) {
	h, ok, err := s.headerAt(pos)
	switch {
	case err != nil:
		return h, "", err
	case !ok:
		return h, "no header of a record where one is due", nil
	case h.length < 0:
		return h, "header of a record without a length", nil
	}
	end := pos + h.bytes + h.length
	there, err := s.Has(pos+h.bytes, h.length)
	if !there || err != nil {
		return h, fmt.Sprintf("file ends within the %d bytes of a record", h.length), err
	}
	b, err := s.Window.View(end, headerMax)
	if err != nil {
		return h, "", err
	}
	rest := bytes.TrimLeft(b, "\r\n")
	if _, next, cut := parseHeader(rest); len(rest) == 0 || next || cut && len(b) < headerMax {
		return h, "", nil // cut: the file ends within the next header
	}
	if _, first := s.Locate(end); first && s.Compressed() {
		return h, "", nil
	}
	if confirmed, err := s.confirmed(pos+h.bytes, h.length); confirmed || err != nil {
		return h, "", err // what follows is damaged, and not this
	}
	return h, "record does not end where its length says", nil
}

// confirmed reports whether a line ends behind the HTTP response at off, and
// its own Content-Length says as well that it has that many bytes.
func (s *scanner) confirmed(off, length int64) (bool, error) {
	b, err := s.Window.View(off+length, 1)
	if err != nil || string(b) != "\n" {
		return false, err
	}
	head, err := s.Window.View(off, int(min(length, headerMax)))
	if err != nil {
		return false, err
	}
	split := record.SplitHead(head)
	return split > 0 && record.Header(head[:split], "Content-Length") == strconv.FormatInt(length-int64(split), 10), nil
}

// search returns the offset of the next record behind pos, or that of the end
// of what can be read. A line that looks like a header proves nothing, as a
// page may quote one: its record must end where it says.
func (s *scanner) search(pos int64) (next int64, found bool, err error) {
	for {
		at, found, err := s.Window.Find(pos, []byte("\n"))
		if err != nil || !found {
			return at, false, err
		}
		pos = at + 1
		_, why, err := s.recordAt(pos)
		if why == "" || err != nil {
			return pos, true, err
		}
	}
}

// item makes the item of the whole record at pos.
func (s *scanner) item(pos int64, h *header) (record.Item, error) {
	at, _ := s.Locate(pos)
	it := record.Item{Offset: at, Type: "response"}
	if strings.HasPrefix(h.url, fileScheme) {
		it.Type, it.Skipped = "filedesc", "filedesc record"
		return it, nil
	}
	t, err := parseDate(h.date)
	if err != nil {
		it.Damage = err.Error()
		if !s.Compressed() {
			it.Length = h.bytes + h.length
		}
		return it, nil
	}
	c := &record.Capture{
		AskedURL: h.url, Time: record.At(t), IP: h.address(), RefersTime: record.NoTime,
		DeclaredDigest: h.checksum, Source: s.o.Source, Offset: at,
	}
	if !c.Time.Std().Equal(t) {
		c.Extra = fmt.Appendf(c.Extra, "Archive-date: %s\n", h.date)
	}
	if err := s.data(c, pos+h.bytes, h); err != nil {
		return it, fmt.Errorf("read the record at byte %d: %w", at, err)
	}
	it.Capture = c
	return it, nil
}

// data fills c from the data at off.
func (s *scanner) data(c *record.Capture, off int64, h *header) error {
	b, err := s.Window.View(off, int(min(h.length, int64(len("HTTP/")))))
	if err != nil {
		return err
	}
	if string(b) == "HTTP/" || bytes.HasPrefix(b, []byte("ICY ")) {
		return c.ReadMessage(s.Window, off, h.length, s.o.Limits)
	}
	c.Via, c.Mime = record.ViaResource, record.Mime(h.mime)
	if c.Mime != h.mime {
		c.Extra = fmt.Appendf(c.Extra, "Content-Type: %s\n", h.mime)
	}
	if h.code != "" {
		c.Extra = fmt.Appendf(c.Extra, "Result-code: %s\n", h.code)
	}
	if h.location != "" {
		c.Extra = fmt.Appendf(c.Extra, "Location: %s\n", h.location)
	}
	return c.ReadBody(s.Window, off, h.length, s.o.Limits)
}

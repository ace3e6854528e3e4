// Package warc reads WARC files, versions 0.17 to 1.1, plain and compressed
// with gzip: a member a record, or in any other way. It writes version 1.1.
//
// A file may be damaged or cut. The reader gives back every whole record and
// names each damaged span.
package warc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"infomall/store/gzipped"
	"infomall/store/record"
)

// Options says how to read. The zero value works.
type Options struct {
	Source string // Capture.Source of what is read
	Limits record.BodyLimits
}

// Read reads the records of r in order. Damage is an item; an error, the last
// pair, is one of r, of the disk or the cause for which ctx ended. The
// receiver owns each item, and closes its capture's Spool.
//
// Responses, revisits and resources are captures. So is a response that is not
// HTTP, such as one of DNS: it comes as a resource. A response that says it is
// HTTP and has no status line has Status 0, no Head, and all of it is Body.
func Read(ctx context.Context, r io.ReaderAt, o Options) iter.Seq2[record.Item, error] {
	return func(yield func(record.Item, error) bool) {
		s, err := open(ctx, r, o)
		if err != nil {
			yield(record.Item{}, err)
			return
		}
		defer s.Close()
		if err := s.run(func(it record.Item) bool { return yield(it, nil) }); err != nil {
			yield(record.Item{}, err)
		}
	}
}

func open(ctx context.Context, r io.ReaderAt, o Options) (*scanner, error) {
	_, compressed, err := detect(r)
	if err != nil {
		return nil, err
	}
	return &scanner{gzipped.NewWalk(ctx, r, compressed, gzipped.Options{TempDir: o.Limits.TempDir, Starts: hasRecord}), o}, nil
}

// hasRecord reports whether a record starts in text.
func hasRecord(text []byte) bool {
	return bytes.HasPrefix(text, []byte(magic)) || bytes.Contains(text, []byte("\n"+magic))
}

// Detect reports whether r looks like a WARC file: a record starts in its first
// megabyte, compressed or not, if perhaps behind damage.
func Detect(r io.ReaderAt) (bool, error) {
	is, _, err := detect(r)
	return is, err
}

// detect is Detect that also tells whether the file is compressed.
func detect(r io.ReaderAt) (is, compressed bool, err error) {
	for _, look := range []int{4 << 10, 1 << 20} {
		start := make([]byte, look)
		n, err := r.ReadAt(start, 0)
		if err != nil && err != io.EOF {
			return false, false, fmt.Errorf("read the file's first bytes: %w", err)
		}
		start = start[:n]
		compressed = bytes.HasPrefix(start, gzipped.Magic)
		for at, c := range start {
			switch {
			case c == magic[0] && startsRecord(start[at:]):
				return true, false, nil
			case c == gzipped.Magic[0] && gzipped.IsMember(r, int64(at), hasRecord):
				return true, true, nil
			}
		}
		if n < look {
			break
		}
	}
	return false, compressed, nil
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
			it, err = s.item(pos, h)
			next = pos + h.bytes + h.length
		}
		if err != nil {
			return 0, false, err
		}
		return next, yield(it), nil
	})
}

// recordAt reads the header at pos and checks that the record ends where its
// length says. why says what is wrong.
func (s *scanner) recordAt(pos int64) (h header, why string, err error) {
	h, fault, err := s.headerAt(pos)
	if err != nil {
		return header{}, "", err
	}
	if fault != nil {
		return h, fault.Error(), nil
	}
	if why, err = s.checkEnd(pos+h.bytes, h.length); why == "" || err != nil {
		return h, why, err
	}
	more, err := s.slip(pos + h.bytes + h.length)
	if more > 0 {
		h.length += more
		why = ""
	}
	return h, why, err
}

// slipMax is how many bytes a Content-Length may be short and be mended:
// writers that forget a line end are known, and no others.
const slipMax = 4

// slip finds by how much a length that leads to end is short, where the empty
// lines and the next record stand a few bytes behind; 0 if they do not.
func (s *scanner) slip(end int64) (more int64, err error) {
	b, err := s.Window.View(end, slipMax+len(recordEnd))
	return int64(max(bytes.Index(b, []byte(recordEnd)), 0)), err
}

// recordEnd is what stands between a block and the next record.
const recordEnd = "\r\n\r\n" + magic

// headerAt reads the header at pos.
func (s *scanner) headerAt(pos int64) (h header, fault, err error) {
	for n := 4 << 10; ; n *= 16 {
		n = min(n, headerMax)
		b, err := s.Window.View(pos, n)
		if err != nil {
			return header{}, nil, err
		}
		h, fault = parseHeader(b)
		if fault != errCutHeader || len(b) < n {
			return h, fault, nil
		}
		if n == headerMax {
			return header{}, fmt.Errorf("header of a record has no end within %d bytes", headerMax), nil
		}
	}
}

// checkEnd checks that the block of length bytes at off is followed by the
// empty lines that end a record, by another record, by another gzip member, or
// by the end of the file.
func (s *scanner) checkEnd(off, length int64) (why string, err error) {
	end := off + length
	there, err := s.Has(off, length)
	if !there || err != nil {
		return fmt.Sprintf("file ends within the %d bytes that Content-Length says", length), err
	}
	b, err := s.Window.View(end, 1<<10)
	if err != nil {
		return "", err
	}
	rest := bytes.TrimLeft(b, "\r\n")
	if len(rest) == 0 || bytes.HasPrefix(rest, []byte(magic)) ||
		bytes.HasPrefix(b, []byte("\r\n\r\n")) || bytes.HasPrefix(b, []byte("\n\n")) {
		return "", nil
	}
	if _, first := s.Locate(end); first && s.Compressed() {
		return "", nil
	}
	return "record does not end where Content-Length says", nil
}

// search returns the offset of the next record behind pos, or that of the end
// of what can be read. It need not start a line, as what was written before may
// be torn. A header alone proves nothing, as a page may quote one: its record
// must end where it says.
func (s *scanner) search(pos int64) (next int64, found bool, err error) {
	from := pos + 1
	for {
		at, found, err := s.Window.Find(from, []byte(magic))
		if err != nil || !found {
			return at, false, err
		}
		h, fault, err := s.headerAt(at)
		if err != nil {
			return 0, false, err
		}
		if fault == nil && h.get("WARC-Type") != "" {
			if why, err := s.checkEnd(at+h.bytes, h.length); why == "" || err != nil {
				return at, true, err
			}
		}
		from = at + 1
	}
}

// item makes the item of the whole record at pos.
func (s *scanner) item(pos int64, h header) (record.Item, error) {
	at, _ := s.Locate(pos)
	it := record.Item{Offset: at, Type: h.get("WARC-Type")}
	switch kind := strings.ToLower(it.Type); kind {
	case "response", "revisit", "resource":
		c, why, err := s.capture(pos, kind, h)
		if err != nil {
			return it, fmt.Errorf("read the record at byte %d: %w", at, err)
		}
		if why != "" {
			it.Damage = why
			if !s.Compressed() {
				it.Length = h.bytes + h.length
			}
			return it, nil
		}
		c.Offset = at
		it.Capture = c
	case "request", "warcinfo", "metadata", "conversion":
		it.Skipped = kind + " record"
	case "continuation":
		it.Skipped = "continuation record: segments are not joined"
	case "":
		it.Damage = "record without WARC-Type"
	default:
		it.Skipped = fmt.Sprintf("record of unknown type %.80q", it.Type)
	}
	return it, nil
}

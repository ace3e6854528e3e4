// Package warc reads WARC files, versions 0.17 to 1.1, and writes version 1.1.
// It reads plain files and files compressed with gzip. A compressed file may
// have one gzip member per record, as usual, or members that begin and end
// anywhere.
//
// A file may be damaged or cut short. The reader returns every whole record and
// one item for each damaged span.
//
// # Words
//
//	record   a header, an empty line, a block and two empty lines
//	header   a line such as "WARC/1.1" and fields such as "Content-Length: 512"
//	block    the bytes that the record stores, as many as Content-Length says
//	payload  the part of the block without HTTP headers
//	revisit  a record for a capture whose body is that of an earlier record
package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"

	"infomall/store/formats/gzipped"
	"infomall/store/record"
	"infomall/store/record/message"
)

// Options says how to read a WARC file. The zero value works.
type Options struct {
	Source string // the value of Capture.Source for each capture that is read
	Limits message.BodyLimits
}

// Read reads the records of the WARC file r in order. A damaged span comes as an
// item with Damage set. An error comes as the last pair: reading r or writing to
// the disk failed, or ctx ended. The receiver owns each item and must close the
// Spool of its capture.
//
// Responses, revisits and resources come as captures. A response that is not HTTP,
// such as a DNS record, comes as a resource. A response that says it is HTTP and
// has no status line has Status 0 and no Head; all of it is Body.
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

// hasRecord reports whether a WARC record starts in text: whether some line begins
// with "WARC/".
func hasRecord(text []byte) bool {
	for from := 0; ; {
		at := indexMagic(text[from:])
		if at < 0 {
			return false
		}
		if at += from; at == 0 || text[at-1] == '\n' {
			return true
		}
		from = at + len(magic)
	}
}

// Detect reports whether r looks like a WARC file: whether a record starts in
// its first megabyte, compressed or not. Damaged bytes may come before that
// record.
func Detect(r io.ReaderAt) (bool, error) {
	is, _, err := detect(r)
	return is, err
}

// detect reports whether r looks like a WARC file, as Detect does, and whether it
// is compressed with gzip.
func detect(r io.ReaderAt) (is, compressed bool, err error) {
	return gzipped.Detect(r, func(start []byte, at int) bool { return start[at]|0x20 == 'w' && startsRecord(start[at:]) }, hasRecord)
}

// scanner walks over the records of one WARC file.
type scanner struct {
	*gzipped.Walk
	o Options
}

// run calls yield for each record and each damaged span, in order. It returns
// nil at the end of the file, and also if yield returns false.
func (s *scanner) run(yield func(record.Item) bool) error {
	p := pairing{yield: yield}
	defer p.drop()
	more := true
	err := s.Each(func(pos int64) (int64, bool, error) {
		h, why, err := s.recordAt(pos)
		if err != nil {
			return 0, false, err
		}
		var it record.Item
		var asked *request
		next := pos + h.bytes + h.length
		if why != "" {
			it, next, err = s.Damage(pos, why, s.searchAll)
		} else if it, err = s.item(pos, h); err == nil && strings.EqualFold(it.Type, "request") {
			asked, err = s.requestAt(pos+h.bytes, &h)
		}
		if err != nil {
			return 0, false, err
		}
		more = p.add(it, &h, asked)
		return next, more, nil
	})
	if err == nil && more {
		p.flush()
	}
	return err
}

// recordAt reads the header at pos and checks that the record ends where its length
// says. If the length is wrong and something else shows where the record ends,
// recordAt corrects the length in h. The result why says what is wrong, such as "no
// WARC record where one should begin". It is "" if the record is whole.
func (s *scanner) recordAt(pos int64) (h header, why string, err error) {
	h, fault, err := s.headerAt(pos)
	if err != nil {
		return header{}, "", err
	}
	block := pos + h.bytes
	if fault != nil {
		why = fault.Error()
	} else {
		e, err := s.end(block, h.length)
		if err != nil {
			return h, "", err
		}
		why = e.fault
		if e.sure {
			return h, "", nil
		}
		if why == "" { // is another record within the block?
			at, found, err := s.search(pos, block+h.length)
			if !found || at >= block+h.length || err != nil {
				return h, "", err
			}
			why = errWrongLength.Error()
		}
		more, err := s.slip(block + h.length)
		if more > 0 || err != nil {
			h.length += more
			return h, "", err
		}
	}
	if length, ok, err := s.lengthByHTTP(block, &h); ok || err != nil {
		h.length = length
		return h, "", err
	}
	return h, why, nil
}

// slipMax is the largest number of bytes by which a Content-Length may be too small
// and still be corrected. Some writers forget a line end.
const slipMax = 4

// slip returns by how many bytes the Content-Length of a record is too small, or 0 if nothing shows
// that it is wrong. end is the offset at which the block ends according to Content-Length. The
// length is too small if the empty lines and the next record come a few bytes later than that, at
// most slipMax.
func (s *scanner) slip(end int64) (more int64, err error) {
	b, err := s.Window.View(end, slipMax+len("\r\n\r\n"+magic))
	if err != nil {
		return 0, err
	}
	for i := 1; i <= min(slipMax, len(b)); i++ {
		for _, lines := range []string{"\r\n\r\n", "\n\n"} {
			if next, ok := bytes.CutPrefix(b[i:], []byte(lines)); ok && hasMagic(next) {
				return int64(i), nil
			}
		}
	}
	return 0, nil
}

// lengthByHTTP returns the length of a response's block as the HTTP headers in the
// block declare it. block is the offset of the block, and h the header of the
// record. ok is false if the HTTP headers declare no length, or if no record ends
// at that length.
func (s *scanner) lengthByHTTP(block int64, h *header) (length int64, ok bool, err error) {
	if h.bytes == 0 || !strings.EqualFold(h.get("WARC-Type"), "response") {
		return 0, false, nil
	}
	b, err := s.Window.View(block, message.ViewMax)
	if err != nil {
		return 0, false, err
	}
	length, head, ok := message.MessageLength(b)
	if !ok || bytes.Contains(bytes.ToUpper(head), []byte("WARC-")) { // torn, and another record's header follows
		return 0, false, nil
	}
	e, err := s.end(block, length)
	return length, e.sure || e.record, err
}

// headerAt reads the record header at offset pos. fault says why the header cannot
// be used, or is nil; err is a failure to read.
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

// errWrongLength means that a record does not end where its Content-Length says.
var errWrongLength = errors.New("record does not end where Content-Length says")

// ending describes what follows the block of a record.
type ending struct {
	fault string // why no record ends there, or ""
	// sure is set if the block certainly ends there: exactly two line ends and a
	// record follow, or another gzip member, or the end of the file. If sure is
	// false, the line ends that follow may also belong to the block.
	sure bool
	// record is set if another record follows, after any number of line ends. If the
	// number is not two, the declared length of the block may be wrong by some line
	// ends.
	record bool
}

// end checks what follows a record's block, which begins at off and has length
// bytes.
func (s *scanner) end(off, length int64) (e ending, err error) {
	there, err := s.Has(off, length)
	if !there || err != nil {
		return ending{fault: fmt.Sprintf("file ends within the %d bytes that Content-Length says", length)}, err
	}
	end := off + length
	b, err := s.Window.View(end, 1<<10)
	if err != nil {
		return ending{}, err
	}
	rest := bytes.TrimLeft(b, "\r\n")
	if hasMagic(rest) {
		lines := len(b) - len(rest)
		_, first := s.Locate(end + int64(lines))
		two := string(b[:lines]) == "\r\n\r\n" || string(b[:lines]) == "\n\n"
		return ending{sure: two || first && s.Compressed(), record: true}, nil
	}
	if len(rest) == 0 {
		why, err := s.Unproven(end)
		return ending{fault: why, sure: why == ""}, err
	}
	if _, first := s.Locate(end); first && s.Compressed() {
		return ending{sure: true}, nil
	}
	if bytes.HasPrefix(b, []byte("\r\n\r\n")) || bytes.HasPrefix(b, []byte("\n\n")) {
		why, err := s.Unproven(end)
		return ending{fault: why}, err
	}
	return ending{fault: errWrongLength.Error()}, nil
}

// search returns the offset of the next record that starts after pos and before
// limit. If there is none, found is false, and next is limit or more, or the offset at
// which reads end. A record need not start at the beginning of a line, because the
// record before it may be torn. A header alone proves nothing, because a page may quote
// one, so the record must also end where the header says.
func (s *scanner) search(pos, limit int64) (next int64, found bool, err error) {
	for from := pos + 1; ; {
		at, found, err := s.Window.FindFunc(from, len(magic), indexMagic)
		if err != nil || !found || at >= limit {
			return at, false, err
		}
		whole, err := s.isRecord(at)
		if whole || err != nil {
			return at, true, err
		}
		from = at + 1
	}
}

// searchAll returns the offset of the next record that starts after pos, however
// far away. found is false if there is none; next is then the end of the readable
// bytes.
func (s *scanner) searchAll(pos int64) (next int64, found bool, err error) {
	return s.search(pos, math.MaxInt64)
}

// isRecord reports whether a record begins at pos and ends where its
// Content-Length, or else its HTTP headers, say.
func (s *scanner) isRecord(pos int64) (bool, error) {
	h, fault, err := s.headerAt(pos)
	if err != nil || h.get("WARC-Type") == "" {
		return false, err
	}
	if fault == nil {
		if e, err := s.end(pos+h.bytes, h.length); e.fault == "" || err != nil {
			return true, err
		}
	}
	_, ok, err := s.lengthByHTTP(pos+h.bytes, &h)
	return ok, err
}

// item returns the item for the whole record at pos, whose header is h. It has a
// capture, or the reason why the record is skipped, or, if fields of the header are
// wrong, Damage.
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

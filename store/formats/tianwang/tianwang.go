// Package tianwang reads and writes files of Tianwang records, the page storage
// format of Peking University's Web InfoMall: version 1.0, and the variants
// that real programs wrote under that number.
//
// A file may be damaged, cut short or torn in the middle. The reader returns
// every whole record and one item for each damaged span. The comments of accept
// and search say how the reader distinguishes records from page data that looks
// like a record.
//
// # Words
//
//	record    a head, an empty line, data of the declared length, a line end
//	head      lines "name: value", such as "version: 1.0" and "length: 512"
//	property  one line of a head
//	follower  what comes directly after a record
//	chain     records that follow each other directly
//	evidence  whether the data of a record agrees with its head
//	gap       the bytes between a record's data and the next head; in recover.go,
//	          the span between two chains
//	confirmed said of a record outside a chain that is accepted because its data
//	          agrees with its head
package tianwang

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
)

// Options says how to read a file of Tianwang records. The zero value works.
type Options struct {
	Source string         // the value of Capture.Source for each capture that is read
	Zone   *time.Location // the zone of dates that have none; nil is UTC
	Limits message.BodyLimits
}

// Read reads the Tianwang records of r in order. A damaged span comes as an item
// with Damage set. An error comes as the last pair: reading r or writing to the
// disk failed, or ctx ended. The receiver owns each item and must close the Spool
// of its capture.
func Read(ctx context.Context, r io.ReaderAt, o Options) iter.Seq2[record.Item, error] {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return func(yield func(record.Item, error) bool) {
		s := &scanner{ctx: ctx, r: r, w: message.NewWindow(ctx, r), o: o}
		if err := s.run(func(it record.Item) bool { return yield(it, nil) }); err != nil {
			yield(record.Item{}, err)
		}
	}
}

// scanner walks over the records of one file of Tianwang records.
type scanner struct {
	ctx context.Context
	r   io.ReaderAt
	w   *message.Window
	o   Options

	spent      int64         // bytes read for evidence so far
	inflater   io.ReadCloser // made at its first use, then reused
	compressed []byte        // the input of inflater, reused
}

// run calls yield for each record and each damaged span, in order. It returns
// nil at the end of the file, and also if yield returns false.
func (s *scanner) run(yield func(record.Item) bool) error {
	var pos int64
	known := false // pos was found by search, which has judged it already
	var f follower // of the record before
	for {
		var end bool
		var err error
		if pos, end, err = s.skipEmpty(pos); end || err != nil {
			return err
		}
		h, ok := f.head, f.kind == followedByHead && f.next == pos
		if !ok {
			if h, ok, err = s.headAt(pos); err != nil {
				return err
			}
		}
		var why string
		if ok {
			if f, err = s.follower(pos, h); err != nil {
				return err
			}
			if !known {
				if ok, why, err = s.accept(pos, h, f); err != nil {
					return err
				}
			}
		}
		if !ok {
			if why == "" {
				if why, err = s.noHead(pos); err != nil {
					return err
				}
			}
			at := pos
			if pos, known, err = s.afterDamage(at); err != nil {
				return err
			}
			if !yield(record.Item{Offset: at, Damage: why, Length: pos - at}) {
				return nil
			}
			continue
		}
		it, err := s.item(pos, h, f)
		if err != nil {
			return err
		}
		if !yield(it) {
			return nil
		}
		pos, known = f.next, false
	}
}

// item returns the item for the record at pos, whose head is h. It has a capture, or the
// reason why the record is skipped, or, if the date or the data of the record is wrong,
// Damage. f is what follows the record.
func (s *scanner) item(pos int64, h head, f follower) (record.Item, error) {
	it := record.Item{Offset: pos, Type: h.version}
	damaged := func(format string, args ...any) (record.Item, error) {
		it.Damage, it.Length = fmt.Sprintf(format, args...), f.next-pos
		return it, nil
	}
	c := &record.Capture{
		AskedURL:   h.url,
		Origin:     h.origin,
		RefersTime: record.NoTime,
		Source:     s.o.Source,
		Offset:     pos,
		Extra:      h.extra,
	}
	takeOwn(c)
	switch {
	case h.version != "1.0":
		it.Skipped = fmt.Sprintf("record of version %s, which is not known", h.version)
		return it, nil
	case h.length == 0 && h.unzip > 0:
		it.Skipped = "empty record: its writer failed to compress the page"
		return it, nil
	case h.length == 0 && c.Via == record.ViaResponse:
		it.Skipped = "empty record"
		return it, nil
	case h.url == "":
		return damaged("record without url")
	}
	t, written := writtenDate(h.date)
	if !written {
		var err error
		if t, err = parseDate(h.date, s.o.Zone); err != nil {
			return damaged("%v", err)
		}
	}
	if why, err := s.sumFault(pos, h); err != nil {
		return it, err
	} else if why != "" {
		return damaged("%s", why)
	}
	c.Time += record.At(t) // to what takeOwn found
	if h.ip != "unknown" {
		c.IP = h.ip
	}
	if !written && h.date != t.UTC().Format(dateLayout) {
		c.Extra = fmt.Appendf(c.Extra, "date: %s\n", h.date)
	}
	via := c.Via
	var err error
	if h.unzip < 0 {
		if err = s.fill(c, s.w, pos+h.bytes, h.length); via == record.ViaResponse && len(c.Head) == 0 && isZlib(c.Body) {
			return damaged("compressed data without unzip-length")
		}
	} else {
		var why string
		if why, err = s.inflateInto(c, pos+h.bytes, h); why != "" {
			return damaged("%s", why)
		}
	}
	if err != nil {
		return record.Item{}, fmt.Errorf("read the record at byte %d: %w", pos, err)
	}
	if via == record.ViaRevisit || via == record.ViaNotModified {
		c.Close()
		c.Via, c.Body, c.Framing = via, nil, nil
	}
	it.Capture = c
	return it, nil
}

// fill sets the fields of c from the n bytes of w at off: a body if c is a
// resource, and otherwise an HTTP response.
func (s *scanner) fill(c *record.Capture, w *message.Window, off, n int64) error {
	if c.Via == record.ViaResource {
		return message.ReadBody(c, w, off, n, s.o.Limits)
	}
	return message.Read(c, w, off, n, s.o.Limits)
}

// noHead returns what is wrong at pos, where the head of a record should be and is
// missing, such as "zeros where a record should begin".
func (s *scanner) noHead(pos int64) (string, error) {
	b, err := s.w.View(pos, 1)
	if len(b) > 0 && b[0] == 0 {
		return "zeros where a record should begin", err
	}
	return "no head of a record where one should begin", err
}

// headAt reads the head of a record at offset off. It returns false if there is
// none.
func (s *scanner) headAt(off int64) (head, bool, error) {
	const common = 2 << 10
	for _, n := range []int{common, headMax} {
		b, err := s.w.View(off, n)
		if err != nil {
			return head{}, false, err
		}
		if h, ok := parseHead(b); ok {
			return h, true, nil
		}
		if len(b) < n || !bytes.HasPrefix(b, []byte(magic)) || bytes.Contains(b, []byte("\n\n")) {
			break
		}
	}
	return head{}, false, nil
}

// paddingMax is how many NUL bytes in a row count as padding between two records.
// More NULs in a row mean that a crash lost what was written.
const paddingMax = 15

// emptyLines returns how many bytes at the start of b are empty lines, comment
// lines (with # at the start) or padding. All of these may come between records.
func emptyLines(b []byte) int {
	pos := 0
	for pos < len(b) {
		switch b[pos] {
		case 0:
			n := len(b[pos:]) - len(bytes.TrimLeft(b[pos:], "\x00"))
			if n > paddingMax {
				return pos
			}
			pos += n
		case '\n':
			pos++
		case '\r':
			if pos+1 < len(b) && b[pos+1] != '\n' {
				return pos
			}
			pos++
		case '#':
			end := bytes.IndexByte(b[pos:], '\n')
			if end < 0 {
				return pos
			}
			pos += end + 1
		default:
			return pos
		}
	}
	return pos
}

// skipEmpty skips empty lines, comment lines and padding from offset pos on. It
// returns the offset after them, and whether the file ends there.
func (s *scanner) skipEmpty(pos int64) (next int64, end bool, err error) {
	for {
		b, err := s.w.View(pos, 4<<10)
		if err != nil || len(b) == 0 {
			return pos, true, err
		}
		n := emptyLines(b)
		if pos += int64(n); n < len(b) {
			return pos, false, nil
		}
	}
}

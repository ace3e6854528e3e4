// Package arc reads ARC files, the format that the Internet Archive's crawlers
// wrote before WARC. It reads versions 1 and 2 of the record header, both plain
// files and files compressed with gzip. A compressed file may have one gzip
// member per record, as usual, or members that begin and end anywhere.
//
// A file may be damaged or cut short. The reader returns every whole record and
// one item for each damaged span.
//
// # Words
//
//	record          a header line, such as "http://a/ 1.2.3.4 20080430204825 text/html 512",
//	                then as many bytes of data as the header says (512), then an empty line
//	filedesc record the first record of a file; its URL is "filedesc:NAME" and its
//	                data, the version block, lists the fields of the header lines
//	confirmed       a record is confirmed if another record, another gzip member or
//	                the end of the file follows directly after its data
package arc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"

	"infomall/store/formats/gzipped"
	"infomall/store/record"
	"infomall/store/record/message"
)

// Options says how to read an ARC file. The zero value works.
type Options struct {
	Source string // the value of Capture.Source for each capture that is read
	Limits message.BodyLimits
}

// fileScheme is the beginning of the URL of the filedesc record, the record that
// describes the ARC file itself.
const fileScheme = "filedesc:"

// Read reads the records of the ARC file r in order. A damaged span comes as an
// item with Damage set. An error comes as the last pair: reading r or writing to
// the disk failed, or ctx ended. The receiver owns each item and must close the
// Spool of its capture.
//
// A record that is not an HTTP response, such as a DNS record, comes as a resource.
func Read(ctx context.Context, r io.ReaderAt, o Options) iter.Seq2[record.Item, error] {
	return func(yield func(record.Item, error) bool) {
		_, compressed, err := detect(r)
		if err != nil {
			yield(record.Item{}, err)
			return
		}
		s := &scanner{Walk: gzipped.NewWalk(ctx, r, compressed, gzipped.Options{TempDir: o.Limits.TempDir, Starts: hasRecord}), o: o}
		defer s.Close()
		if err := s.run(func(it record.Item) bool { return yield(it, nil) }); err != nil {
			yield(record.Item{}, err)
		}
	}
}

// Detect reports whether r looks like an ARC file: whether a record starts in
// its first megabyte, compressed or not. Damaged bytes may come before that
// record.
func Detect(r io.ReaderAt) (bool, error) {
	is, _, err := detect(r)
	return is, err
}

// detect reports whether r looks like an ARC file, as Detect does, and whether it
// is compressed with gzip.
func detect(r io.ReaderAt) (is, compressed bool, err error) {
	return gzipped.Detect(r, func(start []byte, at int) bool {
		if at > 0 && start[at-1] != '\n' {
			return false
		}
		_, ok, _ := parseHeader(start[at:])
		return ok
	}, hasRecord)
}

// hasRecord reports whether some line of text is the header line of an ARC record.
func hasRecord(text []byte) bool {
	for line := range bytes.Lines(text) {
		if _, ok, _ := parseHeader(line); ok {
			return true
		}
	}
	return false
}

// scanner walks over the records of one ARC file.
type scanner struct {
	*gzipped.Walk
	o Options

	// next and found are the last results of search with which searchAll has searched to the end
	// of the file. They hold for each offset before next.
	next  int64
	found bool
}

// run calls yield for each record and each damaged span, in order. It returns nil
// at the end of the file, and also if yield returns false.
func (s *scanner) run(yield func(record.Item) bool) error {
	return s.Each(func(pos int64) (next int64, more bool, err error) {
		h, why, err := s.recordAt(pos)
		if err != nil {
			return 0, false, err
		}
		var it record.Item
		if why != "" {
			it, next, err = s.Damage(pos, why, s.searchAll)
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

// headerAt reads the header line at offset pos. ok is false if no header starts at
// pos.
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

// recordAt reads the header of the record that should begin at pos, and checks that
// the record is whole. It accepts a record that confirmedAt accepts. It also accepts a
// record that is not confirmed, if its data ends with a line end and no other record
// begins within the data. The damage is then in the bytes after the record. The result
// why says what is wrong with the record; it is "" for a whole record.
func (s *scanner) recordAt(pos int64) (h header, why string, err error) {
	h, why, err = s.confirmedAt(pos)
	if why == "" || err != nil {
		return h, why, err
	}
	data := pos + h.bytes
	if ok, err := s.endsLine(data, &h); !ok || err != nil {
		return h, why, err
	}
	at, found, err := s.search(data, data+h.length)
	if err == nil && !(found && at < data+h.length) {
		why = ""
	}
	return h, why, err
}

// endsLine reports whether a line ends at the place where, according to the length in
// h, the data at off ends. It returns false if the HTTP headers in the data declare
// another length, or if the gzip member of the record is damaged.
func (s *scanner) endsLine(off int64, h *header) (bool, error) {
	if h.url == "" || h.length < 0 {
		return false, nil
	}
	b, err := s.Window.View(off, message.ViewMax)
	if err != nil {
		return false, err
	}
	if length, _, ok := message.MessageLength(b); ok && length != h.length || int64(message.SplitHead(b)) > h.length {
		return false, nil
	}
	b, err = s.Window.View(off+h.length, 1)
	if err != nil || len(b) == 0 || b[0] != '\n' && b[0] != '\r' {
		return false, err
	}
	why, err := s.Unproven(off + h.length)
	return why == "", err
}

// confirmedAt reads the header of the record at pos and checks that the record ends
// where its length says: another record, another gzip member or the end of the file
// must follow. If the declared length is wrong, but something else, such as
// Content-Length, shows where the record ends, confirmedAt corrects the length in the
// result h. The result why says what is wrong, such as "no header of a record where one
// should begin". It is "" if the record is confirmed.
func (s *scanner) confirmedAt(pos int64) (h header, why string, err error) {
	h, ok, err := s.headerAt(pos)
	if err != nil {
		return h, "", err
	}
	if !ok {
		return h, "no header of a record where one should begin", nil
	}
	data := pos + h.bytes
	if why, err = s.end(data, h.length); why == "" || err != nil {
		return h, why, err
	}
	// Is it the length that is wrong? Something else may say where the record ends.
	for _, lengthBy := range []func(data int64, h *header) (length int64, ok bool, err error){s.bySlip, s.byHTTP, s.byVersionBlock} {
		if length, ok, err := lengthBy(data, &h); ok || err != nil {
			h.length = length
			return h, "", err
		}
	}
	return h, why, nil
}

// end checks what follows a record's data, which begins at off and has length
// bytes. It returns "" if a record can end there, or else the reason why it cannot,
// such as "file ends within the 512 bytes of a record".
func (s *scanner) end(off, length int64) (why string, err error) {
	if length < 0 {
		return "header of a record without a length", nil
	}
	there, err := s.Has(off, length)
	if !there || err != nil {
		return fmt.Sprintf("file ends within the %d bytes of a record", length), err
	}
	b, err := s.Window.View(off+length, headerMax)
	if err != nil {
		return "", err
	}
	rest := bytes.TrimLeft(b, "\r\n")
	h, next, cut := parseHeader(rest)
	if next && len(rest) == len(b) && !isUsual(h.url) {
		next = false // not "http://…" but "p://…": bytes of this record are lost
	}
	if next {
		return "", nil
	}
	if len(rest) == 0 || cut && len(b) < headerMax { // cut: the file ends within the next header
		return s.Unproven(off + length)
	}
	if _, first := s.Locate(off + length); first && s.Compressed() {
		return "", nil
	}
	return "record does not end where its length says", nil
}

// slipMax is the largest number of bytes by which a declared length may be too
// small and still be corrected. Some writers miscount a line end.
const slipMax = 4

// bySlip returns the true length of the data at off if the length in h is up to
// slipMax bytes too small. That is so if a line end and another header come a few bytes
// later than h says. Otherwise ok is false.
func (s *scanner) bySlip(off int64, h *header) (length int64, ok bool, err error) {
	if h.length < 0 {
		return 0, false, nil
	}
	b, err := s.Window.View(off+h.length, headerMax)
	if err != nil {
		return 0, false, err
	}
	for i := 1; i <= min(slipMax, len(b)); i++ {
		if rest := bytes.TrimLeft(b[i:], "\r\n"); len(rest) < len(b)-i {
			if _, next, _ := parseHeader(rest); next {
				return h.length + int64(i), true, nil
			}
		}
	}
	return 0, false, nil
}

// byHTTP returns the length that the HTTP headers in the data at off declare for
// that data. ok is false if they declare none, or if a record cannot end at that
// length, because neither another record nor the end of the file follows.
func (s *scanner) byHTTP(off int64, h *header) (length int64, ok bool, err error) {
	b, err := s.Window.View(off, message.ViewMax)
	if err != nil {
		return 0, false, err
	}
	length, head, ok := message.MessageLength(b)
	if !ok || hasRecord(head) { // torn, and another record's header follows
		return 0, false, nil
	}
	why, err := s.end(off, length)
	return length, why == "", err
}

// byVersionBlock returns the length of the data at off if h is the header of the
// filedesc record. The data of that record, the version block, ends with the line that
// names the fields of a header. ok is false for any other record.
func (s *scanner) byVersionBlock(off int64, h *header) (length int64, ok bool, err error) {
	if !strings.HasPrefix(h.url, fileScheme) {
		return 0, false, nil
	}
	b, err := s.Window.View(off, 4<<10)
	if err != nil {
		return 0, false, err
	}
	for line := range bytes.Lines(b) {
		if length += int64(len(line)); bytes.HasPrefix(line, []byte("URL ")) {
			return length, true, nil
		}
	}
	return 0, false, nil
}

// search returns the offset of the next record that starts after pos and before
// limit. If there is none, found is false, and next is limit or more, or the offset at
// which reads end.
//
// A line that looks like a header proves nothing, because a page may quote one. The
// record of that header must also end where it says. A header that has no length
// counts as found, so that each such record is reported as a damage of its own.
func (s *scanner) search(pos, limit int64) (next int64, found bool, err error) {
	for {
		at, found, err := s.Window.FindFunc(pos, len("\nhttp"), beforeStart)
		if err != nil || !found || at >= limit {
			return at, false, err
		}
		pos = at + 1
		h, why, err := s.confirmedAt(pos)
		if err != nil {
			return 0, false, err
		}
		if h.url != "" && (why == "" || h.length < 0) && !isGlued(h.url) {
			return pos, true, nil
		}
	}
}

// searchAll returns the offset of the next record that starts after pos, however far
// away. Unlike search, it also accepts a record with an HTTP response that is not
// confirmed but ends with a line end, because such a record may be between two damaged
// places. If there is no record, found is false, and next is the offset at which reads
// end.
//
// searchAll keeps the result of search. Otherwise a file in which no record is confirmed would be
// searched to its end again for each record.
func (s *scanner) searchAll(pos int64) (next int64, found bool, err error) {
	if pos >= s.next {
		if s.next, s.found, err = s.search(pos, math.MaxInt64); err != nil {
			return 0, false, err
		}
	}
	for {
		at, more, err := s.Window.FindFunc(pos, len("\nhttp"), beforeStart)
		if pos = at + 1; err != nil || !more || pos >= s.next {
			return s.next, s.found, err
		}
		h, ok, err := s.headerAt(pos)
		if err != nil {
			return 0, false, err
		}
		if !ok || isGlued(h.url) || h.length < 0 || pos+h.bytes+h.length > s.next {
			continue
		}
		if b, err := s.Window.View(pos+h.bytes, len("HTTP/")); err != nil || string(b) != "HTTP/" {
			continue
		}
		if ok, err := s.endsLine(pos+h.bytes, &h); ok || err != nil {
			return pos, ok, err
		}
	}
}

// isGlued reports whether the scheme of url is http or https with part of another
// word before it, as in "Conhttp://www.pku.edu.cn/". Such a text arises if a line was
// torn and another record was written directly after the part that is left.
func isGlued(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	scheme = strings.TrimSuffix(scheme, "s")
	return len(scheme) > len("http") && strings.HasSuffix(scheme, "http")
}

// beforeStart returns the index in b of the byte before the first place where a
// record may start, or -1 if there is none. A record may start after a line feed.
// If the line before the record was torn, the record may also start with "http" in
// the middle of a line.
func beforeStart(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	line := b
	if lf >= 0 {
		line = b[:lf]
	}
	if len(line) > 0 {
		if before := bytes.Index(line[1:], []byte("http")); before >= 0 {
			return before
		}
	}
	return lf
}

// item returns the item for the whole record at pos, whose header is h. It has a
// capture, or, for the filedesc record, the reason why that is skipped. If the date of
// the record cannot be read, the item has Damage set.
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

// data fills c from the data at off, whose length is in h. The data is an HTTP
// response, or a resource if it does not begin with an HTTP status line.
func (s *scanner) data(c *record.Capture, off int64, h *header) error {
	b, err := s.Window.View(off, int(min(h.length, int64(len("HTTP/")))))
	if err != nil {
		return err
	}
	if string(b) == "HTTP/" || bytes.HasPrefix(b, []byte("ICY ")) {
		return message.Read(c, s.Window, off, h.length, s.o.Limits)
	}
	c.Via, c.Mime = record.ViaResource, message.Mime(h.mime)
	if c.Mime != h.mime {
		c.Extra = fmt.Appendf(c.Extra, "Content-Type: %s\n", h.mime)
	}
	if h.code != "" {
		c.Extra = fmt.Appendf(c.Extra, "Result-code: %s\n", h.code)
	}
	if h.location != "" {
		c.Extra = fmt.Appendf(c.Extra, "Location: %s\n", h.location)
	}
	return message.ReadBody(c, s.Window, off, h.length, s.o.Limits)
}

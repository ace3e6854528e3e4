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
	"math"
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

// recordAt is confirmedAt for where a record should begin. It also takes a record
// that ends with a line, if no other record begins within it: then the damage is
// in what follows.
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

// endsLine reports whether the record of h, whose data is at off, ends with a line,
// HTTP does not say that it has another length, and its gzip member is not damaged.
func (s *scanner) endsLine(off int64, h *header) (bool, error) {
	if h.url == "" || h.length < 0 {
		return false, nil
	}
	b, err := s.Window.View(off, record.ViewMax)
	if err != nil {
		return false, err
	}
	if length, _, ok := record.MessageLength(b); ok && length != h.length || int64(record.SplitHead(b)) > h.length {
		return false, nil
	}
	b, err = s.Window.View(off+h.length, 1)
	if err != nil || len(b) == 0 || b[0] != '\n' && b[0] != '\r' {
		return false, err
	}
	why, err := s.Unproven(off + h.length)
	return why == "", err
}

// confirmedAt reads the header at pos and checks that the record ends where its
// length says: another record, another gzip member or the end of the file
// follows. A length that is wrong is corrected in h if something else says where
// the record ends. why says what is wrong, and is "" if nothing is.
func (s *scanner) confirmedAt(pos int64) (h header, why string, err error) {
	h, ok, err := s.headerAt(pos)
	if err != nil {
		return h, "", err
	}
	if !ok {
		return h, "no header of a record where one is due", nil
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

// end says why the record whose data of length bytes is at off does not end
// there; "" if it does.
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

// slipMax is how many bytes a length may be short and be corrected: some writers
// miscount a line end.
const slipMax = 4

// bySlip returns the length that the data at off has if its declared length is a
// few bytes short: a line end and the next header are that much further on.
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

// byHTTP returns the length that the data at off has by its headers of HTTP, if
// another record or the end of the file follows there.
func (s *scanner) byHTTP(off int64, h *header) (length int64, ok bool, err error) {
	b, err := s.Window.View(off, record.ViewMax)
	if err != nil {
		return 0, false, err
	}
	length, head, ok := record.MessageLength(b)
	if !ok || hasRecord(head) { // torn, and another record's header follows
		return 0, false, nil
	}
	why, err := s.end(off, length)
	return length, why == "", err
}

// byVersionBlock returns the length of the data of the record about the file:
// up to the line that names the fields of a header.
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

// search returns the offset of the next record after pos, or the end of what can
// be read if there is none. A line that looks like a header proves nothing,
// because a page may quote one: its record must also end where it says. A header
// without a length counts, so that each of several has a damage of its own. It
// gives up at limit.
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

// searchAll is search without a limit. It also finds an HTTP response that ends
// with a line before the record that search finds, because that may be between
// two damaged places.
func (s *scanner) searchAll(pos int64) (next int64, found bool, err error) {
	next, found, err = s.search(pos, math.MaxInt64)
	if err != nil {
		return 0, false, err
	}
	for {
		at, more, err := s.Window.FindFunc(pos, len("\nhttp"), beforeStart)
		if pos = at + 1; err != nil || !more || pos >= next {
			return next, found, err
		}
		h, ok, err := s.headerAt(pos)
		if err != nil {
			return 0, false, err
		}
		if !ok || isGlued(h.url) || h.length < 0 || pos+h.bytes+h.length > next {
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

// isGlued reports whether url begins with the rest of a torn line and http, as in
// "Conhttp://www.pku.edu.cn/".
func isGlued(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	scheme = strings.TrimSuffix(scheme, "s")
	return len(scheme) > len("http") && strings.HasSuffix(scheme, "http")
}

// beforeStart returns the place in b of the byte before the first one where a
// record may start; -1 if there is none. A record starts a line; if what was
// written before it is torn, it starts with http.
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

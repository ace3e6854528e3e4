package tianwang

import (
	"bytes"
	"strconv"
	"strings"

	"infomall/store/record"
	"infomall/store/record/message"
)

// follower describes what comes directly after the data of a record.
type follower struct {
	kind followerKind
	gap  string // the bytes between the record's data and the follower, such as "\n"
	next int64  // the offset of the follower, at which reading continues
	head head   // the head of the next record, if kind is followedByHead
}

type followerKind uint8

const (
	followedByOther   followerKind = iota // something that is none of the following
	followedByHead                        // the head of another record follows
	followedByEnd                         // the end of the file follows
	followedByNowhere                     // the file ends within the record
)

// follower finds out what comes directly after the data of the record at offset off. h
// is the head of that record.
func (s *scanner) follower(off int64, h head) (follower, error) {
	end := off + h.bytes + h.length
	if h.length > 0 {
		last, err := s.w.View(end-1, 1)
		if err != nil || len(last) == 0 {
			return follower{kind: followedByNowhere}, err
		}
	}
	const look = 4 << 10
	view, err := s.w.View(end, look)
	if err != nil {
		return follower{}, err
	}
	n := emptyLines(view)
	if n == 0 && len(view) > 0 && bytes.HasPrefix(view[1:], []byte(magic)) {
		n = 1 // the line end after the data is damaged, and no more than that
	}
	f := follower{gap: string(view[:n]), next: end + int64(n)}
	if n == len(view) && n < look {
		f.kind = followedByEnd
		return f, nil
	}
	h, ok, err := s.headAt(f.next)
	if err != nil {
		return follower{}, err
	}
	if ok {
		f.kind, f.head = followedByHead, h
		return f, nil
	}
	f.next = end + int64(min(n, len("\n")))
	return f, nil
}

// accept judges the record at pos, where a record should begin: at the start of the
// file or directly after another record. h is its head, and f is what follows it.
// ok reports whether the record is whole. The result why says what is wrong with
// it, such as "file ends within the record".
//
// A record is whole if one line end follows its data, and then a head or the end of the
// file. If anything else follows the data, either the following bytes are damaged or
// the length is wrong. accept then decides by the data of the record, see evidence.
func (s *scanner) accept(pos int64, h head, f follower) (ok bool, why string, err error) {
	const wrongEnd = "record does not end where its length says"
	atRecord := f.kind == followedByHead || f.kind == followedByEnd
	switch {
	case f.kind == followedByNowhere:
		return false, "file ends within the record", nil
	case atRecord && (f.gap == "\n" || f.gap == "\r\n" && h.crlf):
		return true, "", nil
	}
	e, err := s.evidence(pos, h)
	if err != nil {
		return false, "", err
	}
	switch {
	case e == refuted:
		return false, wrongEnd, nil
	case e == proven && (atRecord || h.unzip >= 0):
		return true, "", nil
	case f.kind == followedByEnd, f.kind == followedByHead && !isLengthWrong(f.gap):
		return true, "", nil
	case f.kind == followedByHead:
		// If these bytes are a writer's habit, they come again after the next
		// record.
		g, err := s.follower(f.next, f.head)
		return g.gap == f.gap, wrongEnd, err
	}
	ok, err = s.damagedHeadAt(pos+h.bytes+h.length, e)
	return ok, wrongEnd, err
}

// isLengthWrong reports whether gap, the bytes between a record's data and the next
// record, shows that the record's length is wrong. If gap is empty, the length is one
// too large. If gap has an additional empty line, the length is one too small: the data
// ends in a LF.
func isLengthWrong(gap string) bool {
	rest, _ := strings.CutPrefix(gap, "\r")
	rest, _ = strings.CutPrefix(rest, "\n")
	return gap == "" || rest != "" && (rest[0] == '\n' || rest[0] == '\r')
}

// verdict says how well the data of a record agrees with its head.
type verdict uint8

const (
	refuted   verdict = iota // the data contradicts the head
	plausible                // nothing contradicts the head
	proven                   // the data shows by itself that the declared length is right
)

// The method evidence reads the data of a doubtful record to find out whether the record
// is whole. In a whole file it reads at most evidenceBytes bytes, plus evidencePerByte
// bytes for each byte of the file before the record. Without this bound, a file with many
// forged heads, each of which claims the same data, would take a time that grows with the
// square of the file's size.
const (
	evidenceBytes   = 256 << 20
	evidencePerByte = 16
)

// evidence reads the data of the record at off and returns how well it agrees with h,
// the head of the record. When it has read too many bytes (see evidenceBytes), it
// returns refuted for every further record.
func (s *scanner) evidence(off int64, h head) (verdict, error) {
	if s.spent > evidenceBytes+evidencePerByte*off {
		return refuted, nil
	}
	s.spent += h.length
	if h.version != "1.0" {
		return plausible, nil
	}
	if _, err := parseDate(h.date, s.o.Zone); err != nil || h.url == "" {
		return refuted, nil
	}
	if h.unzip < 0 {
		return s.plainEvidence(off+h.bytes, h.length)
	}
	if h.length == 0 {
		return plausible, nil
	}
	// This is only a check: the data is inflated again when the record is read.
	var c record.Capture
	why, err := s.inflateInto(&c, off+h.bytes, h)
	c.Close()
	if why != "" || err != nil {
		return refuted, err
	}
	return proven, nil
}

// plainEvidence compares the Content-Length of the HTTP response at off, which is
// not compressed, with length, the number of bytes that the head of the record
// declares.
func (s *scanner) plainEvidence(off, length int64) (verdict, error) {
	if length == 0 {
		return plausible, nil
	}
	data, err := s.w.View(off, int(min(length, headMax)))
	if err != nil {
		return refuted, err
	}
	split := message.SplitHead(data)
	if split == 0 {
		return refuted, nil
	}
	e := plausible
	declared, err := strconv.ParseInt(message.Header(data[:split], "Content-Length"), 10, 64)
	if err == nil && message.Header(data[:split], "Transfer-Encoding") == "" {
		if declared != length-int64(split) {
			return refuted, nil
		}
		e = proven
	}
	if torn, err := s.runsOn(off, off+length); torn || err != nil {
		return refuted, err
	}
	return e, nil
}

// runsOn reports whether a record begins between the offsets from and to, but ends
// after to. If so, the data between from and to was torn, and the next record was
// written in the middle of it. Such a record is not one that a page quotes, because a
// quoted record ends within the page.
func (s *scanner) runsOn(from, to int64) (bool, error) {
	for {
		at, found, err := s.w.Find(from, []byte(magic))
		if !found || at >= to || err != nil {
			return false, err
		}
		h, ok, err := s.headAt(at)
		if ok && at+h.bytes+h.length > to || err != nil {
			return true, err
		}
		s.spent += headMax
		from = at + 1
	}
}

// damagedHeadAt reports whether the bytes at off, directly after a record's data, may
// be another record that was damaged. They may be if they have lines of a head, zeros
// or other bytes that no page has, or if the file ends there. If e, the verdict on the
// record before off, is proven, a control character such as a line end is enough.
func (s *scanner) damagedHeadAt(off int64, e verdict) (bool, error) {
	b, err := s.w.View(off, 2<<10)
	if err != nil || len(b) < 2 {
		return err == nil, err
	}
	if b[0] >= ' ' || e == proven {
		return b[0] < ' ', nil
	}
	for _, c := range b[:min(len(b), 64)] {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return true, nil
		}
	}
	rest := bytes.TrimPrefix(bytes.TrimPrefix(b, []byte("\r")), []byte("\n"))
	if bytes.HasPrefix(rest, []byte(magic[:2])) || bytes.HasPrefix([]byte(magic), rest) {
		return true, nil // it was cut in its first line
	}
	known := 0
	for line := range bytes.Lines(rest) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch string(name) {
		case "url", "origin", "date", "time", "ip", "unzip-length", "length":
			known++
		case "version", "\n", "\r\n":
			return false, nil // the bytes before were no head
		}
		if known == 2 {
			return true, nil
		}
	}
	return false, nil
}

// afterDamage returns the offset at which reading continues after a damaged record
// at pos: that of the next record, or the end of the file. If known is true, the record
// at next is accepted already; otherwise the caller must call accept for it.
//
// If only the head at pos is damaged, its length can be read, and another head
// comes at the end of that length, then next is that other head. The data in
// between is not checked.
func (s *scanner) afterDamage(pos int64) (next int64, known bool, err error) {
	b, err := s.w.View(pos, 4<<10)
	if err != nil {
		return 0, false, err
	}
	if h, ok := legibleLength(b); ok {
		f, err := s.follower(pos, h)
		if err != nil {
			return 0, false, err
		}
		if f.kind == followedByHead && (f.gap == "\n" || f.gap == "\r\n") {
			return f.next, false, nil
		}
	}
	next, err = s.search(pos + 1)
	return next, true, err
}

// legibleLength reads the length in a damaged head at the start of b. The last line
// before the first empty line must have the length. The bool is false if it has not, or
// if the head of another record begins before the empty line. The returned head has
// only the fields length and bytes.
func legibleLength(b []byte) (head, bool) {
	h := head{length: -1}
	for pos := 0; pos < len(b); {
		end := bytes.IndexByte(b[pos:], '\n')
		if end < 0 {
			break
		}
		line := bytes.TrimSuffix(b[pos:pos+end], []byte("\r"))
		switch {
		case bytes.LastIndex(line, []byte(magic)) > 0 || pos > 0 && bytes.HasPrefix(line, []byte(magic)):
			return head{}, false // that is the head of the next record
		case len(line) == 0 && h.length >= 0:
			h.bytes = int64(pos + end + 1)
			return h, true
		}
		h.length = -1
		if value, ok := bytes.CutPrefix(line, []byte("length:")); ok {
			setNumber(&h.length, bytes.TrimSpace(value))
		}
		pos += end + 1
	}
	return head{}, false
}

// search returns the offset of the first true record at or after the offset from,
// or the end of the file.
//
// A head alone proves nothing, because a page about this format may quote several. A
// record counts as true if two more records follow, each directly after the one before.
// Fewer records are enough if they reach the end of the file. A shorter chain between
// two damaged places is also accepted, if the data of its first record does not
// contradict the head, and a record or a damaged record follows.
func (s *scanner) search(from int64) (int64, error) {
	for {
		at, found, err := s.w.Find(from, []byte(magic))
		if err != nil || !found {
			return at, err
		}
		h, ok, err := s.headAt(at)
		if err != nil {
			return 0, err
		}
		if ok {
			ok, err = s.isTrue(at, h)
			if ok || err != nil {
				return at, err
			}
		}
		from = at + 1
	}
}

// runTrue is how many records must directly follow each other so that the first of
// them counts as a true record.
const runTrue = 3

func (s *scanner) isTrue(at int64, h head) (bool, error) {
	pos, last := at, h
	for range runTrue - 1 {
		f, err := s.follower(pos, last)
		if err != nil {
			return false, err
		}
		switch {
		case f.kind == followedByEnd:
			return true, nil
		case f.kind != followedByHead && pos == at:
			return s.stands(at, h, f)
		case f.kind != followedByHead:
			e, err := s.evidence(at, h)
			return e != refuted, err
		}
		pos, last = f.next, f.head
	}
	return true, nil
}

// stands reports whether the record at the offset at is accepted although no other record follows
// it. h is the head of the record, and f describes what follows.
func (s *scanner) stands(at int64, h head, f follower) (bool, error) {
	if f.kind == followedByNowhere {
		return false, nil
	}
	e, err := s.evidence(at, h)
	if err != nil || e == refuted {
		return false, err
	}
	if e == proven && h.unzip >= 0 {
		return true, nil
	}
	return s.damagedHeadAt(at+h.bytes+h.length, plausible)
}

package tianwang

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
)

// Recover reads a file of size bytes, or any fragment of one, and yields every
// whole record and every damaged span, in order.
//
// Page data may contain a whole record, so one record alone is not trusted.
// Recover looks for a chain: three records by the rules of the format, each
// directly after the one before, or fewer that reach the end of the file
// exactly. It yields the records of a chain up to the first place that is not a
// valid record.
//
// Then it searches the bytes between two chains again, for single records and
// pairs that are left between damaged places. Such a record is confirmed if its
// URL and date can be read, its data is an HTTP response, and nothing in the
// data contradicts the head. If the file has no record by the rules at all,
// Recover does the same with the looser rules of what real programs wrote; see
// parseHead.
//
// Compressed data must inflate to the length that its head declares, and a
// record with a checksum must match it. Without a checksum, two kinds of damage
// cannot be noticed: inside the values of url, date and ip, and inside data
// that is not compressed.
//
// Recover holds at most one record in memory, and no large one.
func Recover(ctx context.Context, r io.ReaderAt, size int64, o Options) iter.Seq2[task.Recovered, error] {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return func(yield func(task.Recovered, error) bool) {
		s := &scanner{ctx: ctx, r: r, w: message.NewWindow(ctx, r), o: o}
		c := &recoverer{s: s, size: size, yield: yield}
		if err := c.run(); err != nil && err != errStopped {
			yield(task.Recovered{}, err)
		}
	}
}

// errStopped ends the walk of Recover after yield has returned false.
var errStopped = fmt.Errorf("stopped")

// recoverer is the state of one call of Recover.
type recoverer struct {
	s     *scanner
	size  int64
	yield func(task.Recovered, error) bool
}

// dialect is a set of rules by which Recover accepts a record as valid.
type dialect uint8

const (
	strict   dialect = iota // exactly the rules of the format
	tolerant                // everything that the reader accepts
	odd                     // what the reader accepts and the rules do not
)

// extent is a valid record with its place in the file.
type extent struct {
	head
	at   int64
	next int64 // the offset after the record, at which another record should begin
}

// run walks over the file to its end. It repeats three steps: it searches the next
// chain (records that follow each other directly), yields what is before the chain, and
// yields the records of the chain.
func (c *recoverer) run() error {
	for pos := int64(0); pos < c.size; {
		at, found, err := c.find(pos, c.size, strict, true)
		if err == nil && at > pos {
			err = c.gap(pos, at)
		}
		if err != nil || !found {
			return err
		}
		if pos, err = c.readOut(at, c.size, strict); err != nil {
			return err
		}
	}
	return nil
}

// find returns the offset of the first chain of records, valid by the rules of d, that
// begins at or after the offset from and before the offset to. A chain is three records
// that follow each other directly. If exact is set, fewer records are enough if they
// end exactly at the offset to. If there is no chain, found is false and at equals to.
func (c *recoverer) find(from, to int64, d dialect, exact bool) (at int64, found bool, err error) {
	for {
		at, found, err := c.s.w.Find(from, []byte(magic))
		if err != nil || !found || at >= to {
			return to, false, err
		}
		n, reaches, err := c.chain(at, to, d)
		if err != nil || n == runTrue || n > 0 && reaches && exact {
			return at, true, err
		}
		from = at + 1
	}
}

// chain counts the records that directly follow each other, beginning at the offset
// at, and are valid by the rules of d. It counts at most three. reaches reports whether
// they end exactly at the offset to.
func (c *recoverer) chain(at, to int64, d dialect) (n int, reaches bool, err error) {
	for n < runTrue && at < to {
		e, ok, err := c.holds(at, d)
		if err != nil {
			return 0, false, err
		}
		if !ok || e.next > to {
			return n, false, nil
		}
		n, at = n+1, e.next
	}
	return n, at == to, nil
}

// holds reports whether a record that is valid by the rules of d begins at the given
// offset. e is that record.
func (c *recoverer) holds(at int64, d dialect) (e extent, ok bool, err error) {
	e = extent{at: at}
	if e.head, ok, err = c.s.headAt(at); !ok || err != nil {
		return e, false, err
	}
	if d != tolerant {
		e.next = at + e.bytes + e.length + 1
		if ok, err = c.isStrict(&e); d == strict || ok || err != nil {
			return e, ok && d == strict, err
		}
	}
	f, err := c.s.follower(at, e.head)
	e.next = f.next
	known := e.version != "1.0" || e.url != "" && e.date != ""
	ended := f.kind == followedByEnd && f.gap == "" || strings.HasPrefix(f.gap, "\n") || strings.HasPrefix(f.gap, "\r\n")
	return e, known && ended && f.kind != followedByNowhere, err
}

// isStrict reports whether the record e keeps exactly the rules of the format.
func (c *recoverer) isStrict(e *extent) (bool, error) {
	b, err := c.s.w.View(e.at, int(e.bytes))
	if err != nil || !e.byRules(b) {
		return false, err
	}
	last, err := c.s.w.View(e.next-1, 1)
	return len(last) == 1 && last[0] == '\n', err
}

// byRules reports whether the head h keeps all rules of the format: url and date are
// present, length comes last, ": " separates name and value, and lines end in LF. b is
// the text from which h was parsed.
func (h *head) byRules(b []byte) bool {
	if h.crlf || h.url == "" || h.date == "" {
		return false
	}
	var name, value []byte
	for line := range bytes.Lines(b[:len(b)-1]) {
		var ok bool
		name, value, ok = bytes.Cut(line[:len(line)-1], []byte(": "))
		if !ok || len(value) == 0 || len(bytes.TrimSpace(value)) < len(value) || bytes.IndexByte(name, '_') >= 0 {
			return false
		}
		switch string(name) {
		case "time":
			return false
		case "length", "unzip-length":
			if value[0] == '0' && len(value) > 1 {
				return false
			}
		}
	}
	return string(name) == "length"
}

// readOut yields the records of the chain that begins at the offset at, as far as they
// are valid by the rules of d and end at or before the offset to. It returns the offset
// after the last record that it yielded. It does not yield the last record of the chain
// if the length of that record may be damaged.
func (c *recoverer) readOut(at, to int64, d dialect) (int64, error) {
	e, ok, err := c.holds(at, d)
	for ok && err == nil && e.next <= to {
		var next extent
		if next, ok, err = c.holds(e.next, d); err != nil {
			break
		}
		if !ok && e.next < c.size {
			// Its length may be what is damaged.
			v, err := c.s.evidence(e.at, e.head)
			if err != nil || v == refuted {
				return e.at, err
			}
		}
		if err := c.save(&e, d, task.RecoverChained); err != nil {
			return 0, err
		}
		at, e = e.next, next
	}
	return at, err
}

// gap yields the records and the damaged spans in a part of the file without a chain by
// the strict rules, between the offsets from and to. It yields the records that are
// confirmed, and chains by looser rules. If that part is the whole file, and no record
// in it is confirmed by the strict rules, gap confirms records by the tolerant rules
// instead, and accepts chains of fewer than three records.
func (c *recoverer) gap(from, to int64) error {
	chained, single, whole := odd, strict, false
	if from == 0 && to == c.size {
		_, found, err := c.nextConfirmed(from, to, to, strict)
		if err != nil {
			return err
		}
		if !found {
			chained, single, whole = tolerant, tolerant, true
		}
	}
	for from < to {
		at, found, err := c.find(from, to, chained, whole)
		if err == nil {
			err = c.alone(from, at, single)
		}
		if err != nil || !found {
			return err
		}
		if from, err = c.readOut(at, to, chained); err != nil {
			return err
		}
		if from > at {
			continue
		}
		// The first record contradicts itself: continue after its beginning.
		if from, found, err = c.s.w.Find(at+1, []byte(magic)); err != nil {
			return err
		}
		if !found {
			from = to
		}
		if err := c.alone(at, min(from, to), single); err != nil {
			return err
		}
	}
	return nil
}

// alone yields the records between the offsets from and to that are in no chain but are
// confirmed by the rules of d. It also yields the damaged spans between these records.
func (c *recoverer) alone(from, to int64, d dialect) error {
	for from < to {
		e, found, err := c.nextConfirmed(from, from+1, to, d)
		if err != nil {
			return err
		}
		if !found {
			end, err := c.endOfDamaged(from, to) // where another record is due
			if err == nil && end == from {
				end = to
				if e, found, err = c.nextConfirmed(from+1, to, to, d); found {
					end = e.at
				}
			}
			if err == nil {
				err = c.damaged(from, end)
			}
			if err != nil {
				return err
			}
			if from = end; !found {
				continue
			}
		}
		if err := c.save(&e, d, task.RecoverConfirmed); err != nil {
			return err
		}
		from = e.next
	}
	return nil
}

// endOfDamaged returns the offset at which the damaged record that begins at from
// ends. It knows that offset if the length in the damaged head can be read, and another
// head follows at the end of that length, or the offset to is reached there. The caller
// then does not search the data of the damaged record, which may be a page that quotes
// records. If the end is not known, endOfDamaged returns from.
func (c *recoverer) endOfDamaged(from, to int64) (int64, error) {
	b, err := c.s.w.View(from, 4<<10)
	if err != nil {
		return 0, err
	}
	h, ok := legibleLength(b)
	if !ok {
		return from, nil
	}
	next := from + h.bytes + h.length + 1
	if next >= to {
		return max(from, min(next, to)), nil
	}
	_, ok, err = c.s.headAt(next)
	if !ok {
		return from, err
	}
	return next, err
}

// nextConfirmed returns the first record, valid by the rules of d and confirmed, that
// begins at or after the offset from but before the offset until, and ends at or before
// the offset to. found is false if there is none.
func (c *recoverer) nextConfirmed(from, until, to int64, d dialect) (e extent, found bool, err error) {
	for from < until {
		at, found, err := c.s.w.Find(from, []byte(magic))
		if err != nil || !found || at >= until {
			return e, false, err
		}
		e, ok, err := c.holds(at, d)
		if ok && err == nil && e.next <= to {
			ok, err = c.isConfirmed(&e)
		} else {
			ok = false
		}
		if ok || err != nil {
			return e, ok, err
		}
		from = at + 1
	}
	return e, false, nil
}

// isConfirmed reports whether the record e, which is in no chain, is accepted all the
// same, because its data agrees with its head.
func (c *recoverer) isConfirmed(e *extent) (bool, error) {
	if e.version != "1.0" {
		return false, nil
	}
	v, err := c.s.evidence(e.at, e.head)
	if err != nil || v == refuted {
		return false, err
	}
	if why, err := c.fault(e); why != "" || err != nil {
		return false, err
	}
	switch {
	case e.sum != "", v == proven && e.unzip >= 0, e.length == 0:
		return true, nil
	}
	start, err := c.s.w.View(e.at+e.bytes, len(httpMagic))
	if err != nil || string(start) != httpMagic {
		return false, err
	}
	if v == proven || e.next >= c.size {
		return true, nil
	}
	// What follows must have been a record.
	if _, ok, err := c.s.headAt(e.next); ok || err != nil {
		return ok, err
	}
	return c.s.damagedHeadAt(e.at+e.bytes+e.length, plausible)
}

const httpMagic = "HTTP/"

// save yields the record e as recovered, with the given state. d is the dialect by which
// e is valid. If the method fault finds a fault in e, save yields e as damaged.
func (c *recoverer) save(e *extent, d dialect, state task.RecoverState) error {
	why, err := c.fault(e)
	if err != nil {
		return err
	}
	out := task.Recovered{Offset: e.at, Length: e.next - e.at, State: state, Records: 1, Time: record.NoTime}
	if why != "" {
		out.State, out.Records, out.What, out.URL, out.Time = task.RecoverDamaged, 0, why, e.url, c.time(e.date)
		return c.give(out)
	}
	if d != strict {
		out.What = "not by the rules of the format, but as older programs wrote it"
	}
	out.Write = func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(c.s.r, e.at, e.next-e.at))
		if err == nil && e.next == e.at+e.bytes+e.length {
			_, err = w.Write([]byte("\n")) // the last one of a file may lack it
		}
		return err
	}
	return c.give(out)
}

// fault returns in what respect the record e contradicts itself, such as a date
// with the wrong weekday, or "" if it does not. Little can be found if the record
// has no checksum and its data is not compressed.
func (c *recoverer) fault(e *extent) (why string, err error) {
	if e.version != "1.0" {
		return c.otherVersion(e)
	}
	if e.url == "" {
		return "record without url", nil
	}
	t, err := parseDate(e.date, c.s.o.Zone)
	if err != nil {
		return err.Error(), nil
	}
	if asWritten, err := time.Parse(dateLayout, e.date); err == nil && asWritten.Format(dateLayout) != e.date {
		return fmt.Sprintf("date %q: that day was a %s", e.date, t.Weekday()), nil
	}
	if why, err := c.s.sumFault(e.at, e.head); why != "" || err != nil {
		return why, err
	}
	if e.length == 0 {
		return "", nil
	}
	if e.unzip >= 0 {
		var capture record.Capture
		defer capture.Close()
		return c.s.inflateInto(&capture, e.at+e.bytes, e.head)
	}
	start, err := c.s.w.View(e.at+e.bytes, 2)
	if err == nil && isZlib(start) {
		why = "compressed data without unzip-length"
	}
	return why, err
}

// otherVersion checks e, a record whose version is not 1.0, and returns what is wrong with it, or
// "". Because the form of the data of other versions is not known, it finds only two faults: a wrong
// checksum, and, if the record has no checksum, data in the form of version 1.0, which shows that
// the version is damaged.
func (c *recoverer) otherVersion(e *extent) (why string, err error) {
	if e.sum != "" {
		return c.s.sumFault(e.at, e.head)
	}
	start, err := c.s.w.View(e.at+e.bytes, len(httpMagic))
	if string(start) == httpMagic || e.unzip >= 0 && isZlib(start) {
		why = fmt.Sprintf("its version is %s, but everything else is as in 1.0", e.version)
	}
	return why, err
}

// damaged yields the span between the offsets from and to as damaged. It does
// nothing if the span is empty.
func (c *recoverer) damaged(from, to int64) error {
	if from >= to {
		return nil
	}
	why, url, date, err := c.read(from, to)
	if err != nil {
		return err
	}
	return c.give(task.Recovered{Offset: from, Length: to - from, What: why, URL: url, Time: c.time(date)})
}

// read returns what is wrong with the damaged span between the offsets from and to. url
// and date are the values in the damaged head at the start of the span; they are "" if
// they cannot be read.
func (c *recoverer) read(from, to int64) (why, url, date string, err error) {
	b, err := c.s.w.View(from, int(min(4<<10, to-from)))
	if err != nil || len(b) == 0 {
		return "the file is shorter than it was", "", "", err
	}
	for line := range bytes.Lines(b) {
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(": "))
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		switch {
		case string(name) == "url" && url == "":
			url = string(value)
		case (string(name) == "date" || string(name) == "time") && date == "":
			date = string(value)
		}
	}
	h, ok, err := c.s.headAt(from)
	switch {
	case err != nil:
		return "", "", "", err
	case !ok && b[0] == 0:
		return "zeros where a record should begin", url, date, nil
	case !ok:
		return "no head of a record where one should begin", url, date, nil
	case h.url == "" || h.date == "":
		return "a head without url or date", url, date, nil
	case from+h.bytes+h.length >= c.size:
		return "the file ends within the record", url, date, nil
	}
	return "the record does not end where its length says, or its head is damaged", url, date, nil
}

func (c *recoverer) time(date string) record.Time {
	if t, err := parseDate(date, c.s.o.Zone); err == nil {
		return record.At(t)
	}
	return record.NoTime
}

func (c *recoverer) give(r task.Recovered) error {
	if !c.yield(r, nil) {
		return errStopped
	}
	return nil
}

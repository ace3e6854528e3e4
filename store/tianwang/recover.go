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
)

// Recover goes through a file of size bytes, or any fragment of one, and yields
// every whole record in it and every damaged span, in order.
//
// A record counts when it holds by the rules of the format and two more follow
// it that do, each right behind the one before, or fewer that reach the end
// exactly: page data may hold a whole record, three in a row decide. From there
// all is read out until a record does not hold. What lies between such chains
// is gone through once more, for records that damage left alone or by twos:
// these count when their URL and date can be read, their data is a response of
// HTTP, and nothing in it contradicts the head. Where by the rules nothing
// chains, the same is done by what real programs wrote; see parseHead.
//
// Data that inflates must do so to the length that its head says, and a record
// with a checksum must have it. Without one, damage inside of the values of
// url, date and ip, and of data that is not compressed, can't be told.
//
// It holds no more than one record in memory, and of large ones none.
func Recover(ctx context.Context, r io.ReaderAt, size int64, o Options) iter.Seq2[record.Recovered, error] {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return func(yield func(record.Recovered, error) bool) {
		s := &scanner{ctx: ctx, r: r, w: record.NewWindow(ctx, r), o: o}
		c := &recoverer{s: s, size: size, yield: yield}
		if err := c.run(); err != nil && err != errStopped {
			yield(record.Recovered{}, err)
		}
	}
}

// errStopped ends the walk of who wants no more.
var errStopped = fmt.Errorf("stopped")

// recoverer is the state of one Recover.
type recoverer struct {
	s     *scanner
	size  int64
	yield func(record.Recovered, error) bool
}

// dialect is a set of rules for records.
type dialect uint8

const (
	strict   dialect = iota // the rules of the format
	tolerant                // what the reader accepts
	odd                     // what it accepts and is not by the rules
)

// extent is where a record that holds lies.
type extent struct {
	head
	at   int64
	next int64 // where the next record is due
}

// run goes from chain to chain.
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

// find gives the first chain that begins in from..to; to if there is none.
// exact lets one of fewer than three records count that reaches to.
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

// chain counts the records in a row from at on, three at most, and tells
// whether they reach to exactly.
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

// holds reports whether a record that holds begins at at.
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

// isStrict reports whether the record holds by the rules.
func (c *recoverer) isStrict(e *extent) (bool, error) {
	b, err := c.s.w.View(e.at, int(e.bytes))
	if err != nil || !e.byRules(b) {
		return false, err
	}
	last, err := c.s.w.View(e.next-1, 1)
	return len(last) == 1 && last[0] == '\n', err
}

// byRules reports whether the head b, which h was read from, keeps all rules:
// url and date are there, length is last, a colon and a blank part name and
// value, and lines end in LF.
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

// readOut yields the records of the chain at at and returns where it ends: at
// to, or at what does not hold.
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
		if err := c.save(&e, d, record.RecoverChained); err != nil {
			return 0, err
		}
		at, e = e.next, next
	}
	return at, err
}

// gap goes through what lies between two chains. Where by the rules nothing
// chains or is confirmed in all of the file, fewer than three records of the
// tolerant dialect count too.
func (c *recoverer) gap(from, to int64) error {
	dialects := []dialect{strict}
	if from == 0 && to == c.size {
		_, found, err := c.nextConfirmed(from, to, to, strict)
		if err != nil {
			return err
		}
		if !found {
			dialects = append(dialects, tolerant)
		}
	}
	d, whole := odd, len(dialects) == 2
	if whole {
		d = tolerant
	}
	for from < to {
		at, found, err := c.find(from, to, d, whole)
		if err == nil {
			err = c.alone(from, at, dialects)
		}
		if err != nil || !found {
			return err
		}
		if from, err = c.readOut(at, to, d); err != nil {
			return err
		}
		if from > at {
			continue
		}
		// The first of these contradicts itself: on, past its beginning.
		if from, found, err = c.s.w.Find(at+1, []byte(magic)); err != nil {
			return err
		}
		if !found {
			from = to
		}
		if err := c.alone(at, min(from, to), dialects); err != nil {
			return err
		}
	}
	return nil
}

// alone yields the confirmed records of a span, and what is damaged in it.
func (c *recoverer) alone(from, to int64, dialects []dialect) error {
	for from < to {
		e, d, at, err := c.firstConfirmed(from, from+1, to, dialects)
		if err != nil {
			return err
		}
		if at != from {
			end, err := c.endOfDamaged(from, to)
			if err != nil {
				return err
			}
			if e, d, at, err = c.firstConfirmed(max(from+1, end), to, to, dialects); err != nil {
				return err
			}
			if end > from {
				at = end // where another record is due
			}
			if err := c.damaged(from, at); err != nil {
				return err
			}
			if from = at; at == to || at != e.at {
				continue
			}
		}
		if err := c.save(&e, d, record.RecoverConfirmed); err != nil {
			return err
		}
		from = e.next
	}
	return nil
}

// firstConfirmed gives the first record that is confirmed, begins in from..until
// and ends at to or before, and where it begins: at to if there is none.
func (c *recoverer) firstConfirmed(from, until, to int64, dialects []dialect) (e extent, d dialect, at int64, err error) {
	for _, d := range dialects {
		e, found, err := c.nextConfirmed(from, until, to, d)
		if found || err != nil {
			return e, d, e.at, err
		}
	}
	return e, d, to, nil
}

// endOfDamaged gives where the damaged record at from ends: where the length in
// what is left of its head leads to the head of another, or to to. Then nothing
// in it is looked at, which may be a page with records in it. It gives from if
// there is no saying.
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

// nextConfirmed is firstConfirmed for one dialect.
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

// isConfirmed judges a record that is in no chain, by what it says of itself.
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

// save yields a record, or as damaged where it is one that holds and whose data
// does not.
func (c *recoverer) save(e *extent, d dialect, state record.RecoverState) error {
	why, err := c.fault(e)
	if err != nil {
		return err
	}
	out := record.Recovered{Offset: e.at, Length: e.next - e.at, State: state, Records: 1, Time: record.NoTime}
	if why != "" {
		out.State, out.Records, out.What, out.URL, out.Time = record.RecoverDamaged, 0, why, e.url, c.time(e.date)
		return c.give(out)
	}
	if d != strict {
		out.What = "not by the rules of the format, as older programs wrote"
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

// fault says in what a record contradicts itself. Without a checksum and if its
// data is not compressed, little can.
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
		return fmt.Sprintf("date %q: that was a %s", e.date, t.Weekday()), nil
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

// otherVersion is fault for a version whose data is not known.
func (c *recoverer) otherVersion(e *extent) (why string, err error) {
	if e.sum != "" {
		return c.s.sumFault(e.at, e.head)
	}
	start, err := c.s.w.View(e.at+e.bytes, len(httpMagic))
	if string(start) == httpMagic || e.unzip >= 0 && isZlib(start) {
		why = fmt.Sprintf("its version is %s, and all else is as in 1.0", e.version)
	}
	return why, err
}

// damaged yields a damaged span, if it has any bytes.
func (c *recoverer) damaged(from, to int64) error {
	if from >= to {
		return nil
	}
	why, url, date, err := c.read(from, to)
	if err != nil {
		return err
	}
	return c.give(record.Recovered{Offset: from, Length: to - from, What: why, URL: url, Time: c.time(date)})
}

// read says what is wrong with a span, and what can be read of the head that
// stands at its start.
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
		return "zeros where a record is due", url, date, nil
	case !ok:
		return "no head of a record where one is due", url, date, nil
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

func (c *recoverer) give(r record.Recovered) error {
	if !c.yield(r, nil) {
		return errStopped
	}
	return nil
}

package queue

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"infomall/store/record"
)

// errEntry is returned where an entry is not as it was written.
var errEntry = errors.New("crawl state: an entry can't be read")

// queueKey is where a URL stands in the bucket of queues: by host, priority and
// arrival.
func queueKey(host string, priority, seq uint64) []byte {
	k := make([]byte, 0, len(host)+17)
	k = append(append(k, host...), 0)
	k = binary.BigEndian.AppendUint64(k, priority)
	return binary.BigEndian.AppendUint64(k, seq)
}

// laterKey is where a URL waits whose time has not come.
func laterKey(due record.Time, seq uint64) []byte {
	k := binary.BigEndian.AppendUint64(make([]byte, 0, 16), uint64(due))
	return binary.BigEndian.AppendUint64(k, seq)
}

// seqKey orders rows by arrival.
func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, 8), seq) }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendQueued appends all of q.
func appendQueued(b []byte, q *record.Queued) []byte {
	b = appendText(b, q.URL)
	b = appendText(b, q.Host)
	b = binary.AppendUvarint(b, q.Priority)
	b = binary.AppendUvarint(b, q.Seq)
	b = binary.AppendUvarint(b, uint64(q.Layer))
	b = appendText(b, q.Via)
	b = appendText(b, q.Origin)
	b = binary.AppendUvarint(b, uint64(q.Hop))
	b = binary.AppendUvarint(b, uint64(q.Tries))
	b = binary.AppendVarint(b, int64(q.Due))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(q.Score))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(q.Hint))
	flags := byte(0)
	if q.Forced {
		flags |= flagForced
	}
	if q.Sitemap {
		flags |= flagSitemap
	}
	return append(b, flags)
}

// The flags of a queued URL.
const (
	flagForced = 1 << iota
	flagSitemap
)

func decodeQueued(b []byte) (q record.Queued, err error) {
	d := decoder{b: b}
	q.URL = d.text()
	q.Host = d.text()
	q.Priority = d.number()
	q.Seq = d.number()
	q.Layer = int(d.number())
	q.Via = d.text()
	q.Origin = d.text()
	q.Hop = int(d.number())
	q.Tries = int(d.number())
	q.Due = record.Time(d.signed())
	q.Score, q.Hint = d.float(), d.float()
	flags := d.number()
	q.Forced, q.Sitemap = flags&flagForced != 0, flags&flagSitemap != 0
	return q, d.end()
}

// appendFetch appends all of f but the crawl's name.
func appendFetch(b []byte, f *record.Fetch) []byte {
	b = appendText(b, f.URL)
	b = binary.AppendVarint(b, int64(f.Time))
	b = binary.AppendUvarint(b, uint64(f.Outcome))
	b = binary.AppendUvarint(b, uint64(f.Status))
	b = binary.AppendUvarint(b, uint64(f.Elapsed))
	b = binary.AppendVarint(b, f.Bytes)
	b = appendText(b, f.IP)
	b = binary.AppendUvarint(b, uint64(f.Hop))
	b = appendText(b, f.Via)
	return appendText(b, f.Reason)
}

func decodeFetch(b []byte) (f record.Fetch, err error) {
	d := decoder{b: b}
	f.URL = d.text()
	f.Time = record.Time(d.signed())
	outcome := d.number()
	f.Status = int(d.number())
	f.Elapsed = time.Duration(d.number())
	f.Bytes = d.signed()
	f.IP = d.text()
	f.Hop = int(d.number())
	f.Via = d.text()
	f.Reason = d.text()
	if f.Outcome = record.Outcome(outcome); outcome > uint64(record.OutcomeInternal) {
		d.bad = true
	}
	return f, d.end()
}

// decoder reads what the appends wrote. Its errors are kept for end.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) float() float64 {
	if len(d.b) < 8 {
		d.bad, d.b = true, nil
		return 0
	}
	v := math.Float64frombits(binary.BigEndian.Uint64(d.b))
	d.b = d.b[8:]
	return v
}

func (d *decoder) text() string {
	n := d.number()
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) end() error {
	if d.bad || len(d.b) > 0 {
		return errEntry
	}
	return nil
}

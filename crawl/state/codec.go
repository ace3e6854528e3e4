package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"infomall/crawl/report"
	"infomall/store/packed"
	"infomall/store/record"
)

// errEntry is returned if an entry of the database cannot be decoded.
var errEntry = errors.New("an entry of the crawl's state is damaged; restore the state from a copy, or remove its folder and begin the crawl again: what it fetched is in the archive")

// queueKey returns the key of a URL in bucketQueue and bucketKept. Keys sort
// by host, then priority, then arrival number. In bucketKept the priority is
// 0.
func queueKey(host string, priority, seq uint64) []byte {
	k := make([]byte, 0, len(host)+17)
	k = append(append(k, host...), 0)
	k = binary.BigEndian.AppendUint64(k, priority)
	return binary.BigEndian.AppendUint64(k, seq)
}

// laterKey returns the key of a URL in bucketLater. Keys sort by due time,
// then arrival number.
func laterKey(due record.Time, seq uint64) []byte {
	k := binary.BigEndian.AppendUint64(make([]byte, 0, 16), uint64(due))
	return binary.BigEndian.AppendUint64(k, seq)
}

// waitingKey returns the key of u in bucketQueue, dueKey that in bucketLater, and keptKey that in
// bucketKept.
func waitingKey(u *report.Queued) []byte { return queueKey(u.Host, u.Priority, u.Seq) }
func dueKey(u *report.Queued) []byte     { return laterKey(u.Due, u.Seq) }
func keptKey(u *report.Queued) []byte    { return queueKey(u.Host, 0, u.Seq) }

// decodeAt decodes v, the URL that a bucket has under the key k. keyOf returns the key that a URL
// has in this bucket. Another key means damage: the URL could not be removed from the bucket, and
// would come again and again.
func decodeAt(k, v []byte, keyOf func(*report.Queued) []byte) (report.Queued, error) {
	u, err := DecodeQueued(v)
	if err == nil && !bytes.Equal(k, keyOf(&u)) {
		err = errEntry
	}
	return u, err
}

// seqKey returns seq as eight big-endian bytes, so that keys sort by number.
// It makes the keys in bucketFetches and bucketInbox.
func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, 8), seq) }

// AppendQueued appends the encoding of q to b: all fields except the name of
// the crawl. DecodeQueued reads it.
func AppendQueued(b []byte, q *report.Queued) []byte {
	b = packed.AppendSized(b, q.URL)
	b = packed.AppendSized(b, q.Host)
	b = binary.AppendUvarint(b, q.Priority)
	b = binary.AppendUvarint(b, q.Seq)
	b = binary.AppendUvarint(b, uint64(q.Layer))
	b = packed.AppendSized(b, q.Via)
	b = packed.AppendSized(b, q.Origin)
	b = binary.AppendUvarint(b, uint64(q.Hop))
	b = binary.AppendUvarint(b, uint64(q.Tries))
	b = binary.AppendVarint(b, int64(q.Due))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(q.Score))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(q.Hint))
	flags := uint64(0)
	if q.Forced {
		flags |= flagForced
	}
	if q.Sitemap {
		flags |= flagSitemap
	}
	if q.Off > 0 {
		flags |= flagOff
	}
	if q.Terms != nil {
		flags |= flagTerms
	}
	if q.Cookie {
		flags |= flagCookie
	}
	if q.Barren > 0 {
		flags |= flagBarren
	}
	if q.Kept {
		flags |= flagKept
	}
	if q.Guessed {
		flags |= flagGuessed
	}
	if q.Post != nil {
		flags |= flagPost
	}
	if q.Excluded {
		flags |= flagExcluded
	}
	b = binary.AppendUvarint(b, flags)
	if q.Off > 0 {
		b = binary.AppendUvarint(b, uint64(q.Off))
	}
	if q.Terms != nil {
		b = appendTerms(b, q.Terms)
	}
	if q.Barren > 0 {
		b = binary.AppendUvarint(b, uint64(q.Barren))
	}
	if q.Post != nil {
		b = packed.AppendSized(b, q.Post.Media)
		b = packed.AppendSized(b, string(q.Post.Body))
	}
	return b
}

// appendTerms appends the encoding of t without its weights: all URLs of a crawl
// have the same weights.
func appendTerms(b []byte, t *report.Terms) []byte {
	for _, v := range []float64{t.Domain, t.Popularity, t.Parent, t.Depth, t.Other} {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	}
	b = binary.AppendUvarint(b, uint64(len(t.Hosts)))
	for _, h := range t.Hosts {
		b = binary.BigEndian.AppendUint32(b, h)
	}
	return b
}

// decodeTerms reads what appendTerms wrote.
func decodeTerms(d *packed.Reader) *report.Terms {
	t := &report.Terms{Domain: d.Float(), Popularity: d.Float(), Parent: d.Float(), Depth: d.Float(), Other: d.Float()}
	for range d.Count() {
		if h := d.Take(4); h != nil {
			t.Hosts = append(t.Hosts, binary.BigEndian.Uint32(h))
		}
	}
	return t
}

// The flags of a queued URL: the values of its bool fields, and which optional
// fields follow the flags.
const (
	flagForced = 1 << iota
	flagSitemap
	flagOff
	flagTerms
	flagCookie
	flagBarren
	flagKept
	flagGuessed
	flagPost
	flagExcluded
)

// DecodeQueued reads what AppendQueued wrote.
func DecodeQueued(b []byte) (q report.Queued, err error) {
	d := packed.Reader{B: b}
	q.URL = d.Text()
	q.Host = d.Text()
	q.Priority = d.Uvarint()
	q.Seq = d.Uvarint()
	q.Layer = int(d.Uvarint())
	q.Via = d.Text()
	q.Origin = d.Text()
	q.Hop = int(d.Uvarint())
	q.Tries = int(d.Uvarint())
	q.Due = record.Time(d.Varint())
	q.Score, q.Hint = d.Float(), d.Float()
	flags := d.Uvarint()
	q.Forced, q.Sitemap, q.Cookie, q.Kept = flags&flagForced != 0, flags&flagSitemap != 0, flags&flagCookie != 0, flags&flagKept != 0
	q.Guessed, q.Excluded = flags&flagGuessed != 0, flags&flagExcluded != 0
	if flags&flagOff != 0 {
		q.Off = int(d.Uvarint())
	}
	if flags&flagTerms != 0 {
		q.Terms = decodeTerms(&d)
	}
	if flags&flagBarren != 0 {
		q.Barren = int(d.Uvarint())
	}
	if flags&flagPost != 0 {
		q.Post = &report.Post{Media: d.Text(), Body: []byte(d.Text())}
	}
	return q, end(&d)
}

// appendFetch appends the encoding of f to b: all fields except the name of
// the crawl. decodeFetch reads it.
func appendFetch(b []byte, f *report.Fetch) []byte {
	b = packed.AppendSized(b, f.URL)
	b = binary.AppendVarint(b, int64(f.Time))
	b = binary.AppendUvarint(b, uint64(f.Outcome))
	b = binary.AppendUvarint(b, uint64(f.Status))
	b = binary.AppendUvarint(b, uint64(f.Elapsed))
	b = binary.AppendVarint(b, f.Bytes)
	b = packed.AppendSized(b, f.IP)
	b = binary.AppendUvarint(b, uint64(f.Hop))
	b = packed.AppendSized(b, f.Via)
	b = packed.AppendSized(b, f.Reason)
	for _, n := range []int{f.Layer, f.RobotsLine, f.Links, f.Queued, f.LeftOut} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, d := range f.Took {
		b = binary.AppendUvarint(b, uint64(d))
	}
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(f.Score))
	return appendShown(b, f.Shown)
}

// decodeFetch reads what appendFetch wrote.
func decodeFetch(b []byte) (f report.Fetch, err error) {
	d := packed.Reader{B: b}
	f.URL = d.Text()
	f.Time = record.Time(d.Varint())
	outcome := d.Uvarint()
	f.Status = int(d.Uvarint())
	f.Elapsed = time.Duration(d.Uvarint())
	f.Bytes = d.Varint()
	f.IP = d.Text()
	f.Hop = int(d.Uvarint())
	f.Via = d.Text()
	f.Reason = d.Text()
	for _, n := range []*int{&f.Layer, &f.RobotsLine, &f.Links, &f.Queued, &f.LeftOut} {
		*n = int(d.Uvarint())
	}
	for i := range f.Took {
		f.Took[i] = time.Duration(d.Uvarint())
	}
	f.Score = d.Float()
	f.Shown = decodeShown(&d)
	if f.Outcome = report.Outcome(outcome); outcome > uint64(report.OutcomeInternal) {
		d.Bad = true
	}
	return f, end(&d)
}

// The bits of the first byte of an encoded report.Shown.
const (
	bitRendered = 1 << iota
	bitGained
)

// appendShown appends the encoding of s to b; nothing if s is nil, so that the rows of
// crawls without a browser are no longer. decodeShown reads it.
func appendShown(b []byte, s *report.Shown) []byte {
	if s == nil {
		return b
	}
	bits := byte(0)
	if s.Rendered {
		bits |= bitRendered
	}
	if s.Gained {
		bits |= bitGained
	}
	b = append(b, bits)
	for _, n := range []int{s.Parts, s.Refused, s.Sockets} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, text := range []string{s.Why, s.Consent, s.Behaviours} {
		b = packed.AppendSized(b, text)
	}
	return b
}

// decodeShown reads what appendShown wrote, which is the rest of d.
func decodeShown(d *packed.Reader) *report.Shown {
	if len(d.B) == 0 {
		return nil
	}
	bits := d.Uvarint()
	s := &report.Shown{Rendered: bits&bitRendered > 0, Gained: bits&bitGained > 0}
	for _, n := range []*int{&s.Parts, &s.Refused, &s.Sockets} {
		*n = int(d.Uvarint())
	}
	for _, text := range []*string{&s.Why, &s.Consent, &s.Behaviours} {
		*text = d.Text()
	}
	return s
}

// end returns errEntry if d ran out of bytes, or if bytes remain after the
// last field.
func end(d *packed.Reader) error {
	if d.Bad || len(d.B) > 0 {
		return errEntry
	}
	return nil
}

package state

import (
	"bytes"
	"encoding/binary"
	"runtime/debug"

	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Add queues u and sets u.Seq to its arrival number. It returns false, and
// queues nothing, if the crawl has met the URL before and u is not Forced. A
// Guessed URL does not become a met URL, so the crawl still follows a later
// link to it.
func (q *Crawl) Add(u *report.Queued) (added bool, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	meet := q.Meet
	if u.Guessed {
		meet = q.met
	}
	met, err := meet(u.URL)
	if err != nil || met && !u.Forced {
		return false, err
	}
	q.seq++
	u.Seq = q.seq
	if u.Terms != nil && !u.Guessed {
		if err := q.setPlace(u); err != nil {
			return false, err
		}
	}
	return true, q.put(u)
}

// placeValue returns the value in bucketSeen of a URL that has Terms: its
// priority and arrival number, with which Find and Move find it in its
// queue.
func placeValue(u *report.Queued) []byte {
	return append(seqKey(u.Priority), seqKey(u.Seq)...)
}

// setPlace stores the place of u in its queue, for Find.
func (q *Crawl) setPlace(u *report.Queued) error {
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return err
	}
	return seen.Put([]byte(urlkey.Key(u.URL)), placeValue(u))
}

// Find returns the URL url, if it waits in the queue of a host and has Terms
// (the parts of its priority). Otherwise ok is false: the URL was never
// queued, has no Terms, is already fetched, or is not due.
func (q *Crawl) Find(host, url string) (u report.Queued, ok bool, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return u, false, err
	}
	at := seen.Get([]byte(urlkey.Key(url)))
	if len(at) != 16 {
		return u, false, nil
	}
	b, err := q.bucket(bucketQueue)
	if err != nil {
		return u, false, err
	}
	v := b.Get(queueKey(host, binary.BigEndian.Uint64(at), binary.BigEndian.Uint64(at[8:])))
	if v == nil {
		return u, false, nil // already fetched, or not due
	}
	u, err = DecodeQueued(v)
	return u, err == nil, err
}

// Move gives u, a URL in its queue, another priority, and stores its changed
// Terms.
func (q *Crawl) Move(u *report.Queued, priority uint64) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	if err := q.Done(u); err != nil {
		return err
	}
	u.Priority = priority
	if err := q.setPlace(u); err != nil {
		return err
	}
	return q.put(u)
}

// put stores u in bucketQueue, or in bucketLater if it has a due time.
func (q *Crawl) put(u *report.Queued) error {
	name, key := bucketQueue, waitingKey(u)
	if u.Due != record.NoTime {
		name, key = bucketLater, dueKey(u)
	}
	b, err := q.bucket(name)
	if err != nil {
		return err
	}
	return b.Put(key, AppendQueued(nil, u))
}

// Done removes a URL from its queue, because it was fetched or will not be fetched.
func (q *Crawl) Done(u *report.Queued) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketQueue)
	if err != nil {
		return err
	}
	return b.Delete(waitingKey(u))
}

// Postpone moves u from its queue to the URLs that are not due, and sets its
// due time.
func (q *Crawl) Postpone(u *report.Queued, due record.Time) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	if err := q.Done(u); err != nil {
		return err
	}
	u.Due = due
	return q.put(u)
}

// Keep moves u from its queue to the URLs that are kept back. Unkeep moves it
// back.
func (q *Crawl) Keep(u *report.Queued) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	if err := q.Done(u); err != nil {
		return err
	}
	b, err := q.bucket(bucketKept)
	if err != nil {
		return err
	}
	u.Kept = true
	return b.Put(keptKey(u), AppendQueued(nil, u))
}

// Unkeep queues up to n URLs of a host that are kept back and for which match
// returns true. It looks at URLs whose arrival number is greater than after, in
// this order. It returns the URLs that it queued, and the last arrival number
// that it looked at, which is the value of after for the next call. The result
// last is 0 if it looked at no URL.
func (q *Crawl) Unkeep(host string, after uint64, n int, match func(*report.Queued) bool) (list []report.Queued, last uint64, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketKept)
	if err != nil {
		return nil, 0, err
	}
	prefix := append([]byte(host), 0)
	c := b.Cursor()
	for k, v := c.Seek(queueKey(host, 0, after+1)); bytes.HasPrefix(k, prefix) && len(list) < n; k, v = c.Next() {
		u, err := decodeAt(k, v, keptKey)
		if err != nil {
			return nil, 0, err
		}
		if last = u.Seq; match(&u) {
			list = append(list, u)
		}
	}
	for i := range list {
		u := &list[i]
		if err := b.Delete(keptKey(u)); err != nil {
			return nil, 0, err
		}
		u.Kept, u.Excluded, u.Due = false, false, record.NoTime
		if err := q.put(u); err != nil {
			return nil, 0, err
		}
	}
	return list, last, nil
}

// Ripe queues up to n URLs that are due at the time now, the earliest first,
// and returns them.
func (q *Crawl) Ripe(now record.Time, n int) (list []report.Queued, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketLater)
	if err != nil {
		return nil, err
	}
	c := b.Cursor()
	end := laterKey(now+1, 0)
	for k, v := c.First(); k != nil && len(list) < n && bytes.Compare(k, end) < 0; k, v = c.Next() {
		u, err := decodeAt(k, v, dueKey)
		if err != nil {
			return nil, err
		}
		list = append(list, u)
	}
	for i := range list {
		u := &list[i]
		if err := b.Delete(dueKey(u)); err != nil {
			return nil, err
		}
		u.Due = record.NoTime
		if err := q.put(u); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// NextRipe returns the earliest due time of all URLs that are not due yet,
// or NoTime if there are none.
func (q *Crawl) NextRipe() (t record.Time, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketLater)
	if err != nil {
		return record.NoTime, err
	}
	k, _ := b.Cursor().First()
	if len(k) < 8 {
		return record.NoTime, nil
	}
	return record.Time(binary.BigEndian.Uint64(k)), nil
}

// Load returns up to n URLs of a host's queue, in order, that come after the
// place with the given priority and arrival number. Pass 0 and 0 to begin at
// the start. more reports whether others follow.
func (q *Crawl) Load(host string, priority, seq uint64, n int) (list []report.Queued, more bool, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketQueue)
	if err != nil {
		return nil, false, err
	}
	prefix := append([]byte(host), 0)
	c := b.Cursor()
	for k, v := c.Seek(queueKey(host, priority, seq+1)); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if len(list) == n {
			return list, true, nil
		}
		u, err := decodeAt(k, v, waitingKey)
		if err != nil {
			return nil, false, err
		}
		list = append(list, u)
	}
	return list, false, nil
}

// Hosts returns every host that has a URL in its queue.
func (q *Crawl) Hosts() ([]string, error) { return q.hostsIn(bucketQueue) }

// KeptHosts returns every host with a URL that is kept back.
func (q *Crawl) KeptHosts() ([]string, error) { return q.hostsIn(bucketKept) }

// hostsIn returns every host of the keys of a bucket. These are as queueKey makes
// them.
func (q *Crawl) hostsIn(bucket []byte) (list []string, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucket)
	if err != nil {
		return nil, err
	}
	c := b.Cursor()
	for k, _ := c.First(); k != nil; {
		host, _, ok := bytes.Cut(k, []byte{0})
		if !ok {
			return nil, errEntry
		}
		list = append(list, string(host))
		next, _ := c.Seek(append(bytes.Clone(host), 1))
		if next != nil && bytes.Compare(next, k) <= 0 {
			return nil, errEntry // the keys are not sorted
		}
		k = next
	}
	return list, nil
}

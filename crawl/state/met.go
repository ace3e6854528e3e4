package state

import (
	"bytes"
	"runtime/debug"

	"infomall/crawl/report"
	"infomall/store/urlkey"
)

// Meet notes that the crawl has met a URL, and reports whether the crawl had met it
// before.
func (q *Crawl) Meet(url string) (before bool, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	if before, err = q.met(url); before || err != nil {
		return before, err
	}
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	return false, seen.Put([]byte(urlkey.Key(url)), []byte{})
}

// met reports whether the crawl has met a URL. A URL that was only left out
// by Leave counts as not met.
func (q *Crawl) met(url string) (bool, error) {
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	v := seen.Get([]byte(urlkey.Key(url)))
	return v != nil && !bytes.Equal(v, valueLeft), nil
}

// Claim reports whether the URL with the arrival number seq owns key. The
// first URL that claims a key owns it for ever. A crawl uses this to fetch
// only one of several URLs that lead to the same page.
func (q *Crawl) Claim(key string, seq uint64) (ours bool, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	if by := seen.Get([]byte(key)); by != nil {
		return bytes.Equal(by, seqKey(seq)), nil
	}
	return true, seen.Put([]byte(key), seqKey(seq))
}

// Leave notes that the crawl leaves a URL out because of the page that linked to
// it. It reports whether the crawl had met the URL or left it out before. Another
// page may still lead to the URL: Add then queues it.
func (q *Crawl) Leave(url string) (before bool, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	key := []byte(urlkey.Key(url))
	if seen.Get(key) != nil {
		return true, nil
	}
	return false, seen.Put(key, valueLeft)
}

// Log adds f, a fetch that has ended, to the log of fetches. If no response came, Log also
// notes the failure of the URL, which Failures yields until a response comes.
func (q *Crawl) Log(f *report.Fetch) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	if err := q.noteFailure(f); err != nil {
		return err
	}
	b, err := q.bucket(bucketFetches)
	if err != nil {
		return err
	}
	b.FillPercent = 0.95
	q.seq++
	return b.Put(seqKey(q.seq), appendFetch(nil, f))
}

// Host returns what SetHost stored for a host, or nil.
func (q *Crawl) Host(host string) ([]byte, error) { return q.value(bucketHosts, host) }

// SetHost stores v, which is what the crawl remembers of a host, in the
// crawl's own encoding.
func (q *Crawl) SetHost(host string, v []byte) error { return q.setValue(bucketHosts, host, v) }

// Site returns what SetSite stored for a host, or nil.
func (q *Crawl) Site(host string) ([]byte, error) { return q.value(bucketSites, host) }

// SetSite stores v, which is what the crawl knows of the traps of a host, in
// the crawl's own encoding.
func (q *Crawl) SetSite(host string, v []byte) error { return q.setValue(bucketSites, host, v) }

// value returns a copy of the value that a bucket has under key, or nil.
func (q *Crawl) value(bucket []byte, key string) (v []byte, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucket)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(b.Get([]byte(key))), nil
}

// setValue stores v in a bucket under key.
func (q *Crawl) setValue(bucket []byte, key string, v []byte) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucket)
	if err != nil {
		return err
	}
	return b.Put([]byte(key), v)
}

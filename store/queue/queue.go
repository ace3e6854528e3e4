// Package queue keeps the state of a crawl on disk: the URLs that it is to
// fetch, those that it has met, what became of each attempt, and what it was
// told. A crawl's state is a folder with a bbolt database; millions of URLs cost
// disk and not memory.
//
// One process runs a crawl and has its Queue open; what it does is in a batch
// that Commit makes durable, all of it or nothing. Others look and give orders
// through Visit, between two batches: a visitor takes a shared lock on the file
// gate, and the crawl lets the database go when it finds it taken. (Waiting for
// bbolt's own lock, which is polled and not fair, a visitor came in once in five
// seconds.)
package queue

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// The files of a crawl.
const (
	fileState = "state.bolt"
	fileLock  = "lock" // locked by the process that runs the crawl
	fileGate  = "gate" // locked shared by visitors
)

// The buckets of a crawl's database.
var (
	bucketAbout   = []byte("about")   // what the crawl is, in JSON, by the keys below
	bucketSeen    = []byte("seen")    // sort key of every URL met: nothing, or what valueLeft and placeValue say; and what Claim notes
	bucketQueue   = []byte("queue")   // host, priority, arrival: a URL to fetch
	bucketLater   = []byte("later")   // due time, arrival: a URL that waits
	bucketFetches = []byte("fetches") // by arrival: an attempt
	bucketHosts   = []byte("hosts")   // host: what the crawl remembers of it
	bucketInbox   = []byte("inbox")   // by arrival: a URL that ADD gave
	bucketKept    = []byte("kept")    // host, arrival: a URL that is kept back, because it is in a trap
	bucketSites   = []byte("sites")   // host: what the crawl knows of its traps

	buckets = [][]byte{bucketAbout, bucketSeen, bucketQueue, bucketLater, bucketFetches, bucketHosts, bucketInbox, bucketKept, bucketSites}

	keyCrawl   = []byte("crawl")
	keyOrders  = []byte("orders")
	keyWorkers = []byte("workers")
)

// openTimeout bounds the wait for the database. Others hold it for
// milliseconds.
const openTimeout = 10 * time.Second

// Queue is the state of a crawl that this process runs. It is used by one
// goroutine.
type Queue struct {
	dir  string
	lock disk.File
	db   *bolt.DB // nil between batches where others want to look
	tx   *bolt.Tx // the batch; nil if none has begun
	seq  uint64   // of the last URL or attempt
	uses int      // of buckets, since pages of the database were given back
}

// Open takes the crawl whose folder is dir, and makes that if it is not there.
// It is record.ErrCrawlRunning if another process runs the crawl. The caller closes it.
func Open(d disk.FS, dir string) (*Queue, error) {
	if err := disk.MkdirAll(d, dir); err != nil {
		return nil, fmt.Errorf("make the crawl's folder %s: %w", dir, err)
	}
	lock, err := d.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	q := &Queue{dir: dir, lock: lock}
	free, err := disk.TryExclusive(lock)
	if err == nil && !free {
		err = record.ErrCrawlRunning
	}
	if err == nil {
		err = guard(dir, func() error { return q.start(d) })
	}
	if err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// start makes the database if it is new, and makes its name durable.
func (q *Queue) start(d disk.FS) error {
	gate, err := d.OpenFile(filepath.Join(q.dir, fileGate), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	if err := gate.Close(); err != nil {
		return err
	}
	if err := q.begin(); err != nil {
		return err
	}
	if err := ownState(q.tx); err != nil {
		return err
	}
	for _, b := range buckets {
		if _, err := q.tx.CreateBucketIfNotExists(b); err != nil {
			return err
		}
	}
	q.seq = q.tx.Bucket(bucketFetches).Sequence()
	if err := q.Commit(); err != nil {
		return err
	}
	return d.SyncDir(q.dir)
}

// open opens the database of the crawl in dir.
func open(dir string, readOnly bool) (*bolt.DB, error) {
	path := filepath.Join(dir, fileState)
	if readOnly {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	db, err := bolt.Open(path, 0o644, &bolt.Options{Timeout: openTimeout, ReadOnly: readOnly, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return nil, fmt.Errorf("open the crawl's state %s: %w", path, err)
	}
	return db, nil
}

// begin opens the database and begins a batch, unless there is one.
func (q *Queue) begin() (err error) {
	if q.tx != nil {
		return nil
	}
	if q.db == nil {
		if q.db, err = open(q.dir, false); err != nil {
			return err
		}
	}
	if q.tx, err = q.db.Begin(true); err != nil {
		return fmt.Errorf("begin a batch of the crawl's state: %w", err)
	}
	return nil
}

// usesMax is after how many uses of buckets the pages of the database are given
// back that were read, each of which brings 64 KB into memory at most: else that
// would hold all of a large database in the end. One of keptBytes at most is let
// be: to give back and to read again took a crawl of 20,000 pages a twelfth of its
// CPU time.
const (
	usesMax   = 100
	keptBytes = 32 << 20
)

// batchNodes is how many nodes of its trees a batch is to change at most, each a
// page of the database: to commit reads all of them, 64 KB of the file each. Where
// URLs of a thousand hosts come one after the other, nearly every one is in pages
// of its own.
const batchNodes = 500

// Full reports whether the batch is so large that Commit should come now.
func (q *Queue) Full() bool {
	if q.tx == nil {
		return false
	}
	stats := q.tx.Stats()
	return stats.GetNodeCount() >= batchNodes
}

// bucket gives a bucket of the batch.
func (q *Queue) bucket(name []byte) (*bolt.Bucket, error) {
	if err := q.begin(); err != nil {
		return nil, err
	}
	if q.uses++; q.uses >= usesMax && q.tx.Size() > keptBytes {
		q.uses = 0
		release(q.db.Info().Data, uintptr(q.tx.Size()))
	}
	b := q.tx.Bucket(name)
	if b == nil {
		return nil, fmt.Errorf("crawl state %s: bucket %s is gone", q.dir, name)
	}
	return b, nil
}

// Commit makes all since the last one durable, and lets visitors in who wait.
func (q *Queue) Commit() error {
	if q.tx != nil {
		if err := q.tx.Bucket(bucketFetches).SetSequence(q.seq); err != nil {
			return err
		}
		err := q.tx.Commit()
		q.tx = nil
		if err != nil {
			return fmt.Errorf("commit the crawl's state: %w", err)
		}
	}
	wanted, err := q.wanted()
	if err != nil || !wanted {
		return err
	}
	return q.Rest()
}

// wanted reports whether a visitor is at the gate.
func (q *Queue) wanted() (bool, error) {
	gate, err := os.Open(filepath.Join(q.dir, fileGate))
	if err != nil {
		return false, err
	}
	defer gate.Close()
	free, err := disk.TryExclusive(gate)
	return !free, err
}

// Rest lets the database go until the next batch. What was not committed is
// forgotten.
func (q *Queue) Rest() error {
	var errs []error
	if q.tx != nil {
		errs = append(errs, q.tx.Rollback())
		q.tx = nil
	}
	if q.db != nil {
		errs = append(errs, q.db.Close())
		q.db = nil
	}
	return errors.Join(errs...)
}

// Close ends the use of the crawl. What was not committed is forgotten.
func (q *Queue) Close() error { return errors.Join(q.Rest(), q.lock.Close()) }

// Add queues a URL unless the crawl has met it before, and reports whether it
// did. It sets u.Seq. A URL that is guessed does not count as met by that, so that a
// link to it is still followed.
func (q *Queue) Add(u *record.Queued) (bool, error) {
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

// valueLeft is the value of a URL that was left out for the page which led to
// it, so that another may lead to it yet.
var valueLeft = []byte{0}

// placeValue is the value of a URL whose place in its queue may change: its
// priority and arrival.
func placeValue(u *record.Queued) []byte {
	return append(seqKey(u.Priority), seqKey(u.Seq)...)
}

// Meet notes that the crawl has met a URL, and reports whether it had before.
func (q *Queue) Meet(url string) (before bool, err error) {
	if before, err = q.met(url); before || err != nil {
		return before, err
	}
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	return false, seen.Put([]byte(urlkey.Key(url)), []byte{})
}

// met reports whether the crawl has met a URL.
func (q *Queue) met(url string) (bool, error) {
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	v := seen.Get([]byte(urlkey.Key(url)))
	return v != nil && !bytes.Equal(v, valueLeft), nil
}

// Claim notes that the URL which arrived as seq is the one to fetch of those with
// that key, and reports whether it is: whether no other one was before.
func (q *Queue) Claim(key string, seq uint64) (bool, error) {
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	if by := seen.Get([]byte(key)); by != nil {
		return bytes.Equal(by, seqKey(seq)), nil
	}
	return true, seen.Put([]byte(key), seqKey(seq))
}

// Leave notes that a URL was left out for the page which led to it, and reports
// whether the crawl has met it, or left it out so, before. It may be met yet.
func (q *Queue) Leave(url string) (before bool, err error) {
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

func (q *Queue) setPlace(u *record.Queued) error {
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return err
	}
	return seen.Put([]byte(urlkey.Key(u.URL)), placeValue(u))
}

// Find gives a URL that stands in the queue of a host and has Terms; ok is false
// for any other.
func (q *Queue) Find(host, url string) (u record.Queued, ok bool, err error) {
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
		return u, false, nil // it was fetched, or waits
	}
	u, err = decodeQueued(v)
	return u, err == nil, err
}

// Move gives a URL of the queue another priority, and writes its terms.
func (q *Queue) Move(u *record.Queued, priority uint64) error {
	if err := q.Done(u); err != nil {
		return err
	}
	u.Priority = priority
	if err := q.setPlace(u); err != nil {
		return err
	}
	return q.put(u)
}

// put queues u where it belongs by its due time.
func (q *Queue) put(u *record.Queued) error {
	name, key := bucketQueue, queueKey(u.Host, u.Priority, u.Seq)
	if u.Due != record.NoTime {
		name, key = bucketLater, laterKey(u.Due, u.Seq)
	}
	b, err := q.bucket(name)
	if err != nil {
		return err
	}
	return b.Put(key, appendQueued(nil, u))
}

// Done takes out a URL that was fetched, or will not be.
func (q *Queue) Done(u *record.Queued) error {
	b, err := q.bucket(bucketQueue)
	if err != nil {
		return err
	}
	return b.Delete(queueKey(u.Host, u.Priority, u.Seq))
}

// Postpone has a URL of the queue wait until due.
func (q *Queue) Postpone(u *record.Queued, due record.Time) error {
	if err := q.Done(u); err != nil {
		return err
	}
	u.Due = due
	return q.put(u)
}

// Keep takes a URL out of the queue and keeps it back until Unkeep.
func (q *Queue) Keep(u *record.Queued) error {
	if err := q.Done(u); err != nil {
		return err
	}
	b, err := q.bucket(bucketKept)
	if err != nil {
		return err
	}
	u.Kept = true
	return b.Put(queueKey(u.Host, 0, u.Seq), appendQueued(nil, u))
}

// Unkeep queues up to n URLs of a host that are kept back and that match, and
// returns them, and the last arrival that it looked at. Those up to the arrival
// after are not looked at.
func (q *Queue) Unkeep(host string, after uint64, n int, match func(url string) bool) (list []record.Queued, last uint64, err error) {
	b, err := q.bucket(bucketKept)
	if err != nil {
		return nil, 0, err
	}
	prefix := append([]byte(host), 0)
	c := b.Cursor()
	for k, v := c.Seek(queueKey(host, 0, after+1)); bytes.HasPrefix(k, prefix) && len(list) < n; k, v = c.Next() {
		u, err := decodeQueued(v)
		if err != nil {
			return nil, 0, err
		}
		if last = u.Seq; match(u.URL) {
			list = append(list, u)
		}
	}
	for i := range list {
		u := &list[i]
		if err := b.Delete(queueKey(u.Host, 0, u.Seq)); err != nil {
			return nil, 0, err
		}
		u.Kept, u.Due = false, record.NoTime
		if err := q.put(u); err != nil {
			return nil, 0, err
		}
	}
	return list, last, nil
}

// Ripe queues the URLs whose time has come by now, n at most, and gives them.
func (q *Queue) Ripe(now record.Time, n int) ([]record.Queued, error) {
	b, err := q.bucket(bucketLater)
	if err != nil {
		return nil, err
	}
	var list []record.Queued
	c := b.Cursor()
	end := laterKey(now+1, 0)
	for k, v := c.First(); k != nil && len(list) < n && bytes.Compare(k, end) < 0; k, v = c.Next() {
		u, err := decodeQueued(v)
		if err != nil {
			return nil, err
		}
		list = append(list, u)
	}
	for i := range list {
		u := &list[i]
		if err := b.Delete(laterKey(u.Due, u.Seq)); err != nil {
			return nil, err
		}
		u.Due = record.NoTime
		if err := q.put(u); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// NextRipe is when the first waiting URL is due; NoTime if none waits.
func (q *Queue) NextRipe() (record.Time, error) {
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

// Load gives the first n URLs of a host's queue that stand behind the one of
// that priority and arrival, and tells whether there are more. With zeros it
// begins at the start.
func (q *Queue) Load(host string, priority, seq uint64, n int) (list []record.Queued, more bool, err error) {
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
		u, err := decodeQueued(v)
		if err != nil {
			return nil, false, err
		}
		list = append(list, u)
	}
	return list, false, nil
}

// Hosts gives every host that has a queue.
func (q *Queue) Hosts() ([]string, error) {
	b, err := q.bucket(bucketQueue)
	if err != nil {
		return nil, err
	}
	var list []string
	c := b.Cursor()
	for k, _ := c.First(); k != nil; {
		host, _, ok := bytes.Cut(k, []byte{0})
		if !ok {
			return nil, errEntry
		}
		list = append(list, string(host))
		k, _ = c.Seek(append(bytes.Clone(host), 1))
	}
	return list, nil
}

// Log notes an attempt.
func (q *Queue) Log(f *record.Fetch) error {
	b, err := q.bucket(bucketFetches)
	if err != nil {
		return err
	}
	b.FillPercent = 0.95
	q.seq++
	return b.Put(seqKey(q.seq), appendFetch(nil, f))
}

// Host gives what SetHost noted of a host; nil if nothing. It is valid until
// the next call.
func (q *Queue) Host(host string) ([]byte, error) {
	b, err := q.bucket(bucketHosts)
	if err != nil {
		return nil, err
	}
	return b.Get([]byte(host)), nil
}

// SetHost notes something of a host.
func (q *Queue) SetHost(host string, v []byte) error {
	b, err := q.bucket(bucketHosts)
	if err != nil {
		return err
	}
	return b.Put([]byte(host), v)
}

// Site returns what SetSite stored of a host's traps, or nil. It is valid until
// the next call.
func (q *Queue) Site(host string) ([]byte, error) {
	b, err := q.bucket(bucketSites)
	if err != nil {
		return nil, err
	}
	return b.Get([]byte(host)), nil
}

// SetSite stores what the crawl knows of a host's traps.
func (q *Queue) SetSite(host string, v []byte) error {
	b, err := q.bucket(bucketSites)
	if err != nil {
		return err
	}
	return b.Put([]byte(host), v)
}

// Crawl gives what the crawl is; its Name is "" if that was never set.
func (q *Queue) Crawl() (c record.Crawl, err error) {
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return c, err
	}
	return c, get(b, keyCrawl, &c)
}

// SetCrawl sets what the crawl is.
func (q *Queue) SetCrawl(c *record.Crawl) error { return q.set(keyCrawl, c) }

// SetWorkers tells what the workers do now.
func (q *Queue) SetWorkers(w []record.Worker) error { return q.set(keyWorkers, w) }

// SetOrders gives the crawl orders.
func (q *Queue) SetOrders(o record.CrawlOrders) error { return q.set(keyOrders, o) }

// Orders are those that others gave.
func (q *Queue) Orders() (o record.CrawlOrders, err error) {
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return o, err
	}
	return o, get(b, keyOrders, &o)
}

func (q *Queue) set(key []byte, v any) error {
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return err
	}
	return set(b, key, v)
}

func set(b *bolt.Bucket, key []byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.Put(key, text)
}

func get(b *bolt.Bucket, key []byte, v any) error {
	text := b.Get(key)
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("crawl state: %s: %w", key, err)
	}
	return nil
}

// Inbox takes out the URLs that others gave, n at most.
func (q *Queue) Inbox(n int) ([]record.Queued, error) {
	b, err := q.bucket(bucketInbox)
	if err != nil {
		return nil, err
	}
	var list []record.Queued
	var keys [][]byte
	c := b.Cursor()
	for k, v := c.First(); k != nil && len(list) < n; k, v = c.Next() {
		u, err := decodeQueued(v)
		if err != nil {
			return nil, err
		}
		list, keys = append(list, u), append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Reset empties the state for a crawl that begins anew. The attempts of the
// crawls before stay, and so does the inbox: what was given to a crawl that was
// over, or just ending, is for the next.
func (q *Queue) Reset() error {
	if err := q.begin(); err != nil {
		return err
	}
	for _, b := range [][]byte{bucketSeen, bucketQueue, bucketLater, bucketHosts, bucketAbout, bucketKept, bucketSites} {
		if err := q.tx.DeleteBucket(b); err != nil {
			return err
		}
		if _, err := q.tx.CreateBucket(b); err != nil {
			return err
		}
	}
	return nil
}

// Exists reports whether dir is the folder of a crawl.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileState))
	return err == nil
}

// Running reports whether a process runs the crawl in dir.
func Running(dir string) (bool, error) {
	f, err := os.Open(filepath.Join(dir, fileLock))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	free, err := disk.TryExclusive(f)
	return !free, err
}

// Package state keeps the state of a running crawl on disk: the URLs to fetch, the
// URLs the crawl has met, the log of its fetches, and the orders that other
// processes gave it. The state of a crawl is a folder with a bbolt database, so
// millions of URLs take disk space but little memory.
//
// # Words
//
// A batch is one write transaction of the database. The first call after a commit
// begins it; Commit makes all its changes durable, or none.
//
// The arrival of a URL is its number in the order in which URLs were queued
// (report.Queued.Seq).
//
// A URL is due when the time has come at which it may be fetched
// (report.Queued.Due).
//
// A URL is kept back if it lies in a trap, such as an endless calendar: it is
// stored, but not fetched.
//
// A visitor is another process, or another goroutine of this process, that reads
// the state or gives orders while the crawl runs. The functions Look, Order, Give,
// Fetches and Waiting are its way in.
//
// # Processes
//
// One process runs the crawl and holds its Crawl open. A visitor takes a shared
// lock on the file gate. The crawl looks at that lock after each commit, and closes
// the database if the lock is taken, so that the visitor can open it. (bbolt's own
// lock alone did not suffice: it is polled and not fair, and a visitor got in only
// once in five seconds.)
package state

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

	"infomall/crawl/report"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// The files in the folder of a crawl.
const (
	fileState = "state.bolt"
	fileLock  = "lock" // the process that runs the crawl holds an exclusive lock on it
	fileGate  = "gate" // visitors hold a shared lock on it
)

// The buckets of a crawl's database. Their comments say: key: value.
var (
	bucketAbout   = []byte("about")   // the format; what the crawl is, in JSON, by the keys below
	bucketSeen    = []byte("seen")    // sort key of a URL the crawl has met: empty, valueLeft, or a placeValue. Claim adds keys of its own
	bucketQueue   = []byte("queue")   // host, priority, arrival: a URL to fetch
	bucketLater   = []byte("later")   // due time, arrival: a URL that is not due yet
	bucketFetches = []byte("fetches") // arrival: a fetch that ended
	bucketHosts   = []byte("hosts")   // host: what SetHost stored
	bucketInbox   = []byte("inbox")   // arrival: a URL that ADD gave
	bucketKept    = []byte("kept")    // host, 0, arrival: a URL that is kept back because it lies in a trap
	bucketSites   = []byte("sites")   // host: what SetSite stored

	buckets = [][]byte{bucketAbout, bucketSeen, bucketQueue, bucketLater, bucketFetches, bucketHosts, bucketInbox, bucketKept, bucketSites}

	keyFormat  = []byte("format")
	keyCrawl   = []byte("crawl")
	keyOrders  = []byte("orders")
	keyWorkers = []byte("workers")
)

// openTimeout bounds the wait for the lock of the database. Visitors hold the lock
// for milliseconds.
const openTimeout = 10 * time.Second

// Crawl is the state of a crawl that this process runs. Only one goroutine may use
// it.
type Crawl struct {
	dir  string
	lock disk.File
	db   *bolt.DB // nil between two batches if a visitor wanted in
	tx   *bolt.Tx // the current batch; nil if none has begun
	seq  uint64   // of the last URL or fetch that was added
	uses int      // calls of bucket since pages of the database were last released
}

// Open opens the state of the crawl in the folder dir, and creates the folder if it
// does not exist. It returns report.ErrCrawlRunning if another process runs the
// crawl. The caller closes it.
func Open(d disk.FS, dir string) (*Crawl, error) {
	if err := disk.MkdirAll(d, dir); err != nil {
		return nil, fmt.Errorf("make the crawl's folder %s: %w", dir, err)
	}
	lock, err := d.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	q := &Crawl{dir: dir, lock: lock}
	free, err := disk.TryExclusive(lock)
	if err == nil && !free {
		err = report.ErrCrawlRunning
	}
	if err == nil {
		err = guard(dir, func() error { return q.start(d) })
	}
	if err != nil {
		return nil, errors.Join(err, q.Close())
	}
	return q, nil
}

// start creates the files and the buckets that do not exist yet, and syncs the
// folder.
func (q *Crawl) start(d disk.FS) error {
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
	if err := checkFormat(q.tx, q.dir); err != nil {
		return err
	}
	for _, b := range buckets {
		if _, err := q.tx.CreateBucketIfNotExists(b); err != nil {
			return err
		}
	}
	if err := setFormat(q.tx); err != nil {
		return err
	}
	q.seq = q.tx.Bucket(bucketFetches).Sequence()
	if err := q.Commit(); err != nil {
		return err
	}
	return d.SyncDir(q.dir)
}

// setFormat writes disk.Format into the database.
func setFormat(tx *bolt.Tx) error { return tx.Bucket(bucketAbout).Put(keyFormat, []byte(disk.Format)) }

// checkFormat returns a *disk.FormatError if the database of the crawl in dir has
// another format than disk.Format. A database without buckets has no format yet.
func checkFormat(tx *bolt.Tx, dir string) error {
	b := tx.Bucket(bucketAbout)
	if b == nil {
		return nil
	}
	found := string(b.Get(keyFormat))
	if found == disk.Format {
		return nil
	}
	if found == "" {
		found = "unknown"
	}
	return fmt.Errorf("%s: %w", filepath.Join(dir, fileState), &disk.FormatError{What: "crawl's state", Found: found,
		Remedy: "remove the folder and begin the crawl again; the archive has what it fetched"})
}

// open opens the database of the crawl in dir. With readOnly it does not create a
// database.
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

// begin begins a batch, and opens the database for it, unless a batch is already
// open.
func (q *Crawl) begin() (err error) {
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

// The pages of the database that are read count as memory of this process, 64 KB at
// most for each use of a bucket, and would in the end be the whole database. After
// usesMax uses bucket therefore releases them all, unless the database is smaller
// than keptBytes: to release and read those pages again took a crawl of 20,000
// pages a twelfth of its CPU time.
const (
	usesMax   = 100
	keptBytes = 32 << 20
)

// batchNodes is how many nodes of its B+trees a batch may change before Full
// reports true. Each node is a page of the database, and a commit reads up to 64 KB
// of the file for each. If URLs of a thousand hosts arrive in turn, nearly every
// URL changes nodes of its own.
const batchNodes = 500

// Full reports whether the batch has grown so large that the caller should call
// Commit now.
func (q *Crawl) Full() bool {
	if q.tx == nil {
		return false
	}
	stats := q.tx.Stats()
	return stats.GetNodeCount() >= batchNodes
}

// bucket returns a bucket in the current batch, and begins a batch if there is
// none. The bucket is valid until Commit, Rest or Close.
func (q *Crawl) bucket(name []byte) (*bolt.Bucket, error) {
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

// Commit makes all changes since the last Commit durable. If a visitor waits, it
// also closes the database until the next batch.
func (q *Crawl) Commit() error {
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

// wanted reports whether a visitor holds the lock on the gate.
func (q *Crawl) wanted() (bool, error) {
	gate, err := os.Open(filepath.Join(q.dir, fileGate))
	if err != nil {
		return false, err
	}
	defer gate.Close()
	free, err := disk.TryExclusive(gate)
	return !free, err
}

// Rest closes the database until the next batch, so that visitors can open it.
// Changes that were not committed are lost.
func (q *Crawl) Rest() error {
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

// Close closes the database and gives up the lock on the crawl. Changes that were
// not committed are lost.
func (q *Crawl) Close() error { return errors.Join(q.Rest(), q.lock.Close()) }

// Add queues u and sets u.Seq, unless the crawl has met the URL before and u is not
// Forced. It reports whether it queued u. A Guessed URL does not become a met URL,
// so a link to it is still followed later.
func (q *Crawl) Add(u *report.Queued) (bool, error) {
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

// valueLeft is the value in bucketSeen of a URL that Leave noted. Such a URL does
// not count as met: another page may still lead to it.
var valueLeft = []byte{0}

// placeValue returns the value in bucketSeen of a URL whose place in its queue may
// change: its priority and arrival. Find and Move need them.
func placeValue(u *report.Queued) []byte {
	return append(seqKey(u.Priority), seqKey(u.Seq)...)
}

// Meet notes that the crawl has met a URL, and reports whether the crawl had met it
// before.
func (q *Crawl) Meet(url string) (before bool, err error) {
	if before, err = q.met(url); before || err != nil {
		return before, err
	}
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	return false, seen.Put([]byte(urlkey.Key(url)), []byte{})
}

// met reports whether the crawl has met a URL. A URL that Leave noted counts as not
// met.
func (q *Crawl) met(url string) (bool, error) {
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return false, err
	}
	v := seen.Get([]byte(urlkey.Key(url)))
	return v != nil && !bytes.Equal(v, valueLeft), nil
}

// Claim reports whether the URL with arrival seq owns key. The first URL that
// claims a key owns it. A crawl uses it to fetch only one of several URLs that are
// the same after normalization.
func (q *Crawl) Claim(key string, seq uint64) (bool, error) {
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

func (q *Crawl) setPlace(u *report.Queued) error {
	seen, err := q.bucket(bucketSeen)
	if err != nil {
		return err
	}
	return seen.Put([]byte(urlkey.Key(u.URL)), placeValue(u))
}

// Find returns a URL that waits in the queue of a host and has Terms. Otherwise ok
// is false: the URL was never queued, has no Terms, is already fetched, or is not
// due.
func (q *Crawl) Find(host, url string) (u report.Queued, ok bool, err error) {
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
	u, err = decodeQueued(v)
	return u, err == nil, err
}

// Move gives a URL of the queue another priority, and stores its changed Terms.
func (q *Crawl) Move(u *report.Queued, priority uint64) error {
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

// Done removes a URL from its queue, because it was fetched or will not be fetched.
func (q *Crawl) Done(u *report.Queued) error {
	b, err := q.bucket(bucketQueue)
	if err != nil {
		return err
	}
	return b.Delete(queueKey(u.Host, u.Priority, u.Seq))
}

// Postpone moves a URL from its queue to the URLs that wait until they are due.
func (q *Crawl) Postpone(u *report.Queued, due record.Time) error {
	if err := q.Done(u); err != nil {
		return err
	}
	u.Due = due
	return q.put(u)
}

// Keep moves a URL from its queue to the URLs that are kept back. Unkeep reverses
// that.
func (q *Crawl) Keep(u *report.Queued) error {
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

// Unkeep queues again up to n URLs of a host that are kept back and whose URL
// matches. It looks at URLs that arrived later than after, by arrival. It returns
// the URLs it queued, and the last arrival it looked at: the value of after for the
// next call. That is 0 if it looked at no URL.
func (q *Crawl) Unkeep(host string, after uint64, n int, match func(url string) bool) (list []report.Queued, last uint64, err error) {
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

// Ripe queues up to n URLs that are due by now, the earliest first, and returns
// them.
func (q *Crawl) Ripe(now record.Time, n int) ([]report.Queued, error) {
	b, err := q.bucket(bucketLater)
	if err != nil {
		return nil, err
	}
	var list []report.Queued
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

// NextRipe returns the due time of the first URL that waits to be due, or NoTime if
// none waits.
func (q *Crawl) NextRipe() (record.Time, error) {
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

// Load returns up to n URLs of a host's queue, in order, that come after the given
// priority and arrival. more reports whether the queue has others after them. A
// priority and arrival of 0 begin at the start.
func (q *Crawl) Load(host string, priority, seq uint64, n int) (list []report.Queued, more bool, err error) {
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

// Hosts returns every host that has a URL in its queue.
func (q *Crawl) Hosts() ([]string, error) {
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

// Log adds a fetch that ended to the log of fetches.
func (q *Crawl) Log(f *report.Fetch) error {
	b, err := q.bucket(bucketFetches)
	if err != nil {
		return err
	}
	b.FillPercent = 0.95
	q.seq++
	return b.Put(seqKey(q.seq), appendFetch(nil, f))
}

// Host returns what SetHost stored for a host, or nil. The bytes are valid until
// the next call.
func (q *Crawl) Host(host string) ([]byte, error) {
	b, err := q.bucket(bucketHosts)
	if err != nil {
		return nil, err
	}
	return b.Get([]byte(host)), nil
}

// SetHost stores what the crawl remembers of a host, in the crawl's own encoding.
func (q *Crawl) SetHost(host string, v []byte) error {
	b, err := q.bucket(bucketHosts)
	if err != nil {
		return err
	}
	return b.Put([]byte(host), v)
}

// Site returns what SetSite stored for a host, or nil. The bytes are valid until
// the next call.
func (q *Crawl) Site(host string) ([]byte, error) {
	b, err := q.bucket(bucketSites)
	if err != nil {
		return nil, err
	}
	return b.Get([]byte(host)), nil
}

// SetSite stores what the crawl knows of a host's traps, in the crawl's own
// encoding.
func (q *Crawl) SetSite(host string, v []byte) error {
	b, err := q.bucket(bucketSites)
	if err != nil {
		return err
	}
	return b.Put([]byte(host), v)
}

// Crawl returns the description of the crawl. Its Name is "" if SetCrawl was never
// called.
func (q *Crawl) Crawl() (c report.Crawl, err error) {
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return c, err
	}
	return c, get(b, keyCrawl, &c)
}

// SetCrawl stores the description of the crawl.
func (q *Crawl) SetCrawl(c *report.Crawl) error { return q.set(keyCrawl, c) }

// SetWorkers stores what each worker does now, for visitors to read.
func (q *Crawl) SetWorkers(w []report.Worker) error { return q.set(keyWorkers, w) }

// SetOrders replaces the crawl's orders.
func (q *Crawl) SetOrders(o report.CrawlOrders) error { return q.set(keyOrders, o) }

// Orders returns the orders that visitors gave with Order, or that SetOrders
// stored.
func (q *Crawl) Orders() (o report.CrawlOrders, err error) {
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return o, err
	}
	return o, get(b, keyOrders, &o)
}

func (q *Crawl) set(key []byte, v any) error {
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

// Inbox removes up to n URLs that visitors gave with Give, the earliest first, and
// returns them.
func (q *Crawl) Inbox(n int) ([]report.Queued, error) {
	b, err := q.bucket(bucketInbox)
	if err != nil {
		return nil, err
	}
	var list []report.Queued
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

// Reset empties the state, for a crawl that begins again from its seeds. It keeps
// the log of fetches of earlier crawls. It also keeps the inbox: URLs given to a
// crawl that has ended, or was just ending, are for the next crawl.
func (q *Crawl) Reset() error {
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
	return setFormat(q.tx)
}

// Exists reports whether dir is the folder of a crawl.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileState))
	return err == nil
}

// Running reports whether a process runs the crawl in dir. That includes this
// process.
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

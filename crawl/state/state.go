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
// A URL is kept back if it lies in a trap, such as an endless calendar, or if an
// order excludes it: it is stored, but not fetched.
//
// A visitor is another process, or another goroutine of this process, that reads
// the state or gives orders while the crawl runs. The functions Look, Order, Give,
// Fetches, Failures, Waiting, Tallies and Alerts are its way in.
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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"infomall/crawl/report"
	"infomall/store/disk"
)

// The files in the folder of a crawl.
const (
	fileState = "state.bolt"
	fileLock  = "lock" // the process that runs the crawl holds an exclusive lock on it
	fileGate  = "gate" // visitors hold a shared lock on it
)

// The buckets of a crawl's database. The comment of each says what its keys are
// and, after the colon, its values.
var (
	bucketAbout   = []byte("about")   // one of the keys below: the format, or in JSON what the crawl is, was ordered and does
	bucketSeen    = []byte("seen")    // sort key of a URL the crawl has met: empty, valueLeft, or a placeValue. Claim adds keys of its own
	bucketQueue   = []byte("queue")   // host, priority, arrival: a URL to fetch
	bucketLater   = []byte("later")   // due time, arrival: a URL that is not due yet
	bucketFetches = []byte("fetches") // number: a fetch that ended
	bucketHosts   = []byte("hosts")   // host: what SetHost stored
	bucketInbox   = []byte("inbox")   // number: a URL that ADD gave
	bucketKept    = []byte("kept")    // host, 0, arrival: a URL that is kept back because it lies in a trap, or because an order excludes it
	bucketSites   = []byte("sites")   // host: what SetSite stored
	bucketTallies = []byte("tallies") // host: what the crawl has counted for it, in JSON
	bucketAlerts  = []byte("alerts")  // number: an alert, in JSON
	bucketFailed  = []byte("failed")  // sort key of a URL whose last fetch brought no response: the time of that fetch, and the URL

	buckets = [][]byte{bucketAbout, bucketSeen, bucketQueue, bucketLater, bucketFetches, bucketHosts, bucketInbox, bucketKept, bucketSites, bucketTallies, bucketAlerts, bucketFailed}

	keyFormat  = []byte("format")
	keyCrawl   = []byte("crawl")
	keyOrders  = []byte("orders")
	keyWorkers = []byte("workers")
)

// openTimeout bounds the wait for the lock that bbolt has on the database. Visitors (other
// readers of the state) hold this lock only for milliseconds.
const openTimeout = 10 * time.Second

// Crawl is the state of a crawl that this process runs. Only one goroutine may use
// it.
type Crawl struct {
	dir  string
	lock disk.File
	db   *bolt.DB // nil between two batches if a visitor wanted in
	tx   *bolt.Tx // the current batch; nil if none has begun
	seq  uint64   // number of the last URL or fetch that was added
	uses int      // calls of bucket since memory pages of the database were last released
}

// The function Running of another process holds the lock on the crawl for a moment, so Open tries several
// times to get it.
const (
	lockTries = 10
	lockPause = 10 * time.Millisecond
)

// Open opens the state of the crawl in the folder dir, and creates the
// folder and the state if they do not exist. If another process runs the
// crawl, the error wraps report.ErrCrawlRunning. The caller closes the
// Crawl.
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
	for try := 0; err == nil && !free && try < lockTries; try++ {
		time.Sleep(lockPause)
		free, err = disk.TryExclusive(lock)
	}
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

// start creates the files and buckets that do not exist yet, sets q.seq, and
// syncs the folder.
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
	if err := checkPages(q.tx); err != nil {
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

// checkFormat returns an error that wraps a *disk.FormatError if the
// database of the crawl in dir has another format than disk.Format. A
// database without buckets has no format yet and is no error.
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

// open opens the database of the crawl in dir. If it does not exist, open
// creates it, but with readOnly returns an error.
func open(dir string, readOnly bool) (*bolt.DB, error) {
	path := filepath.Join(dir, fileState)
	if readOnly {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		readOnly = info.Size() > 0 // a crash has left an empty file, which bbolt must write first
	}
	// A damaged database makes bbolt panic. Then nobody else would close the file and free its lock.
	var file *os.File
	var db *bolt.DB
	defer func() {
		if db == nil && file != nil {
			file.Close()
		}
	}()
	openFile := func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		file, err = os.OpenFile(name, flag, mode)
		return file, err
	}
	db, err := bolt.Open(path, 0o644, &bolt.Options{Timeout: openTimeout, ReadOnly: readOnly, FreelistType: bolt.FreelistMapType, OpenFile: openFile})
	var fault *fs.PathError
	var code syscall.Errno
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, bolterrors.ErrTimeout):
		err = fmt.Errorf("another process has it open, and has not closed it for %v; wait, or end that process", openTimeout)
	case !errors.As(err, &fault) && !errors.As(err, &code):
		err = fmt.Errorf("%w (%v)", errState, err) // bbolt has read the file and does not accept it
	}
	return nil, fmt.Errorf("open the crawl's state %s: %w", path, err)
}

// begin begins a batch (a write transaction), and opens the database if
// necessary. If a batch is open, it does nothing.
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

// usesMax and keptBytes bound the memory that the mapped database takes. Each use of a bucket
// reads up to 64 KB of the database, which then count as memory of this process; in the end that
// would be the whole database. Therefore the method bucket releases all pages of memory after
// every usesMax uses. If the database is smaller than keptBytes, bucket does not release them:
// releasing and reading them again cost a crawl of 20,000 web pages a twelfth of its CPU time.
const (
	usesMax   = 100
	keptBytes = 32 << 20
)

// batchNodes is how many nodes of the database's B+trees a batch may change before
// Full returns true. A commit reads up to 64 KB of the file for each node. If URLs
// of a thousand hosts arrive in turn, nearly every URL changes other nodes.
const batchNodes = 500

// Full reports whether the batch (all changes since the last Commit) has
// grown so large that the caller should call Commit now.
func (q *Crawl) Full() bool {
	if q.tx == nil {
		return false
	}
	stats := q.tx.Stats()
	return stats.GetNodeCount() >= batchNodes
}

// bucket returns the bucket called name in the current batch, and begins a
// batch if there is none. The result is valid until Commit, Rest or Close.
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

// Commit makes all changes since the last Commit durable. If a visitor
// (another reader of the state) waits, Commit also closes the database until
// the next batch.
func (q *Crawl) Commit() (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
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

// wanted reports whether a visitor wants to open the database: whether one
// holds the lock on the file gate.
func (q *Crawl) wanted() (bool, error) {
	gate, err := os.OpenFile(filepath.Join(q.dir, fileGate), os.O_RDWR, 0) // on NFS, an exclusive lock needs a file that may be written
	if err != nil {
		return false, err
	}
	defer gate.Close()
	free, err := disk.TryExclusive(gate)
	return !free, err
}

// Rest closes the database until the next call that needs it, so that
// visitors can open it. Changes that were not committed are lost.
func (q *Crawl) Rest() (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
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

// valueLeft is the value in bucketSeen of a URL that Leave noted. Such a URL does
// not count as met: another page may still lead to it.
var valueLeft = []byte{0}

// Crawl returns the description of the crawl. Its Name is "" if SetCrawl was never
// called.
func (q *Crawl) Crawl() (c report.Crawl, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return c, err
	}
	return c, get(b, keyCrawl, &c)
}

// SetCrawl stores the description of the crawl.
func (q *Crawl) SetCrawl(c *report.Crawl) error { return q.set(keyCrawl, c) }

// SetWorkers stores what each worker is doing now, for visitors to read.
func (q *Crawl) SetWorkers(w []report.Worker) error { return q.set(keyWorkers, w) }

// SetOrders replaces the orders that other processes gave the crawl.
func (q *Crawl) SetOrders(o report.CrawlOrders) error { return q.set(keyOrders, o) }

// Orders returns the current orders for the crawl, as the function Order or
// SetOrders last stored them.
func (q *Crawl) Orders() (o report.CrawlOrders, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return o, err
	}
	return o, get(b, keyOrders, &o)
}

// set stores v as JSON under a key of bucketAbout.
func (q *Crawl) set(key []byte, v any) (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketAbout)
	if err != nil {
		return err
	}
	return set(b, key, v)
}

// set stores v as JSON under key.
func set(b *bolt.Bucket, key []byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.Put(key, text)
}

// get decodes the JSON under key into v. If the bucket does not have the key, v stays as it is.
func get(b *bolt.Bucket, key []byte, v any) error {
	text := b.Get(key)
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w (%v)", key, errState, err)
	}
	return nil
}

// Inbox removes up to n URLs that others added with Give, the earliest
// first, and returns them.
func (q *Crawl) Inbox(n int) (list []report.Queued, err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	b, err := q.bucket(bucketInbox)
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	c := b.Cursor()
	for k, v := c.First(); k != nil && len(list) < n; k, v = c.Next() {
		u, err := DecodeQueued(v)
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

// Reset empties the state for a crawl that begins again from its seeds. It keeps
// the logs of fetches and alerts, and the failures. It also keeps the inbox: URLs
// that were added after or near the end of the last crawl are for the next one.
func (q *Crawl) Reset() (err error) {
	defer caught(q.dir, debug.SetPanicOnFault(true), &err)
	if err := q.begin(); err != nil {
		return err
	}
	for _, b := range [][]byte{bucketSeen, bucketQueue, bucketLater, bucketHosts, bucketAbout, bucketKept, bucketSites, bucketTallies} {
		if err := q.tx.DeleteBucket(b); err != nil {
			return err
		}
		if _, err := q.tx.CreateBucket(b); err != nil {
			return err
		}
	}
	return setFormat(q.tx)
}

// Exists reports whether dir is the folder of a crawl: whether it has a
// database.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileState))
	return err == nil
}

// Running reports whether a process, this one included, runs the crawl in
// dir.
func Running(dir string) (bool, error) {
	f, err := os.Open(filepath.Join(dir, fileLock))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	free, err := disk.TryShared(f) // two processes may ask at the same time
	return !free, err
}

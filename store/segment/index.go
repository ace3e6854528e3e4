package segment

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"infomall/store/disk"
)

// openTimeout bounds the wait for a lock on an index file. Nobody writes a
// published index, so a lock means that another program has the file.
const openTimeout = time.Second

// indexPage is the page size of an index in bytes. A bucket takes at least two
// pages, and a small segment's values are about 3 KB.
const indexPage = 1 << 10

// IndexBuilder writes one index file. The caller ends it with Finish or Abandon.
// Only one goroutine may use it.
type IndexBuilder struct {
	d    disk.FS
	path string
	db   *bolt.DB
	open *bolt.Tx // transaction of the current bucket, or nil
}

// NewIndexBuilder begins an index file at path.
func NewIndexBuilder(d disk.FS, path string) (*IndexBuilder, error) {
	db, err := bolt.Open(path, 0o644, &bolt.Options{NoSync: true, NoFreelistSync: true, Timeout: openTimeout, PageSize: indexPage})
	if err != nil {
		return nil, fmt.Errorf("make index %s: %w", path, err)
	}
	return &IndexBuilder{d: d, path: path, db: db}, nil
}

// indexBatch is how many bytes of pairs go into one transaction, which keeps them
// in memory.
const indexBatch = 4 << 20

// indexBucket is a bucket that is being filled. There is only one at a time.
type indexBucket struct {
	x           *IndexBuilder
	name        []byte
	b           *bolt.Bucket // of x.open
	size, batch int64
}

// bucket begins a bucket. done ends it.
func (x *IndexBuilder) bucket(name []byte) (*indexBucket, error) {
	b := &indexBucket{x: x, name: name}
	return b, x.failed(b.begin())
}

// failed adds the path of the file to an error.
func (x *IndexBuilder) failed(err error) error {
	if err != nil {
		return fmt.Errorf("write index %s: %w", x.path, err)
	}
	return nil
}

func (b *indexBucket) begin() (err error) {
	if b.x.open, err = b.x.db.Begin(true); err != nil {
		return err
	}
	if b.b, err = b.x.open.CreateBucketIfNotExists(b.name); err != nil {
		return err
	}
	// Pairs arrive sorted, so pages can be filled completely: that takes 117 bytes
	// for each entry instead of 240.
	b.b.FillPercent = 1
	return nil
}

func (b *indexBucket) commit() error {
	tx := b.x.open
	b.x.open = nil
	return tx.Commit()
}

// put adds a pair. Pairs should arrive in the order of their keys, with few
// exceptions.
func (b *indexBucket) put(k, v []byte) error {
	n := int64(len(k) + len(v))
	b.size, b.batch = b.size+n, b.batch+n
	if b.batch >= indexBatch {
		b.batch = n
		if err := b.commit(); err != nil {
			return err
		}
		if err := b.begin(); err != nil {
			return err
		}
	}
	return b.b.Put(k, v)
}

// done ends the bucket and returns the size of its pairs.
func (b *indexBucket) done() (size int64, err error) { return b.size, b.commit() }

// Add adds a bucket with the pairs that fill puts, in the order of their keys with
// few exceptions, and returns the size of the pairs. After an error only Abandon
// may be called.
func (x *IndexBuilder) Add(bucket []byte, fill func(put func(k, v []byte) error) error) (size int64, err error) {
	b, err := x.bucket(bucket)
	if err != nil {
		return 0, err
	}
	if err = fill(b.put); err == nil {
		size, err = b.done()
	}
	return size, x.failed(err)
}

// AddSegment adds the bucket of a segment that was written, and sets its size in
// the segment's Info. If the Writer wrote the bucket itself (see Writer.Index),
// AddSegment only completes it.
func (x *IndexBuilder) AddSegment(i *Info, w *Writer) (err error) {
	b := w.index
	if b == nil {
		if b, err = x.bucket(i.Bucket()); err != nil {
			return err
		}
	}
	for _, p := range w.pairs() {
		if err := b.put(p.key, p.value); err != nil {
			return x.failed(err)
		}
	}
	i.IndexBytes, err = b.done()
	return x.failed(err)
}

// Abandon closes the file without completing it. The file stays as it is.
func (x *IndexBuilder) Abandon() error {
	if x.open != nil {
		// Its error would say that the transaction has ended before.
		_ = x.open.Rollback()
	}
	return x.db.Close()
}

// Finish completes the file and syncs it.
func (x *IndexBuilder) Finish() error {
	var used int64
	err := x.db.View(func(tx *bolt.Tx) error { used = tx.Size(); return nil })
	if e := x.db.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("write index %s: %w", x.path, err)
	}
	// The database allocates its file in advance. The part after the last used page
	// is cut off.
	f, err := x.d.OpenFile(x.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(used); err != nil {
		return err
	}
	return f.Sync()
}

// IndexFile is an open index file. Several goroutines may use it.
type IndexFile struct {
	path string
	db   *bolt.DB
	// bad is set when reading caused a fault. The database is then never touched
	// again. It is not even closed, since that could block for ever.
	bad atomic.Bool
	// using counts transactions. Close waits for them.
	using sync.WaitGroup
}

// OpenIndex opens an index file for reading.
func OpenIndex(path string) (*IndexFile, error) {
	x := &IndexFile{path: path}
	err := x.guard(func() (err error) {
		// A read-only database takes a shared lock, and does not create the file.
		if _, err = os.Stat(path); err != nil {
			return err
		}
		x.db, err = bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: openTimeout})
		return err
	})
	if err != nil {
		return nil, &Error{File: path, Offset: -1, Err: err}
	}
	return x, nil
}

// Close closes the file after the last cursor is closed.
func (x *IndexFile) Close() error {
	if x.bad.Load() {
		return nil
	}
	x.using.Wait()
	return x.db.Close()
}

// guard calls f, which reads the mapped file. If the file is damaged, f may fault
// or panic; guard then returns an error and marks the file bad.
func (x *IndexFile) guard(f func() error) (err error) {
	if x.bad.Load() {
		return errIndexBad
	}
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			x.bad.Store(true)
			err = fmt.Errorf("%w: %v", errIndexBad, r)
		}
	}()
	return f()
}

var errIndexBad = fmt.Errorf("the index is damaged")

// bucketCursor reads one bucket in a transaction of its own.
type bucketCursor struct {
	x  *IndexFile
	tx *bolt.Tx
	c  *bolt.Cursor
	b  *bolt.Bucket
}

func (x *IndexFile) cursor(bucket []byte) (*bucketCursor, error) {
	x.using.Add(1)
	cur := &bucketCursor{x: x}
	err := x.guard(func() (err error) {
		if cur.tx, err = x.db.Begin(false); err != nil {
			return err
		}
		if cur.b = cur.tx.Bucket(bucket); cur.b == nil {
			return fmt.Errorf("%w: it has no bucket %s", errIndexBad, bucket)
		}
		cur.c = cur.b.Cursor()
		return nil
	})
	if err != nil {
		cur.close()
		return nil, err
	}
	return cur, nil
}

// seek returns the first pair with a key at or after key. The slices are valid
// until close. A nil key means the end.
func (c *bucketCursor) seek(key []byte) (k, v []byte, err error) {
	err = c.x.guard(func() error { k, v = c.c.Seek(key); return nil })
	return k, v, err
}

func (c *bucketCursor) next() (k, v []byte, err error) {
	err = c.x.guard(func() error { k, v = c.c.Next(); return nil })
	return k, v, err
}

// get returns one value without its checksum, which it checks. It does not move the
// cursor.
func (c *bucketCursor) get(key []byte) (v []byte, err error) {
	err = c.x.guard(func() error {
		v, err = checkCRC(c.b.Get(key))
		return err
	})
	return v, err
}

// find does what get does, but returns nil if there is no such value.
func (c *bucketCursor) find(key []byte) (v []byte, err error) {
	err = c.x.guard(func() error {
		if v = c.b.Get(key); v == nil {
			return nil
		}
		v, err = checkCRC(v)
		return err
	})
	return v, err
}

func (c *bucketCursor) close() {
	if c.tx != nil && !c.x.bad.Load() {
		// A read transaction loses nothing; its error would say that it was closed
		// before.
		_ = c.x.guard(c.tx.Rollback)
	}
	c.tx = nil
	c.x.using.Done()
}

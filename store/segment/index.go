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

// openTimeout bounds the wait for a lock on an index file. Nobody writes one
// once it is published, so waiting is a sign of a stranger.
const openTimeout = time.Second

// indexPage is the size in bytes of an index's pages. A bucket takes two at
// least, and a small segment's values have some 3 KB.
const indexPage = 1 << 10

// IndexBuilder writes one index file. It ends with Finish or Abandon, and is
// used by one goroutine.
type IndexBuilder struct {
	d    disk.FS
	path string
	db   *bolt.DB
	open *bolt.Tx // of the bucket that is being filled, or nil
}

// NewIndexBuilder begins an index file at path.
func NewIndexBuilder(d disk.FS, path string) (*IndexBuilder, error) {
	db, err := bolt.Open(path, 0o644, &bolt.Options{NoSync: true, NoFreelistSync: true, Timeout: openTimeout, PageSize: indexPage})
	if err != nil {
		return nil, fmt.Errorf("make index %s: %w", path, err)
	}
	return &IndexBuilder{d: d, path: path, db: db}, nil
}

// indexBatch is how many bytes of pairs are put in one transaction, which keeps
// them in memory.
const indexBatch = 4 << 20

// indexBucket is a bucket that is being filled. There is one at a time.
type indexBucket struct {
	x           *IndexBuilder
	name        []byte
	b           *bolt.Bucket // of x.open
	size, batch int64
}

// bucket begins a bucket, which ends with done.
func (x *IndexBuilder) bucket(name []byte) (*indexBucket, error) {
	b := &indexBucket{x: x, name: name}
	return b, x.failed(b.begin())
}

// failed tells of an error with the file that it is of.
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
	// Sorted pairs let pages be filled to the brim: 117 bytes an entry
	// against 240 with the default.
	b.b.FillPercent = 1
	return nil
}

func (b *indexBucket) commit() error {
	tx := b.x.open
	b.x.open = nil
	return tx.Commit()
}

// put adds a pair. They come in the order of their keys but for a few.
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

// done ends the bucket, and tells how many bytes its pairs have.
func (b *indexBucket) done() (size int64, err error) { return b.size, b.commit() }

// Add adds a bucket with the pairs that fill puts, in the order of their keys
// but for a few, and tells how many bytes they have. After an error only Abandon
// is of use.
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

// AddSegment adds the bucket of a segment that was written, and notes in its info
// how many bytes it has. A Writer that was told to Index has done all but that.
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

// Abandon gives up the file, which stays as it is.
func (x *IndexBuilder) Abandon() error {
	if x.open != nil {
		// Its error says that it ended before.
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
	// The database grows its file ahead of need; what lies behind the last
	// page in use is cut off.
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

// IndexFile is an open index file. It may be used from several goroutines.
type IndexFile struct {
	path string
	db   *bolt.DB
	// bad is set when reading faulted. The database is then never touched
	// again, not even to close it, which could wait for ever.
	bad atomic.Bool
	// using counts transactions, so that Close waits for them.
	using sync.WaitGroup
}

// OpenIndex opens an index file for reading.
func OpenIndex(path string) (*IndexFile, error) {
	x := &IndexFile{path: path}
	err := x.guard(func() (err error) {
		// Opened read-only, the database takes a shared lock and makes no file.
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

// Close closes the file when the last cursor is done.
func (x *IndexFile) Close() error {
	if x.bad.Load() {
		return nil
	}
	x.using.Wait()
	return x.db.Close()
}

// guard runs f, in which a damaged page may fault: the file is mapped, and the
// database follows pointers it finds there. A fault makes the file bad.
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

// bucketCursor walks one bucket within a transaction of its own.
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

// seek gives the first pair at or after key; the slices are valid until close.
// A nil key is the end.
func (c *bucketCursor) seek(key []byte) (k, v []byte, err error) {
	err = c.x.guard(func() error { k, v = c.c.Seek(key); return nil })
	return k, v, err
}

func (c *bucketCursor) next() (k, v []byte, err error) {
	err = c.x.guard(func() error { k, v = c.c.Next(); return nil })
	return k, v, err
}

// get gives one value, without moving the cursor, and takes off its checksum.
func (c *bucketCursor) get(key []byte) (v []byte, err error) {
	err = c.x.guard(func() error {
		v, err = checkCRC(c.b.Get(key))
		return err
	})
	return v, err
}

// find is get for a value that need not be there; nil if it is not.
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
		// A read transaction has nothing to lose; its error says that it was
		// closed before.
		_ = c.x.guard(c.tx.Rollback)
	}
	c.tx = nil
	c.x.using.Done()
}

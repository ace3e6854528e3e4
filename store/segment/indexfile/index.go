package indexfile

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	bolt "go.etcd.io/bbolt"

	"infomall/store/disk"
)

// openTimeout bounds the wait for a lock on an index file. Nobody writes a
// published index, so a lock means that another program has the file open.
const openTimeout = time.Second

// indexPage is the page size of an index in bytes. A bucket takes at least two
// pages, and a small segment's values are about 3 KB.
const indexPage = 1 << 10

// Builder writes one index file. Its user calls Finish or Abandon at the end.
// Only one goroutine may use it.
type Builder struct {
	d    disk.FS
	path string
	db   *bolt.DB
	open *bolt.Tx // transaction of the current bucket, or nil
}

// NewBuilder creates an index file at path and returns a Builder for it.
func NewBuilder(d disk.FS, path string) (*Builder, error) {
	db, err := bolt.Open(path, 0o644, &bolt.Options{NoSync: true, NoFreelistSync: true, Timeout: openTimeout, PageSize: indexPage})
	if err != nil {
		return nil, fmt.Errorf("make index %s: %w", path, err)
	}
	return &Builder{d: d, path: path, db: db}, nil
}

// indexBatch is how many bytes of pairs go into one transaction. The transaction
// keeps them in memory.
const indexBatch = 4 << 20

// Bucket is a bucket (the index of one segment) that is being filled. A
// Builder has only one at a time.
type Bucket struct {
	x           *Builder
	name        []byte
	b           *bolt.Bucket // the bucket in the open transaction x.open
	size, batch int64
}

// Bucket opens the bucket called name for writing, and creates it if it does not exist. The
// caller fills it with Put, and ends it with Done.
func (x *Builder) Bucket(name []byte) (*Bucket, error) {
	b := &Bucket{x: x, name: name}
	return b, x.failed(b.begin())
}

// failed returns err with the path of the index file added, or nil if err is nil.
func (x *Builder) failed(err error) error {
	if err != nil {
		return fmt.Errorf("write index %s: %w", x.path, err)
	}
	return nil
}

func (b *Bucket) begin() (err error) {
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

func (b *Bucket) commit() error {
	tx := b.x.open
	b.x.open = nil
	return tx.Commit()
}

// Put adds the pair of key k and value v. Most pairs should arrive in the order of
// their keys. After an error only Builder.Abandon may be called.
func (b *Bucket) Put(k, v []byte) error { return b.x.failed(b.put(k, v)) }

func (b *Bucket) put(k, v []byte) error {
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

// Done ends the bucket and returns the total size in bytes of its keys and values.
func (b *Bucket) Done() (size int64, err error) { return b.size, b.x.failed(b.commit()) }

// Add adds a bucket and calls fill, which adds pairs to it with the function put.
// Most pairs should come in the order of their keys. size is the total size in
// bytes of the pairs. After an error only Abandon may be called.
func (x *Builder) Add(bucket []byte, fill func(put func(k, v []byte) error) error) (size int64, err error) {
	b, err := x.Bucket(bucket)
	if err != nil {
		return 0, err
	}
	if err := fill(b.put); err != nil {
		return 0, x.failed(err)
	}
	return b.Done()
}

// Abandon closes the index file without completing it. The unfinished file stays on
// disk.
func (x *Builder) Abandon() error {
	if x.open != nil {
		// Its error would say that the transaction has ended before.
		_ = x.open.Rollback()
	}
	return x.db.Close()
}

// Finish completes the index file, syncs it and closes it.
func (x *Builder) Finish() error {
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

// File is an index file that is open for reading. Several goroutines may use
// it.
type File struct {
	// bad is set when reading caused a fault. The mapped file is then never touched
	// again. It is not even closed, since that could block for ever.
	bad atomic.Bool
	// using counts cursors. Close waits for them.
	using sync.WaitGroup

	db     *bolt.DB  // maps the file into memory; nil if the file is read by ranges
	file   rangeFile // the file, if it is read by ranges
	treeMu sync.Mutex
	tree   *tree // see the method content
}

// rangeFile is a file of which the reader requests single ranges of bytes.
type rangeFile interface {
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

// Open opens the index file at path, which is on a local disk, for reading. The
// caller closes it.
func Open(path string) (*File, error) {
	x := &File{}
	var file *os.File // bbolt closes it
	openFile := func(path string, flag int, mode os.FileMode) (_ *os.File, err error) {
		file, err = os.OpenFile(path, flag, mode)
		return file, err
	}
	err := x.Guard(func() (err error) {
		// A read-only database takes a shared lock, and does not create the file.
		if x.db, err = bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: openTimeout, OpenFile: openFile}); err != nil {
			return err
		}
		st, err := file.Stat()
		if err != nil {
			return err
		}
		at := x.db.Info().Data // of the mapped file, which stays where it is until the database is closed
		x.tree, err = openMapped(unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), st.Size()))
		return err
	})
	if err != nil {
		if x.db != nil && !x.bad.Load() {
			_ = x.db.Close() // it was only read
		}
		return nil, err
	}
	return x, nil
}

// OpenRemote returns a File for f, an index file that is not on a local disk and is read by
// ranges. OpenRemote reads nothing: if the file cannot be read, making the first cursor fails.
// The File closes f.
func OpenRemote(f rangeFile) *File { return &File{file: f} }

// content returns the tree of the file. For a file that is read by ranges, the first call reads the
// meta pages. After an error, the next call reads them again.
func (x *File) content() (*tree, error) {
	x.treeMu.Lock()
	defer x.treeMu.Unlock()
	if x.tree == nil {
		st, err := x.file.Stat()
		if err != nil {
			return nil, err
		}
		t, err := openRanges(x.file, st.Size())
		if err != nil {
			return nil, err
		}
		x.tree = t
	}
	return x.tree, nil
}

// Close waits until all cursors are closed, and then closes the index file.
func (x *File) Close() error {
	if x.bad.Load() {
		return nil
	}
	x.using.Wait()
	if x.file != nil {
		return x.file.Close()
	}
	return x.db.Close()
}

// Guard calls f, which may read the memory-mapped file, and returns its error. If the
// file cannot be read, f faults; Guard then marks the file as bad and
// returns ErrDamaged. It does not call f if the file is marked already.
func (x *File) Guard(f func() error) (err error) {
	if x.bad.Load() {
		return ErrDamaged
	}
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			x.bad.Store(true)
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	return f()
}

// ErrDamaged is returned for an index file whose bytes are damaged.
var ErrDamaged = fmt.Errorf("the index is damaged")

// Cursor reads one bucket of an index file.
type Cursor struct {
	x *File
	t *treeCursor

	behind passed // values of the mapped file that the cursor has passed and not released yet
}

// Cursor returns a cursor for a bucket of the file. The caller closes it. If there is no
// such bucket, the error is ErrDamaged.
func (x *File) Cursor(bucket []byte) (*Cursor, error) {
	x.using.Add(1)
	cur := &Cursor{x: x}
	err := x.Guard(func() error {
		t, err := x.content()
		if err == nil {
			cur.t, err = t.bucket(bucket)
		}
		if err == nil && cur.t == nil {
			err = fmt.Errorf("%w: it has no bucket %s", ErrDamaged, bucket)
		}
		return err
	})
	if err != nil {
		cur.Close()
		return nil, err
	}
	return cur, nil
}

// Seek moves to the first pair with a key at or after key, and returns that pair. k
// is nil if there is none. The slices are valid until Close.
func (c *Cursor) Seek(key []byte) (k, v []byte, err error) {
	err = c.x.Guard(func() (err error) { k, v, err = c.t.seek(key); return err })
	return k, v, err
}

// Next moves to the next pair and returns it, as Seek does.
func (c *Cursor) Next() (k, v []byte, err error) {
	err = c.x.Guard(func() (err error) { k, v, err = c.t.next(); return err })
	return k, v, err
}

// Passed says that the caller will not read value, a result of Next, again. If value lies in
// the mapped file, Passed lets the system release that memory. It does nothing for a file that
// is read by ranges: value then is memory of this program, and would turn into zeros.
func (c *Cursor) Passed(value []byte) {
	if c.x.file == nil {
		c.behind.add(value)
	}
}

// Before returns the key before k, or nil if there is none. k must be the key at which the
// cursor is, and the cursor stays there.
func (c *Cursor) Before(k []byte) (key []byte, err error) {
	err = c.x.Guard(func() (err error) { key, err = c.t.before(k); return err })
	return key, err
}

// Get calls check with the value of key, or with nil if the bucket has no such key. It returns
// what check returns. The function check runs under File.Guard, because it reads the mapped
// file. Get does not move the cursor.
func (c *Cursor) Get(key []byte, check func([]byte) ([]byte, error)) (v []byte, err error) {
	err = c.x.Guard(func() (err error) {
		if v, err = c.t.get(key); err == nil {
			v, err = check(v)
		}
		return err
	})
	return v, err
}

// Find calls check with the value of key, and returns what check returns. If the bucket has no such
// key, Find returns nil and does not call check.
func (c *Cursor) Find(key []byte, check func([]byte) ([]byte, error)) (v []byte, err error) {
	return c.Get(key, func(v []byte) ([]byte, error) {
		if v == nil {
			return nil, nil
		}
		return check(v)
	})
}

// Close ends the cursor. It does not close the index file.
func (c *Cursor) Close() {
	c.behind.end()
	c.x.using.Done()
}

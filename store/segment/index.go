package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bits-and-blooms/bloom/v3"
	bolt "go.etcd.io/bbolt"

	"infomall/store/disk"
	"infomall/store/record"
)

// openTimeout bounds the wait for a lock on an index file. Nobody writes a
// published index, so a lock means that another program has the file open.
const openTimeout = time.Second

// indexPage is the page size of an index in bytes. A bucket takes at least two
// pages, and a small segment's values are about 3 KB.
const indexPage = 1 << 10

// IndexBuilder writes one index file. Its user calls Finish or Abandon at the end.
// Only one goroutine may use it.
type IndexBuilder struct {
	d    disk.FS
	path string
	db   *bolt.DB
	open *bolt.Tx // transaction of the current bucket, or nil
}

// NewIndexBuilder creates an index file at path and returns an IndexBuilder for it.
func NewIndexBuilder(d disk.FS, path string) (*IndexBuilder, error) {
	db, err := bolt.Open(path, 0o644, &bolt.Options{NoSync: true, NoFreelistSync: true, Timeout: openTimeout, PageSize: indexPage})
	if err != nil {
		return nil, fmt.Errorf("make index %s: %w", path, err)
	}
	return &IndexBuilder{d: d, path: path, db: db}, nil
}

// indexBatch is how many bytes of pairs go into one transaction. The transaction
// keeps them in memory.
const indexBatch = 4 << 20

// indexBucket is a bucket (the index of one segment) that is being filled. An
// IndexBuilder has only one at a time.
type indexBucket struct {
	x           *IndexBuilder
	name        []byte
	b           *bolt.Bucket // of x.open
	size, batch int64
}

// bucket begins the bucket called name. The caller fills it with put, and ends it
// with done.
func (x *IndexBuilder) bucket(name []byte) (*indexBucket, error) {
	b := &indexBucket{x: x, name: name}
	return b, x.failed(b.begin())
}

// failed returns err with the path of the index file, or nil if err is nil.
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

// put adds the pair of key k and value v. Most pairs should arrive in the order of
// their keys.
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

// done ends the bucket and returns the total size in bytes of its keys and values.
func (b *indexBucket) done() (size int64, err error) { return b.size, b.commit() }

// Add adds a bucket and calls fill, which adds pairs to it with the function put.
// Most pairs should come in the order of their keys. size is the total size in
// bytes of the pairs. After an error only Abandon may be called.
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

// AddSegment adds the bucket of the segment that w wrote, and sets i.IndexBytes to
// the size of its pairs. If the Writer wrote the bucket itself (see Writer.Index),
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

// Abandon closes the index file without completing it. The unfinished file stays on
// disk.
func (x *IndexBuilder) Abandon() error {
	if x.open != nil {
		// Its error would say that the transaction has ended before.
		_ = x.open.Rollback()
	}
	return x.db.Close()
}

// Finish completes the index file, syncs it and closes it.
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

// IndexFile is an index file that is open for reading. Several goroutines may use
// it.
type IndexFile struct {
	path string
	db   *bolt.DB
	// bad is set when reading caused a fault. The database is then never touched
	// again. It is not even closed, since that could block for ever.
	bad atomic.Bool
	// using counts transactions. Close waits for them.
	using sync.WaitGroup

	// tree and file are set, and db is nil, if the file is read by ranges.
	tree *tree
	file io.Closer
}

// OpenIndex opens the index file at path for reading. If it fails, the error is an
// *Error.
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

// Close waits until all cursors are closed, and then closes the index file.
func (x *IndexFile) Close() error {
	if x.bad.Load() {
		return nil
	}
	x.using.Wait()
	if x.tree != nil {
		return x.file.Close()
	}
	return x.db.Close()
}

// guard calls f, which reads the memory-mapped file, and returns its error. If the
// file is damaged, f may fault or panic; guard then marks the file as bad and
// returns errIndexBad. It does not call f if the file is marked already.
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

// bucketCursor reads one bucket of an index file, in a transaction of its own.
type bucketCursor struct {
	x  *IndexFile
	tx *bolt.Tx
	c  *bolt.Cursor
	b  *bolt.Bucket
	t  *treeCursor // is set, and tx, c and b are nil, if the file is read by ranges
}

func (x *IndexFile) cursor(bucket []byte) (*bucketCursor, error) {
	x.using.Add(1)
	cur := &bucketCursor{x: x}
	if x.tree != nil {
		var err error
		if cur.t, err = x.tree.bucket(bucket); err == nil && cur.t == nil {
			err = fmt.Errorf("%w: it has no bucket %s", errIndexBad, bucket)
		}
		if err != nil {
			cur.close()
			return nil, err
		}
		return cur, nil
	}
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

// seek moves to the first pair with a key at or after key, and returns that pair. k
// is nil if there is none. The slices are valid until close.
func (c *bucketCursor) seek(key []byte) (k, v []byte, err error) {
	if c.t != nil {
		return c.t.seek(key)
	}
	err = c.x.guard(func() error { k, v = c.c.Seek(key); return nil })
	return k, v, err
}

func (c *bucketCursor) next() (k, v []byte, err error) {
	if c.t != nil {
		return c.t.next()
	}
	err = c.x.guard(func() error { k, v = c.c.Next(); return nil })
	return k, v, err
}

// before returns the key before the current key k, or nil if there is none. The cursor
// stays at k.
func (c *bucketCursor) before(k []byte) (key []byte, err error) {
	if c.t != nil {
		return c.t.before(k)
	}
	err = c.x.guard(func() error {
		key, _ = c.c.Prev()
		c.c.Seek(k)
		return nil
	})
	return key, err
}

// get checks the checksum before the value of key, and returns the value without
// it. A missing value is an error. get does not move the cursor.
func (c *bucketCursor) get(key []byte) (v []byte, err error) {
	if c.t != nil {
		if v, err = c.t.get(key); err != nil {
			return nil, err
		}
		return checkCRC(v)
	}
	err = c.x.guard(func() error {
		v, err = checkCRC(c.b.Get(key))
		return err
	})
	return v, err
}

// find returns the value of key as get does, but v is nil if there is no such
// value.
func (c *bucketCursor) find(key []byte) (v []byte, err error) {
	if c.t != nil {
		if v, err = c.t.get(key); v == nil || err != nil {
			return nil, err
		}
		return checkCRC(v)
	}
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

// Rebuild makes the index of a db-file again. It reads f, a db-file of size bytes,
// from start to end, calls put with the key-value pairs of the index, and returns
// what a catalogue says of the segment, except for Born, Seen and the names and
// sizes of files. It needs only this file, and holds one run in memory. name is the
// file's name in errors. If any record is damaged, the error is an *Error.
//
// The pairs are equal to those of the Writer that wrote the file. They come in the
// order of their keys, except for those of the Bloom filter, the census, the
// table of runs and the sample, which come last.
func Rebuild(ctx context.Context, name string, f io.ReaderAt, size int64, put func(key, value []byte) error) (*Info, error) {
	b := &rebuilder{name: name, f: f, put: put, pools: make(map[string]bool), uses: make(map[uint32]bool)}
	b.info = Info{Bytes: size, First: record.MaxTime, Last: record.MinTime, AddedFirst: record.MaxTime, AddedLast: record.MinTime}
	if err := b.end(ctx); err != nil {
		return nil, err
	}
	for at := int64(0); at < b.endAt; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, _, err := readRecord(f, at, b.endAt)
		if err == nil {
			err = b.run(rec, at)
		}
		if err != nil {
			return nil, &Error{File: name, Offset: at, Err: err}
		}
		at += int64(len(rec))
	}
	return b.finish()
}

// rebuilder is the state of one call of Rebuild.
type rebuilder struct {
	name string
	f    io.ReaderAt
	put  func(key, value []byte) error

	info     Info
	bloom    *bloom.BloomFilter
	census   censusTaker
	sample   sampleTaker
	endAt    int64  // where the end record begins
	endRec   []byte // the end record
	endText  []byte
	pools    map[string]bool
	uses     map[uint32]bool
	last     Entry
	runEnds  []int64
	metaEnds []int64
}

// end reads and checks the end record of the db-file. It begins the Info and the
// Bloom filter with it: the record says how many URLs the segment has.
func (b *rebuilder) end(ctx context.Context) error {
	tail := make([]byte, min(headBytesMax, b.info.Bytes))
	from := b.info.Bytes - int64(len(tail))
	if _, err := b.f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return &Error{File: b.name, Offset: from, Err: err}
	}
	at := from // for a file without runs
	if i := bytes.LastIndex(tail, recordStart); i >= 0 {
		at += int64(i) + 1
	}
	rec, h, err := readRecord(b.f, at, b.info.Bytes)
	if err != nil || h.kind != kindEnd || at+int64(len(rec)) != b.info.Bytes {
		return &Error{File: b.name, Offset: at, Err: errors.New("the db-file does not end with an undamaged end record")}
	}
	_, data, err := parseHead(rec)
	if err == nil {
		b.endText, err = decoder().DecodeAll(data, nil)
	}
	if err != nil {
		return &Error{File: b.name, Offset: at, Err: err}
	}
	urls := int64(0)
	for line := range strings.Lines(string(b.endText)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "urls":
			_, err = fmt.Sscan(value, &urls)
		case "depends":
			for _, p := range strings.Fields(value) {
				b.pools[p] = true
			}
		}
	}
	if err != nil || urls < 0 || urls > b.info.Bytes {
		return &Error{File: b.name, Offset: at, Err: fmt.Errorf("the end record says %q", b.endText)}
	}
	b.endAt, b.endRec = at, rec
	b.info.ID, b.info.Pool = h.segment, h.pool
	b.bloom = bloom.NewWithEstimates(uint(max(urls, 1)), bloomRate)
	return ctx.Err()
}

// run indexes the run whose record is rec and begins at offset at of the db-file.
func (b *rebuilder) run(rec []byte, at int64) error {
	h, _, err := parseHead(rec)
	if err != nil {
		return err
	}
	number := uint32(len(b.runEnds))
	if h.kind != kindRun || h.segment != b.info.ID || h.pool != b.info.Pool || h.run != number {
		return fmt.Errorf("found a record of kind %s, run %d, of segment %d of pool %s where run %d of segment %d of pool %s should be",
			h.kind, h.run, h.segment, h.pool, number, b.info.ID, b.info.Pool)
	}
	r, err := openRun(rec, h.segment, h.run)
	if err != nil {
		return err
	}
	entries, err := r.Meta.Entries()
	if err != nil {
		return err
	}
	b.info.CRC = crc32.Update(b.info.CRC, castagnoli, rec)
	b.runEnds = append(b.runEnds, at+int64(len(rec)))
	b.metaEnds = append(b.metaEnds, at+int64(len(rec)-1-(h.length-h.metaLength())))
	b.info.Packed = r.Meta.packed
	b.info.Blocks += int64(len(r.ends))
	for _, d := range h.behind {
		b.uses[d.Segment] = true
	}
	for i := range entries {
		e := &entries[i]
		if b.info.Captures > 0 && e.Less(&b.last) {
			return fmt.Errorf("%q comes after %q", e.Key, b.last.Key)
		}
		b.entry(e)
	}
	if len(entries) == 0 {
		return nil
	}
	return b.put(chunkKey(&entries[len(entries)-1], number), appendChunk(nil, number, entries))
}

// entry counts the entry e for the Info, the Bloom filter, the census and the sample.
func (b *rebuilder) entry(e *Stored) {
	if b.info.Captures == 0 || b.last.Key != e.Key {
		b.bloom.AddString(e.Key)
		b.info.URLs++
	}
	b.info.count(&e.Entry)
	b.census.add(&e.Entry)
	b.sample.add(&e.Entry)
	for _, s := range e.Recipe.Spans {
		if s.Segment != b.info.ID {
			b.uses[s.Segment] = true
		}
	}
	b.last = e.Entry
}

// count adds the entry e to the counts and bounds of i, except for i.URLs. Entries
// must come in order.
func (i *Info) count(e *Entry) {
	if i.Captures == 0 {
		i.FirstKey = e.Key
	}
	i.LastKey = e.Key
	i.Captures++
	i.First, i.Last = min(i.First, e.Time), max(i.Last, e.Time)
	i.AddedFirst, i.AddedLast = min(i.AddedFirst, e.Added), max(i.AddedLast, e.Added)
	if e.Change != record.ChangeSame {
		i.Versions++
		i.BodyBytes += max(e.Bytes, 0)
	}
}

// finish completes the Info and compares it with the end record. It puts the pairs
// of the Bloom filter, the census, the table of runs and the sample.
func (b *rebuilder) finish() (*Info, error) {
	b.info.CRC = crc32.Update(b.info.CRC, castagnoli, b.endRec)
	b.info.Runs = len(b.runEnds)
	b.info.Depends, b.info.Uses = slices.Sorted(maps.Keys(b.pools)), slices.Sorted(maps.Keys(b.uses))
	if want := endText(&b.info); !bytes.Equal(b.endText, want) {
		return nil, &Error{File: b.name, Offset: b.endAt, Err: fmt.Errorf("the end record says %q, but the file has %q", b.endText, want)}
	}
	for _, p := range finalPairs(b.bloom, b.census.census(), b.runEnds, b.metaEnds, b.sample.encode()) {
		if err := b.put(p.key, p.value); err != nil {
			return nil, err
		}
	}
	return &b.info, nil
}

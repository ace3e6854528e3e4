package s3

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"infomall/store/crc32c"
)

// The cache keeps an object in blocks of blockBytes bytes, or of pageBytes bytes if the object's
// place is disk.Paged. Only the last block of an object is shorter. A block and its checksum
// together fill whole pages of a disk.
//
// To show one capture, the program reads some 100 KB of a db-file and a few pages of an index.
// Larger blocks would fetch many bytes that it does not need. For a page of a sealed site, it
// fetches 1.19 times the bytes that it needs; with blocks of 32 KB it would fetch 1.34 times, in
// the same number of requests.
const (
	blockBytes = 16<<10 - sumBytes
	pageBytes  = 8<<10 - sumBytes
)

// wholeBytes is the size in bytes up to which the cache keeps an object whose place is disk.Paged
// as one block. The program reads the pages of such an object one after the other, so one request
// for the whole object is faster.
const wholeBytes = 64 << 10

// sumBytes is the size in bytes of the checksum, which is before the block in the block's file.
const sumBytes = 4

// memoryBlocks is how many blocks the cache keeps in memory. They take some 32 MB.
const memoryBlocks = 2048

// touchAfter is how far the modification time of a block's file may lie back. If a block is used
// and the time lies back further, the time is set to the present. trim goes by these times: it
// removes the least recently used files.
const touchAfter = 10 * time.Minute

// cache keeps blocks of objects in files of a folder, and the most recently used blocks also in
// memory. Several processes may use one folder. A block whose checksum is wrong counts as missing.
type cache struct {
	dir string
	max int64 // how many bytes the files may take

	mu      sync.Mutex
	blocks  map[blockKey]*list.Element // the blocks in memory
	recent  list.List                  // of *block: the blocks in memory, the most recently used first
	fetched map[blockKey]chan struct{} // the blocks that a goroutine is fetching, see claim
	written int64                      // how many bytes were written to files since the last trim
	trimmed bool                       // trim was called

	// over is set only in a cache that the method fresh has made. That cache returns only blocks
	// that were put into it; over, the cache from which it was made, keeps them for it.
	over *cache
	has  map[string][]uint64 // if over is set: for each object one bit per block, set if the block was put
}

// blockKey identifies a block of an object.
type blockKey struct {
	object string // the object's name in the cache, see FS.expects
	n      int64  // number of the block in the object, from 0
}

type block struct {
	key blockKey
	b   []byte
}

func newCache(dir string, most int64) *cache {
	return &cache{dir: dir, max: most, blocks: make(map[blockKey]*list.Element), fetched: make(map[blockKey]chan struct{})}
}

// fresh returns a cache that is empty at first and keeps its blocks in c. A block that is put into
// the new cache replaces the block in c.
func (c *cache) fresh() *cache {
	return &cache{over: c, has: make(map[string][]uint64), fetched: make(map[blockKey]chan struct{})}
}

func (c *cache) isFresh() bool { return c.over != nil }

// folder returns the path of the folder in which the cache keeps the blocks of an object.
func (c *cache) folder(object string) string {
	// A program with blocks of other sizes finds none of these files.
	sum := sha256.Sum256(fmt.Append(nil, blockBytes, pageBytes, wholeBytes, object))
	name := hex.EncodeToString(sum[:16])
	return filepath.Join(c.dir, name[:2], name)
}

func (c *cache) file(k blockKey) string {
	return filepath.Join(c.folder(k.object), fmt.Sprintf("%06d", k.n))
}

// get returns the block k, or nil if the cache does not have it. The caller must not change the
// bytes.
func (c *cache) get(k blockKey) []byte {
	c.mu.Lock()
	if c.isFresh() {
		bits := c.has[k.object]
		c.mu.Unlock()
		if k.n/64 >= int64(len(bits)) || bits[k.n/64]>>(k.n%64)&1 == 0 {
			return nil
		}
		return c.over.get(k)
	}
	if e := c.blocks[k]; e != nil {
		c.recent.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*block).b
	}
	c.mu.Unlock()
	name := c.file(k)
	b, err := os.ReadFile(name)
	if err != nil || len(b) < sumBytes || binary.LittleEndian.Uint32(b) != crc32c.Sum(b[sumBytes:]) {
		return nil
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > touchAfter {
		now := time.Now()
		_ = os.Chtimes(name, now, now) // if this fails, the block is removed earlier
	}
	c.remember(k, b[sumBytes:])
	return b[sumBytes:]
}

// remember keeps block k, with the content b, in memory.
func (c *cache) remember(k blockKey, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.blocks[k]; e != nil {
		c.recent.MoveToFront(e)
		e.Value.(*block).b = b
		return
	}
	c.blocks[k] = c.recent.PushFront(&block{k, b})
	for c.recent.Len() > memoryBlocks {
		last := c.recent.Back()
		delete(c.blocks, c.recent.Remove(last).(*block).key)
	}
}

// put keeps block k, with the content b, in memory and in a file. If the file cannot be written,
// the block is only in memory.
func (c *cache) put(k blockKey, b []byte) {
	if c.isFresh() {
		c.over.put(k, b)
		c.mu.Lock()
		defer c.mu.Unlock()
		bits := c.has[k.object]
		if missing := k.n/64 + 1 - int64(len(bits)); missing > 0 {
			bits = append(bits, make([]uint64, missing)...)
		}
		bits[k.n/64] |= 1 << (k.n % 64)
		c.has[k.object] = bits
		return
	}
	c.remember(k, b)
	if c.max <= 0 {
		return
	}
	name := c.file(k)
	content := append(binary.LittleEndian.AppendUint32(make([]byte, 0, len(b)+sumBytes), crc32c.Sum(b)), b...)
	if err := writeWhole(name, content); err != nil {
		return
	}
	c.mu.Lock()
	c.written += int64(len(content))
	full := !c.trimmed || c.written > c.max/16
	if full {
		c.written, c.trimmed = 0, true
	}
	c.mu.Unlock()
	if full {
		c.trim()
	}
}

// writeWhole writes b to a temporary file and renames that file to name, so that no reader sees a
// part of it. It creates the folder if it is missing.
func writeWhole(name string, b []byte) error {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, ".")
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o755); err == nil {
			f, err = os.CreateTemp(dir, ".")
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // if this fails, a later trim removes the file
	}
	return err
}

// trim removes files if all files together take more than c.max bytes. It removes the least
// recently used files first, until the others take at most seven eighths of c.max.
func (c *cache) trim() {
	type entry struct {
		name  string
		bytes int64
		used  time.Time
	}
	var files []entry
	sum := int64(0)
	_ = filepath.WalkDir(c.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // another process may have removed it
		}
		if info, err := d.Info(); err == nil {
			files = append(files, entry{name, info.Size(), info.ModTime()})
			sum += info.Size()
		}
		return nil
	})
	if sum <= c.max {
		return
	}
	slices.SortFunc(files, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if sum <= c.max/8*7 {
			return
		}
		if strings.HasPrefix(filepath.Base(f.name), ".") && time.Since(f.used) < time.Minute {
			continue // it is being written
		}
		if os.Remove(f.name) == nil {
			sum -= f.bytes
		}
	}
}

// drop removes all blocks of an object.
func (c *cache) drop(object string) {
	if c.isFresh() {
		c.mu.Lock()
		delete(c.has, object)
		c.mu.Unlock()
		c.over.drop(object)
		return
	}
	c.mu.Lock()
	for k, e := range c.blocks {
		if k.object == object {
			c.recent.Remove(e)
			delete(c.blocks, k)
		}
	}
	c.mu.Unlock()
	_ = os.RemoveAll(c.folder(object)) // what stays is a block of an object that nobody reads any more
}

// claim is called before block k is fetched from the bucket, so that only one goroutine fetches it.
// If mine is true, the caller fetches the block, and calls done when the fetch has ended. If mine
// is false, another goroutine is fetching the block, and wait is closed when that fetch has ended.
func (c *cache) claim(k blockKey) (mine bool, wait chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.fetched[k]; w != nil {
		return false, w
	}
	w := make(chan struct{})
	c.fetched[k] = w
	return true, w
}

func (c *cache) done(k blockKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.fetched[k])
	delete(c.fetched, k)
}

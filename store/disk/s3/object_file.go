package s3

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"
)

// fetchBlocks is how many blocks one request of an objectFile fetches at most. They have 2 MB or
// less.
const fetchBlocks = 128

// prefetchBlocks is how many blocks Prefetch fetches at the beginning of an object, and how many
// at the end. An index has its meta pages and its root there.
const prefetchBlocks = 4

// aheadAfter is how many neighbouring blocks of an object (pieces of equal size, not blocks of a
// page) must be read in order before the read-ahead begins. A single capture takes fewer blocks,
// so it causes no read-ahead.
const aheadAfter = 20

// objectFile is an object of the bucket whose content never changes, open for reading through the
// cache.
type objectFile struct {
	d    *FS
	name string // name of the object
	key  string // name of the object in the cache when it was opened, see cacheKey
	path string // result of Name
	unit int64  // size of a block in bytes

	ctx    context.Context // is cancelled by Close
	cancel context.CancelFunc
	ahead  sync.WaitGroup // the goroutines of the read-ahead

	mu      sync.Mutex
	size    int64 // of the object, in bytes
	at      int64 // offset at which the next Read begins
	next    int64 // number of the block after the last one that was read
	until   int64 // number of the block after the last one that the read-ahead fetches
	inOrder int64 // how many of the last blocks were read one after the other
}

func (f *objectFile) Name() string { return f.path }

// Close stops the read-ahead and waits until it has ended.
func (f *objectFile) Close() error {
	f.cancel()
	f.ahead.Wait()
	return nil
}

func (f *objectFile) Stat() (fs.FileInfo, error) {
	return objectInfo{path.Base(f.name), f.bytes(), time.Time{}, false}, nil
}

func (f *objectFile) bytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}

func (f *objectFile) Read(p []byte) (int, error) {
	f.mu.Lock()
	at := f.at
	f.mu.Unlock()
	n, err := f.ReadAt(p, at)
	f.mu.Lock()
	f.at = at + int64(n)
	f.mu.Unlock()
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (f *objectFile) ReadAt(p []byte, off int64) (n int, err error) {
	size := f.bytes()
	if off < 0 {
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: fs.ErrInvalid}
	}
	if off >= size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), size-off)
	if want == 0 {
		return 0, nil
	}
	first, last := off/f.unit, (off+want-1)/f.unit
	key := f.cacheKey()
	f.readAhead(key, first, last)
	for n := first; n <= last; n += fetchBlocks {
		if err := f.fetch(f.ctx, key, n, min(n+fetchBlocks-1, last)); err != nil {
			return int(max(0, n*f.unit-off)), err
		}
	}
	for b := first; b <= last; b++ {
		content, err := f.block(blockKey{key, b})
		if err != nil {
			return n, err
		}
		from := off + int64(n) - b*f.unit
		if from >= int64(len(content)) {
			return n, io.ErrUnexpectedEOF // the object is shorter than the catalogue says
		}
		n += copy(p[n:want], content[from:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// cacheKey returns the present name of the object in the cache. The name changes if REPAIR replaces
// the object while the file is open.
func (f *objectFile) cacheKey() string {
	if _, key, ok := f.d.expects(f.name); ok {
		return key
	}
	return f.key
}

// block returns the block k from the cache. If the cache has dropped the block, block fetches it
// again.
func (f *objectFile) block(k blockKey) ([]byte, error) {
	for {
		if b := f.d.cache.get(k); b != nil {
			return b, nil
		}
		if err := f.fetch(f.ctx, k.object, k.n, k.n); err != nil {
			return nil, err
		}
	}
}

// fetch makes sure that the cache has the blocks from number first to number last. It fetches the
// missing ones: neighbouring blocks with one request, and several requests at once. If another
// goroutine is already fetching a block, fetch waits until that has ended. key is the name of the
// object in the cache.
func (f *objectFile) fetch(ctx context.Context, key string, first, last int64) error {
	var waits []chan struct{}
	var mine [][2]int64
	for n := first; n <= last; n++ {
		k := blockKey{key, n}
		if f.d.cache.get(k) != nil {
			continue
		}
		own, wait := f.d.cache.claim(k)
		switch {
		case !own:
			waits = append(waits, wait)
		case len(mine) > 0 && mine[len(mine)-1][1] == n-1:
			mine[len(mine)-1][1] = n
		default:
			mine = append(mine, [2]int64{n, n})
		}
	}
	errs := make(chan error, len(mine))
	for i, r := range mine {
		if i == len(mine)-1 {
			errs <- f.get(ctx, key, r[0], r[1])
		} else {
			go func() { errs <- f.get(ctx, key, r[0], r[1]) }() // the loop below waits for it
		}
	}
	var err error
	for range mine {
		if e := <-errs; err == nil {
			err = e
		}
	}
	for _, w := range waits {
		select {
		case <-w: // if its fetch failed, block fetches it again
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// get fetches the blocks from number first to number last with one request, and puts them into the
// cache. The caller has called cache.claim for each of them; get calls cache.done for each.
func (f *objectFile) get(ctx context.Context, key string, first, last int64) error {
	defer func() {
		for n := first; n <= last; n++ {
			f.d.cache.done(blockKey{key, n})
		}
	}()
	b, _, err := f.d.client.Get(ctx, f.name, first*f.unit, (last-first+1)*f.unit, "")
	if err != nil {
		return err
	}
	for n := first; n <= last; n++ {
		content := b[min(int64(len(b)), (n-first)*f.unit):min(int64(len(b)), (n-first+1)*f.unit)]
		if len(content) == 0 {
			return io.ErrUnexpectedEOF
		}
		f.d.cache.put(blockKey{key, n}, content[:len(content):len(content)])
	}
	return nil
}

// readAhead is called when the caller reads the blocks from number first to number last. If many
// blocks were read one after the other, it starts a goroutine that fetches the blocks after last.
// Close waits for that goroutine.
func (f *objectFile) readAhead(key string, first, last int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case first == f.next-1 || first == f.next && first > 0:
		f.inOrder += max(0, last+1-f.next)
	default:
		f.inOrder = 0
		f.until = 0
	}
	f.next = last + 1
	f.until = max(f.until, f.next)
	if f.inOrder < aheadAfter {
		return
	}
	blocks := (f.size + f.unit - 1) / f.unit
	from := f.until
	to := min(last+1+2*fetchBlocks, blocks)
	if to-from < fetchBlocks && to < blocks || from >= to || f.ctx.Err() != nil {
		return
	}
	to = min(from+fetchBlocks, to)
	f.until = to
	f.ahead.Add(1)
	go func() { // Close waits for it
		defer f.ahead.Done()
		_ = f.fetch(f.ctx, key, from, to-1) // the read that needs the block meets the error again
	}()
}

// Prefetch implements disk.Shared: it fetches the first and last blocks of these files, and returns
// when the cache has them.
func (d *FS) Prefetch(names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		src, err := d.Open(name)
		f, ok := src.(*objectFile)
		if err != nil || !ok {
			continue
		}
		blocks := (f.size + f.unit - 1) / f.unit
		if blocks <= 2*prefetchBlocks {
			wg.Go(func() { _ = f.fetch(f.ctx, f.key, 0, blocks-1) })
		} else {
			wg.Go(func() { _ = f.fetch(f.ctx, f.key, 0, prefetchBlocks-1) })
			wg.Go(func() { _ = f.fetch(f.ctx, f.key, blocks-prefetchBlocks, blocks-1) })
		}
		defer f.Close()
	}
	wg.Wait()
}

// objectInfo describes an object or a folder. It implements fs.FileInfo.
type objectInfo struct {
	name    string
	size    int64
	written time.Time
	folder  bool
}

func (i objectInfo) Name() string { return i.name }
func (i objectInfo) Size() int64  { return i.size }
func (i objectInfo) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
func (i objectInfo) ModTime() time.Time { return i.written }
func (i objectInfo) IsDir() bool        { return i.folder }
func (i objectInfo) Sys() any           { return nil }

package s3

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"infomall/store/disk"
)

// FS is the file system of an archive in a bucket. Each path below its root is the name of an
// object, or of a file in the working folder of this machine; Options.Place says which. A new file
// is written in the working folder. Renaming or linking it to the name of an object uploads it,
// and returns when the store has acknowledged the object.
type FS struct {
	client *Client
	root   string
	place  func(rel string) disk.Place
	cache  *cache

	turn chan struct{} // has one token, which an Attempt takes, so that only one runs at a time

	mu      sync.Mutex
	read    map[string]content       // by name: each changing file, as it was read last
	attempt map[string]content       // by name: each changing file, as the running Attempt read it first; nil if none runs
	id      string                   // the ID of the archive, as passed to Expect
	files   map[string]disk.Expected // the files of the archive by name, as passed to Expect
}

// content is the content of a changing file (one that writers replace) and its ETag, as this
// process has read them.
type content struct {
	b       []byte
	etag    string
	missing bool // the file does not exist
}

// Options are the settings of an FS.
type Options struct {
	// Root is the working folder. "" means a folder of this bucket and prefix in the user's
	// cache folder.
	Root string
	// CacheBytes is the largest size of the cache of objects in the working folder, in bytes. 0 means
	// 10 GB; a negative number means no cache.
	CacheBytes int64
	// Place returns where a file is kept: on this machine or in the bucket. rel is the path of
	// the file below the root, with slashes.
	Place func(rel string) disk.Place
}

// cacheBytesDefault is the largest size of the cache in bytes if Options.CacheBytes is 0.
const cacheBytesDefault = 10 << 30

// dirCache is the name of the cache's folder in the working folder.
const dirCache = ".cache"

// NewFS returns the file system of an archive that is in the bucket and below the prefix of
// client c. It makes no request, and creates no folder.
func NewFS(c *Client, o Options) (*FS, error) {
	root := o.Root
	if root == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(c.endpoint + " " + c.URL()))
		readable := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
				return r
			}
			return '_'
		}, strings.TrimPrefix(c.URL(), Scheme))
		root = filepath.Join(dir, "infomall", readable[:min(len(readable), 60)]+"-"+hex.EncodeToString(sum[:6]))
	}
	// The process may change its working directory, as the daemon does.
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	d := &FS{
		client: c, root: root, place: o.Place, turn: make(chan struct{}, 1),
		cache: newCache(filepath.Join(root, dirCache), cmp.Or(o.CacheBytes, cacheBytesDefault)),
		read:  make(map[string]content),
	}
	d.turn <- struct{}{}
	return d, nil
}

// Fresh returns an FS of the same bucket that does not trust the cache on this machine. It is used
// to check the bytes in the bucket. It reads each block once from the bucket, even if the cache has
// the block, and replaces the block in the cache of d.
func (d *FS) Fresh() *FS {
	f := &FS{client: d.client, root: d.root, place: d.place, turn: make(chan struct{}, 1), cache: d.cache.fresh(), read: make(map[string]content)}
	f.turn <- struct{}{}
	return f
}

// Root returns the working folder.
func (d *FS) Root() string { return d.root }

// Client returns the client that carries out the requests.
func (d *FS) Client() *Client { return d.client }

// where returns the place of the file with the path name. If the file is an object, rel is the
// name of that object. The place is Local for paths that are not below the root, and for hidden
// files.
func (d *FS) where(name string) (rel string, p disk.Place) {
	rel, err := filepath.Rel(d.root, name)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || strings.HasPrefix(filepath.Base(rel), ".") {
		return "", disk.Local
	}
	rel = filepath.ToSlash(rel)
	return rel, d.place(rel)
}

// expects returns what was passed to Expect for the object rel, and the name of the object in the
// cache. ok is false if Expect has not named the object. The name in the cache contains the ID of
// the archive and the edition of the object. So it differs for another archive in the same place,
// and after the object was replaced.
func (d *FS) expects(rel string) (e disk.Expected, key string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok = d.files[rel]; !ok {
		return e, "", false
	}
	key = d.id + "/" + rel
	if e.Edition != "" {
		key += " " + e.Edition
	}
	return e, key, true
}

// uncache removes the blocks of the object rel from the cache, if Expect has named the object. The
// blocks of other objects may stay: their names in the cache contain the ETag, so a changed object
// has other names.
func (d *FS) uncache(rel string) {
	if _, key, ok := d.expects(rel); ok {
		d.cache.drop(key)
	}
}

// Expect implements disk.Shared.
func (d *FS) Expect(id string, files map[string]disk.Expected) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.id = id
	d.files = make(map[string]disk.Expected, len(files))
	for name, e := range files {
		d.files[filepath.ToSlash(name)] = e
	}
}

// Open opens a file for reading. If Expect has named the file, Open does not check that it exists;
// if it is missing, the first read returns an error.
func (d *FS) Open(name string) (disk.Source, error) {
	rel, p := d.where(name)
	switch p {
	case disk.Changing:
		c, err := d.readChanging(rel)
		if err == nil && c.missing {
			err = &fs.PathError{Op: "open", Path: d.URL(rel), Err: syscall.ENOENT}
		}
		if err != nil {
			return nil, err
		}
		return &memoryFile{bytes.NewReader(c.b), name, int64(len(c.b))}, nil
	case disk.Fixed:
		return d.openObject(name, rel, blockBytes)
	case disk.Whole:
		return d.openWhole(name, rel)
	case disk.Paged:
		return d.openObject(name, rel, pageBytes)
	}
	return disk.OS.Open(name)
}

// openWhole opens an object whose place is disk.Whole, and reads all of it into memory. The cache
// keeps the object as one block, because its content never changes.
func (d *FS) openWhole(name, rel string) (disk.Source, error) {
	k := blockKey{rel, 0}
	b := d.cache.get(k)
	if b == nil {
		var err error
		if b, _, err = d.client.Get(context.Background(), rel, 0, -1, ""); err != nil {
			return nil, d.missing("open", rel, err)
		}
		d.cache.put(k, b)
	}
	return &memoryFile{bytes.NewReader(b), name, int64(len(b))}, nil
}

// openObject opens an object that the cache keeps in blocks of unit bytes. name is the path of the
// file, and rel the name of the object.
func (d *FS) openObject(name, rel string, unit int64) (disk.Source, error) {
	e, key, ok := d.expects(rel)
	if unit == pageBytes && ok && e.Bytes <= wholeBytes {
		unit = wholeBytes
	}
	f := &objectFile{d: d, name: rel, key: key, path: name, size: e.Bytes, unit: unit}
	if !ok || d.cache.isFresh() {
		// The first block says how long the object is.
		b, info, err := d.client.Get(context.Background(), rel, 0, unit, "")
		if err != nil {
			return nil, d.missing("open", rel, err)
		}
		if f.size = info.Size; !ok {
			if info.Size <= int64(len(b)) {
				return &memoryFile{bytes.NewReader(b), name, int64(len(b))}, nil
			}
			f.key = rel + " " + info.ETag
		}
		if len(b) > 0 {
			d.cache.put(blockKey{f.key, 0}, b)
		}
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f, nil
}

// missing returns err, or, if err means that the object rel does not exist, an *fs.PathError that
// wraps fs.ErrNotExist. op is the operation that failed.
func (d *FS) missing(op, rel string, err error) error {
	if isMissing(err) {
		return &fs.PathError{Op: op, Path: d.URL(rel), Err: syscall.ENOENT}
	}
	return err
}

// URL returns the URL of an object.
func (d *FS) URL(rel string) string { return d.client.URL() + "/" + rel }

// readChanging reads a changing file (one that writers replace) from the bucket. During a call of
// Attempt, only the first call reads the file, and later calls return the same content.
func (d *FS) readChanging(rel string) (content, error) {
	d.mu.Lock()
	c, ok := d.attempt[rel]
	last, known := d.read[rel]
	within := d.attempt
	d.mu.Unlock()
	if ok {
		return c, nil
	}
	if !known {
		last = d.kept(rel)
	}
	b, info, err := d.client.Get(context.Background(), rel, 0, -1, last.etag)
	switch {
	case isMissing(err):
		c = content{missing: true}
	case err != nil:
		return c, err
	case b == nil && last.etag != "" && info.ETag == last.etag:
		c = last
	default:
		c = content{b: b, etag: info.ETag}
		d.keep(rel, c)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read[rel] = c
	if within != nil && d.attempt != nil {
		if first, ok := d.attempt[rel]; ok {
			return first, nil
		}
		d.attempt[rel] = c
	}
	return c, nil
}

// keptFrom is the least size, in bytes, of a changing file that the method keep puts into the cache.
const keptFrom = 4 << 10

// keep puts the content of a changing file into the cache, unless it is small. Later processes then
// need not fetch the file while its ETag stays the same.
func (d *FS) keep(rel string, c content) {
	if len(c.b) >= keptFrom {
		d.cache.put(blockKey{"changing " + rel, 0}, append([]byte(c.etag+"\n"), c.b...))
	}
}

// kept returns the content of a changing file that keep has put into the cache. If the cache has
// none, the result is empty. The caller must ask the bucket whether the file still has the ETag of
// the result.
func (d *FS) kept(rel string) content {
	etag, b, ok := bytes.Cut(d.cache.get(blockKey{"changing " + rel, 0}), []byte("\n"))
	if !ok {
		return content{}
	}
	return content{b: b, etag: string(etag)}
}

// writeChanging writes a changing file to the bucket. During a call of Attempt, it writes only if
// nobody has changed the file since readChanging read it; otherwise the error wraps ErrCondition.
func (d *FS) writeChanging(rel string, b []byte) error {
	d.mu.Lock()
	within := d.attempt != nil
	d.mu.Unlock()
	when := Always
	if within {
		c, err := d.readChanging(rel)
		if err != nil {
			return err
		}
		if when = IfUnchanged(c.etag); c.missing {
			when = IfAbsent
		}
	}
	info, err := d.client.PutBytes(context.Background(), rel, b, when)
	if err != nil {
		return err
	}
	c := content{b: b, etag: info.ETag}
	d.keep(rel, c)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read[rel] = c
	if d.attempt != nil {
		d.attempt[rel] = c
	}
	return nil
}

// attemptsMost is how often Attempt calls its function at most.
const attemptsMost = 20

// Attempt implements disk.Shared.
func (d *FS) Attempt(ctx context.Context, do func() error) error {
	select {
	case <-d.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.turn <- struct{}{} }()
	for i := 0; ; i++ {
		d.mu.Lock()
		d.attempt = make(map[string]content)
		d.mu.Unlock()
		err := do()
		d.mu.Lock()
		d.attempt = nil
		d.mu.Unlock()
		if !errors.Is(err, disk.ErrCondition) && !errors.Is(err, disk.ErrUnsure) || i == attemptsMost-1 {
			return err
		}
		select {
		case <-time.After(rand.N(min(d.client.backoff<<i, 2*time.Second))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stat returns the size and the time of a file. For an object it asks the store.
func (d *FS) Stat(name string) (fs.FileInfo, error) {
	rel, p := d.where(name)
	if p == disk.Local {
		return os.Stat(name)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return info, nil
	}
	info, err := d.client.Head(context.Background(), rel)
	if err != nil {
		return nil, d.missing("stat", rel, err)
	}
	return objectInfo{path.Base(rel), info.Size, info.Modified, false}, nil
}

// ReadDir returns the entries of a folder: the objects in it, which the store lists, and the files
// and folders on this machine.
func (d *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	local, err := os.ReadDir(name)
	rel, p := d.where(name)
	prefix := rel + "/"
	if filepath.Clean(name) == filepath.Clean(d.root) {
		prefix, p = "", disk.Fixed
	}
	if p == disk.Local {
		return local, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	missing := err != nil
	var out []fs.DirEntry
	for info, err := range d.client.List(context.Background(), prefix, false) {
		if err != nil {
			return nil, err
		}
		base := path.Base(info.Name)
		out = append(out, fs.FileInfoToDirEntry(objectInfo{base, info.Size, info.Modified, strings.HasSuffix(info.Name, "/")}))
	}
	for _, e := range local {
		_, p := d.where(filepath.Join(name, e.Name()))
		there := slices.ContainsFunc(out, func(o fs.DirEntry) bool { return o.Name() == e.Name() })
		if e.IsDir() && !there || p == disk.Local && !there {
			out = append(out, e)
		}
	}
	if missing && len(out) == 0 {
		return nil, &fs.PathError{Op: "open", Path: d.URL(rel), Err: syscall.ENOENT}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return out, nil
}

// OpenFile opens a file of the working folder. It returns an error for the name of an object.
func (d *FS) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	if rel, p := d.where(name); p != disk.Local {
		return nil, &fs.PathError{Op: "write", Path: d.URL(rel), Err: errors.New("an object is only written as a whole")}
	}
	f, err := disk.OS.OpenFile(name, flag, perm)
	if errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0 {
		// Another machine may have made the archive: the folder is not here yet.
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			f, err = disk.OS.OpenFile(name, flag, perm)
		}
	}
	return f, err
}

// Mkdir creates a folder on this machine, in the working folder. A bucket has no folders.
func (d *FS) Mkdir(name string, perm fs.FileMode) error {
	if err := os.Mkdir(name, perm); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.Mkdir(name, perm)
}

// Rename renames a file on this machine. If the new name is that of an object, Rename uploads the
// file and then removes it from this machine. It replaces an object that exists already.
func (d *FS) Rename(from, to string) error {
	rel, p := d.where(to)
	if p == disk.Local {
		return disk.OS.Rename(from, to)
	}
	if err := d.upload(from, rel, p, Always); err != nil {
		return err
	}
	return os.Remove(from)
}

// Link gives a file on this machine a second name. If that name is the name of an object, Link
// uploads the file. It returns an error that wraps fs.ErrExist if the name exists already.
func (d *FS) Link(from, to string) error {
	rel, p := d.where(to)
	if p == disk.Local {
		return os.Link(from, to)
	}
	err := d.upload(from, rel, p, IfAbsent)
	if errors.Is(err, ErrCondition) {
		return &fs.PathError{Op: "write", Path: d.URL(rel), Err: syscall.EEXIST}
	}
	return err
}

func (d *FS) upload(from, rel string, p disk.Place, when Condition) error {
	if p == disk.Changing {
		b, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		return d.writeChanging(rel, b)
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if when == Always {
		d.uncache(rel)
	}
	_, err = d.client.Put(context.Background(), rel, f, info.Size(), when)
	return err
}

// Remove removes an object, or a file or folder on this machine.
func (d *FS) Remove(name string) error {
	rel, p := d.where(name)
	info, err := os.Lstat(name)
	if p == disk.Local || err == nil && info.IsDir() {
		return os.Remove(name)
	}
	d.uncache(rel)
	d.mu.Lock()
	delete(d.read, rel)
	d.mu.Unlock()
	return d.client.Remove(context.Background(), rel)
}

// SyncDir makes the names of the files in a folder on this machine durable. Objects need no
// SyncDir: they are durable when their upload has returned.
func (d *FS) SyncDir(name string) error {
	if _, p := d.where(name); p != disk.Local || filepath.Clean(name) == filepath.Clean(d.root) {
		return nil
	}
	return disk.OS.SyncDir(name)
}

// Written implements disk.Shared.
func (d *FS) Written(name string) (time.Time, error) {
	rel, _ := d.where(name)
	info, err := d.client.Head(context.Background(), rel)
	if err != nil {
		return time.Time{}, d.missing("stat", rel, err)
	}
	return info.Modified, nil
}

// Now implements disk.Shared.
func (d *FS) Now() time.Time { return d.client.meter.now() }

// Forget implements disk.Shared.
func (d *FS) Forget(name string) {
	rel, _ := d.where(name)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.attempt, rel)
}

// Touch implements disk.Shared.
func (d *FS) Touch(name string) error {
	rel, p := d.where(name)
	if p == disk.Local {
		return &fs.PathError{Op: "touch", Path: name, Err: fs.ErrInvalid}
	}
	_, err := d.client.PutBytes(context.Background(), rel, []byte("\n"), Always)
	return err
}

// memoryFile is a small object that was read as a whole.
type memoryFile struct {
	*bytes.Reader
	name string
	size int64
}

func (f *memoryFile) Name() string { return f.name }
func (f *memoryFile) Close() error { return nil }
func (f *memoryFile) Stat() (fs.FileInfo, error) {
	return objectInfo{filepath.Base(f.name), f.size, time.Time{}, false}, nil
}

var (
	_ io.ReaderAt = (*memoryFile)(nil)
	_ disk.Shared = (*FS)(nil)
)

// Package disktest provides a disk for tests that fails when the test wants it
// to: it dies, is full, can't sync, or loses power. The files are in a real
// folder, so that memory maps of them work as usual. The disk also records all
// operations. From that record, Disk.Crash computes what a power cut could have
// left.
package disktest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"infomall/store/disk"
)

// ErrKilled is the error of every operation after the disk was killed, until
// Revive. Disk.Fault returns it to kill the disk.
var ErrKilled = errors.New("disktest: killed")

// kind is the kind of a recorded operation.
type kind uint8

const (
	kindWrite kind = iota
	kindTruncate
	kindSync
	kindName // a name in a folder was given to another file or folder, or removed
	kindSyncDir
)

// op is a recorded operation: a change that was carried out, or a sync that
// succeeded or failed.
type op struct {
	kind   kind
	node   *node  // the changed file, or the folder whose name was changed
	off    int64  // the offset of a write, or the new size for a truncate
	data   []byte // the bytes of a write
	name   string // the changed name in the folder
	means  *node  // the file or folder that has the name after the operation; nil if none has it
	failed bool   // the sync failed
}

// node is a file or folder, independent of the names that it has.
type node struct {
	dir   bool
	data  []byte           // the content of a file, with all writes
	names map[string]*node // the names in a folder
}

// Disk is a disk.FS that passes each operation on to another FS, and fails when the test wants it
// to. New returns a Disk that also records its operations. Several goroutines may use a Disk at
// once.
type Disk struct {
	// Fault is called before each operation with the number of the operation,
	// counted from 1, and its description. If Fault returns an error, the operation
	// fails with that error; of a write, half is done before. ErrKilled simulates
	// the death of the process: all files are closed, all locks are released, and
	// every operation fails until Revive. If Fault is nil, no operation fails.
	Fault func(n int, what string) error
	// IgnoreSync makes syncs do nothing and return no error.
	IgnoreSync bool
	// Under carries out the operations. It may be replaced while no file is open.
	Under disk.FS

	mu   sync.Mutex
	root string         // path of the disk's folder
	top  *node          // the node of that folder; nil if nothing is recorded
	log  []op           // the record
	n    int            // number of operations so far, see Operations
	dead bool           // the disk was killed
	open map[*file]bool // the open files
}

// New returns a Disk on the folder root, which must be empty.
func New(root string) *Disk {
	return &Disk{Under: disk.OS, root: root, top: &node{dir: true, names: make(map[string]*node)}, open: make(map[*file]bool)}
}

// Unrecorded returns a Disk that calls Fault but records no operations. The caller sets Under, to
// any FS, such as that of an archive in a bucket. Mark returns 0, and the caller must not call
// Crash.
func Unrecorded() *Disk { return &Disk{open: make(map[*file]bool)} }

// Operations returns how many operations were called so far, including those that
// failed. Calls while the disk is killed do not count.
func (d *Disk) Operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

// Mark returns the number of operations in the record so far. The caller can pass it
// to Crash later.
func (d *Disk) Mark() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.log)
}

// OpenFiles returns the number of files that are open.
func (d *Disk) OpenFiles() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// Revive makes a killed disk work again, as if the next process used it.
func (d *Disk) Revive() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = false
}

// step counts an operation and returns the error with which the operation must
// fail, or nil. what describes the operation. The caller must hold d.mu.
func (d *Disk) step(what string) error {
	if d.dead {
		return ErrKilled
	}
	err := d.ask(what)
	d.die(err)
	return err
}

// ask counts an operation and returns the result of Fault for it.
func (d *Disk) ask(what string) error {
	d.n++
	if d.Fault == nil {
		return nil
	}
	return d.Fault(d.n, what)
}

// die kills the disk if err is ErrKilled: it closes all files, and later
// operations fail.
func (d *Disk) die(err error) {
	if !errors.Is(err, ErrKilled) {
		return
	}
	d.dead = true
	for f := range d.open {
		f.File.Close()
	}
	clear(d.open)
}

// find returns the node of a path. It returns nil if the path does not exist, or
// is outside of the disk's folder.
func (d *Disk) find(path string) *node {
	rel, err := filepath.Rel(d.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	at := d.top
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part == "." {
			continue
		}
		if at == nil {
			return nil
		}
		at = at.names[part]
	}
	return at
}

// means records that the name with this path now belongs to the node to, or to no
// node if to is nil.
func (d *Disk) means(path string, to *node) {
	dir, name := d.find(filepath.Dir(path)), filepath.Base(path)
	if to == nil {
		delete(dir.names, name)
	} else {
		dir.names[name] = to
	}
	d.log = append(d.log, op{kind: kindName, node: dir, name: name, means: to})
}

// Open, Stat and ReadDir implement disk.FS. They always work, even after the disk was killed: they
// do not call Fault, and are not recorded.
func (d *Disk) Open(name string) (disk.Source, error)      { return d.Under.Open(name) }
func (d *Disk) Stat(name string) (fs.FileInfo, error)      { return d.Under.Stat(name) }
func (d *Disk) ReadDir(name string) ([]fs.DirEntry, error) { return d.Under.ReadDir(name) }

// OpenFile implements disk.FS.
func (d *Disk) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("open " + name); err != nil {
		return nil, err
	}
	f, err := d.Under.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	out := &file{File: f, d: d}
	d.open[out] = true
	if d.top == nil {
		return out, nil
	}
	n := d.find(name)
	if n == nil {
		n = &node{}
		d.means(name, n)
	}
	// Another library may have written the file meanwhile, or O_TRUNC emptied it.
	b, err := os.ReadFile(name)
	if err != nil {
		delete(d.open, out)
		f.Close()
		return nil, err
	}
	if !bytes.Equal(b, n.data) {
		d.log = append(d.log, op{kind: kindTruncate, node: n, off: int64(len(b))}, op{kind: kindWrite, node: n, data: bytes.Clone(b)})
		n.data = b
	}
	out.n = n
	return out, nil
}

// Mkdir implements disk.FS.
func (d *Disk) Mkdir(name string, perm fs.FileMode) error {
	return d.change("mkdir "+name, func() error { return d.Under.Mkdir(name, perm) }, func() {
		d.means(name, &node{dir: true, names: make(map[string]*node)})
	})
}

// Rename implements disk.FS.
func (d *Disk) Rename(from, to string) error {
	return d.change("rename "+to, func() error { return d.Under.Rename(from, to) }, func() {
		n := d.find(from)
		d.means(to, n)
		d.means(from, nil)
	})
}

// Link implements disk.FS.
func (d *Disk) Link(from, to string) error {
	return d.change("link "+to, func() error { return d.Under.Link(from, to) }, func() { d.means(to, d.find(from)) })
}

// Remove implements disk.FS.
func (d *Disk) Remove(name string) error {
	return d.change("remove "+name, func() error { return d.Under.Remove(name) }, func() { d.means(name, nil) })
}

// change carries out an operation by calling do. If do succeeds, change calls note,
// which records the operation. what describes the operation for Fault.
func (d *Disk) change(what string, do func() error, note func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.step(what)
	if err == nil {
		err = do()
	}
	if err == nil && d.top != nil {
		note()
	}
	return err
}

// SyncDir implements disk.FS. For a folder outside of the disk's folder it does
// nothing.
func (d *Disk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var n *node
	if d.top != nil {
		if n = d.find(name); n == nil {
			return nil
		}
	}
	return d.sync("syncdir "+name, op{kind: kindSyncDir, node: n})
}

// sync records o, which is a sync of a file or folder. It syncs no real file, because
// Crash computes from the record what a power cut would leave. what describes the
// operation for Fault. The caller must hold d.mu.
func (d *Disk) sync(what string, o op) error {
	err := d.step(what)
	if errors.Is(err, ErrKilled) || d.IgnoreSync {
		return err
	}
	if o.failed = err != nil; d.top != nil {
		d.log = append(d.log, o)
	}
	return err
}

// file is an open file of a Disk.
type file struct {
	disk.File
	d *Disk
	n *node // nil if nothing is recorded
}

func (f *file) Write(b []byte) (int, error) {
	s := f.File.(io.Seeker) // each FS opens files of the operating system for writing
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	n, err := f.WriteAt(b, at)
	if _, e := s.Seek(int64(n), io.SeekCurrent); err == nil {
		err = e
	}
	return n, err
}

func (f *file) WriteAt(b []byte, off int64) (int, error) {
	d := f.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return 0, ErrKilled
	}
	failed := d.ask("write " + f.Name())
	if failed != nil {
		b = b[:len(b)/2]
	}
	n, err := f.File.WriteAt(b, off)
	if f.n != nil {
		if end := off + int64(n); end > int64(len(f.n.data)) {
			f.n.data = append(f.n.data, make([]byte, end-int64(len(f.n.data)))...)
		}
		copy(f.n.data[off:], b[:n])
		d.log = append(d.log, op{kind: kindWrite, node: f.n, off: off, data: bytes.Clone(b[:n])})
	}
	if failed != nil {
		d.die(failed)
		err = failed
	}
	return n, err
}

func (f *file) Truncate(size int64) error {
	return f.d.change("truncate "+f.Name(), func() error { return f.File.Truncate(size) }, func() {
		f.n.data = resize(f.n.data, size)
		f.d.log = append(f.d.log, op{kind: kindTruncate, node: f.n, off: size})
	})
}

func (f *file) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return f.d.sync("sync "+f.Name(), op{kind: kindSync, node: f.n})
}

func (f *file) Close() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	delete(f.d.open, f)
	if f.d.dead {
		return ErrKilled
	}
	return f.File.Close()
}

// resize returns b with size bytes: it cuts off the rest, or appends zero bytes.
func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size:size]
	}
	return append(b[:len(b):len(b)], make([]byte, size-int64(len(b)))...)
}

// Package disktest is a disk that fails when a test wants it to: it dies, is
// full, can't sync, or loses power. Files lie in a real folder, so that what
// maps them works as ever; what was done to them is also written down, and
// Crashes makes of that what a power cut could have left.
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

// ErrKilled is what every operation fails with once the disk was killed.
var ErrKilled = errors.New("disktest: killed")

// kind says what an operation does.
type kind uint8

const (
	kindWrite kind = iota
	kindTruncate
	kindSync
	kindName // a name in a folder comes to mean another file, or none
	kindSyncDir
)

// op is an operation that took place, or, of a sync, was tried.
type op struct {
	kind   kind
	node   *node // what it is done to: a file, or the folder for names
	off    int64 // of a write; of a truncate, the size
	data   []byte
	name   string // in the folder
	means  *node  // what the name means from now on; nil: nothing
	failed bool   // a sync that failed
}

// node is a file or folder, whatever its names.
type node struct {
	dir   bool
	data  []byte           // of a file, as written
	names map[string]*node // of a folder
}

// Disk is a disk.FS on a folder of the real file system, which is empty at
// first. It may be used from several goroutines.
type Disk struct {
	// Fault is asked before each operation, which is counted from 1. If it
	// gives an error the operation fails with it; a write is half done by then.
	// With ErrKilled the process is as good as dead: nothing more works and all
	// locks are gone, until Revive. Nil never fails.
	Fault func(n int, what string) error
	// IgnoreSync makes syncs do nothing, and say that all went well.
	IgnoreSync bool

	mu   sync.Mutex
	root string
	top  *node
	log  []op
	n    int
	dead bool
	open map[*file]bool
}

// New returns a disk on the empty folder root.
func New(root string) *Disk {
	return &Disk{root: root, top: &node{dir: true, names: make(map[string]*node)}, open: make(map[*file]bool)}
}

// Operations is how many operations were asked for so far.
func (d *Disk) Operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

// Mark is the present place in the record, for Crashes.
func (d *Disk) Mark() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.log)
}

// OpenFiles is how many files are open.
func (d *Disk) OpenFiles() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// Revive lets a killed disk work again, for the next process.
func (d *Disk) Revive() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = false
}

// step counts an operation and gives the error that it is to fail with. d.mu
// is held.
func (d *Disk) step(what string) error {
	if d.dead {
		return ErrKilled
	}
	err := d.ask(what)
	d.die(err)
	return err
}

// ask counts an operation and asks Fault.
func (d *Disk) ask(what string) error {
	d.n++
	if d.Fault == nil {
		return nil
	}
	return d.Fault(d.n, what)
}

// die ends all there is if err says so.
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

// find gives the node of a path; nil if there is none, or it is not on the
// disk but above it.
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

// means lets a name mean another node, or none.
func (d *Disk) means(path string, to *node) {
	dir, name := d.find(filepath.Dir(path)), filepath.Base(path)
	if to == nil {
		delete(dir.names, name)
	} else {
		dir.names[name] = to
	}
	d.log = append(d.log, op{kind: kindName, node: dir, name: name, means: to})
}

// OpenFile implements disk.FS.
func (d *Disk) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("open " + name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	n := d.find(name)
	if n == nil {
		n = &node{}
		d.means(name, n)
	}
	// Another library may have written the file meanwhile, or O_TRUNC emptied it.
	b, err := os.ReadFile(name)
	if err != nil {
		f.Close()
		return nil, err
	}
	if !bytes.Equal(b, n.data) {
		d.log = append(d.log, op{kind: kindTruncate, node: n, off: int64(len(b))}, op{kind: kindWrite, node: n, data: bytes.Clone(b)})
		n.data = b
	}
	out := &file{File: f, d: d, n: n}
	d.open[out] = true
	return out, nil
}

// Mkdir implements disk.FS.
func (d *Disk) Mkdir(name string, perm fs.FileMode) error {
	return d.change("mkdir "+name, func() error { return os.Mkdir(name, perm) }, func() {
		d.means(name, &node{dir: true, names: make(map[string]*node)})
	})
}

// Rename implements disk.FS.
func (d *Disk) Rename(from, to string) error {
	return d.change("rename "+to, func() error { return os.Rename(from, to) }, func() {
		n := d.find(from)
		d.means(to, n)
		d.means(from, nil)
	})
}

// Link implements disk.FS.
func (d *Disk) Link(from, to string) error {
	return d.change("link "+to, func() error { return os.Link(from, to) }, func() { d.means(to, d.find(from)) })
}

// Remove implements disk.FS.
func (d *Disk) Remove(name string) error {
	return d.change("remove "+name, func() error { return os.Remove(name) }, func() { d.means(name, nil) })
}

// change does an operation and, if it went well, writes it down.
func (d *Disk) change(what string, do func() error, note func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.step(what)
	if err == nil {
		err = do()
	}
	if err == nil {
		note()
	}
	return err
}

// SyncDir implements disk.FS. Folders above the disk are taken for synced.
func (d *Disk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.find(name)
	if n == nil {
		return nil
	}
	return d.sync("syncdir "+name, op{kind: kindSyncDir, node: n})
}

// sync writes a sync down. d.mu is held. Nothing is synced in truth: it is the
// record that says what would be left.
func (d *Disk) sync(what string, o op) error {
	err := d.step(what)
	if errors.Is(err, ErrKilled) || d.IgnoreSync {
		return err
	}
	o.failed = err != nil
	d.log = append(d.log, o)
	return err
}

// file is an open file.
type file struct {
	*os.File
	d *Disk
	n *node
}

func (f *file) Write(b []byte) (int, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	n, err := f.WriteAt(b, at)
	if _, e := f.Seek(int64(n), io.SeekCurrent); err == nil {
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
	if end := off + int64(n); end > int64(len(f.n.data)) {
		f.n.data = append(f.n.data, make([]byte, end-int64(len(f.n.data)))...)
	}
	copy(f.n.data[off:], b[:n])
	d.log = append(d.log, op{kind: kindWrite, node: f.n, off: off, data: bytes.Clone(b[:n])})
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

// resize cuts b or fills it up with zeros.
func resize(b []byte, size int64) []byte {
	if size <= int64(len(b)) {
		return b[:size:size]
	}
	return append(b[:len(b):len(b)], make([]byte, size-int64(len(b)))...)
}

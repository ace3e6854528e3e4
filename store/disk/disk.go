// Package disk reads and changes the files of an archive. Every file there is opened,
// listed, created, written, synced, renamed or removed through an [FS]. The FS of an
// archive in a folder is [OS], the calls of the operating system. The FS of an archive
// in a bucket is in package s3. Tests use an FS that fails, crashes or loses power at a
// chosen operation; it is in package disktest. Locks and the syncing of folders, which
// differ between operating systems, are here too, in one file per system.
package disk

import (
	"io"
	"io/fs"
	"os"
)

// FS reads and changes files. A method does the same as the function of that name in
// package os, and returns the same errors. Several goroutines may call its
// methods at once.
type FS interface {
	// Open opens a file for reading. The caller closes it.
	Open(name string) (Source, error)
	Stat(name string) (fs.FileInfo, error)
	// ReadDir returns the entries of a folder, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// OpenFile opens a file, with the flags of os.OpenFile. The caller closes
	// the file; closing it also releases a lock on it.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Link(from, to string) error
	// Remove removes a file or an empty folder.
	Remove(name string) error
	// SyncDir makes the names in a folder durable: what was created, renamed or
	// removed in it before the call stays so after a crash.
	SyncDir(name string) error
}

// Source is a file that is open for reading. Several goroutines may call ReadAt at once.
type Source interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
}

// File is an open file of an FS. Bytes are durable once Write and then Sync have
// returned without an error, and SyncDir of the folder has made the name durable.
// If Sync fails, nobody knows which bytes written since the last Sync are
// durable, and calling Sync again does not help: write the file again.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Truncate(size int64) error
	Sync() error
	Fd() uintptr
}

// OS is the file system of the operating system. It is the FS in production.
var OS FS = system{}

type system struct{}

func (system) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File within a File
	}
	return f, nil
}

func (system) Open(name string) (Source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err // not a nil *os.File within a Source
	}
	return f, nil
}

func (system) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (system) Mkdir(name string, perm fs.FileMode) error  { return os.Mkdir(name, perm) }
func (system) Rename(from, to string) error               { return rename(from, to) }
func (system) Link(from, to string) error                 { return os.Link(from, to) }
func (system) Remove(name string) error                   { return os.Remove(name) }
func (system) SyncDir(name string) error                  { return syncDir(name) }

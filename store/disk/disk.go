// Package disk is how the archive's folder is changed: every file that is
// made, written, synced, renamed or removed there goes through an FS. In
// production that is OS, the operating system's own calls. Tests put in one
// that fails, dies or loses power at a chosen operation; package disktest has
// it. What differs from one system to the next, locks and the syncing of
// directories, is here as well, a file each.
//
// Reading needs no such care: what may be read is complete, so packages open
// files for reading as they like.
package disk

import (
	"io"
	"io/fs"
	"os"
)

// FS changes files. Its methods do what those of the same name in package os
// do, fail with the same errors, and may be called from several goroutines.
type FS interface {
	// OpenFile opens a file, with the flags of os.OpenFile. The caller closes
	// it, and with it goes the lock that it may hold.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Link(from, to string) error
	// Remove removes a file or an empty folder.
	Remove(name string) error
	// SyncDir makes the names in a folder durable: what was made, renamed and
	// removed there.
	SyncDir(name string) error
}

// File is an open file of an FS. What was written is durable once Sync has
// returned without an error, under a name that SyncDir has made so. After an
// error of Sync nothing is known of what was written since the last one, and
// syncing again makes it no better: the file is to be made anew.
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

// OS is the operating system's file system.
var OS FS = system{}

type system struct{}

func (system) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File within a File
	}
	return f, nil
}

func (system) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (system) Rename(from, to string) error              { return rename(from, to) }
func (system) Link(from, to string) error                { return os.Link(from, to) }
func (system) Remove(name string) error                  { return os.Remove(name) }
func (system) SyncDir(name string) error                 { return syncDir(name) }

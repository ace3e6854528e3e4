// Package keep has what several requests to the server share: a snapshot of the archive,
// and answers in files, of which clients ask for one part after another.
package keep

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
	"time"
)

// The bounds of Files: how long a file is kept after it was made, how many files are kept, and
// how many bytes these may have together.
const (
	filesTime     = time.Minute
	filesMax      = 16
	filesBytesMax = 1 << 30
)

// Files keeps answers in temporary files without a name for some time, because a client asks for
// each answer in several parts. Several goroutines may use it.
type Files struct {
	Now func() time.Time
	dir string // folder of the files; "" means that of the system

	mu   sync.Mutex
	list []*File // the oldest first
}

// File is one answer in a file. It is closed when it is no longer kept and
// nobody reads it.
type File struct {
	key   string
	Tag   string        // the ETag
	made  chan struct{} // closed when File, Size and err are set
	File  *os.File
	Size  int64
	err   error
	until time.Time
	users int // protected by Files.mu, as is kept
	kept  bool
	from  *Files
}

// Get returns the file with this key. If there is none, Get makes one, which the function write
// fills. Other callers that ask for the same key wait until then. The caller must call Release
// when it has read the file. The error is that of write, or says that no file can be made.
func (k *Files) Get(key string, write func(*os.File) error) (*File, error) {
	k.mu.Lock()
	k.expire()
	for _, f := range k.list {
		if f.key == key {
			f.users++
			k.mu.Unlock()
			<-f.made
			if f.err != nil {
				f.Release()
				return k.Get(key, write) // perhaps only the other client went away
			}
			return f, nil
		}
	}
	sum := sha256.Sum256([]byte(key))
	f := &File{key: key, Tag: hex.EncodeToString(sum[:16]), made: make(chan struct{}), until: k.Now().Add(filesTime), users: 1, kept: true, from: k}
	k.list = append(k.list, f)
	k.mu.Unlock()

	size, err := f.fill(write)
	k.mu.Lock()
	f.Size, f.err = size, err
	close(f.made)
	if err != nil {
		k.drop(f)
	}
	k.expire()
	k.mu.Unlock()
	if f.err != nil {
		f.Release()
		return nil, f.err
	}
	return f, nil
}

// fill makes the file, lets write fill it, and returns its size.
func (f *File) fill(write func(*os.File) error) (size int64, err error) {
	file, err := os.CreateTemp(f.from.dir, "infomall-*.parquet")
	if err != nil {
		return 0, err
	}
	f.File = file
	if err := os.Remove(file.Name()); err != nil { // the open file stays until it is closed
		return 0, err
	}
	if err := write(file); err != nil {
		return 0, err
	}
	return file.Seek(0, io.SeekEnd)
}

// expire stops keeping the files whose time is over, and the oldest ones if there
// are too many. The caller holds k.mu.
func (k *Files) expire() {
	var bytes int64
	for _, f := range k.list {
		bytes += f.Size
	}
	for len(k.list) > 0 {
		f := k.list[0] // the oldest; if it is still being made, its maker closes it
		if len(k.list) <= filesMax && bytes <= filesBytesMax && k.Now().Before(f.until) {
			return
		}
		bytes -= f.Size
		k.drop(f)
	}
}

// drop stops keeping f. The caller holds k.mu.
func (k *Files) drop(f *File) {
	for i := range k.list {
		if k.list[i] == f {
			k.list = append(k.list[:i:i], k.list[i+1:]...)
			break
		}
	}
	f.kept = false
	f.closeUnused()
}

// Release says that the caller of Get does not read the file any more.
func (f *File) Release() {
	f.from.mu.Lock()
	defer f.from.mu.Unlock()
	f.users--
	f.closeUnused()
}

// closeUnused closes the file if it is not kept and nobody uses it. The caller holds
// the lock.
func (f *File) closeUnused() {
	if !f.kept && f.users == 0 && f.File != nil {
		f.File.Close() // it has no name, so its content is gone anyway
		f.File = nil
	}
}

// Close stops keeping all files.
func (k *Files) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.list) > 0 {
		k.drop(k.list[0])
	}
}

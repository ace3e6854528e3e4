package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"sync"
	"time"
)

// The bounds of keptFiles: how long a file is kept after it was made, how many files
// are kept, and how many bytes they may have.
const (
	keptTime     = time.Minute
	keptMax      = 16
	keptBytesMax = 1 << 30
)

// keptFiles keeps answers in temporary files without a name for a while, because a
// client asks for several parts of each. Several goroutines may use it.
type keptFiles struct {
	now func() time.Time
	dir string // folder of the files; "" means that of the system

	mu   sync.Mutex
	list []*keptFile // the oldest first
}

// keptFile is one answer in a file. It is closed when it is no longer kept and
// nobody reads it.
type keptFile struct {
	key   string
	tag   string        // ETag
	made  chan struct{} // closed when file, size and err are set
	file  *os.File
	size  int64
	err   error
	until time.Time
	users int // protected by keptFiles.mu, as is kept
	kept  bool
	from  *keptFiles
}

// get returns the file with this key. If there is none, it makes one, which write
// fills; others who ask for the key meanwhile wait. The caller calls release.
func (k *keptFiles) get(key string, write func(*os.File) error) (*keptFile, error) {
	k.mu.Lock()
	k.expire()
	for _, f := range k.list {
		if f.key == key {
			f.users++
			k.mu.Unlock()
			<-f.made
			if f.err != nil {
				f.release()
				return k.get(key, write) // perhaps only the other client went away
			}
			return f, nil
		}
	}
	sum := sha256.Sum256([]byte(key))
	f := &keptFile{key: key, tag: hex.EncodeToString(sum[:16]), made: make(chan struct{}), until: k.now().Add(keptTime), users: 1, kept: true, from: k}
	k.list = append(k.list, f)
	k.mu.Unlock()

	size, err := f.fill(write)
	k.mu.Lock()
	f.size, f.err = size, err
	close(f.made)
	if err != nil {
		k.drop(f)
	}
	k.expire()
	k.mu.Unlock()
	if f.err != nil {
		f.release()
		return nil, f.err
	}
	return f, nil
}

// fill makes the file, lets write fill it, and returns its size.
func (f *keptFile) fill(write func(*os.File) error) (size int64, err error) {
	file, err := os.CreateTemp(f.from.dir, "infomall-*.parquet")
	if err != nil {
		return 0, err
	}
	f.file = file
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
func (k *keptFiles) expire() {
	var bytes int64
	for _, f := range k.list {
		bytes += f.size
	}
	for len(k.list) > 0 {
		f := k.list[0] // the oldest; if it is still being made, its maker closes it
		if len(k.list) <= keptMax && bytes <= keptBytesMax && k.now().Before(f.until) {
			return
		}
		bytes -= f.size
		k.drop(f)
	}
}

// drop stops keeping f. The caller holds k.mu.
func (k *keptFiles) drop(f *keptFile) {
	for i := range k.list {
		if k.list[i] == f {
			k.list = append(k.list[:i:i], k.list[i+1:]...)
			break
		}
	}
	f.kept = false
	f.closeUnused()
}

// release ends the use of the file by the caller of get.
func (f *keptFile) release() {
	f.from.mu.Lock()
	defer f.from.mu.Unlock()
	f.users--
	f.closeUnused()
}

// closeUnused closes the file if it is not kept and nobody uses it. The caller holds
// the lock.
func (f *keptFile) closeUnused() {
	if !f.kept && f.users == 0 && f.file != nil {
		f.file.Close() // it has no name, so its content is gone anyway
		f.file = nil
	}
}

// close stops keeping all files.
func (k *keptFiles) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.list) > 0 {
		k.drop(k.list[0])
	}
}

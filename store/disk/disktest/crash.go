package disktest

import (
	"crypto/sha256"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// sector is the number of bytes that a disk writes as a whole or not at all.
const sector = 512

// Crash is one state of a disk that a power cut may leave. It has all changes that
// were synced, and any of the other changes: of a write, some sectors may be
// missing, and a later change may be there without an earlier one. A change of a
// name may be lost too, even one of the two changes of a rename.
type Crash struct {
	top     *node
	folders map[*node]map[string]*node // the names in each folder
	files   map[*node][]byte           // the content of each file
}

// change is an operation that a power cut may undo, unless it was synced.
type change struct {
	op
	synced    bool // a power cut cannot undo the operation
	untrusted bool // a sync after the operation failed, so later syncs do not make the operation durable
}

// Crash returns one of the states that a power cut could leave after the first n
// operations of the record. r chooses the state.
func (d *Disk) Crash(n int, r *rand.Rand) *Crash {
	d.mu.Lock()
	defer d.mu.Unlock()
	pending := make(map[*node][]change)
	for _, o := range d.log[:n] {
		list := pending[o.node]
		if o.kind != kindSync && o.kind != kindSyncDir {
			pending[o.node] = append(list, change{op: o})
			continue
		}
		for i := range list {
			list[i].untrusted = list[i].untrusted || o.failed
			list[i].synced = list[i].synced || !o.failed && !list[i].untrusted
		}
	}
	c := &Crash{top: d.top, folders: make(map[*node]map[string]*node), files: make(map[*node][]byte)}
	// The share of unsynced changes that the disk keeps.
	keep := []float64{0, 0.1, 0.5, 0.9, 1}[r.IntN(5)]
	c.folder(d.top, pending, keep, r)
	return c
}

func (c *Crash) folder(n *node, pending map[*node][]change, keep float64, r *rand.Rand) {
	names := make(map[string]*node)
	c.folders[n] = names
	for _, o := range pending[n] {
		if o.synced || r.Float64() < keep {
			names[o.name] = o.means
		}
	}
	for _, name := range sorted(names) {
		m := names[name]
		_, folder := c.folders[m]
		_, file := c.files[m]
		switch {
		case m == nil:
			delete(names, name)
		case folder || file:
		case m.dir:
			c.folder(m, pending, keep, r)
		default:
			c.files[m] = content(pending[m], keep, r)
		}
	}
}

// content returns the bytes of a file that are left after a power cut. list has
// the changes to the file, and keep is the probability, from 0 to 1, that an
// unsynced change survives.
func content(list []change, keep float64, r *rand.Rand) []byte {
	var b []byte
	for _, o := range list {
		switch {
		case o.kind == kindTruncate:
			if o.synced || r.Float64() < keep {
				b = resize(b, o.off)
			}
		case o.synced:
			b = put(b, o.off, o.data)
		default:
			for at := 0; at < len(o.data); {
				end := min(len(o.data), at+sector-int(o.off+int64(at))%sector)
				if r.Float64() < keep {
					b = put(b, o.off+int64(at), o.data[at:end])
				}
				at = end
			}
		}
	}
	return b
}

func put(b []byte, off int64, data []byte) []byte {
	if end := off + int64(len(data)); end > int64(len(b)) {
		b = resize(b, end)
	}
	copy(b[off:], data)
	return b
}

func sorted(names map[string]*node) []string {
	out := make([]string, 0, len(names))
	for name := range names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// walk calls f for node n and for each folder and file in it, in order of name.
// path is the path of n. The argument data of f is the content of a file.
func (c *Crash) walk(n *node, path string, f func(path string, dir bool, data []byte) error) error {
	names, dir := c.folders[n]
	if err := f(path, dir, c.files[n]); err != nil {
		return err
	}
	for _, name := range sorted(names) {
		if err := c.walk(names[name], filepath.Join(path, name), f); err != nil {
			return err
		}
	}
	return nil
}

// Sum returns a hash of the names and contents of all files. Different states have
// different sums.
func (c *Crash) Sum() [sha256.Size]byte {
	h := sha256.New()
	// Writing to a hash does not fail.
	_ = c.walk(c.top, ".", func(path string, dir bool, data []byte) error {
		sum := sha256.Sum256(data)
		h.Write([]byte(path))
		h.Write([]byte{0})
		h.Write(sum[:])
		return nil
	})
	return [sha256.Size]byte(h.Sum(nil))
}

// WriteTo writes the files and folders of the state into the folder root, which
// it creates.
func (c *Crash) WriteTo(root string) error {
	return c.walk(c.top, root, func(path string, dir bool, data []byte) error {
		if dir {
			return os.MkdirAll(path, 0o755)
		}
		return os.WriteFile(path, data, 0o644)
	})
}

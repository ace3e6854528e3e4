package commit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/store/catalog"
	"infomall/store/disk"
	"infomall/store/segment"
)

// leftAfter is the age from which a lease or a probe (an object with which a writer tested the
// bucket) is removed if the catalogue does not list its writer.
const leftAfter = 12 * time.Hour

// lease is the lease of one writer, which a goroutine of the writer's process renews.
type lease struct {
	name string        // path of the object
	stop chan struct{} // is closed to stop the goroutine
	done chan struct{} // is closed when the goroutine has ended
}

// renew renews the lease every few seconds, until l.stop is closed. It ignores errors, because it
// tries again a few seconds later. If all renewals fail for too long, another writer ends this
// writer's right to publish.
func (l *lease) renew(d disk.Shared) {
	defer close(l.done)
	tick := time.NewTicker(leaseEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			_ = d.Touch(l.name)
		}
	}
}

// isDamage reports whether err means that a file is damaged.
func isDamage(err error) bool {
	var e *segment.Error
	return errors.As(err, &e)
}

// register returns a new writer. It publishes a generation that lists the new writer, and no
// longer lists writers that have not renewed their leases in time. If catalogued is false, the
// catalogue is lost; register then publishes nothing, and no generation lists the writer.
func (b *bucket) register(ctx context.Context, catalogued bool) (*Writer, error) {
	w := &Writer{Folder: b.f, Packer: new(segment.Packer)}
	err := b.begin(ctx, w, catalogued)
	if err != nil {
		if w.lock != nil {
			err = errors.Join(err, disk.RemoveAll(b.f.Files(), w.dir), w.lock.Close())
		}
		return nil, fmt.Errorf("begin to write to the archive %s: %w", b.f.Path, err)
	}
	return w, nil
}

func (b *bucket) begin(ctx context.Context, w *Writer, catalogued bool) error {
	if err := b.create(); err != nil {
		return err
	}
	if err := b.disk.Check(ctx); err != nil {
		return err
	}
	// Other processes of this machine may use the same working folder.
	err := b.f.LockedBy(ctx, FileLock, func(disk.File) error {
		if _, err := b.f.sweepWriters(); err != nil {
			return err
		}
		return w.makeFolder()
	})
	if err != nil {
		return err
	}
	if !catalogued {
		return b.locked(ctx, b.f.putFormat)
	}
	name := w.Name()
	l := &lease{name: b.path(filepath.Join(dirLeases, name)), stop: make(chan struct{}), done: make(chan struct{})}
	if err := b.disk.Touch(l.name); err != nil {
		return err
	}
	// Files with smaller numbers than this one belong to writers that were listed before.
	free, err := b.freeNumber()
	if err != nil {
		return err
	}
	var c *catalog.Catalog
	err = b.locked(ctx, func() error {
		if err := b.f.begin(); err != nil {
			return err
		}
		before, err := b.f.InForce()
		if err != nil {
			return err
		}
		c = next(before)
		c.Writers = nil
		for _, other := range before.Writers {
			silent, err := b.silent(other)
			if err != nil {
				return err
			}
			if !silent {
				c.Writers = append(c.Writers, other)
			}
		}
		c.Writers = append(c.Writers, name)
		return b.putAfter(c, before)
	})
	if err != nil {
		return errors.Join(err, b.disk.Remove(l.name))
	}
	b.mu.Lock()
	b.live[name] = true
	b.mu.Unlock()
	w.lease = l
	go l.renew(b.disk) // unregister waits for it
	if len(c.Writers) == 1 {
		if err := b.sweepFiles(c, free); err != nil {
			return errors.Join(err, b.unregister(w))
		}
	}
	return nil
}

// silent reports whether the lease of a writer is too old, so that its right to publish may be
// ended. It is false for the writers of this process.
func (b *bucket) silent(writer string) (bool, error) {
	b.mu.Lock()
	live := b.live[writer]
	b.mu.Unlock()
	if live {
		return false, nil
	}
	written, err := b.disk.Written(b.path(filepath.Join(dirLeases, writer)))
	if errors.Is(err, os.ErrNotExist) {
		return true, nil // a writer has its lease before it is listed
	}
	return b.disk.Now().Sub(written) > b.lease, err
}

// unregister publishes a generation that no longer lists the writer w, and removes its lease.
func (b *bucket) unregister(w *Writer) error {
	if w.lease == nil {
		return nil
	}
	name := w.Name()
	close(w.lease.stop)
	<-w.lease.done
	b.mu.Lock()
	delete(b.live, name)
	b.mu.Unlock()
	err := b.locked(context.Background(), func() error {
		before, err := b.f.InForce()
		if err != nil || !slices.Contains(before.Writers, name) {
			return err
		}
		c := next(before)
		c.Writers = slices.DeleteFunc(slices.Clone(before.Writers), func(o string) bool { return o == name })
		return b.putAfter(c, before)
	})
	w.lease, name = nil, w.lease.name
	return errors.Join(err, b.disk.Remove(name))
}

// sweepFiles removes the leftovers of writers that are no longer listed in the catalogue. These
// are files that the catalogue c does not name and that have numbers below free, and catalogue
// files that never came into force. c lists only one writer, of this process, and free was read
// from NUMBER before c was read. So no other writer can be about to publish one of these files.
func (b *bucket) sweepFiles(c *catalog.Catalog, free uint64) error {
	use := &fileUse{users: make(map[string]int), words: make(map[uint32]bool)}
	for _, name := range c.Files() {
		use.count(name)
	}
	for _, g := range c.Gone {
		use.count(g.Name)
	}
	for _, pattern := range []string{filepath.Join(DirPools, "*", "*.raw"), filepath.Join(DirPools, "*", "*.names"), filepath.Join(DirIndex, "*.idx"), filepath.Join(DirRemoved, "[0-9]*"), filepath.Join(DirBlocked, "[0-9]*"), filepath.Join(Words.Dir, "*.words"), filepath.Join(Documents.Dir, "*.docs")} {
		found, err := disk.Glob(b.disk, b.f.Path, pattern)
		if err != nil {
			return err
		}
		for _, path := range found {
			rel, err := filepath.Rel(b.f.Path, path)
			if err != nil {
				return err
			}
			if use.users[rel] == 0 && !DerivedOf(rel, use.words) && numberAfter(rel) <= free {
				if err := b.disk.Remove(path); err != nil {
					return err
				}
			}
		}
	}
	// Leases and probes that were not removed in a day belong to processes that were killed.
	for _, dir := range []string{dirLeases, dirProbe} {
		entries, err := b.disk.ReadDir(b.path(dir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && !slices.Contains(c.Writers, e.Name()) && b.disk.Now().Sub(info.ModTime()) > leftAfter {
				err = b.disk.Remove(b.path(filepath.Join(dir, e.Name())))
			}
			if err != nil {
				return err
			}
		}
	}
	entries, err := b.disk.ReadDir(b.path(DirCatalog))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		rel := filepath.Join(DirCatalog, e.Name())
		digits, _, ok := strings.Cut(e.Name(), ".")
		n, err := strconv.ParseUint(digits, 10, 64)
		if ok && err == nil && n <= c.Generation && use.users[rel] == 0 && rel != b.f.CatalogFile(c.Generation) {
			if err := b.disk.Remove(b.path(rel)); err != nil {
				return err
			}
		}
	}
	return nil
}

package commit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"infomall/store/catalog"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/disk/tier"
	"infomall/store/segment"
)

// CatalogFile returns the path, in the archive's folder, of the catalogue of a
// generation (state of the archive), such as "catalog/000012".
func (f *Folder) CatalogFile(generation uint64) string {
	if f.bucket != nil {
		return filepath.Join(DirCatalog, f.bucket.nameOf(generation))
	}
	return filepath.Join(DirCatalog, fmt.Sprintf("%06d", generation))
}

// currentLine returns the line of the file CURRENT that names the generation in force: the
// name of its catalogue file, such as 000012, a blank, and the crc32c of the name. Without
// the checksum, a flipped bit could make the line name an older generation.
func currentLine(name string) []byte {
	return fmt.Appendf(nil, "%s %08x\n", name, crc32c.Sum([]byte(name)))
}

// current reads the number of the current generation from the file CURRENT. It returns 0 if
// there is no such file. In a folder, a user may have written the number without its checksum;
// it must then have all digits of the catalogue's file name. In a bucket, CURRENT may also have
// the content of the catalogue, and current remembers that.
func (f *Folder) current() (uint64, error) {
	b, err := disk.ReadFile(f.Disk, filepath.Join(f.Path, FileCurrent))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var inside []byte
	if f.bucket != nil {
		if end := bytes.IndexByte(b, '\n') + 1; end > 0 {
			b, inside = b[:end], b[end:]
		}
	}
	name, _, summed := strings.Cut(strings.TrimSpace(string(b)), " ")
	digits := name
	if f.bucket != nil {
		digits, _, _ = strings.Cut(name, ".")
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || summed && !bytes.Equal(b, currentLine(name)) || digits != fmt.Sprintf("%06d", n) || f.bucket != nil && !summed {
		return 0, &segment.Error{File: FileCurrent, Offset: -1, Err: fmt.Errorf("it should hold the number of a catalogue, but holds %q: %s", b, f.currentRemedy(0))}
	}
	if f.bucket != nil {
		f.bucket.remember(n, name)
		if len(inside) == 0 { // somebody has copied the files of a folder into the bucket
			return n, nil
		}
		if err := f.bucket.keepSealed(name, inside); err != nil {
			return 0, &segment.Error{File: FileCurrent, Offset: -1, Err: fmt.Errorf("%w: %s", err, f.currentRemedy(0))}
		}
	}
	return n, nil
}

// lostCurrent returns an error if there are db-files but no file CURRENT. The error
// says what to do. Because an archive gets CURRENT before its first db-file, CURRENT
// must have been lost, and the db-files are not leftovers of a killed process.
func (f *Folder) lostCurrent() error {
	files, err := disk.Glob(f.Disk, f.Path, filepath.Join(DirPools, "*", "*.raw"))
	if err != nil {
		return err
	}
	there := fmt.Sprintf("%d db-files", len(files))
	if len(files) == 0 {
		if _, err := f.Disk.Stat(filepath.Join(f.Path, tier.FileName)); err != nil {
			return nil
		}
		there = "db-files in the place that the file " + tier.FileName + " names"
	}
	if _, err := f.Disk.Stat(filepath.Join(f.Path, FileCurrent)); !errors.Is(err, os.ErrNotExist) {
		return err // nil: another process created the archive meanwhile
	}
	return &segment.Error{File: FileCurrent, Offset: -1, Err: fmt.Errorf("the file is missing, but there are %s: nothing is read or written until it is restored; %s", there, f.currentRemedy(0))}
}

// currentRemedy returns a text that tells the user how to repair the file CURRENT. If
// CURRENT names a catalogue that is missing, n is the number of that catalogue;
// otherwise n is 0.
func (f *Folder) currentRemedy(n uint64) string {
	catalogs, _ := disk.Glob(f.Disk, f.Path, filepath.Join(DirCatalog, "[0-9]*")) // the pattern is well-formed
	if len(catalogs) > 0 {
		newest := filepath.Base(slices.MaxFunc(catalogs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }))
		if number, err := strconv.ParseUint(newest, 10, 64); err == nil && number > n {
			return "write the number of the newest file in " + DirCatalog + " into it, which is " + newest
		}
	}
	return "REINDEX makes it again from the db-files; or restore it and the folder " + DirCatalog + " from a copy of the archive"
}

// Pin is the catalogue of one generation (state of the archive), protected from
// deletion by a shared lock, together with every file that it names. Pins of one
// generation share the catalogue: nobody may change it.
type Pin struct {
	*catalog.Catalog
	file *os.File // nil for the empty catalogue of an archive that does not exist
}

// Release ends the pin. A writer may then remove the files of the generation, unless others
// have pinned it.
func (p *Pin) Release() {
	if p.file != nil {
		p.file.Close() // this releases the lock too
	}
}

// Pin pins the generation in force: its files stay until the caller releases the
// pin. If there is no archive yet, the catalogue of the result is empty. A writer
// may remove a generation after Pin has read CURRENT and before Pin has locked the
// generation. CURRENT then names another generation, and Pin tries again with that.
func (f *Folder) Pin() (*Pin, error) {
	if f.bucket != nil {
		return f.bucket.pin()
	}
	for {
		n, err := f.current()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			if err := f.lostCurrent(); err != nil {
				return nil, err
			}
			return &Pin{Catalog: &catalog.Catalog{}}, nil
		}
		name := filepath.Join(f.Path, f.CatalogFile(n))
		file, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			if again, e := f.current(); e == nil && again != n {
				continue
			}
			return nil, &segment.Error{File: FileCurrent, Offset: -1, Err: fmt.Errorf("it names %s, but there is no such file: %s", f.CatalogFile(n), f.currentRemedy(n))}
		}
		if err != nil {
			return nil, err
		}
		if err := disk.LockShared(file); err != nil {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		again, err := f.current()
		if err != nil || again != n {
			file.Close()
			if err != nil {
				return nil, err
			}
			continue
		}
		c, err := f.pinned.load(f, n, file)
		if err != nil {
			file.Close()
			return nil, err
		}
		return &Pin{Catalog: c, file: file}, nil
	}
}

// lastPinned keeps the catalogue that was pinned last, so that it is not decoded again. A
// server pins a catalogue for each request. With a hundred segments, decoding it would
// take a third of the time for a page.
type lastPinned struct {
	mu      sync.Mutex
	catalog *catalog.Catalog
	file    os.FileInfo // of the file from which the catalogue was read
}

// load returns the catalogue of generation n. file is the open file of that catalogue. If it is
// the file that was decoded last, load returns the same catalogue and does not decode it again.
func (l *lastPinned) load(f *Folder, n uint64, file *os.File) (*catalog.Catalog, error) {
	now, err := file.Stat()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.catalog != nil && l.catalog.Generation == n && os.SameFile(now, l.file) && now.Size() == l.file.Size() && now.ModTime().Equal(l.file.ModTime()) {
		return l.catalog, nil
	}
	c, err := f.Load(n)
	if err != nil {
		return nil, err
	}
	l.catalog, l.file = c, now
	return c, nil
}

// Load reads the catalogue file of generation n and decodes it. In a bucket, it does not read the
// file if its content is in memory, because the process has read it before or has read it in
// CURRENT.
func (f *Folder) Load(n uint64) (*catalog.Catalog, error) {
	read := f.readCatalog
	if f.bucket != nil {
		read = f.bucket.readCatalog
	}
	b, err := read(n)
	if err != nil {
		return nil, err
	}
	c, err := f.decode(b, n)
	if err == nil && f.bucket != nil {
		f.bucket.learn(c)
	}
	return c, err
}

// CheckCatalog reads the catalogue file of generation n, and returns an error if it is damaged or
// missing.
func (f *Folder) CheckCatalog(n uint64) error {
	b, err := f.readCatalog(n)
	if err == nil {
		_, err = f.decode(b, n)
	}
	return err
}

// readCatalog reads the catalogue file of generation n.
func (f *Folder) readCatalog(n uint64) ([]byte, error) {
	return disk.ReadFile(f.Disk, filepath.Join(f.Path, f.CatalogFile(n)))
}

// decode parses the content of the catalogue file of generation n.
func (f *Folder) decode(b []byte, n uint64) (*catalog.Catalog, error) {
	c, err := catalog.Decode(b, n)
	if err != nil {
		return nil, segment.Damage(f.CatalogFile(n), -1, err)
	}
	return c, nil
}

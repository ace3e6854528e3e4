package store

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
)

var archivesIn = flag.String("archives", "", "where the tests make their archives: \"memory\" is a bucket of a store in the test's process, "+
	"s3://BUCKET is a bucket of the store that AWS_ENDPOINT_URL names; otherwise folders")

// places are the archives that tests have made in a bucket. Each has a folder of this machine, by which
// tests name it. The folder is its working folder, and the prefix of its objects is the path of
// the folder.
var places struct {
	sync.Mutex
	server *s3test.Server // nil if the store is another process
	later  time.Duration  // by how much the server's clock is ahead
	fs     map[string]*s3.FS
}

// inBuckets reports whether the tests make their archives in a bucket.
func inBuckets() bool { return *archivesIn != "" }

// needsFolder skips a test that has no meaning if the archive is in a bucket. why says the reason.
func needsFolder(t testing.TB, why string) {
	t.Helper()
	if inBuckets() {
		t.Skip("not in a bucket: " + why)
	}
}

// client returns a client for the place of an archive.
func client(dir string) *s3.Client {
	places.Lock()
	defer places.Unlock()
	from, bucket := s3.FromEnvironment(), *archivesIn
	if bucket == "memory" {
		if places.server == nil {
			places.server = s3test.New()
			places.server.Now = func() time.Time {
				places.Lock()
				defer places.Unlock()
				return time.Now().Add(places.later)
			}
		}
		from, bucket = places.server.Place(), s3.Scheme+s3test.Bucket
	}
	c, err := from.Open(bucket + filepath.ToSlash(dir))
	if err != nil {
		panic(err)
	}
	return c
}

// place returns what a statement calls a file or an archive that tests name by a path: the URL of its
// objects, or the path itself if archives are in folders.
func place(path string) string {
	if !inBuckets() {
		return path
	}
	c := client(path)
	if _, dir := archiveOf(path); dir == "" {
		look(path, c)
	}
	return c.URL()
}

// look makes tests find the files below a folder in the bucket that c reads.
func look(dir string, c *s3.Client) {
	d, err := s3.NewFS(c, s3.Options{Root: dir, CacheBytes: -1, Place: commit.PlaceOf})
	if err != nil {
		panic(err)
	}
	places.Lock()
	defer places.Unlock()
	if places.fs == nil {
		places.fs = make(map[string]*s3.FS)
	}
	places.fs[dir] = d
}

// openAt opens the archive that tests name by a folder.
func openAt(dir string, o Options) *Archive {
	return openOver(dir, o, nil)
}

// openOver opens the archive that tests name by a folder, with an FS that over makes
// of the one that the archive would have.
func openOver(dir string, o Options, over func(disk.FS) disk.FS) *Archive {
	if !inBuckets() {
		if over != nil {
			o.Disk = over(disk.OS)
		}
		return Open(dir, o)
	}
	if !filepath.IsAbs(dir) {
		panic("the folder of an archive in a bucket is relative: " + dir)
	}
	c := client(dir)
	b := BucketOptions{Folder: dir, CacheBytes: 64 << 20}
	if o.Bucket == nil {
		o.Bucket = func(url string) (*s3.Client, BucketOptions, error) {
			at := strings.TrimPrefix(url, strings.TrimSuffix(c.URL(), filepath.ToSlash(dir)))
			return client(at), BucketOptions{Folder: dir + ".elsewhere", CacheBytes: 64 << 20}, nil
		}
	}
	a, err := OpenBucket(c, b, o)
	if err != nil {
		panic(err)
	}
	if over != nil {
		o.Disk = &overShared{over(a.folder.Disk), a.folder.Disk.(disk.Shared)}
		a = Open(dir, o)
		a.bucket, a.settings = c, b
	}
	look(dir, c)
	return a
}

// failing returns a disk that fails as its Fault says, and what openOver needs to open archives on
// it, one after the other. In folders, the disk has the folder root, which must be empty, and records what
// is done.
func failing(root string) (*disktest.Disk, func(disk.FS) disk.FS) {
	d := disktest.New(root)
	if inBuckets() {
		d = disktest.Unrecorded()
	}
	return d, func(under disk.FS) disk.FS {
		d.Under = under
		return d
	}
}

// overShared is a disk.Shared of which another FS reads and changes the files.
type overShared struct {
	disk.FS
	shared disk.Shared
}

func (d *overShared) Attempt(ctx context.Context, do func() error) error {
	return d.shared.Attempt(ctx, do)
}
func (d *overShared) Expect(id string, files map[string]disk.Expected) { d.shared.Expect(id, files) }
func (d *overShared) Prefetch(names []string)                          { d.shared.Prefetch(names) }
func (d *overShared) Written(name string) (time.Time, error)           { return d.shared.Written(name) }
func (d *overShared) Now() time.Time                                   { return d.shared.Now() }
func (d *overShared) Touch(name string) error                          { return d.shared.Touch(name) }
func (d *overShared) Check(ctx context.Context) error                  { return d.shared.Check(ctx) }
func (d *overShared) Forget(name string)                               { d.shared.Forget(name) }

// sweep removes the files of an archive that are out of force, as the next writers do. In a bucket this is
// after the grace period; it reports whether the clock of the store could be moved there.
func sweep(a *Archive) (swept bool, err error) {
	ctx := context.Background()
	if !inBuckets() {
		w, err := a.folder.NewWriter(ctx)
		if err != nil {
			return false, err
		}
		return true, w.Close()
	}
	if places.server == nil {
		return false, nil
	}
	for _, later := range []time.Duration{time.Hour, 25 * time.Hour} {
		places.Lock()
		places.later += later
		places.Unlock()
		// A new writer expels the writers whose leases have ended, and removes the files they left.
		w, err := a.folder.NewWriter(ctx)
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			return false, err
		}
	}
	// A sweep removes some files, and makes a generation. If there is nothing to remove, it makes none.
	for last := uint64(0); ; {
		c, err := a.folder.InForce()
		if err != nil || c.Generation == last {
			return true, err
		}
		last = c.Generation
		if err := a.folder.Sweep(ctx); err != nil {
			return false, err
		}
	}
}

// mustSweep does what sweep does, and ends the test at an error.
func mustSweep(t testing.TB, a *Archive) (swept bool) {
	t.Helper()
	swept, err := sweep(a)
	if err != nil {
		t.Fatal(err)
	}
	return swept
}

// archiveOf returns the FS of the archive that has the file or folder with this path, and the
// folder that names the archive; disk.OS if no archive in a bucket has it.
func archiveOf(path string) (d disk.FS, dir string) {
	d = disk.OS
	places.Lock()
	defer places.Unlock()
	for at, f := range places.fs {
		if (path == at || strings.HasPrefix(path, at+string(filepath.Separator))) && len(at) > len(dir) {
			d, dir = f, at
		}
	}
	return d, dir
}

// readFile returns the content of a file, which may be an object of an archive.
func readFile(path string) ([]byte, error) {
	d, _ := archiveOf(path)
	f, err := d.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// writeFile writes a file, which may be an object of an archive: then this machine forgets what it
// has kept of it.
func writeFile(path string, b []byte) error {
	d, dir := archiveOf(path)
	if dir == "" || commit.PlaceOf(relative(dir, path)) == disk.Local {
		return os.WriteFile(path, b, 0o644)
	}
	made := filepath.Join(dir, ".written")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(made, b, 0o644); err != nil {
		return err
	}
	return errors.Join(d.Rename(made, path), forget(dir))
}

// forget removes what this machine has kept of the objects of an archive.
func forget(dir string) error { return os.RemoveAll(filepath.Join(dir, ".cache")) }

// openFile opens a file, which may be an object of an archive. The caller closes it.
func openFile(path string) (disk.Source, error) {
	d, _ := archiveOf(path)
	return d.Open(path)
}

// renameFile renames a file, which may be an object of an archive.
func renameFile(from, to string) error {
	b, err := readFile(from)
	if err != nil {
		return err
	}
	return errors.Join(writeFile(to, b), removeFile(from))
}

// relative returns the path of a file below a folder, with slashes.
func relative(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		panic(err)
	}
	return filepath.ToSlash(rel)
}

// removeAll removes a file, or a folder with all that is in it.
func removeAll(path string) error {
	d, dir := archiveOf(path)
	if dir == "" {
		return os.RemoveAll(path)
	}
	var errs []error
	if info, err := os.Lstat(path); err != nil || info.IsDir() {
		for _, name := range filesIn(path) {
			errs = append(errs, d.Remove(name))
		}
	}
	if err := d.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, os.RemoveAll(path), forget(dir))...)
}

// removeFile removes a file.
func removeFile(path string) error {
	d, dir := archiveOf(path)
	if _, err := d.Stat(path); err != nil {
		return err
	}
	if dir == "" {
		return d.Remove(path)
	}
	return errors.Join(d.Remove(path), forget(dir))
}

// exists returns an error if there is no file or folder with this path.
func exists(path string) error {
	d, dir := archiveOf(path)
	_, err := d.Stat(path)
	if err != nil && dir != "" {
		if list, e := d.ReadDir(path); e == nil && len(list) > 0 {
			return nil
		}
	}
	return err
}

// filesIn returns the paths of all files in a folder and in the folders in it, sorted. Of an archive in
// a bucket these are the objects and the files of the working folder without its cache.
func filesIn(dir string) (names []string) {
	d, _ := archiveOf(dir)
	list, err := d.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	for _, e := range list {
		switch path := filepath.Join(dir, e.Name()); {
		case !e.IsDir():
			names = append(names, path)
		case e.Name() != ".cache":
			names = append(names, filesIn(path)...)
		}
	}
	slices.Sort(names)
	return names
}

// glob returns the paths of the files and folders that match a pattern, sorted.
func glob(pattern string) ([]string, error) {
	if !inBuckets() {
		return filepath.Glob(pattern)
	}
	dir, last := filepath.Dir(pattern), filepath.Base(pattern)
	dirs := []string{dir}
	if strings.Contains(dir, "*") {
		var err error
		if dirs, err = glob(dir); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, dir := range dirs {
		d, _ := archiveOf(dir)
		list, err := d.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range list {
			ok, err := filepath.Match(last, e.Name())
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return out, nil
}

// copyFiles copies all files of an archive, as another program would: the copy in the folder to, which
// may exist, is an archive too.
func copyFiles(to, from string) error {
	if !inBuckets() {
		return os.CopyFS(to, os.DirFS(from))
	}
	openAt(to, Options{})
	for _, name := range filesIn(from) {
		b, err := readFile(name)
		if err != nil {
			return err
		}
		at := filepath.Join(to, relative(from, name))
		if err := exists(at); err == nil {
			return fmt.Errorf("%s: %w", at, fs.ErrExist)
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := writeFile(at, bytes.Clone(b)); err != nil {
			return err
		}
	}
	return nil
}

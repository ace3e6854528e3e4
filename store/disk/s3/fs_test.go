package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
)

// newFS returns a file system in which files below "fixed", "whole" and "changing" are objects.
func newFS(t *testing.T, server *s3test.Server, o s3.Options) *s3.FS {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	o.Place = func(rel string) disk.Place {
		switch top, _, _ := strings.Cut(rel, "/"); top {
		case "fixed":
			return disk.Fixed
		case "whole":
			return disk.Whole
		case "changing":
			return disk.Changing
		}
		return disk.Local
	}
	d, err := s3.NewFS(server.Client(t, "p"), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWhole reads an object of several blocks that is read as a whole: with one request, and without any
// when it is in the cache of the machine.
func TestWhole(t *testing.T) {
	server := s3test.Start(t)
	root := t.TempDir()
	content := bytes.Repeat([]byte("0123456789"), 20_000)
	one := newFS(t, server, s3.Options{Root: root})
	name := filepath.Join(root, "whole", "x")
	if _, err := one.Open(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an object that is missing: %v", err)
	}
	if err := disk.WriteFile(one, name, content); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		d    *s3.FS
		want int64
	}{{"cold", one, 1}, {"again", one, 0}, {"by another process", newFS(t, server, s3.Options{Root: root}), 0}, {"fresh", one.Fresh(), 1}} {
		before := c.d.Client().Stats().Requests
		got, err := disk.ReadFile(c.d, name)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes, %v", c.what, len(got), err)
		}
		if n := c.d.Client().Stats().Requests - before; n != c.want {
			t.Errorf("%s: %d requests, want %d", c.what, n, c.want)
		}
	}
}

// TestReads reads ranges of an object in any order, from several goroutines and two machines that
// share a cache which is too small, and whose files are damaged now and then.
func TestReads(t *testing.T) {
	server := s3test.Start(t)
	content := make([]byte, 9<<20+77)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range content {
		content[i] = byte(r.Uint32())
	}
	root := t.TempDir()
	one, two := newFS(t, server, s3.Options{Root: root, CacheBytes: 2 << 20}), newFS(t, server, s3.Options{Root: root, CacheBytes: 2 << 20})
	made := filepath.Join(root, "made")
	if err := os.WriteFile(made, content, 0o600); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "fixed", "a", "x")
	if err := one.Link(made, name); err != nil {
		t.Fatal(err)
	}
	if err := two.Link(made, name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link to what exists: %v", err)
	}
	one.Expect("id", map[string]disk.Expected{"fixed/a/x": {Bytes: int64(len(content))}})
	var wg sync.WaitGroup
	for i, d := range []*s3.FS{one, two, one} {
		f, err := d.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 5))
			for n := range 60 {
				off := r.IntN(len(content) + 10)
				p := make([]byte, r.IntN(300_000))
				got, err := f.ReadAt(p, int64(off))
				want := content[min(off, len(content)):min(off+len(p), len(content))]
				if !bytes.Equal(p[:got], want) || (err != nil) != (off+len(p) > len(content) || off >= len(content)) || err != nil && err != io.EOF {
					t.Errorf("ReadAt %d+%d: %d bytes, %v; want %d", off, len(p), got, err, len(want))
				}
				if n%20 == 0 {
					files, _ := filepath.Glob(filepath.Join(root, ".cache", "*", "*", "0*"))
					if len(files) > 0 {
						_ = os.WriteFile(files[r.IntN(len(files))], []byte("damaged"), 0o600)
					}
				}
			}
			whole, err := io.ReadAll(f)
			if err != nil || !bytes.Equal(whole, content) {
				t.Errorf("read to the end: %d bytes, %v", len(whole), err)
			}
		})
	}
	wg.Wait()
	size := int64(0)
	files, _ := filepath.Glob(filepath.Join(root, ".cache", "*", "*", "0*"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	if size > 3<<20 {
		t.Errorf("the cache has %d bytes", size)
	}
}

// TestFolders lists objects and local files of a folder together.
func TestFolders(t *testing.T) {
	server := s3test.Start(t)
	d := newFS(t, server, s3.Options{})
	path := func(rel string) string { return filepath.Join(d.Root(), filepath.FromSlash(rel)) }
	for _, rel := range []string{"fixed/a/1", "fixed/b/2", "changing/c", "local/l"} {
		if err := disk.MkdirAll(d, filepath.Dir(path(rel))); err != nil {
			t.Fatal(err)
		}
		if err := disk.WriteFile(d, path(rel), []byte(rel)); err != nil {
			t.Fatal(err)
		}
		if b, err := disk.ReadFile(d, path(rel)); err != nil || string(b) != rel {
			t.Errorf("%s: %q, %v", rel, b, err)
		}
		if info, err := d.Stat(path(rel)); err != nil || info.Size() != int64(len(rel)) {
			t.Errorf("%s: %v, %v", rel, info, err)
		}
	}
	if got := server.Objects(); !slices.Equal(got, []string{"p/changing/c", "p/fixed/a/1", "p/fixed/b/2"}) {
		t.Errorf("objects: %q", got)
	}
	other := newFS(t, server, s3.Options{})
	list := func(d *s3.FS, rel string) (names []string) {
		entries, err := d.ReadDir(filepath.Join(d.Root(), filepath.FromSlash(rel)))
		if err != nil {
			return []string{fmt.Sprint(errors.Is(err, fs.ErrNotExist))}
		}
		for _, e := range entries {
			names = append(names, fmt.Sprint(e.Name(), " ", e.IsDir()))
		}
		return names
	}
	for _, c := range []struct {
		rel         string
		here, there []string
	}{
		{"", []string{"changing true", "fixed true", "local true"}, []string{"changing true", "fixed true"}},
		{"fixed", []string{"a true", "b true"}, []string{"a true", "b true"}},
		{"fixed/a", []string{"1 false"}, []string{"1 false"}},
		{"fixed/none", []string{"true"}, []string{"true"}},
		{"local", []string{"l false"}, []string{"true"}},
	} {
		if got := list(d, c.rel); !slices.Equal(got, c.here) {
			t.Errorf("%q here: %q, want %q", c.rel, got, c.here)
		}
		if got := list(other, c.rel); !slices.Equal(got, c.there) {
			t.Errorf("%q elsewhere: %q, want %q", c.rel, got, c.there)
		}
	}
	if _, err := disk.ReadFile(d, path("fixed/none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no object: %v", err)
	}
	if err := d.Remove(path("fixed/a/1")); err != nil {
		t.Error(err)
	}
	if _, err := d.Stat(path("fixed/a/1")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed object: %v", err)
	}
	if _, err := d.OpenFile(path("fixed/b/2"), os.O_RDWR, 0); err == nil {
		t.Error("an object was opened for writing")
	}
}

// TestChangingKept reads a changing file in a second process of a machine. The store sends its content
// again only if it has changed since.
func TestChangingKept(t *testing.T) {
	server := s3test.Start(t)
	root := t.TempDir()
	name := filepath.Join(root, "changing", "list")
	read := func(want []byte, sent bool) {
		t.Helper()
		d := newFS(t, server, s3.Options{Root: root})
		if b, err := disk.ReadFile(d, name); err != nil || !bytes.Equal(b, want) {
			t.Errorf("got %d bytes, %v; want %d", len(b), err, len(want))
		}
		if in := d.Client().Stats().In; sent != (in >= int64(len(want))) {
			t.Errorf("the store sent %d bytes for %d; want that it sends the content: %t", in, len(want), sent)
		}
	}
	first, second := bytes.Repeat([]byte("first\n"), 5000), bytes.Repeat([]byte("second\n"), 5000)
	elsewhere := newFS(t, server, s3.Options{})
	for _, content := range [][]byte{first, second} {
		if err := elsewhere.Attempt(t.Context(), func() error {
			return disk.WriteFile(elsewhere, filepath.Join(elsewhere.Root(), "changing", "list"), content)
		}); err != nil {
			t.Fatal(err)
		}
		read(content, true)
		read(content, false)
	}
}

// TestAttempt adds numbers to a file from several machines and goroutines, with lost answers. None is lost.
func TestAttempt(t *testing.T) {
	ctx := t.Context()
	server := s3test.Start(t)
	var wg sync.WaitGroup
	const each = 5
	for i := range 3 {
		d := newFS(t, server, s3.Options{})
		name := filepath.Join(d.Root(), "changing", "list")
		if err := disk.MkdirAll(d, filepath.Dir(name)); err != nil {
			t.Fatal(err)
		}
		for j := range 2 {
			wg.Go(func() {
				for n := range each {
					line := fmt.Sprintf("%d-%d-%d\n", i, j, n)
					for {
						err := d.Attempt(ctx, func() error {
							b, err := disk.ReadFile(d, name)
							if err != nil && !errors.Is(err, fs.ErrNotExist) {
								return err
							}
							return disk.WriteFile(d, name, append(bytes.Clone(b), line...))
						})
						if errors.Is(err, disk.ErrCondition) {
							continue // the other machines were faster, 20 times
						}
						if err != nil {
							t.Error(err)
						}
						break
					}
				}
			})
		}
	}
	wg.Wait()
	d := newFS(t, server, s3.Options{})
	b, err := disk.ReadFile(d, filepath.Join(d.Root(), "changing", "list"))
	lines := strings.Fields(string(b))
	slices.Sort(lines)
	if err != nil || len(lines) != 3*2*each || len(slices.Compact(lines)) != 3*2*each {
		t.Errorf("%d lines, %v: %q", len(lines), err, lines)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := d.Attempt(done, func() error { return disk.ErrCondition }); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of ctx: %v", err)
	}
}

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// counted is OS, and records each operation. From operation failAt on, counted
// from 1, every operation fails.
type counted struct {
	FS
	log    []string
	failAt int
}

var errCounted = errors.New("made to fail")

func (c *counted) do(what, name string) error {
	c.log = append(c.log, what+" "+filepath.Base(name))
	if c.failAt > 0 && len(c.log) >= c.failAt {
		return errCounted
	}
	return nil
}

func (c *counted) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if err := c.do("open", name); err != nil {
		return nil, err
	}
	f, err := c.FS.OpenFile(name, flag, perm)
	return countedFile{f, c}, err
}

func (c *counted) Mkdir(name string, perm fs.FileMode) error {
	return errors.Join(c.do("mkdir", name), c.FS.Mkdir(name, perm))
}

func (c *counted) Rename(from, to string) error {
	if err := c.do("rename", to); err != nil {
		return err
	}
	return c.FS.Rename(from, to)
}

func (c *counted) SyncDir(name string) error {
	return errors.Join(c.do("syncdir", name), c.FS.SyncDir(name))
}

type countedFile struct {
	File
	c *counted
}

func (f countedFile) Write(b []byte) (int, error) {
	if err := f.c.do("write", "it"); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

func (f countedFile) Sync() error { return errors.Join(f.c.do("sync", "it"), f.File.Sync()) }

// TestWriteFile replaces a file. The operations are in an order that leaves the
// old or the new file whole, whichever operation fails, and leaves no other
// file.
func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "CURRENT")
	if err := WriteFile(OS, name, []byte("one")); err != nil {
		t.Fatal(err)
	}
	for failAt := 1; failAt <= 4; failAt++ {
		c := &counted{FS: OS, failAt: failAt}
		if err := WriteFile(c, name, []byte("two")); !errors.Is(err, errCounted) {
			t.Errorf("failing at %d: error %v, want the one made", failAt, err)
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != "one" {
			t.Errorf("failing at %d: %q, %v; want what was there", failAt, b, err)
		}
	}
	c := &counted{FS: OS}
	if err := WriteFile(c, name, []byte("two")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "two" {
		t.Errorf("%q, %v; want the new content", b, err)
	}
	if got := strings.Join(c.log[1:], ", "); got != "write it, sync it, rename CURRENT" {
		t.Errorf("it did %s; want write, sync, rename", got)
	}
	if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) != 1 {
		t.Errorf("%d files are there (%v), want one", len(entries), err)
	}
}

// TestMkdirAll creates folders and makes their names durable, also the names of
// folders that existed.
func TestMkdirAll(t *testing.T) {
	top := t.TempDir()
	for _, want := range []string{"mkdir a, syncdir top, mkdir b, syncdir a", "syncdir top, syncdir a"} {
		c := &counted{FS: OS}
		if err := MkdirAll(c, filepath.Join(top, "a", "b")); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(strings.Join(c.log, ", "), "syncdir "+filepath.Base(top), "syncdir top")
		if !strings.HasSuffix(got, want) {
			t.Errorf("it did %s; want %s at the end", got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := MkdirAll(OS, filepath.Join(top, "file")); err == nil || !strings.Contains(err.Error(), "should be a folder") {
		t.Errorf("where a file is: error %v, want one that says so", err)
	}
}

// TestRemoveAll removes a tree, follows no link out of it, and accepts that a
// file is already gone.
func TestRemoveAll(t *testing.T) {
	top := t.TempDir()
	tree := filepath.Join(top, "tree")
	if err := MkdirAll(OS, filepath.Join(tree, "deep", "er")); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(top, "outside")
	for _, f := range []string{outside, filepath.Join(tree, "deep", "file")} {
		if err := WriteFile(OS, f, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(top, filepath.Join(tree, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for range 2 {
		if err := RemoveAll(OS, tree); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(tree); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the tree is still there: %v", err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("a file outside was removed: %v", err)
	}
}

// TestLocks shows that several shared locks are possible, that an exclusive
// lock excludes all others, and that closing a file releases its lock.
func TestLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "LOCK")
	open := func() File {
		f, err := OS.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	a, b, c := open(), open(), open()
	for _, f := range []File{a, b} {
		if err := LockShared(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		close File
		free  bool
	}{{nil, false}, {a, false}, {b, true}} {
		if step.close != nil {
			step.close.Close()
		}
		if free, err := TryExclusive(c); err != nil || free != step.free {
			t.Errorf("the lock is free: %v, %v; want %v", free, err, step.free)
		}
	}
	if free, err := TryExclusive(open()); err != nil || free {
		t.Errorf("a lock held alone was had twice: %v, %v", free, err)
	}
}

package indexfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"infomall/store/disk"
)

// inMemory is an index file that is no file of the system, as one in a bucket.
type inMemory struct {
	*bytes.Reader
	info os.FileInfo
}

func (f inMemory) Close() error               { return nil }
func (f inMemory) Name() string               { return f.info.Name() }
func (f inMemory) Stat() (os.FileInfo, error) { return f.info, nil }

// TestPassed walks over values that are read by ranges, and says that they are passed. They
// must keep their bytes: only the memory of a mapped file may be given back to the system.
func TestPassed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.idx")
	x, err := NewBuilder(disk.OS, name)
	if err != nil {
		t.Fatal(err)
	}
	const values, size = 8, 128 << 10
	if _, err := x.Add([]byte("b"), func(put func(k, v []byte) error) error {
		for i := range values {
			if err := put([]byte{byte(i)}, bytes.Repeat([]byte{byte(i + 1)}, size)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := x.Finish(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	f := OpenRemote(inMemory{bytes.NewReader(content), info})
	defer f.Close()
	c, err := f.Cursor([]byte("b"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var seen [][]byte
	for k, v, err := c.Seek(nil); k != nil || err != nil; k, v, err = c.Next() {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, v)
		c.Passed(v)
	}
	if len(seen) != values {
		t.Fatalf("%d values were read, want %d", len(seen), values)
	}
	for i, v := range seen {
		if !bytes.Equal(v, bytes.Repeat([]byte{byte(i + 1)}, size)) {
			t.Errorf("value %d has changed after the walk had passed it", i)
		}
	}
}

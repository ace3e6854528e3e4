package keep

import (
	"errors"
	"os"
	"testing"
	"time"
)

// TestFiles shows that a file is made once for all who ask for its key, that it is made
// again after its time, and that it stays open while somebody uses it.
func TestFiles(t *testing.T) {
	made := 0
	now := time.Unix(0, 0)
	k := &Files{Now: func() time.Time { return now }}
	defer k.Close()
	get1 := func(key string) *File {
		f, err := k.Get(key, func(f *os.File) error {
			made++
			_, err := f.WriteString("content of " + key)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a := get1("a")
	b := get1("a")
	if made != 1 || a != b || a.Size != int64(len("content of a")) {
		t.Errorf("made %d times, size %d", made, a.Size)
	}
	a.Release()
	now = now.Add(2 * filesTime)
	c := get1("a")
	if made != 2 || c == b {
		t.Errorf("after its time the file was made %d times in all, want 2", made)
	}
	if _, err := b.File.Stat(); err != nil {
		t.Errorf("a file in use was closed: %v", err)
	}
	b.Release()
	if b.File != nil {
		t.Error("a file that nobody uses or keeps is still open")
	}
	c.Release()
	if _, err := k.Get("bad", func(*os.File) error { return os.ErrInvalid }); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("an error comes back as %v", err)
	}
	for i := range 3 * filesMax {
		get1(string(rune('A' + i))).Release()
	}
	if len(k.list) > filesMax {
		t.Errorf("%d files are kept, want at most %d", len(k.list), filesMax)
	}
}

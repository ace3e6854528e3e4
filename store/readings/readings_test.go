package readings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"infomall/store/disk"
	"infomall/store/document"
	"infomall/store/segment"
)

// doc returns a document with a title and, unless it is "", one paragraph.
func doc(t *testing.T, title, text string) *document.Document {
	t.Helper()
	b := document.NewBuilder(document.Limits{}, nil)
	b.Doc.Title, b.Doc.Lang = title, "en"
	if err := b.Add(document.Paragraph, text); err != nil {
		t.Fatal(err)
	}
	return b.Doc
}

// key returns the key number n.
func key(n byte) Key { return Key{segment.ID{n}, Sent("application/pdf", "", "")} }

// write writes a file of two sources with the function fill, and returns its bytes.
func write(t *testing.T, fill func(b *Builder)) []byte {
	t.Helper()
	var out bytes.Buffer
	b, err := NewBuilder(&out)
	if err != nil {
		t.Fatal(err)
	}
	fill(b)
	if err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open writes b to a file and opens it.
func open(t *testing.T, dir string, b []byte) (*File, error) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "x.docs"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	return Open(disk.Inside(disk.OS, dir), "x.docs")
}

// sample fills a file: a body with text that two sources share, a picture, a body that no
// kind reads, and a long document that has a frame of its own.
func sample(t *testing.T) func(b *Builder) {
	return func(b *Builder) {
		add := func(k Key, d *document.Document) {
			if err := b.Add(k, d); err != nil {
				t.Fatal(err)
			}
		}
		b.Begin(Name{7, 100, 1}, 0)
		add(key(2), doc(t, "Two", "text"))
		add(key(1), doc(t, "Picture", ""))
		add(key(3), nil)
		b.Cover(5)
		b.Begin(Name{8, 200, 2}, 3)
		if !b.Has(key(2)) || b.Has(key(4)) {
			t.Error("a row is known if it is not, or the other way")
		}
		add(key(4), doc(t, "Long", string(bytes.Repeat([]byte("word "), frameBytes/4))))
		b.Cover(4)
		b.Begin(Name{9, 300, 3}, 0)
		b.Drop()
	}
}

// TestFile shows that a file gives back what was put into it, also after a copy.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	f, err := open(t, dir, write(t, sample(t)))
	if err != nil {
		t.Fatal(err)
	}
	copied, err := open(t, t.TempDir(), write(t, func(b *Builder) {
		for i, s := range f.Sources {
			b.Begin(s.Name, s.From)
			for _, r := range f.Rows(i) {
				if err := b.Copy(f, r); err != nil {
					t.Fatal(err)
				}
			}
			b.Cover(s.To)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*File{f, copied} {
		if got, want := fmt.Sprint(f.Sources), "[{{7 100 1} 0 5} {{8 200 2} 3 4}]"; got != want {
			t.Errorf("sources: got %s, want %s", got, want)
		}
		got := ""
		for _, r := range f.All() {
			got += fmt.Sprintf("%d %d %q %v %v\n", r.source, r.Body[0], r.Title, r.Read(), r.HasText)
			if again, ok := f.Find(r.source, r.Key); !ok || again != r {
				t.Errorf("Find returns %v, %v for %v", again, ok, r)
			}
			if !r.Read() {
				continue
			}
			b, err := f.Reading(r)
			if err != nil {
				t.Fatal(err)
			}
			if d, err := document.Unpack(b); err != nil || d.Title != r.Title {
				t.Errorf("the reading of %q is that of %q: %v", r.Title, d.Title, err)
			}
		}
		if want := "0 1 \"Picture\" true false\n0 2 \"Two\" true true\n0 3 \"\" false false\n1 2 \"Two\" true true\n1 4 \"Long\" true true\n"; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if _, ok := f.Find(1, key(1)); ok || f.Source(Name{7, 100, 2}) >= 0 {
			t.Error("a row or a source of another db-file is found")
		}
		if err := f.Check(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// TestDamagedFile cuts a file at each length, and changes each byte. Opening or checking
// it then fails, and nothing panics.
func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	whole := write(t, sample(t))
	try := func(what string, b []byte) {
		t.Helper()
		f, err := open(t, dir, b)
		if err == nil {
			err = f.Check(context.Background())
		}
		var fault *segment.Error
		if !errors.As(err, &fault) && !errors.Is(err, ErrOther) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range whole {
		try(fmt.Sprintf("cut to %d bytes", i), whole[:i])
		b := bytes.Clone(whole)
		b[i] ^= 0x41
		try(fmt.Sprintf("byte %d changed", i), b)
	}
}

package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/match"
)

// wordsDisk counts how often an index of words is opened, and how many are open.
type wordsDisk struct {
	disk.FS
	opened, open atomic.Int64
}

func (d *wordsDisk) Open(name string) (disk.Source, error) {
	in, err := d.FS.Open(name)
	if err == nil && strings.HasSuffix(name, ".words") {
		d.opened.Add(1)
		d.open.Add(1)
		return &wordsSource{in, d}, nil
	}
	return in, err
}

type wordsSource struct {
	disk.Source
	d *wordsDisk
}

func (s *wordsSource) Close() error {
	s.d.open.Add(-1)
	return s.Source.Close()
}

// TestIndexesStayOpen asks for a word in an archive whose index of words is too large to be kept in
// memory. The index must stay open from one snapshot to the next, until another file has its name or
// the archive is closed. All answers must be the same.
func TestIndexesStayOpen(t *testing.T) {
	if inBuckets() {
		t.Skip("indexes in a bucket do not stay open")
	}
	d := &wordsDisk{FS: disk.OS}
	dir := t.TempDir()
	a := openAt(dir, Options{Disk: d})
	r := rand.New(rand.NewPCG(5, 6))
	var visits []*visit
	for n := range 60 {
		var body strings.Builder
		for range 3000 {
			fmt.Fprintf(&body, "w%x ", r.Uint64())
		}
		if n%3 == 0 {
			body.WriteString("river")
		}
		visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%d", n), time: day0 + record.Time(n), status: 200, body: "<p>" + body.String()})
	}
	put(t, a, visits)
	indexWords(t, a)
	names, err := a.folder.DerivedNames(commit.Words)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	name := filepath.Join(dir, names[0])
	q, err := match.Parse("river")
	if err != nil {
		t.Fatal(err)
	}
	snapshot := func() *Snapshot {
		v, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ask := func(v *Snapshot) {
		t.Helper()
		words, err := v.Words(t.Context(), search.Question{Query: q}, nil, record.MinTime, record.MaxTime)
		if err != nil {
			t.Fatal(err)
		}
		if refs, ok := words.Few(len(visits), 1); !ok || len(refs) != 20 {
			t.Errorf("%d pages have the word, want 20", len(refs))
		}
	}
	opened := d.opened.Load() // to make the index
	want := func(what string, more, open int64) {
		t.Helper()
		if got := d.opened.Load() - opened; got != more || d.open.Load() != open {
			t.Errorf("%s: the index was opened %d times, and %d are open, want %d and %d", what, got, d.open.Load(), more, open)
		}
	}
	for range 2 {
		v := snapshot()
		ask(v)
		ask(v)
		v.Close()
		want("one snapshot after the other", 1, 1)
	}
	before, after := snapshot(), snapshot()
	ask(before)
	replace(t, name)
	ask(before)
	want("a snapshot that began before", 1, 1)
	ask(after)
	want("a snapshot that asks later", 2, 2)
	before.Close()
	after.Close()
	want("both snapshots are closed", 2, 1)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	v := snapshot()
	ask(v)
	v.Close()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	want("the archive is closed", 2, 0)
}

// replace gives the name of a file to a copy of it.
func replace(t *testing.T, name string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name+".new", b, 0o666)
	}
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		t.Fatal(err)
	}
}

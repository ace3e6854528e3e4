package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
)

// blockForever deletes the captures of a scope from the archive, and keeps them out.
func blockForever(t *testing.T, a *Archive, scope string) {
	t.Helper()
	s, err := task.NewBlockScope(scope, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	_, err = v.Delete(ctx, task.DeleteOptions{
		Targets: targets(ctx, v, func(url string, _ record.Time) bool { return strings.Contains(url, scope) }),
		Forever: &task.Forever{Scopes: []task.BlockScope{s}, From: record.MinTime, To: record.MaxTime + 1},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// beforeMove calls a function before the first db-file is moved to its place.
type beforeMove struct {
	disk.FS
	do func()
}

func (d *beforeMove) Rename(from, to string) error {
	d.before(to)
	return d.FS.Rename(from, to)
}

func (d *beforeMove) Link(from, to string) error {
	d.before(to)
	return d.FS.Link(from, to)
}

func (d *beforeMove) before(to string) {
	if do := d.do; do != nil && filepath.Ext(to) == ".raw" {
		d.do = nil
		do()
	}
}

// TestBlockedWhileImporting blocks a site after an import has planned what to store, and
// before the import publishes it. Nothing of the site may be in the archive afterwards,
// and the result of the import counts each capture once.
func TestBlockedWhileImporting(t *testing.T) {
	dir := t.TempDir()
	d := &beforeMove{}
	a := openOver(dir, Options{}, func(under disk.FS) disk.FS {
		d.FS = under
		return d
	})
	defer a.Close()
	other := openAt(dir, Options{})
	defer other.Close()
	d.do = func() { blockForever(t, other, "a.example") }
	var visits []*visit
	for n := range 6 {
		visits = append(visits, &visit{url: fmt.Sprintf("http://%c.example/", 'a'+n%2), time: day0 + record.Time(n)*dayMillis, body: fmt.Sprint("body ", n)})
	}
	res := put(t, a, visits)
	if res.Records != 6 || res.Stored != 3 || res.Skips[task.SkipBlocked] != 3 || res.Damaged != 0 {
		t.Errorf("the result of the import is %+v", res)
	}
	for _, r := range readRows(t, a, record.MinTime, record.MaxTime) {
		if strings.Contains(fmt.Sprint(r), "a.example") {
			t.Errorf("the archive has %v", r)
		}
	}
}

// TestBlockedInJournal blocks a site while captures of it are in the journal of a process
// that was killed. The next process that writes leaves them out.
func TestBlockedInJournal(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	a := openAt(dir, Options{})
	s, err := a.NewSink(ctx, "crawl", 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		if err := s.Put(ctx, crawled(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	host := strings.Split(crawled(0).AskedURL, "/")[2]
	blockForever(t, a, host)
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_ = s.Close(stopped) // the captures stay in the journal
	if n := len(journals(t, a)); n != 1 {
		t.Fatalf("%d journals, want 1", n)
	}
	put(t, a, []*visit{{url: "http://other.example/", time: day0, body: "x"}})
	if n := len(journals(t, a)); n != 0 {
		t.Errorf("%d journals are left", n)
	}
	if n := capturesOf(t, a); n != 1 {
		t.Errorf("the archive has %d captures, want 1", n)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestForeverMissesNothing imports a capture of a site while DELETE … FOREVER is under
// way. The statement must be run again, because it would leave that capture.
func TestForeverMissesNothing(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, []*visit{{url: "http://a.example/", time: day0, body: "x"}})
	s, err := task.NewBlockScope("a.example", "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	put(t, a, []*visit{{url: "http://a.example/2", time: day0, body: "y"}})
	o := task.DeleteOptions{
		Targets: targets(ctx, v, func(string, record.Time) bool { return true }),
		Forever: &task.Forever{Scopes: []task.BlockScope{s}, From: record.MinTime, To: record.MaxTime + 1},
	}
	if _, err := v.Delete(ctx, o); !errors.Is(err, task.ErrChanged) {
		t.Fatalf("the error is %v, want task.ErrChanged", err)
	}
	if n := capturesOf(t, a); n != 2 {
		t.Errorf("%d captures are left of a removal that did nothing, want 2", n)
	}
	if l, err := v.BlockList(ctx); err != nil || len(l.Entries) > 0 {
		t.Errorf("the block-list has %d entries, error %v", len(l.Entries), err)
	}
}

// TestBlockListCopied copies an archive that has a block-list and no pool. The copy keeps the same
// captures out.
func TestBlockListCopied(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, []*visit{{url: "http://a.example/", time: day0, status: 200, body: "a"}})
	blockForever(t, a, "a.example")
	if _, err := a.Drop(t.Context(), task.DropOptions{Pool: "200806"}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "copy")
	if got := copyTo(t, a, place(dir)); len(got) != 0 {
		t.Errorf("copied pools: %+v", got)
	}
	c := openAt(dir, Options{})
	defer c.Close()
	put(t, c, []*visit{{url: "http://a.example/", time: day0, status: 200, body: "a"}})
	if got := readRows(t, c, record.MinTime, record.MaxTime); len(got) != 0 {
		t.Errorf("the copy took in what is blocked: %v", got)
	}
}

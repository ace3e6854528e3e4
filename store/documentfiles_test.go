package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/readings"
	"infomall/store/record"
	"infomall/store/record/task"
)

// documentMonths imports documents into an archive: one in each of some months, and reads
// them after each import.
func documentMonths(t testing.TB, a *Archive, months int) {
	t.Helper()
	for n := range months {
		put(t, a, []*visit{{url: fmt.Sprintf("http://a.example/%d", n), time: day0 + record.Time(n*31)*dayMillis, status: 200, body: docBody(fmt.Sprint("Title", n), fmt.Sprintf("secret%d", n))}})
		readDocuments(t, a)
	}
}

// documentTitles returns the titles of all readings in the files of an archive, sorted.
func documentTitles(t testing.TB, dir string) (out []string) {
	t.Helper()
	for _, name := range documentFiles(t, dir) {
		d, _ := archiveOf(dir)
		f, err := readings.Open(disk.Inside(d, dir), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.All() {
			if r.Read() {
				out = append(out, r.Title)
			}
		}
		if err := f.Check(context.Background()); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(out)
	return out
}

// documentFiles returns the files of readings of an archive.
func documentFiles(t testing.TB, dir string) (out []string) {
	t.Helper()
	found, err := glob(filepath.Join(dir, "documents", "*.docs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		out = append(out, filepath.Join("documents", filepath.Base(f)))
	}
	return out
}

// TestDocumentsKept merges, splits, seals and drops pools. The readings of documents come
// along: no body is read twice, and no file has the reading of a document that is gone.
func TestDocumentsKept(t *testing.T) {
	ctx := context.Background()
	reader := &testReader{}
	a := openAt(t.TempDir(), Options{Documents: reader, Warn: func(err error) { t.Error(err) }})
	defer a.Close()
	documentMonths(t, a, 10)
	if n := len(documentFiles(t, a.Local())); n >= 8 {
		t.Errorf("there are %d files: small ones were not joined", n)
	}
	put(t, a, []*visit{
		{url: "http://a.example/0", time: day0 + 1, status: 200, body: docBody("Other", "words")},
		{url: "http://b.example/", time: day0 + 2, status: 200, body: "<p>page</p>"},
	})
	readDocuments(t, a)
	want := titles(t, a)
	check := func(what string, gone ...string) {
		t.Helper()
		want = slices.DeleteFunc(want, func(s string) bool { return slices.Contains(gone, s) })
		if got := titles(t, a); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %q\nwant %q", what, got, want)
		}
		readDocuments(t, a)
		if reader.bodies != 11 {
			t.Errorf("%s: %d bodies were read, want 11", what, reader.bodies)
			reader.bodies = 11
		}
		var left []string
		for _, s := range want {
			if _, title, _ := strings.Cut(s, " "); title != "-" {
				left = append(left, title)
			}
		}
		slices.Sort(left)
		swept := mustSweep(t, a)
		if got := slices.Compact(documentTitles(t, a.Local())); swept && !slices.Equal(got, left) {
			t.Errorf("%s: the files have the readings of %q, want %q", what, got, left)
		}
		if err := noLeftovers(a); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if found := verify(t, a.Local(), task.VerifyOptions{}); len(found) > 0 {
			t.Errorf("%s: %v", what, found)
		}
	}
	check("imported")
	if _, err := a.Merge(ctx, task.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	check("merged")
	if _, err := a.Drop(ctx, task.DropOptions{Pool: (day0 + 31*3*dayMillis).Pool()}); err != nil {
		t.Fatal(err)
	}
	check("dropped", "http://a.example/3 Title3")
	if _, err := deleteWhere(a, func(url string, at record.Time) bool { return url == "http://a.example/0" && at == day0 }); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Merge(ctx, task.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	check("deleted and merged", "http://a.example/0 Title0")
	if _, err := a.Merge(ctx, task.MergeOptions{Seal: true}); err != nil {
		t.Fatal(err)
	}
	check("sealed")
	if _, err := deleteWhere(a, func(url string, _ record.Time) bool { return url == "http://a.example/5" }); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Merge(ctx, task.MergeOptions{Seal: true}); err != nil {
		t.Fatal(err)
	}
	check("deleted from a static pool", "http://a.example/5 Title5")
}

// TestDocumentsGoOn ends REINDEX DOCUMENTS after some bodies. The next one reads the
// others only, and an archive of which another process reads the documents is left to it.
func TestDocumentsGoOn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	reader := &testReader{}
	a := openAt(t.TempDir(), Options{Documents: reader, Warn: func(err error) { t.Error(err) }})
	defer a.Close()
	var all []*visit
	for n := range 20 {
		all = append(all, &visit{url: fmt.Sprintf("http://a.example/%02d", n), time: day0 + record.Time(n%4*31)*dayMillis, status: 200, body: docBody(fmt.Sprint(n), "text")})
	}
	put(t, a, all)
	reader.after = func() {
		if reader.bodies == 12 {
			cancel()
		}
	}
	if _, err := a.Reindex(ctx, task.ReindexOptions{Documents: true}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	reader.after = func() {
		if res := readDocuments(t, a); len(res) > 0 {
			t.Errorf("two processes read documents at the same time: %v", res)
		}
	}
	readDocuments(t, a)
	if reader.bodies != 20 {
		t.Errorf("%d bodies were read, want 20: 12 before the end, 8 after it", reader.bodies)
	}
	for _, s := range titles(t, a) {
		if strings.HasSuffix(s, "-") {
			t.Errorf("not read: %s", s)
		}
	}
}

// TestDamagedDocuments flips each byte of a file of readings. VERIFY finds it, queries go
// on without the readings, and REINDEX DOCUMENTS makes them again. A copy of the archive
// has the readings.
func TestDamagedDocuments(t *testing.T) {
	ctx := context.Background()
	reader := &testReader{}
	a := openAt(t.TempDir(), Options{Documents: reader})
	defer a.Close()
	documentMonths(t, a, 2)
	want := fmt.Sprint(titles(t, a))
	copied := filepath.Join(t.TempDir(), "copy")
	if _, err := a.Copy(ctx, task.CopyOptions{Dir: place(copied)}); err != nil {
		t.Fatal(err)
	}
	c := openAt(copied, Options{Documents: reader, Warn: func(err error) { t.Error(err) }})
	if got := fmt.Sprint(titles(t, c)); got != want {
		t.Errorf("the copy: got %s\nwant %s", got, want)
	}
	c.Close()
	name := filepath.Join(a.Local(), documentFiles(t, a.Local())[0])
	whole, err := readFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		b := slices.Clone(whole)
		b[i] ^= 1 << (i % 8)
		if err := writeFile(name, b); err != nil {
			t.Fatal(err)
		}
		if found := verify(t, a.Local(), task.VerifyOptions{}); len(found) != 1 || found[0].File != documentFiles(t, a.Local())[0] {
			t.Fatalf("byte %d: %v", i, found)
		}
	}
	warned := 0
	d := openAt(a.Local(), Options{Documents: reader, Warn: func(error) { warned++ }})
	defer d.Close()
	if got := titles(t, d); warned == 0 || fmt.Sprint(got) == want {
		t.Errorf("%d warnings, got %s", warned, got)
	}
	readDocuments(t, d)
	if got := fmt.Sprint(titles(t, d)); got != want {
		t.Errorf("read again: got %s\nwant %s", got, want)
	}
	if found := verify(t, a.Local(), task.VerifyOptions{}); len(found) > 0 {
		t.Errorf("read again: %v", found)
	}
}

// TestKillDocuments kills the reading of documents, and merges of an archive with
// readings, at each operation on the disk. The next process takes up what is left: every
// document has its reading, and no file is left over.
func TestKillDocuments(t *testing.T) {
	step := func(a *Archive, n int) error {
		ctx := context.Background()
		var res task.ImportResult
		var err error
		switch n {
		case 0, 2:
			for k := range 3 {
				if err := putErr(a, []*visit{{url: fmt.Sprintf("http://a.example/%d-%d", n, k), time: day0 + record.Time(k), status: 200, body: docBody(fmt.Sprint(n, k), "text")}}, &res); err != nil {
					return err
				}
			}
		case 1, 3:
			_, err = a.Reindex(ctx, task.ReindexOptions{Documents: true})
		case 4:
			_, err = a.Merge(ctx, task.MergeOptions{})
		}
		return err
	}
	run := func(over func(disk.FS) disk.FS, dir string) {
		for n := range 5 {
			a := openOver(dir, Options{Documents: &testReader{}}, over)
			err := step(a, n)
			a.Close()
			if err != nil {
				return
			}
		}
	}
	root := t.TempDir()
	d, over := failing(root)
	run(over, filepath.Join(root, "archive"))
	r := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		at := 1 + r.IntN(d.Operations())
		root := t.TempDir()
		dir := filepath.Join(root, "archive")
		killed, over := failing(root)
		killed.Fault = func(n int, _ string) error {
			if n >= at {
				return disktest.ErrKilled
			}
			return nil
		}
		run(over, dir)
		a := openAt(dir, Options{Documents: &testReader{}, Warn: func(err error) { t.Errorf("killed at %d: %v", at, err) }})
		for _, n := range []int{0, 1, 2, 3, 4, 1} {
			if err := step(a, n); err != nil {
				t.Fatalf("killed at %d: %v", at, err)
			}
		}
		for _, s := range titles(t, a) {
			if strings.HasSuffix(s, "-") {
				t.Errorf("killed at %d: not read: %s", at, s)
			}
		}
		if err := noLeftovers(a); err != nil {
			t.Errorf("killed at %d: %v", at, err)
		}
		if found := verify(t, dir, task.VerifyOptions{}); len(found) > 0 {
			t.Errorf("killed at %d: %v", at, found)
		}
		a.Close()
	}
}

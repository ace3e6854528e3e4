package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/notes"
	"infomall/store/record"
	"infomall/store/record/task"
)

// TestPayloadWithoutCache reads a body where the cache of runs cannot be made.
// That is an error, and no panic.
func TestPayloadWithoutCache(t *testing.T) {
	dir := t.TempDir()
	a := openAt(dir, Options{})
	put(t, a, []*visit{{url: "http://x.example/", time: record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC)), status: 200, body: "x"}})
	a.Close()
	a = openAt(dir, Options{CacheBytes: -1})
	defer a.Close()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	ref := record.Ref{Segment: v.Pin.Segments[0].ID}
	if _, err := v.Payload(context.Background(), ref); err == nil || !strings.Contains(err.Error(), "cache") {
		t.Errorf("got %v, want an error that speaks of the cache", err)
	}

}

// TestSealWithoutRemoval seals a static pool whose file of a removal is gone. It
// fails and names the file: without it what is deleted cannot be left out.
func TestSealWithoutRemoval(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	a := openAt(dir, Options{})
	at := record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC))
	put(t, a, []*visit{{url: "http://x.example/", time: at, status: 200, body: "x"}, {url: "http://y.example/", time: at, status: 200, body: "y"}})
	if _, err := a.Merge(ctx, task.MergeOptions{Seal: true}); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.Delete(ctx, task.DeleteOptions{Targets: func(yield func(task.Target, error) bool) {
		for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
			if err != nil || !yield(task.Target{Key: b.Key[0], Ref: b.Ref[0]}, nil) {
				return
			}
		}
	}})
	if e := v.Close(); err != nil || e != nil {
		t.Fatal(err, e)
	}
	a.Close()
	files, err := glob(filepath.Join(dir, commit.DirRemoved, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := writeFile(files[0], nil); err != nil {
		t.Fatal(err)
	}
	a = openAt(dir, Options{})
	defer a.Close()
	if r, err := a.Merge(ctx, task.MergeOptions{Seal: true}); err == nil || !strings.Contains(err.Error(), "removed") {
		t.Errorf("got %+v and %v, want an error that names the file", r, err)
	}
}

// TestReindexOfEmptySegment makes the index again of a pool of which nothing is
// left, but which another depends on: its db-file has no run.
func TestReindexOfEmptySegment(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	june := record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC))
	july := record.At(time.Date(2008, 7, 1, 0, 0, 0, 0, time.UTC))
	put(t, a, []*visit{{url: "http://x.example/", time: june, status: 200, body: "x"}})
	put(t, a, []*visit{{url: "http://x.example/", time: july, status: 200, body: "x"}})
	for range 2 {
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.Delete(ctx, task.DeleteOptions{Targets: func(yield func(task.Target, error) bool) {
			for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
				for i := range b.N {
					if err == nil && !yield(task.Target{Key: b.Key[i], Ref: b.Ref[i]}, nil) {
						return
					}
				}
			}
		}})
		if e := v.Close(); err != nil || e != nil {
			t.Fatal(err, e)
		}
		if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{"200806"}}); err != nil {
			t.Fatal(err)
		}
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	empty := len(v.Pin.Segments) == 2 && v.Pin.Segments[0].Runs == 0
	if v.Close(); !empty {
		t.Fatalf("the segments are %+v, and the first should have no run", v.Pin.Segments)
	}
	if _, err := a.Reindex(ctx, task.ReindexOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := a.Merge(ctx, task.MergeOptions{Seal: true}); err != nil {
		t.Error(err)
	}
	if found := verify(t, a.Local(), task.VerifyOptions{}); found != nil {
		t.Errorf("VERIFY finds %v", found)
	}
}

// TestFilesInEachOthersPlace puts each small file of an archive in the place of
// each other one. What then reads it, or VERIFY, reports it by name.
func TestFilesInEachOthersPlace(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	a := openAt(dir, Options{})
	at := record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC))
	for i, url := range []string{"http://x.example/", "http://y.example/", "http://z.example/"} {
		put(t, a, []*visit{{url: url, time: at + record.Time(i), status: 200, body: url}})
	}
	for _, url := range []string{"http://x.example/", "http://y.example/"} {
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.Delete(ctx, task.DeleteOptions{Targets: func(yield func(task.Target, error) bool) {
			for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
				for i := range b.N {
					if err == nil && b.URLs()[i] == url && !yield(task.Target{Key: b.Key[i], Ref: b.Ref[i]}, nil) {
						return
					}
				}
			}
		}})
		if e := v.Close(); err != nil || e != nil {
			t.Fatal(err, e)
		}
	}
	err := a.Define(ctx, func([]task.Definition) ([]task.Definition, error) {
		return []task.Definition{{Kind: task.KindView, Name: "v", Created: at, Text: "CREATE VIEW v AS SELECT url FROM captures"}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.SaveResult(ctx, task.Result{Kind: task.ResultRanks, Name: "r", Computed: 5}, resultRows("a")); err != nil {
		t.Fatal(err)
	}
	for _, err := range a.Verify(ctx, task.VerifyOptions{Sample: 2}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	crawls := &state.Folder{Disk: disk.OS, Dir: filepath.Join(dir, state.FolderName), Create: a.Create}
	for _, name := range []string{"one", "two"} {
		q, err := crawls.OpenCrawl(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(q.SetCrawl(&report.Crawl{Name: name, State: report.CrawlStopped}), q.Commit(), q.Close()); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	var files []string
	for _, pattern := range []string{
		commit.FileCurrent, commit.FileFormat, notes.FileDefinitions, "verify", "catalog/[0-9]*", "removed/*", "results/*/*/*", "pools/*/*.raw", "index/*.idx", "crawls/*/state.bolt",
	} {
		found, err := glob(filepath.Join(dir, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no file %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	// said is all that is reported of the archive.
	said := func() string {
		var all []string
		say := func(err error) {
			if err != nil {
				all = append(all, err.Error())
			}
		}
		a := openAt(dir, Options{Warn: say})
		defer a.Close()
		crawls.Warn = say
		_, err := crawls.Crawls(ctx)
		say(err)
		_, err = a.Definitions(ctx)
		say(err)
		for f, err := range a.Verify(ctx, task.VerifyOptions{Stateless: true}) {
			all = append(all, f.File+": "+f.What)
			say(err)
		}
		return strings.Join(all, "\n")
	}
	if s := said(); s != "" {
		t.Fatalf("before any damage: %s", s)
	}
	for _, x := range files {
		own, err := readFile(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range files {
			other, err := readFile(y)
			if err != nil {
				t.Fatal(err)
			}
			if x == y {
				continue
			}
			if err := writeFile(x, other); err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(dir, x)
			if s := said(); !strings.Contains(s, rel) && !strings.Contains(s, filepath.Base(filepath.Dir(x))) {
				t.Errorf("with %s in the place of %s it says %q", filepath.Base(y), rel, s)
			}
		}
		if err := writeFile(x, own); err != nil {
			t.Fatal(err)
		}
	}
}

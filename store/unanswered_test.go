package store

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
	"infomall/store/record/task"
)

// unanswering makes a server fail each read of an object whose name contains the given text.
func unanswering(server *s3test.Server, text string) {
	server.SetFault(func(r *http.Request, _ int) s3test.Fault {
		if strings.Contains(r.URL.Path, text) {
			return s3test.SlowDown
		}
		return s3test.Works
	})
}

// TestUnanswered reads an archive in a bucket that does not answer for some files. The store says
// nothing about these files, so no statement takes them for damaged. Each ends with an error that
// names the object and the store. When the store answers again, the same handle answers right.
func TestUnanswered(t *testing.T) {
	server := s3test.Start(t)
	place := server.Place()
	place.Attempts = 1
	o := Options{Bucket: bucketsOf(t, server)}
	local := Open(t.TempDir(), o)
	defer local.Close()
	want := historyOf(threeMonths(t, local))
	url := s3.Scheme + s3test.Bucket + "/archive"
	copyTo(t, local, url)
	c, err := place.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{".raw", ".idx", "/FORMAT.txt", "/catalog/"} {
		a, err := OpenBucket(c, BucketOptions{Folder: t.TempDir(), CacheBytes: -1}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		failed := func(what string, err error) {
			t.Helper()
			if !disk.MayPass(err) || !strings.Contains(fmt.Sprint(err), s3.Scheme) || !strings.Contains(fmt.Sprint(err), server.URL) {
				t.Errorf("%s, without %s: %v", what, file, err)
			}
		}
		unanswering(server, file)
		if file == ".raw" {
			v, err := a.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			v.SkipDamage()
			_, err = rowsIn(v, record.MinTime, record.MaxTime)
			failed("a query", err)
			if err := errors.Join(v.Damage(), v.Close()); err != nil {
				t.Errorf("damage: %v", err)
			}
		}
		var last error
		for f, err := range a.Verify(t.Context(), task.VerifyOptions{Stateless: true}) {
			if last = err; err == nil {
				t.Errorf("VERIFY finds %+v, without %s", f, file)
			}
		}
		failed("VERIFY", last)
		server.SetFault(nil)
		if got, err := tellRows(a, record.MinTime, record.MaxTime); err != nil || !equalRows(got, want) {
			t.Errorf("after %s: %v\n%s", file, err, diffRows(got, want))
		}
	}
}

// TestRepairUnanswered repairs a damaged db-file from a copy in a bucket that does not answer. REPAIR
// ends with the error and leaves the file as it is.
func TestRepairUnanswered(t *testing.T) {
	server := s3test.Start(t)
	dir := t.TempDir()
	a := Open(dir, Options{Bucket: func(url string) (*s3.Client, BucketOptions, error) {
		place := server.Place()
		place.Attempts = 1
		c, err := place.Open(url)
		return c, BucketOptions{Folder: t.TempDir(), CacheBytes: -1}, err
	}})
	defer a.Close()
	threeMonths(t, a)
	url := s3.Scheme + s3test.Bucket + "/archive"
	copyTo(t, a, url)
	names, err := disk.Glob(disk.OS, dir, filepath.Join("pools", "200806", "*.raw"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	b, err := disk.ReadFile(disk.OS, names[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := disk.WriteFile(disk.OS, names[0], b); err != nil {
		t.Fatal(err)
	}
	unanswering(server, ".raw")
	results, err := a.Repair(t.Context(), task.RepairOptions{Pool: "200806", Dir: url})
	if !disk.MayPass(err) || len(results) != 0 {
		t.Errorf("%+v, %v", results, err)
	}
	if now, err := disk.ReadFile(disk.OS, names[0]); err != nil || string(now) != string(b) {
		t.Errorf("the damaged file was changed: %v", err)
	}
}

// TestUnansweredReadings asks for the title of a document while the bucket does not answer for the
// file with the texts of documents. The query ends with the error.
func TestUnansweredReadings(t *testing.T) {
	server := s3test.Start(t)
	place := server.Place()
	place.Attempts = 1
	o := Options{Bucket: bucketsOf(t, server), Documents: &testReader{}}
	local := Open(t.TempDir(), o)
	defer local.Close()
	put(t, local, []*visit{{url: "http://a.example/d", time: day0, status: 200, body: docBody("Title", "text")}})
	readDocuments(t, local)
	url := s3.Scheme + s3test.Bucket + "/archive"
	copyTo(t, local, url)
	c, err := place.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	a, err := OpenBucket(c, BucketOptions{Folder: t.TempDir(), CacheBytes: -1}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	scan := func() (titles []string, err error) {
		v, err := a.Snapshot(t.Context())
		if err != nil {
			return nil, err
		}
		defer v.Close()
		v.SkipDamage()
		for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColTitle}) {
			if err != nil {
				return titles, err
			}
			titles = append(titles, b.Title...)
		}
		return titles, v.Damage()
	}
	unanswering(server, ".docs")
	if got, err := scan(); !disk.MayPass(err) {
		t.Errorf("without the texts: %q, %v", got, err)
	}
	if res, err := a.Reindex(t.Context(), task.ReindexOptions{Documents: true}); !disk.MayPass(err) {
		t.Errorf("REINDEX DOCUMENTS: %+v, %v", res, err)
	}
	server.SetFault(nil)
	if got, err := scan(); err != nil || len(got) != 1 || got[0] != "Title" {
		t.Errorf("%q, %v", got, err)
	}
}

const bucketURL = s3.Scheme + s3test.Bucket + "/archive"

// openedCopy opens the archive at bucketURL on server. It keeps no file of the archive in a cache.
func openedCopy(t *testing.T, server *s3test.Server, o Options) *Archive {
	t.Helper()
	place := server.Place()
	place.Attempts = 1
	c, err := place.Open(bucketURL)
	if err != nil {
		t.Fatal(err)
	}
	a, err := OpenBucket(c, BucketOptions{Folder: t.TempDir(), CacheBytes: -1}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// TestUnansweredStates reads a revisit whose original was deleted while the bucket does not answer for
// the states, which say what body the revisit had. When the bucket answers again, the same snapshot
// reads the states.
func TestUnansweredStates(t *testing.T) {
	server := s3test.Start(t)
	now := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	o := Options{Bucket: bucketsOf(t, server), Now: func() time.Time { return now }}
	local := Open(t.TempDir(), o)
	defer local.Close()
	original := &visit{url: "http://www.example.com/a", time: day0, status: 200, body: storyOf("abc")}
	revisit := &visit{url: "http://www.example.com/b", time: day0 + dayMillis, status: 200, as: "url", refers: original, body: original.body, seq: 1}
	put(t, local, []*visit{revisit})
	now = now.Add(time.Hour)
	put(t, local, []*visit{original})
	early := record.At(now)
	now = now.Add(time.Hour)
	if _, err := deleteWhere(local, func(u string, _ record.Time) bool { return u == original.url }); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Merge(t.Context(), task.MergeOptions{Pools: []string{"200806"}}); err != nil {
		t.Fatal(err)
	}
	copyTo(t, local, bucketURL)
	for reads, failed := 1, true; failed; reads++ {
		a := openedCopy(t, server, o)
		v, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		failed = false
		n := 0
		server.SetFault(func(r *http.Request, _ int) s3test.Fault {
			if n++; n < reads {
				return s3test.Works
			}
			failed = true
			return s3test.SlowDown
		})
		rows, err := rowsIn(v.KnownAt(early), revisit.time, revisit.time+1)
		server.SetFault(nil)
		if disk.MayPass(err) {
			rows, err = rowsIn(v.KnownAt(early), revisit.time, revisit.time+1)
		}
		if err != nil || len(rows) != 1 || rows[0].body != original.body {
			t.Errorf("after read %d had no answer: %+v, %v", reads, rows, err)
		}
		v.Close()
	}
}

// TestUnansweredNames recovers a db-file while the bucket does not answer for the files that say where
// the blocks of merged segments are. RECOVER ends with the error, and reports no capture as damaged.
func TestUnansweredNames(t *testing.T) {
	server := s3test.Start(t)
	o := Options{Bucket: bucketsOf(t, server)}
	local := Open(t.TempDir(), o)
	defer local.Close()
	visits := secretPages("not so secret")
	for month := range slices.Chunk(visits, 8) {
		put(t, local, month)
	}
	seal(t, local)
	if _, err := deleteWhere(local, func(url string, at record.Time) bool { return url == visits[5].url && at == day0 }); err != nil {
		t.Fatal(err)
	}
	seal(t, local, "200806") // what names its blocks finds them by names
	c, err := local.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	copyTo(t, local, bucketURL)
	a := openedCopy(t, server, o)
	unanswering(server, ".names")
	var last error
	for r, err := range a.Recover(t.Context(), task.RecoverOptions{File: bucketURL + "/" + c.PoolSegments("200808")[0].File}) {
		if last = err; err == nil && r.State == task.RecoverDamaged {
			t.Errorf("damaged: %s", r.What)
		}
	}
	if !disk.MayPass(last) {
		t.Errorf("RECOVER ends with %v", last)
	}
}

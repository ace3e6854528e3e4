package store

import (
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
	"infomall/store/record/task"
)

// inBucket opens the archive in a place of a server's bucket.
func inBucket(t *testing.T, buckets Buckets, url string) *Archive {
	t.Helper()
	c, _, err := buckets(url)
	if err != nil {
		t.Fatal(err)
	}
	a, err := OpenBucket(c, BucketOptions{Folder: t.TempDir(), CacheBytes: -1}, Options{Bucket: buckets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// TestCopyToBucket copies an archive to a bucket and from there. The copy is an archive. A
// copy repairs the other, and single files are recovered where they are.
func TestCopyToBucket(t *testing.T) {
	server := s3test.Start(t)
	o := Options{Bucket: bucketsOf(t, server)}
	a := Open(t.TempDir(), o)
	defer a.Close()
	want := threeMonths(t, a)
	place := s3.Scheme + s3test.Bucket + "/copy"
	for _, c := range []struct {
		pools []string
		want  map[string]int
		has   []*visit
	}{
		{[]string{"200807"}, map[string]int{"200806": 2, "200807": 2}, want[:2]},
		{nil, map[string]int{"200806": 0, "200807": 0, "200808": 2}, want},
	} {
		if got := copied(copyTo(t, a, place, c.pools...)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("COPY of %v copied %v, want %v", c.pools, got, c.want)
		}
		if got := readRows(t, inBucket(t, o.Bucket, place), record.MinTime, record.MaxTime); !equalRows(got, historyOf(c.has)) {
			t.Fatalf("the copy answers:\n%s", diffRows(got, historyOf(c.has)))
		}
	}
	far := inBucket(t, o.Bucket, place)
	if err := verified(far); err != nil {
		t.Error(err)
	}

	// From the bucket into a folder, and into another bucket's place.
	for _, to := range []string{filepath.Join(t.TempDir(), "back"), place + "-again"} {
		copyTo(t, far, to)
		b := Open(to, Options{})
		if strings.HasPrefix(to, s3.Scheme) {
			b = inBucket(t, o.Bucket, to)
		}
		if got := readRows(t, b, record.MinTime, record.MaxTime); !equalRows(got, historyOf(want)) {
			t.Errorf("%s answers:\n%s", to, diffRows(got, historyOf(want)))
		}
		b.Close()
	}
	if _, err := far.Copy(t.Context(), task.CopyOptions{Dir: place}); err == nil || !strings.Contains(err.Error(), "the archive itself") {
		t.Errorf("a copy onto itself: %v", err)
	}

	// The bucket repairs the folder, and the folder the bucket.
	june, err := filepath.Glob(filepath.Join(a.Path(), commit.DirPools, "200806", "*.raw"))
	if err != nil || len(june) != 1 {
		t.Fatal(june, err)
	}
	state := func(results []task.RepairResult, err error) task.RepairState {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if strings.HasSuffix(r.File, ".raw") {
				return r.State
			}
		}
		return task.RepairWhole
	}
	flip(t, june[0])
	if got := state(a.Repair(t.Context(), task.RepairOptions{Pool: "200806", Dir: place})); got != task.RepairTaken {
		t.Errorf("the folder is %s from the bucket", got)
	}
	name := filepath.Base(june[0])
	server.Change("copy/pools/200806/"+name, func(b []byte) []byte {
		b = slices.Clone(b)
		b[len(b)/2] ^= 1
		return b
	})
	damaged := inBucket(t, o.Bucket, place)
	if err := verified(damaged); err == nil {
		t.Error("VERIFY finds no damage in the bucket")
	}
	lost := 0
	for r, err := range a.Recover(t.Context(), task.RecoverOptions{File: place + "/pools/200806/" + name}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.State == task.RecoverDamaged {
			lost++
		}
	}
	if lost == 0 {
		t.Error("RECOVER of the damaged object finds no damage")
	}
	if got := state(damaged.Repair(t.Context(), task.RepairOptions{Pool: "200806", Dir: a.Path()})); got != task.RepairTaken {
		t.Errorf("the bucket is %s from the folder", got)
	}
	if err := verified(inBucket(t, o.Bucket, place)); err != nil {
		t.Errorf("repaired: %v", err)
	}
	saved := 0
	for r, err := range a.Recover(t.Context(), task.RecoverOptions{File: place + "/pools/200806/" + name}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.State != task.RecoverDamaged {
			saved += r.Records
		}
	}
	if saved != 1 {
		t.Errorf("RECOVER of the object saves %d captures, want 1", saved)
	}
	if _, err := a.Repair(t.Context(), task.RepairOptions{Pool: "200806", Dir: place + "-nothing"}); err == nil || !strings.Contains(err.Error(), "there is no archive") {
		t.Errorf("repair from nothing: %v", err)
	}
}

// TestCopyToBucketFaults ends a copy at some of its requests. The copy has whole pools only, and
// the next COPY does the rest.
func TestCopyToBucketFaults(t *testing.T) {
	server := s3test.Start(t)
	o := Options{Bucket: bucketsOf(t, server)}
	a := Open(t.TempDir(), o)
	defer a.Close()
	want := threeMonths(t, a)
	whole := 0
	for at, failed := 1, true; failed; at += *tierStep {
		failed = false
		place := fmt.Sprintf("%s%s/%d", s3.Scheme, s3test.Bucket, at)
		first := 0
		server.SetFault(func(_ *http.Request, n int) s3test.Fault {
			if first == 0 {
				first = n
			}
			if n-first < at-1 {
				return s3test.Works
			}
			failed = true
			return s3test.Faults[at%len(s3test.Faults)]
		})
		_, err := a.Copy(t.Context(), task.CopyOptions{Dir: place})
		server.SetFault(nil)
		if !failed && err != nil {
			t.Fatalf("without a fault: %v", err)
		}
		has, err := tellRows(inBucket(t, o.Bucket, place), record.MinTime, record.MaxTime)
		if err != nil || !equalRows(has, historyOf(want[:len(has)])) {
			t.Fatalf("request %d fails: %v; the copy answers:\n%s", at, err, diffRows(has, historyOf(want)))
		}
		if len(has) == len(want) {
			whole++
		}
		copyTo(t, a, place)
		b := inBucket(t, o.Bucket, place)
		if got := readRows(t, b, record.MinTime, record.MaxTime); !equalRows(got, historyOf(want)) {
			t.Fatalf("after request %d failed, the next copy answers:\n%s", at, diffRows(got, historyOf(want)))
		}
		if err := verified(b); err != nil {
			t.Errorf("after request %d failed: %v", at, err)
		}
	}
	if whole == 0 {
		t.Error("no copy was whole")
	}
}

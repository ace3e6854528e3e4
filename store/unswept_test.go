package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/record"
	"infomall/store/record/task"
)

// TestUnswept imports in three batches while files that are out of force cannot be removed. Each batch
// comes into force, so the import succeeds. The next writer tells the error, and removes the files when that is possible.
func TestUnswept(t *testing.T) {
	dir := t.TempDir()
	d := disktest.Unrecorded()
	d.Under = disk.OS
	a := Open(dir, Options{Disk: d, BatchBytes: 1})
	defer a.Close()
	var visits []*visit
	for i := range record.Time(4) {
		visits = append(visits, &visit{url: "http://a.example/", time: day0 + 1000*i, status: 200, body: fmt.Sprint("body ", i)})
	}
	catalogs := func() int {
		names, err := disk.Glob(disk.OS, dir, filepath.Join("catalog", "[0-9]*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	put(t, a, visits[:1])
	armed := false
	d.Fault = func(_ int, what string) error {
		// The importer has begun when it writes the new catalogue.
		armed = armed || strings.Contains(what, filepath.Join("catalog", ".000003"))
		if armed && strings.HasPrefix(what, "remove "+filepath.Join(dir, "catalog")) {
			return syscall.EIO
		}
		return nil
	}
	var res task.ImportResult
	if err := putErr(a, visits[1:], &res); err != nil || !armed || catalogs() != 3 {
		t.Errorf("%v with %d catalogues, want none with 3", err, catalogs())
	}
	if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, historyOf(visits)) {
		t.Error(diffRows(got, historyOf(visits)))
	}
	if err := putErr(a, visits[1:], &res); err == nil {
		t.Error("the next writer says nothing")
	}
	d.Fault = nil
	put(t, a, visits[1:])
	if catalogs() != 1 {
		t.Errorf("%d catalogues stay", catalogs())
	}
}

// TestUnsweptRemovals drops and merges pools. Each time, the first removal of a file that is out of
// force fails. Both come into force, so both succeed.
func TestUnsweptRemovals(t *testing.T) {
	dir := t.TempDir()
	d := disktest.Unrecorded()
	d.Under = disk.OS
	a := Open(dir, Options{Disk: d, BatchBytes: 1})
	defer a.Close()
	threeMonths(t, a)
	failed := 0
	stuck := func(what string, run func() error) {
		t.Helper()
		armed := false
		d.Fault = func(_ int, what string) error {
			armed = armed || strings.Contains(what, filepath.Join("catalog", ".0")) // a new catalogue is written
			if armed && failed == 0 && strings.HasPrefix(what, "remove "+filepath.Join(dir, "catalog")) {
				failed++
				return syscall.EIO
			}
			return nil
		}
		defer func() { d.Fault = nil }()
		if err := run(); err != nil || failed == 0 {
			t.Errorf("%s: %v, and %d files could not be removed", what, err, failed)
		}
		failed = 0
	}
	stuck("DROP POOL", func() error {
		_, err := a.Drop(t.Context(), task.DropOptions{Pool: "200808"})
		return err
	})
	stuck("MERGE", func() error {
		_, err := a.Merge(t.Context(), task.MergeOptions{Pools: []string{"200806"}, Seal: true})
		return err
	})
	if names := poolNames(t, a); len(names) != 2 {
		t.Errorf("the pools are %v", names)
	}
}

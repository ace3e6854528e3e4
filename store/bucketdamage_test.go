package store

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
	"infomall/store/record/task"
)

// flipAll changes a bit in each kilobyte of a file.
func flipAll(b []byte) {
	for i := len(b) / 2 % 1024; i < len(b); i += 1024 {
		b[i] ^= 1
	}
}

// findings returns the names of the files in which VERIFY finds a fault, each once, sorted.
func findings(t *testing.T, a *Archive) (files []string) {
	t.Helper()
	for f, err := range a.Verify(t.Context(), task.VerifyOptions{Stateless: true}) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.ToSlash(f.File))
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// TestBucketDamage damages objects of which two machines have blocks in their caches. VERIFY names
// each object. After a REPAIR by one machine, the other machine reads the new bytes, though its
// cache has the damaged ones.
func TestBucketDamage(t *testing.T) {
	server := s3test.Start(t)
	o := Options{Bucket: bucketsOf(t, server)}
	a := Open(t.TempDir(), o)
	defer a.Close()
	want := historyOf(threeMonths(t, a))
	place := s3.Scheme + s3test.Bucket + "/archive"
	copyTo(t, a, place)
	folders := []string{t.TempDir(), t.TempDir()}
	// process opens the archive as a new process of a machine would.
	process := func(machine int) *Archive {
		c, err := server.Place().Open(place)
		if err != nil {
			t.Fatal(err)
		}
		p, err := OpenBucket(c, BucketOptions{Folder: folders[machine], CacheBytes: 64 << 20}, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	reads := func(when string, a *Archive) {
		t.Helper()
		if got, err := tellRows(a, record.MinTime, record.MaxTime); err != nil || !equalRows(got, want) {
			t.Fatalf("%s: %v\n%s", when, err, diffRows(got, want))
		}
	}
	var damaged []string
	for _, name := range server.Objects() {
		if strings.HasSuffix(name, "/000001.idx") || strings.Contains(name, "/200806/") && strings.HasSuffix(name, ".raw") {
			damaged = append(damaged, name)
		}
	}
	if len(damaged) < 2 {
		t.Fatalf("no objects to damage in %q", server.Objects())
	}
	for _, name := range damaged {
		other := process(1) // it stays open
		for machine := range folders {
			reads("before the damage", process(machine))
		}
		reads("before the damage", other)
		server.Rot(name, flipAll)
		reads("with the blocks in the cache", process(0))
		file := strings.TrimPrefix(name, "archive/")
		for machine := range folders { // this brings the damaged blocks into the cache
			if got := findings(t, process(machine)); !slices.Contains(got, file) {
				t.Fatalf("%s: VERIFY on machine %d names %q", file, machine, got)
			}
		}
		if strings.HasSuffix(name, ".raw") {
			if got, err := tellRows(process(1), record.MinTime, record.MaxTime); err == nil && equalRows(got, want) {
				t.Fatalf("%s: damaged blocks in the cache are not read", file)
			}
		}
		results, err := process(0).Repair(t.Context(), task.RepairOptions{Pool: "200806", Dir: a.Path()})
		if err != nil || !slices.ContainsFunc(results, func(r task.RepairResult) bool {
			return filepath.ToSlash(r.File) == file && r.State == task.RepairTaken
		}) {
			t.Fatalf("%s: REPAIR: %+v, %v", file, results, err)
		}
		reads("repaired, on the other machine", process(1))
		reads("repaired, in a process that was open", other)
		for machine := range folders {
			if got := findings(t, process(machine)); len(got) > 0 {
				t.Errorf("%s: VERIFY on machine %d after REPAIR names %q", file, machine, got)
			}
		}
	}
	// A later generation knows the replaced files as long as they are in force.
	p := process(0)
	put(t, p, []*visit{{url: "http://later.example/", time: day0, status: 200, body: "later"}})
	c, err := p.folder.InForce()
	if err != nil || len(c.Renewed) != len(damaged) {
		t.Errorf("renewed: %+v, %v; want %d", c.Renewed, err, len(damaged))
	}
}

// TestTierDamage damages an object of a tier behind a warm cache. VERIFY names it.
func TestTierDamage(t *testing.T) {
	server := s3test.Start(t)
	folder := t.TempDir()
	a := Open(t.TempDir(), Options{Bucket: func(url string) (*s3.Client, BucketOptions, error) {
		c, err := server.Place().Open(url)
		return c, BucketOptions{Folder: folder, CacheBytes: 64 << 20}, err
	}})
	defer a.Close()
	threeMonths(t, a)
	if _, err := a.Move(t.Context(), task.MoveOptions{To: s3.Scheme + s3test.Bucket + "/old", Ended: record.MaxTime}); err != nil {
		t.Fatal(err)
	}
	if got := findings(t, a); len(got) > 0 {
		t.Fatalf("VERIFY names %q", got)
	}
	for _, name := range server.Objects() {
		if strings.HasSuffix(name, ".raw") {
			server.Rot(name, flipAll)
			if got, want := findings(t, a), strings.TrimPrefix(name, "old/"); !slices.Contains(got, want) {
				t.Errorf("VERIFY names %q, want %s", got, want)
			}
			server.Rot(name, flipAll)
		}
	}
}

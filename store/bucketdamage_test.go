package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
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

// TestBucketFlips changes bytes of each object of a bucket, one at a time, and cuts the object. A
// machine without a cache asks for each single URL and for all captures. Each answer is complete, or an
// error that names a file.
func TestBucketFlips(t *testing.T) {
	server := s3test.Start(t)
	o := Options{Bucket: bucketsOf(t, server)}
	a := Open(t.TempDir(), o)
	defer a.Close()
	const urls = 30
	for month := range 3 {
		var visits []*visit
		for i := range urls {
			size := 20
			if month == 0 && i%4 == 0 {
				size = 20_000 // so that the segment has several runs
			}
			visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%02d/%s", i, strings.Repeat("x", 70)), time: day0 + record.Time(31*month)*dayMillis, status: 200,
				body: fmt.Sprintf("<html><title>page %d</title><p>%s</p></html>", i, strings.Repeat(fmt.Sprint(i, " pages, ", month/2, " months "), size))})
		}
		put(t, a, visits)
	}
	if c, err := a.folder.InForce(); err != nil || c.Segments[0].Runs < 4 {
		t.Fatalf("too few runs: %+v, %v", c.Segments[0], err)
	}
	all := readRows(t, a, record.MinTime, record.MaxTime)
	place := s3.Scheme + s3test.Bucket + "/archive"
	copyTo(t, a, place)
	// rowsOf returns the times of the captures of a URL.
	rowsOf := func(a *Archive, url string) (out []record.Time, err error) {
		v, err := a.Snapshot(t.Context())
		if err != nil {
			return nil, err
		}
		defer v.Close()
		key := urlkey.Key(url)
		for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime, Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}}) {
			if err != nil {
				return nil, err
			}
			out = append(out, b.Time[:b.N]...)
		}
		return out, nil
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	questions, told := 0, 0
	for _, name := range server.Objects() {
		flips := 2
		if strings.HasSuffix(name, ".idx") {
			flips = 12
		}
		for n := range flips {
			var whole []byte
			at, cut := 0, n%6 == 5
			server.Change(name, func(b []byte) []byte {
				whole = bytes.Clone(b)
				if at = rnd.IntN(len(b)); cut {
					return b[:at]
				}
				if n%2 == 0 { // the head of a page, and its first keys
					at = min(at/1024*1024+rnd.IntN(100), len(b)-1)
				}
				b = bytes.Clone(b)
				b[at] ^= 1 << rnd.IntN(8)
				return b
			})
			c, err := server.Place().Open(place)
			if err != nil {
				t.Fatal(err)
			}
			p, err := OpenBucket(c, BucketOptions{Folder: t.TempDir(), CacheBytes: -1}, Options{Warn: func(error) { told++ }})
			if err != nil {
				t.Fatal(err)
			}
			fails := func(question string, err error, equal bool) {
				questions++
				switch {
				case err == nil && !equal:
					t.Errorf("%s, byte %d (cut: %v), %s: the answer is not complete", name, at, cut, question)
				case err != nil && !strings.Contains(err.Error(), strings.TrimPrefix(name, "archive/")):
					t.Errorf("%s, byte %d (cut: %v), %s: the error does not name the file: %v", name, at, cut, question, err)
				}
			}
			for range 8 {
				r := all[rnd.IntN(len(all))]
				got, err := rowsOf(p, r.url)
				fails(r.url, err, len(got) == 3)
			}
			if n%4 == 0 {
				got, err := tellRows(p, record.MinTime, record.MaxTime)
				fails("all", err, equalRows(got, all))
			}
			p.Close()
			server.Change(name, func([]byte) []byte { return whole })
		}
	}
	t.Logf("%d questions, %d warnings", questions, told)
}

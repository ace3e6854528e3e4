package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/segment/indexfile"
)

// verify gives what Verify finds.
func verify(t testing.TB, dir string, o task.VerifyOptions) []task.Finding {
	t.Helper()
	a := openAt(dir, Options{})
	defer a.Close()
	var out []task.Finding
	for f, err := range a.Verify(context.Background(), o) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// TestVerifyClean imports histories in parts and in any order, merging pools between: nothing is wrong
// with what comes of it.
func TestVerifyClean(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	rapid.Check(t, func(rt *rapid.T) {
		visits := rapid.Permutation(drawHistory(rt)).Draw(rt, "order")
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		for rest := visits; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			put(t, a, rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(rt, "merge") {
				mergeAny(rt, a)
			}
		}
		if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
			rt.Fatalf("got %+v, want nothing", got)
		}
	})
}

// damagedArchive is a small archive of two pools, where the second is as the
// first in part.
func damagedArchive(t *testing.T) string {
	t.Helper()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	page := "<html><body><h1>title</h1>" + strings.Repeat("<p>a paragraph that is long enough to be one, and is in both</p>", 20) + "</body></html>"
	var visits []*visit
	for i := range 4 {
		url := fmt.Sprintf("http://www.example.com/%d", i)
		visits = append(visits,
			&visit{url: url, time: day0, status: 200, body: page},
			&visit{url: url, time: day0 + 40*dayMillis, status: 200, body: page + "<p>more</p>"},
			&visit{url: url, time: day0 + 41*dayMillis, status: 200, body: page})
	}
	put(t, a, visits)
	return a.Local()
}

// TestVerifyFlips flips a bit at places all over each file in force. Each must
// be found.
func TestVerifyFlips(t *testing.T) {
	dir := damagedArchive(t)
	files, err := archiveFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		whole, err := readFile(name)
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, len(whole)/50)
		for at := 0; at < len(whole); at += step {
			b := append([]byte(nil), whole...)
			b[at] ^= 1 << (at / step % 8)
			if err := writeFile(name, b); err != nil {
				t.Fatal(err)
			}
			if got := verify(t, dir, task.VerifyOptions{}); len(got) == 0 {
				t.Errorf("%s: a flip at byte %d was not found", name, at)
			}
		}
		if err := writeFile(name, whole); err != nil {
			t.Fatal(err)
		}
	}
	if got := verify(t, dir, task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("after all was put back: %+v", got)
	}
}

// archiveFiles lists the files in force.
func archiveFiles(dir string) ([]string, error) {
	a := openAt(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		return nil, err
	}
	defer v.Close()
	files, err := v.Files(context.Background())
	out := []string{filepath.Join(dir, commit.FileCurrent)}
	for _, f := range files {
		out = append(out, filepath.Join(dir, f.Name))
	}
	return out, err
}

// TestVerifyAffected damages a run and names the captures that are lost with
// it: its own, and those of the later pool that take blocks from it.
func TestVerifyAffected(t *testing.T) {
	dir := damagedArchive(t)
	names, err := glob(filepath.Join(dir, commit.DirPools, "200806", "*.raw"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	b, err := readFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	b[strings.Index(string(b), "\n\n")+20] ^= 1
	if err := writeFile(names[0], b); err != nil {
		t.Fatal(err)
	}
	lost := make(map[string]bool)
	for _, f := range verify(t, dir, task.VerifyOptions{}) {
		if f.Severity != task.SeverityError || f.Pool == "" {
			t.Errorf("finding %+v, want an error of a pool", f)
		}
		if f.URL != "" {
			lost[fmt.Sprint(f.URL, " ", f.Time.Pool())] = true
		}
	}
	for i := range 4 {
		for _, pool := range []string{"200806", "200807"} {
			if want := fmt.Sprintf("http://www.example.com/%d %s", i, pool); !lost[want] {
				t.Errorf("%s is not among the lost: %v", want, lost)
			}
		}
	}
	if got := verify(t, dir, task.VerifyOptions{Pool: "200806"}); len(got) == 0 {
		t.Error("VERIFY of the pool finds nothing")
	}
}

// TestVerifyNoPool names a pool that is not there.
func TestVerifyNoPool(t *testing.T) {
	a := openAt(damagedArchive(t), Options{})
	defer a.Close()
	for _, err := range a.Verify(context.Background(), task.VerifyOptions{Pool: "200809"}) {
		if none, ok := err.(*task.NoPoolError); !ok || len(none.Pools) != 2 {
			t.Errorf("got error %v, want NoPoolError", err)
		}
	}
}

// everyFile lists the files of an archive's folder.
func everyFile(t testing.TB, dir string) (names []string) {
	t.Helper()
	return filesIn(dir)
}

// flipsUnfound flips n bits drawn at random in each of files, one at a time, and
// lists those that VERIFY does not find.
func flipsUnfound(t testing.TB, dir string, files []string, n int, rng *rand.Rand) (unfound []string) {
	t.Helper()
	for _, name := range files {
		whole, err := readFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			b := slices.Clone(whole)
			at, bit := rng.IntN(len(b)), rng.IntN(8)
			b[at] ^= 1 << bit
			if err := writeFile(name, b); err != nil {
				t.Fatal(err)
			}
			if len(verify(t, dir, task.VerifyOptions{})) == 0 {
				unfound = append(unfound, fmt.Sprintf("%s: byte %d, bit %d", name, at, bit))
			}
		}
		if err := writeFile(name, whole); err != nil {
			t.Fatal(err)
		}
	}
	return unfound
}

// progressOfSamples is the file of a VERIFY SAMPLE 7 of which part 3 is next.
func progressOfSamples() []byte {
	return lines.Seal(lines.Append(lines.New("verify"), "next", 7, 3))
}

// TestVerifyTwentyFlips flips 20 bits in every file of an archive, one at a
// time: VERIFY finds each. LOCK alone is not looked at: whatever it holds, the
// next segment's number is above all that are in use.
func TestVerifyTwentyFlips(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	dir := goldenArchive(t)
	if err := writeFile(filepath.Join(dir, "verify"), progressOfSamples()); err != nil {
		t.Fatal(err)
	}
	files := slices.DeleteFunc(everyFile(t, dir), func(name string) bool { return filepath.Base(name) == commit.FileLock })
	if len(files) < 11 {
		t.Fatalf("files %v", files)
	}
	if unfound := flipsUnfound(t, dir, files, 20, rand.New(rand.NewPCG(1, 2))); len(unfound) > 0 {
		t.Errorf("not found:\n%s", strings.Join(unfound, "\n"))
	}
	for _, lock := range []string{"", "0\n", "1", "4x", "99999999999999999999", "3\n3\n"} {
		if err := writeFile(filepath.Join(dir, commit.FileLock), []byte(lock)); err != nil {
			t.Fatal(err)
		}
		a := openAt(dir, Options{})
		v := &visit{url: "http://www.example.com/" + lock, time: day0, status: 200, body: "a" + lock}
		put(t, a, []*visit{v})
		a.Close()
		if got := verify(t, dir, task.VerifyOptions{}); len(got) > 0 {
			t.Errorf("LOCK %q: %+v", lock, got)
		}
	}
}

// TestWithoutChecksums turns checksums off. The suite of flips must then fail:
// what finds nothing with them on is no proof if it finds nothing with them off.
func TestWithoutChecksums(t *testing.T) {
	dir := damagedArchive(t)
	files, err := glob(filepath.Join(dir, commit.DirPools, "*", "*.raw"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	segment.SetUnchecked(true)
	defer segment.SetUnchecked(false)
	if unfound := flipsUnfound(t, dir, files, 60, rand.New(rand.NewPCG(3, 4))); len(unfound) == 0 {
		t.Error("each flip was found without checksums: the test of flips can't fail")
	}
}

// TestDamagedIndexAnswers flips bits in the index file and asks: the answers are
// the same, and the process lives.
func TestDamagedIndexAnswers(t *testing.T) {
	dir := damagedArchive(t)
	a := openAt(dir, Options{})
	want := readRows(t, a, record.MinTime, record.MaxTime)
	a.Close()
	names, err := glob(filepath.Join(dir, commit.DirIndex, "*"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	whole, err := readFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	silent := 0
	for n := range 60 {
		b := slices.Clone(whole)
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		if n%3 == 0 {
			b = b[:rng.IntN(len(b))]
		}
		if err := writeFile(names[0], b); err != nil {
			t.Fatal(err)
		}
		told := 0
		a := openAt(dir, Options{Warn: func(error) { told++ }})
		if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
			t.Errorf("round %d:\n%s", n, diffRows(got, want))
		}
		a.Close()
		if told == 0 {
			silent++
		}
	}
	// In a bucket, only pages that are needed are read.
	if silent > 0 && !inBuckets() || silent == 60 {
		t.Errorf("in %d rounds nothing was told of the damage", silent)
	}
}

// TestVerifyIndexOfAnother gives a segment an index that is none of it, with the
// checksum that the catalogue has of it.
func TestVerifyIndexOfAnother(t *testing.T) {
	dir := damagedArchive(t)
	a := openAt(dir, Options{})
	defer a.Close()
	c, err := a.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(commit.DirIndex, "000099.idx")
	x, err := indexfile.NewBuilder(disk.OS, filepath.Join(dir, other))
	if err != nil {
		t.Fatal(err)
	}
	// The bucket of the first segment has the pairs of the second's.
	second := c.Segments[1]
	f, err := openFile(filepath.Join(dir, second.File))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = x.Add(c.Segments[0].Bucket(), func(put func(k, v []byte) error) error {
		_, err := segment.Rebuild(t.Context(), second.File, f, second.Bytes, put)
		return err
	})
	if err == nil {
		err = x.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := commit.DescribeIndex(disk.OS, filepath.Join(dir, other), other)
	if err != nil {
		t.Fatal(err)
	}
	wrong := *c.Segments[0]
	wrong.Index = other
	if err := a.folder.Put(c.WithIndexes([]*segment.Info{&wrong}, []catalog.IndexFile{file})); err != nil {
		t.Fatal(err)
	}
	got := verify(t, dir, task.VerifyOptions{})
	if len(got) == 0 || got[0].File != other || got[0].Severity != task.SeverityWarning {
		t.Errorf("findings %+v, want a warning of %s", got, other)
	}
}

// manyPools is an archive of n pools with one segment each.
func manyPools(t testing.TB, n int) string {
	t.Helper()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	for i := range n {
		put(t, a, []*visit{{url: fmt.Sprintf("http://www.example.com/%d", i), time: day0 + record.Time(31*i)*dayMillis, status: 200, body: fmt.Sprint("page ", i)}})
	}
	return a.Local()
}

// TestVerifySample damages a db-file: of n samples one finds it, again and
// again, whichever the file is.
func TestVerifySample(t *testing.T) {
	const n = 3
	dir := manyPools(t, 7)
	names, err := glob(filepath.Join(dir, commit.DirPools, "*", "*.raw"))
	if err != nil || len(names) != 7 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b, err := readFile(name)
		if err != nil {
			t.Fatal(err)
		}
		bad := slices.Clone(b)
		bad[len(b)/2] ^= 1
		if err := writeFile(name, bad); err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			found := 0
			for range n {
				if len(verify(t, dir, task.VerifyOptions{Sample: n})) > 0 {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%s, round %d: %d of %d samples found it, want 1", name, round, found, n)
			}
		}
		if err := writeFile(name, b); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVerifyGoesOn stops a verification: the next goes on with what was not yet
// found whole, reads what was not again, and leaves no note behind.
func TestVerifyGoesOn(t *testing.T) {
	dir := manyPools(t, 6)
	names, err := glob(filepath.Join(dir, commit.DirPools, "*", "*.raw"))
	if err != nil || len(names) != 6 {
		t.Fatal(names, err)
	}
	b, err := readFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := writeFile(names[0], b); err != nil {
		t.Fatal(err)
	}
	a := openAt(dir, Options{})
	defer a.Close()
	last, err := readFile(names[5])
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var failed error
	for _, err := range a.Verify(ctx, task.VerifyOptions{Progress: func(done, total int64) {
		if done > total-int64(len(last)) {
			cancel()
		}
	}}) {
		failed = err
	}
	if !errors.Is(failed, context.Canceled) {
		t.Fatalf("error %v, want one of the cancelling", failed)
	}
	p, err := a.PlanVerify(t.Context(), task.VerifyOptions{})
	if err != nil || p.Clean == 0 || p.Clean > 5 {
		t.Fatalf("plan %+v, %v", p, err)
	}
	if !slices.Contains(p.Files, filepath.Join(commit.DirPools, filepath.Base(filepath.Dir(names[0])), filepath.Base(names[0]))) {
		t.Errorf("the damaged %s is not read again: %v", names[0], p.Files)
	}
	if other, err := a.PlanVerify(t.Context(), task.VerifyOptions{Pool: "200806"}); err != nil || other.Clean != 0 {
		t.Errorf("of one pool: plan %+v, %v", other, err)
	}
	if got := verify(t, dir, task.VerifyOptions{}); len(got) == 0 {
		t.Error("the damage is not found when it goes on")
	}
	if err := exists(filepath.Join(dir, "verify")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the note is there after the end: %v", err)
	}
}

// TestVerifyCatalogue changes what the catalogue says of files that are whole:
// each contradiction is found.
func TestVerifyCatalogue(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*catalog.Catalog)
		file   string // of the finding
		want   string // in it
	}{
		{"a pool that another depends on is gone", func(c *catalog.Catalog) { c.Segments = c.Segments[1:] }, "000002.raw", "not in force: pool 200806, segment 1"},
		{"segments of a static pool overlap", func(c *catalog.Catalog) {
			c.Segments[1].Pool, c.Static = "200806", []string{"200806"}
		}, "000002.raw", "its pool is static, but it begins before"},
		{"captures are in another part", func(c *catalog.Catalog) {
			c.Parts = []catalog.Part{{Pool: "200806", From: "com,example,www,)/2"}}
		}, "000001.raw", "URLs that its pool does not take"},
		{"a db-file is of another size", func(c *catalog.Catalog) { c.Segments[0].Bytes++ }, "000001.raw", "after the end record"},
		{"a db-file has another checksum", func(c *catalog.Catalog) { c.Segments[0].CRC++ }, "000001.raw", "crc32c is"},
		{"a db-file is not there", func(c *catalog.Catalog) { c.Segments[0].File = "pools/200806/000009.raw" }, "000009.raw", "no such file"},
		{"an index file is not there", func(c *catalog.Catalog) {
			c.Indexes[0].Name = "index/000009.idx"
			for _, s := range c.Segments {
				s.Index = c.Indexes[0].Name
			}
		}, "000009.idx", "no such file"},
		{"it counts more captures", func(c *catalog.Catalog) { c.Segments[0].Captures++ }, "000001.raw", "the end record says"},
		{"it has a key that the file ends before", func(c *catalog.Catalog) { c.Segments[0].LastKey += "x" }, "000001.raw", "the catalogue is wrong about segment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := damagedArchive(t)
			a := openAt(dir, Options{})
			defer a.Close()
			in, err := a.folder.InForce()
			if err != nil {
				t.Fatal(err)
			}
			in.Generation++
			c.change(in)
			if err := a.folder.Put(in); err != nil {
				t.Fatal(err)
			}
			got := verify(t, dir, task.VerifyOptions{})
			if !slices.ContainsFunc(got, func(f task.Finding) bool {
				return strings.HasSuffix(f.File, c.file) && strings.Contains(f.What, c.want)
			}) {
				t.Errorf("got %+v, want %q of %s", got, c.want, c.file)
			}
		})
	}
}

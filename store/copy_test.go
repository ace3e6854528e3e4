package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk/disktest"
	"infomall/store/record"
	"infomall/store/record/task"
)

// threeMonths imports captures of June, July and August, each month by itself.
// July uses June's body, August none.
func threeMonths(t *testing.T, a *Archive) []*visit {
	t.Helper()
	// Large enough for a copy to put it in force before it goes on.
	june := make([]byte, 20_000)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(june); i++ {
		june[i] = byte(r.Uint32())
	}
	visits := []*visit{
		{url: "http://a.example/", time: day0, status: 200, body: string(june)},
		{url: "http://a.example/", time: day0 + 30*dayMillis, status: 200, body: string(june)},
		{url: "http://b.example/", time: day0 + 65*dayMillis, status: 200, body: "august"},
	}
	for _, v := range visits {
		put(t, a, []*visit{v})
	}
	return visits
}

func copyTo(t *testing.T, a *Archive, dir string, pools ...string) []task.CopyResult {
	t.Helper()
	results, err := a.Copy(context.Background(), task.CopyOptions{Pools: pools, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func copied(results []task.CopyResult) map[string]int {
	got := make(map[string]int)
	for _, r := range results {
		got[r.Pool] = r.Copied
	}
	return got
}

// TestCopy copies an archive in parts: a copy answers as the original, has the
// pools that its own depend on, takes only what is new, and replaces what was
// damaged.
func TestCopy(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	visits := threeMonths(t, a)
	dir := filepath.Join(t.TempDir(), "copy")
	answers := func(visits []*visit) {
		t.Helper()
		b := openAt(dir, Options{})
		defer b.Close()
		if got, want := readRows(t, b, record.MinTime, record.MaxTime), historyOf(visits); !equalRows(got, want) {
			t.Fatalf("the copy answers:\n%s", diffRows(got, want))
		}
	}
	dry, err := a.Copy(context.Background(), task.CopyOptions{Dir: place(dir), Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"200806": 2, "200807": 2, "200808": 2}; !reflect.DeepEqual(copied(dry), want) {
		t.Errorf("a dry run would copy %v, want %v", copied(dry), want)
	}
	if err := exists(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a dry run made the folder: %v", err)
	}
	for _, c := range []struct {
		pools []string
		want  map[string]int
		has   []*visit
	}{
		{[]string{"200807"}, map[string]int{"200806": 2, "200807": 2}, visits[:2]},
		{[]string{"200806"}, map[string]int{"200806": 0}, visits[:2]},
		{nil, map[string]int{"200806": 0, "200807": 0, "200808": 2}, visits},
	} {
		if got := copied(copyTo(t, a, place(dir), c.pools...)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("COPY of %v copied %v, want %v", c.pools, got, c.want)
		}
		answers(c.has)
	}
	files, err := glob(filepath.Join(dir, commit.DirPools, "200806", "*.raw"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if inBuckets() {
		return // a copy in a bucket is not read again
	}
	flip(t, files[0])
	if got, want := copied(copyTo(t, a, place(dir))), map[string]int{"200806": 1, "200807": 0, "200808": 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("after damage COPY copied %v, want %v", got, want)
	}
	answers(visits)
}

// TestCopyGoesOn stops a copy at each of its operations: what it brought into
// force stays, is not copied again, and the next copy brings the rest.
func TestCopyGoesOn(t *testing.T) {
	needsFolder(t, "TestCopyToBucketFaults ends a copy to a bucket at each request")
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	noise := rand.New(rand.NewPCG(9, 10))
	var visits []*visit
	for month := range 6 {
		body := make([]byte, 8<<10)
		for i := range body {
			body[i] = byte('a' + noise.IntN(26))
		}
		v := &visit{url: "http://a.example/", time: day0 + record.Time(31*month)*dayMillis, status: 200, body: string(body)}
		put(t, a, []*visit{v})
		visits = append(visits, v)
	}
	saved := 0
	for at, killed := 1, true; killed; at += 7 {
		killed = false
		root := t.TempDir()
		dir := filepath.Join(root, "copy")
		d := disktest.New(root)
		d.Fault = func(n int, _ string) error {
			if n < at {
				return nil
			}
			killed = true
			return disktest.ErrKilled
		}
		src := openAt(a.Local(), Options{Disk: d})
		_, err := src.Copy(context.Background(), task.CopyOptions{Dir: place(dir)})
		src.Close()
		if killed != (err != nil) {
			t.Fatalf("killed at operation %d: %v", at, err)
		}
		b := openAt(dir, Options{})
		has := readRows(t, b, record.MinTime, record.MaxTime)
		b.Close()
		if want := historyOf(visits[:len(has)]); !equalRows(has, want) {
			t.Fatalf("killed at operation %d the copy answers:\n%s", at, diffRows(has, want))
		}
		again := 0
		for _, n := range copied(copyTo(t, a, place(dir))) {
			again += n
		}
		if want := 2 * (len(visits) - len(has)); again > want {
			t.Errorf("killed at operation %d with %d pools in force: %d files were copied again, want %d at most", at, len(has), again, want)
		}
		if killed {
			saved += len(has)
		}
		b = openAt(dir, Options{})
		if has, want := readRows(t, b, record.MinTime, record.MaxTime), historyOf(visits); !equalRows(has, want) {
			t.Errorf("after going on the copy answers:\n%s", diffRows(has, want))
		}
		b.Close()
	}
	if saved == 0 {
		t.Error("no copy that was killed had brought anything into force")
	}
}

// flip changes a bit in the middle of a file.
func flip(t *testing.T, name string) {
	t.Helper()
	b, err := readFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := writeFile(name, b); err != nil {
		t.Fatal(err)
	}
}

// TestCopyRefuses shows what is not copied, and that the folder is left as it
// was.
func TestCopyRefuses(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	visits := threeMonths(t, a)
	other := openAt(t.TempDir(), Options{})
	defer other.Close()
	own := []*visit{{url: "http://own.example/", time: day0, status: 200, body: "own"}}
	put(t, other, own)
	file := filepath.Join(t.TempDir(), "file")
	if err := writeFile(file, nil); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{place(a.Local()), place(other.Local()), file} {
		if _, err := a.Copy(ctx, task.CopyOptions{Dir: dir}); err == nil {
			t.Errorf("COPY to %s was not refused", dir)
		}
	}
	if got, want := readRows(t, other, record.MinTime, record.MaxTime), historyOf(own); !equalRows(got, want) {
		t.Errorf("the other archive has:\n%s", diffRows(got, want))
	}
	var none *task.NoPoolError
	if _, err := a.Copy(ctx, task.CopyOptions{Pools: []string{"199901"}, Dir: place(t.TempDir())}); !errors.As(err, &none) || len(none.Pools) != 3 {
		t.Errorf("COPY of a pool that is not there: %v", err)
	}
	files, err := glob(filepath.Join(a.Local(), commit.DirPools, "200807", "*.raw"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	flip(t, files[0])
	dir := t.TempDir()
	if _, err := a.Copy(ctx, task.CopyOptions{Dir: place(dir)}); err == nil {
		t.Error("a damaged file was copied")
	}
	b := openAt(dir, Options{})
	defer b.Close()
	if got, want := readRows(t, b, record.MinTime, record.MaxTime), historyOf(visits[:1]); !equalRows(got, want) {
		t.Errorf("of a copy that failed in its second pool is in force:\n%s", diffRows(got, want))
	}
}

// TestCopyMerged merges pools between copies. The copy has what the archive
// has, one pool of it brings the others up to date, and a copy that was written
// to is none any more.
func TestCopyMerged(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	var visits []*visit
	for i, body := range []string{bodies[4], bodies[5], bodies[6], bodies[5]} {
		for _, day := range []int{0, 31} {
			v := &visit{url: fmt.Sprintf("http://a.example/%d", i%2), time: day0 + record.Time((day+i)*dayMillis), status: 200, body: body}
			visits = append(visits, v)
			put(t, a, []*visit{v})
		}
	}
	dir := filepath.Join(t.TempDir(), "copy")
	answers := func() {
		t.Helper()
		b := openAt(dir, Options{})
		defer b.Close()
		if got, want := readRows(t, b, record.MinTime, record.MaxTime), historyOf(visits); !equalRows(got, want) {
			t.Fatalf("the copy answers:\n%s", diffRows(got, want))
		}
		if got := verify(t, dir, task.VerifyOptions{}); len(got) > 0 {
			t.Fatalf("VERIFY of the copy finds %+v", got)
		}
	}
	copyTo(t, a, place(dir))
	for _, pool := range []string{"200806", "200807"} {
		if _, err := a.Merge(context.Background(), task.MergeOptions{Pools: []string{pool}}); err != nil {
			t.Fatal(err)
		}
		copyTo(t, a, place(dir), "200806")
		answers()
	}
	if c := current(t, openAt(dir, Options{})); len(c.Segments) != 2 || !c.Copied {
		t.Errorf("the copy has %d segments, want 2; it is a copy: %v", len(c.Segments), c.Copied)
	}
	b := openAt(dir, Options{})
	defer b.Close()
	put(t, b, []*visit{{url: "http://own.example/", time: day0, status: 200, body: "own"}})
	if _, err := a.Copy(context.Background(), task.CopyOptions{Dir: place(dir)}); err == nil {
		t.Error("a copy with captures of its own was not refused")
	}
}

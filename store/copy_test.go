package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"infomall/store/record"
)

// threeMonths imports captures of June, July and August, each month by itself.
// July uses June's body, August none.
func threeMonths(t *testing.T, a *Archive) []*visit {
	t.Helper()
	visits := []*visit{
		{url: "http://a.example/", time: day0, status: 200, body: "june"},
		{url: "http://a.example/", time: day0 + 30*dayMillis, status: 200, body: "june"},
		{url: "http://b.example/", time: day0 + 65*dayMillis, status: 200, body: "august"},
	}
	for _, v := range visits {
		put(t, a, []*visit{v})
	}
	return visits
}

func copyTo(t *testing.T, a *Archive, dir string, pools ...string) []record.CopyResult {
	t.Helper()
	results, err := a.Copy(context.Background(), record.CopyOptions{Pools: pools, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func copied(results []record.CopyResult) map[string]int {
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
	a := Open(t.TempDir(), Options{})
	defer a.Close()
	visits := threeMonths(t, a)
	dir := filepath.Join(t.TempDir(), "copy")
	answers := func(visits []*visit) {
		t.Helper()
		b := Open(dir, Options{})
		defer b.Close()
		if got, want := readRows(t, b, record.MinTime, record.MaxTime), historyOf(visits); !equalRows(got, want) {
			t.Fatalf("the copy answers:\n%s", diffRows(got, want))
		}
	}
	dry, err := a.Copy(context.Background(), record.CopyOptions{Dir: dir, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"200806": 2, "200807": 2, "200808": 2}; !reflect.DeepEqual(copied(dry), want) {
		t.Errorf("a dry run would copy %v, want %v", copied(dry), want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
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
		if got := copied(copyTo(t, a, dir, c.pools...)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("COPY of %v copied %v, want %v", c.pools, got, c.want)
		}
		answers(c.has)
	}
	files, err := filepath.Glob(filepath.Join(dir, dirPools, "200806", "*.raw"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	flip(t, files[0])
	if got, want := copied(copyTo(t, a, dir)), map[string]int{"200806": 1, "200807": 0, "200808": 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("after damage COPY copied %v, want %v", got, want)
	}
	answers(visits)
}

// flip changes a bit in the middle of a file.
func flip(t *testing.T, name string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCopyRefuses shows what is not copied, and that the folder is left as it
// was.
func TestCopyRefuses(t *testing.T) {
	ctx := context.Background()
	a := Open(t.TempDir(), Options{})
	defer a.Close()
	threeMonths(t, a)
	other := Open(t.TempDir(), Options{})
	defer other.Close()
	own := []*visit{{url: "http://own.example/", time: day0, status: 200, body: "own"}}
	put(t, other, own)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{a.Path(), other.Path(), file} {
		if _, err := a.Copy(ctx, record.CopyOptions{Dir: dir}); err == nil {
			t.Errorf("COPY to %s was not refused", dir)
		}
	}
	if got, want := readRows(t, other, record.MinTime, record.MaxTime), historyOf(own); !equalRows(got, want) {
		t.Errorf("the other archive has:\n%s", diffRows(got, want))
	}
	var none *record.NoPoolError
	if _, err := a.Copy(ctx, record.CopyOptions{Pools: []string{"199901"}, Dir: t.TempDir()}); !errors.As(err, &none) || len(none.Pools) != 3 {
		t.Errorf("COPY of a pool that is not there: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(a.Path(), dirPools, "200807", "*.raw"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	flip(t, files[0])
	dir := t.TempDir()
	if _, err := a.Copy(ctx, record.CopyOptions{Dir: dir}); err == nil {
		t.Error("a damaged file was copied")
	}
	b := Open(dir, Options{})
	defer b.Close()
	if got := readRows(t, b, record.MinTime, record.MaxTime); len(got) > 0 {
		t.Errorf("a copy that failed is in force:\n%s", diffRows(got, nil))
	}
}

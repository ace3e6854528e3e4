package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/record/task"
)

func indexAnew(t testing.TB, dir string, o task.ReindexOptions) []task.ReindexResult {
	t.Helper()
	a := openAt(dir, Options{})
	defer a.Close()
	res, err := a.Reindex(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// loseCatalogue takes CURRENT, the catalogues and the indexes away.
func loseCatalogue(t testing.TB, dir string) {
	t.Helper()
	for _, name := range []string{commit.FileCurrent, commit.DirCatalog, commit.DirIndex, commit.FileLock} {
		if err := removeAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReindex imports histories in parts and in any order, loses the indexes, or
// the indexes and the catalogue, and makes them again. The answers are then the same in
// every range, VERIFY finds nothing, and more can be imported.
func TestReindex(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	rapid.Check(t, func(rt *rapid.T) {
		history := drawHistory(rt)
		visits := rapid.Permutation(history).Draw(rt, "order")
		later := rapid.IntRange(0, len(visits)-1).Draw(rt, "after the loss")
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		for rest := visits[later:]; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			put(t, a, rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(rt, "merge") {
				mergeAny(rt, a)
			}
		}
		from := day0 + record.Time(rapid.IntRange(-10, 100).Draw(rt, "from"))*dayMillis
		want, part := readRows(t, a, record.MinTime, record.MaxTime), readRows(t, a, from, record.MaxTime)
		lose := rapid.SampledFrom([]string{"nothing", "indexes", "catalogue"}).Draw(rt, "lose")
		switch lose {
		case "indexes":
			if err := removeAll(filepath.Join(a.Local(), commit.DirIndex)); err != nil {
				rt.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(a.Local(), commit.DirIndex), 0o755); err != nil {
				rt.Fatal(err)
			}
		case "catalogue":
			if swept, err := sweep(a); err != nil || !swept {
				rt.Skip("files that are out of force would be taken for those in force", err)
			}
			loseCatalogue(t, a.Local())
		}
		for _, r := range indexAnew(t, a.Local(), task.ReindexOptions{}) {
			if r.Damaged > 0 || r.Catalogue != (lose == "catalogue") {
				rt.Errorf("result %+v", r)
			}
		}
		b := openAt(a.Local(), Options{Warn: func(err error) { rt.Error(err) }})
		defer b.Close()
		if got := readRows(t, b, record.MinTime, record.MaxTime); !equalRows(got, want) {
			rt.Fatalf("all:\n%s", diffRows(got, want))
		}
		if got := readRows(t, b, from, record.MaxTime); !equalRows(got, part) {
			rt.Fatalf("from %s:\n%s", from.Std(), diffRows(got, part))
		}
		if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
			rt.Fatalf("VERIFY finds %+v", got)
		}
		if later > 0 {
			put(t, b, visits[:later])
		}
		if got, want := readRows(t, b, record.MinTime, record.MaxTime), historyOf(history); !equalRows(got, want) {
			rt.Fatalf("after another import:\n%s", diffRows(got, want))
		}
	})
}

// TestReindexPool makes the index of one pool again. The index of the other pool stays. A
// reader that had opened the archive before continues with the old index.
func TestReindexPool(t *testing.T) {
	dir := damagedArchive(t)
	a := openAt(dir, Options{})
	defer a.Close()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	before := v.Pin.Segments
	want := readRows(t, a, record.MinTime, record.MaxTime)
	res := indexAnew(t, dir, task.ReindexOptions{Pool: "200806"})
	if len(res) != 1 || res[0].Pool != "200806" || res[0].Segments != 1 || res[0].Captures != 4 || res[0].IndexBytes == 0 {
		t.Errorf("results %+v", res)
	}
	w, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if after := w.Pin.Segments; after[0].Index == before[0].Index || !reflect.DeepEqual(after[1], before[1]) {
		t.Errorf("segments %+v, %+v; before %+v, %+v", after[0], after[1], before[0], before[1])
	}
	if err := exists(filepath.Join(dir, before[0].Index)); err != nil {
		t.Errorf("the old index, which a reader has open: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
		t.Errorf("%s", diffRows(got, want))
	}
}

// TestReindexDamaged does not make an index of a damaged db-file: with a
// catalogue the segment keeps the one that it has, without one the error says
// what to do and nothing is changed.
func TestReindexDamaged(t *testing.T) {
	dir := damagedArchive(t)
	names, err := glob(filepath.Join(dir, commit.DirPools, "200806", "*.raw"))
	if err != nil || len(names) != 1 {
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
	for _, r := range indexAnew(t, dir, task.ReindexOptions{}) {
		if want := r.Pool == "200806"; (r.Damaged == 1) != want || (r.Segments == 0) != want {
			t.Errorf("result %+v", r)
		}
	}
	loseCatalogue(t, dir)
	a := openAt(dir, Options{})
	defer a.Close()
	if _, err := a.Reindex(context.Background(), task.ReindexOptions{}); err == nil || !strings.Contains(err.Error(), "RECOVER '"+names[0]+"' TO") {
		t.Errorf("without a catalogue: error %v, want one with a remedy", err)
	}
	if err := exists(filepath.Join(dir, commit.FileCurrent)); err == nil {
		t.Error("there is a catalogue of it")
	}
	if err := exists(names[0]); err != nil {
		t.Error(err)
	}
}

// TestReindexNoPool names a pool that is not there, and one where the catalogue
// is lost.
func TestReindexNoPool(t *testing.T) {
	dir := damagedArchive(t)
	a := openAt(dir, Options{})
	defer a.Close()
	var none *task.NoPoolError
	if _, err := a.Reindex(context.Background(), task.ReindexOptions{Pool: "200809"}); !errors.As(err, &none) || len(none.Pools) != 2 {
		t.Errorf("error %v, want NoPoolError", err)
	}
	loseCatalogue(t, dir)
	if _, err := a.Reindex(context.Background(), task.ReindexOptions{Pool: "200806"}); err == nil || !strings.Contains(err.Error(), "write REINDEX alone") {
		t.Errorf("without a catalogue: error %v", err)
	}
	if _, err := openAt(t.TempDir(), Options{}).Reindex(context.Background(), task.ReindexOptions{}); err != nil {
		t.Errorf("no archive: %v", err)
	}
}

package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/record"
	"infomall/store/record/task"
)

// resultRows yields rows of these keys.
func resultRows(keys ...string) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		for _, k := range keys {
			if !yield(task.ResultRow{Key: []byte(k), Value: []byte("v" + k)}, nil) {
				return
			}
		}
	}
}

// listResults is a line for each result of an archive: name, time and keys.
func listResults(t *testing.T, a *Archive) (list []string) {
	t.Helper()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	results, err := v.Results(context.Background(), task.ResultRanks)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		line := fmt.Sprint(r.Name, " ", r.Computed, ":")
		for row, err := range v.ResultRows(context.Background(), r, nil) {
			if err != nil {
				t.Fatal(err)
			}
			line += " " + string(row.Key) + "=" + string(row.Value)
		}
		list = append(list, line)
	}
	return list
}

// TestResults keeps results of two names, one of them twice in a moment, and
// drops a name.
func TestResults(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	if got := listResults(t, a); got != nil {
		t.Errorf("no archive has results %q", got)
	}
	for _, r := range []struct {
		name string
		at   record.Time
		keys []string
	}{{"六月/..", 5, []string{"a", "b"}}, {"june", 7, []string{"c"}}, {"june", 7, nil}, {"june", 3, []string{"d"}}} {
		if _, err := a.SaveResult(context.Background(), task.Result{Kind: task.ResultRanks, Name: r.name, Computed: r.at}, resultRows(r.keys...)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"june 3: d=vd", "june 7: c=vc", "june 8:", "六月/.. 5: a=va b=vb"}
	if got := listResults(t, a); !slices.Equal(got, want) {
		t.Errorf("results %q, want %q", got, want)
	}
	if n, err := a.DropResult(context.Background(), task.ResultRanks, "june"); n != 3 || err != nil {
		t.Errorf("dropped %d, error %v", n, err)
	}
	if got := listResults(t, a); !slices.Equal(got, want[3:]) {
		t.Errorf("results %q, want %q", got, want[3:])
	}
	left, err := glob(filepath.Join(a.Local(), "writers", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, error %v", left, err)
	}
}

// TestResultFails leaves no result where rows fail or the context ends, and a
// damaged file is no reason to hide the others.
func TestResultFails(t *testing.T) {
	warned := 0
	a := openAt(t.TempDir(), Options{Warn: func(error) { warned++ }})
	defer a.Close()
	fault := errors.New("no more")
	_, err := a.SaveResult(context.Background(), task.Result{Kind: task.ResultRanks, Name: "x"}, func(yield func(task.ResultRow, error) bool) {
		_ = yield(task.ResultRow{Key: []byte("a")}, nil) && yield(task.ResultRow{}, fault)
	})
	if !errors.Is(err, fault) {
		t.Errorf("error %v, want that of the rows", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = a.SaveResult(ctx, task.Result{Kind: task.ResultRanks, Name: "x"}, func(yield func(task.ResultRow, error) bool) {
		cancel()
		yield(task.ResultRow{Key: []byte("a")}, nil)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if got := listResults(t, a); got != nil {
		t.Errorf("results %q, want none", got)
	}
	for _, name := range []string{"x", "y"} {
		r, err := a.SaveResult(context.Background(), task.Result{Kind: task.ResultRanks, Name: name}, resultRows("a"))
		if err != nil {
			t.Fatal(err)
		}
		if name == "x" {
			if err := writeFile(filepath.Join(a.Local(), r.File), []byte(disk.Head("result")+"?")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := listResults(t, a), []string{"y 0: a=va"}; !slices.Equal(got, want) || warned != 1 {
		t.Errorf("results %q, want %q; %d warnings", got, want, warned)
	}
}

// TestResultKilled kills a SaveResult at each of its operations on the disk, and
// cuts the power there: afterwards there is the first result, and the second
// whole or not at all; the second for certain once that has been said.
func TestResultKilled(t *testing.T) {
	save := func(a *Archive, name string) error {
		_, err := a.SaveResult(context.Background(), task.Result{Kind: task.ResultRanks, Name: name, Computed: 1}, resultRows("a", "b"))
		return err
	}
	before, after := []string{"x 1: a=va b=vb"}, []string{"x 1: a=va b=vb", "y 1: a=va b=vb"}
	for n, done := 1, false; !done; n++ {
		dir := t.TempDir()
		d, over := failing(dir)
		a := openOver(dir, Options{}, over)
		if err := save(a, "x"); err != nil {
			t.Fatal(err)
		}
		d.Fault = once(d.Operations()+n, disktest.ErrKilled)
		err := save(a, "y")
		done = err == nil
		d.Revive()
		d.Fault = nil
		left := []string{dir}
		if !inBuckets() {
			crashed := t.TempDir()
			if err := d.Crash(d.Mark(), rand.New(rand.NewPCG(1, uint64(n)))).WriteTo(crashed); err != nil {
				t.Fatal(err)
			}
			left = append(left, crashed)
		}
		for _, dir := range left {
			b := openAt(dir, Options{})
			got := listResults(t, b)
			if !slices.Equal(got, after) && (done || !slices.Equal(got, before)) {
				t.Errorf("killed at operation %d: results %q, error %v", n, got, err)
			}
			if err := save(b, "z"); err != nil {
				t.Errorf("killed at operation %d: the next says %v", n, err)
			}
			b.Close()
		}
		a.Close()
	}
}

// TestResultsCopied has results in a copy of all pools, puts right there what is
// damaged, and VERIFY finds what is.
func TestResultsCopied(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	threeMonths(t, a)
	for _, name := range []string{"june", "july"} {
		if _, err := a.SaveResult(ctx, task.Result{Kind: task.ResultRanks, Name: name, Computed: 7}, resultRows("a", "b")); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "copy")
	to := openAt(dir, Options{})
	defer to.Close()
	damaged := filepath.Join(dir, filepath.Join("results", task.ResultRanks, "june"), fmt.Sprintf("%014d", 7))
	for _, damage := range []bool{false, true, true} {
		if damage {
			b, err := readFile(damaged)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := writeFile(damaged, b); err != nil {
				t.Fatal(err)
			}
			var found []string
			for f, err := range to.Verify(ctx, task.VerifyOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, f.File)
			}
			if want := []string{filepath.Join(filepath.Join("results", task.ResultRanks, "june"), fmt.Sprintf("%014d", 7))}; !slices.Equal(found, want) {
				t.Errorf("findings in %q, want %q", found, want)
			}
		}
		if _, err := a.Copy(ctx, task.CopyOptions{Dir: place(dir)}); err != nil {
			t.Fatal(err)
		}
		if got, want := listResults(t, to), listResults(t, a); !slices.Equal(got, want) || len(got) != 2 {
			t.Errorf("the copy has %q, want %q", got, want)
		}
	}
	// What is damaged here does not stand in the way of a copy.
	if err := writeFile(filepath.Join(a.dir, filepath.Join("results", task.ResultRanks, "july"), fmt.Sprintf("%014d", 7)), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Copy(ctx, task.CopyOptions{Dir: place(filepath.Join(t.TempDir(), "other"))}); err != nil {
		t.Error(err)
	}
}

// TestResultsInEachOthersPlace swaps the files of results of different kinds and
// names. None is read as what it is not: each is left out with a warning, and
// VERIFY reports both.
func TestResultsInEachOthersPlace(t *testing.T) {
	ctx := context.Background()
	warned := 0
	a := openAt(t.TempDir(), Options{Warn: func(error) { warned++ }})
	defer a.Close()
	put(t, a, []*visit{{url: "http://x.example/", time: record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC)), status: 200, body: "x"}})
	kinds := []string{task.ResultRanks, task.ResultGraphs, task.ResultDuplicates, task.ResultPrints}
	var files []string
	for _, kind := range kinds {
		for _, name := range []string{"one", "two"} {
			r, err := a.SaveResult(ctx, task.Result{Kind: kind, Name: name, Computed: 5}, resultRows("a", "b"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, r.File)
		}
	}
	listed := func() (n int) {
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		for _, kind := range kinds {
			list, err := v.Results(ctx, kind)
			if err != nil {
				t.Fatal(err)
			}
			n += len(list)
		}
		return n
	}
	if n := listed(); n != len(files) || warned > 0 {
		t.Fatalf("%d results and %d warnings", n, warned)
	}
	for i, x := range files {
		for _, y := range files[:i] {
			clear(a.warned)
			warned = 0
			swapFiles(t, filepath.Join(a.dir, x), filepath.Join(a.dir, y))
			if n := listed(); n != len(files)-2 || warned != 2 {
				t.Errorf("%s and %s swapped: %d results are listed with %d warnings, want %d and 2", x, y, n, warned, len(files)-2)
			}
			if found := verify(t, a.dir, task.VerifyOptions{}); len(found) != 2 {
				t.Errorf("%s and %s swapped: VERIFY finds %v", x, y, found)
			}
			swapFiles(t, filepath.Join(a.dir, x), filepath.Join(a.dir, y))
		}
	}
}

func swapFiles(t *testing.T, x, y string) {
	t.Helper()
	for _, r := range [][2]string{{x, x + "~"}, {y, x}, {x + "~", y}} {
		if err := renameFile(r[0], r[1]); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNamedResults lists the results of one name, removes one of them, and shows that a
// damaged file is an error, unlike in the list of a kind.
func TestNamedResults(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	named := func() (times []record.Time, err error) {
		list, err := a.NamedResults(t.Context(), task.ResultRanks, "june")
		for _, r := range list {
			times = append(times, r.Computed)
		}
		return times, err
	}
	if got, err := named(); len(got) > 0 || err != nil {
		t.Errorf("without an archive: %v, %v", got, err)
	}
	var last task.Result
	for _, r := range []task.Result{{Name: "june", Computed: 7}, {Name: "july", Computed: 5}, {Name: "june", Computed: 3}} {
		r.Kind = task.ResultRanks
		var err error
		if last, err = a.SaveResult(t.Context(), r, resultRows("a")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := named(); !slices.Equal(got, []record.Time{3, 7}) || err != nil {
		t.Errorf("got %v, %v; want those of 3 and 7", got, err)
	}
	for range 2 { // the second time it is gone already
		if err := a.RemoveResult(t.Context(), last); err != nil {
			t.Error(err)
		}
	}
	if got, err := named(); !slices.Equal(got, []record.Time{7}) || err != nil {
		t.Errorf("after one was removed: %v, %v; want that of 7", got, err)
	}
	if err := writeFile(filepath.Join(a.Local(), last.File), []byte("damaged")); err != nil {
		t.Fatal(err)
	}
	if got, err := named(); err == nil {
		t.Errorf("with a damaged file: %v and no error", got)
	}
}

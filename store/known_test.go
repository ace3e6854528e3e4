package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// pastCopy is a copy of an archive as it was at a time.
type pastCopy struct {
	at  record.Time
	dir string
}

// TestKnown lets captures of drawn histories come in late and in any order, deletes and
// merges now and then, and copies the archive after some imports. The clock of the archive
// stands still or goes back now and then. A snapshot of what was known at the time of a copy
// must answer as the copy does after the deletions that were made since: rows with what each
// capture is to the one before it, bodies, kept facts, counts, URLs and look-ups.
func TestKnown(t *testing.T) {
	drawFewer(t, 30)
	for i := range 2 {
		t.Run(fmt.Sprint(i), func(t *testing.T) { rapid.Check(t, func(rt *rapid.T) { checkKnown(t, rt) }) })
	}
}

func checkKnown(t *testing.T, rt *rapid.T) {
	ctx := context.Background()
	dir, err := os.MkdirTemp(t.TempDir(), "known")
	if err != nil {
		rt.Fatal(err)
	}
	now := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := Options{Now: func() time.Time { return now }}
	a := openAt(filepath.Join(dir, "now"), clock)
	defer a.Close()
	drawBounds(rt, a)
	visits := rapid.Permutation(drawHistory(rt)).Draw(rt, "arrivals")
	var copies []pastCopy
	for rest := visits; len(rest) > 0; {
		now = now.Add(time.Duration(rapid.SampledFrom([]int{1000, 1, 1, 0, -5}).Draw(rt, "clock")) * time.Second)
		n := rapid.IntRange(1, len(rest)).Draw(rt, "import")
		var res task.ImportResult
		if err := putErr(a, rest[:n], &res); err != nil {
			rt.Fatal(err)
		}
		rest = rest[n:]
		at := checkAdded(rt, a, copies, res.Stored+res.Visits > 0)
		if n := len(copies); n == 0 || at > copies[n-1].at {
			c := pastCopy{at, filepath.Join(dir, fmt.Sprint(n))}
			if err := copyFiles(c.dir, a.Local()); err != nil {
				rt.Fatal(err)
			}
			copies = append(copies, c)
		} else { // the clock does not tell the two imports apart
			c := copies[n-1]
			if err := errors.Join(removeAll(c.dir), copyFiles(c.dir, a.Local())); err != nil {
				rt.Fatal(err)
			}
		}
		switch rapid.IntRange(0, 3).Draw(rt, "then") {
		case 0:
			mergeAny(rt, a)
		case 1:
			deleteEverywhere(rt, a, copies)
		}
	}
	if rapid.Bool().Draw(rt, "merge at last") {
		mergeAny(rt, a)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		rt.Fatal(err)
	}
	defer v.Close()
	for _, c := range copies {
		sameAsCopy(rt, a, v, c)
	}
	if early, err := rowsIn(v.KnownAt(copies[0].at-1), record.MinTime, record.MaxTime); err != nil || len(early) > 0 {
		rt.Fatalf("before the first import, %d rows were known, %v", len(early), err)
	}
}

// checkAdded checks that all captures of the import that came last were added at one time,
// not before those of the imports before it. It returns that time, or that of the last copy
// if nothing was stored.
func checkAdded(rt *rapid.T, a *Archive, copies []pastCopy, stored bool) record.Time {
	v, err := a.Snapshot(context.Background())
	if err != nil {
		rt.Fatal(err)
	}
	defer v.Close()
	last := v.Pin.LastAdded()
	n := len(copies)
	if n > 0 && last < copies[n-1].at && stored {
		rt.Fatalf("an import came into force at %d, before that of %d", last, copies[n-1].at)
	}
	if n > 0 {
		last = max(last, copies[n-1].at)
	}
	return last
}

// deleteEverywhere deletes some captures from the archive and its copies.
func deleteEverywhere(rt *rapid.T, a *Archive, copies []pastCopy) {
	h := drawHiding(rt)
	gone := func(url string, at record.Time) bool {
		in, _ := h.Near(keyOf(url))
		return in && h.Hides(keyOf(url), at)
	}
	if _, err := deleteWhere(a, gone); err != nil {
		rt.Fatal(err)
	}
	for _, c := range copies {
		b := openAt(c.dir, Options{})
		if _, err := deleteWhere(b, gone); err != nil {
			rt.Fatal(err)
		}
		b.Close()
	}
}

// sameAsCopy compares what was known at the time of a copy with the copy. v is a snapshot of
// the archive a.
func sameAsCopy(rt *rapid.T, a *Archive, v *Snapshot, c pastCopy) {
	b := openAt(c.dir, Options{})
	defer b.Close()
	w, err := b.Snapshot(context.Background())
	if err != nil {
		rt.Fatal(err)
	}
	defer w.Close()
	known := v.KnownAt(c.at)
	from, to := record.MinTime, record.MaxTime
	if rapid.Bool().Draw(rt, "bounded rows") {
		from = day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "rows from")*dayMillis)
		to = from + record.Time(rapid.IntRange(1, 90).Draw(rt, "days")*dayMillis)
	}
	got, err := rowsIn(known, from, to)
	if err != nil {
		rt.Fatal(err)
	}
	want, err := rowsIn(w, from, to)
	if err != nil {
		rt.Fatal(err)
	}
	if !equalRows(got, want) {
		rt.Fatalf("what was known at %d differs from the copy of that time:\n%s", c.at, diffRows(got, want))
	}
	checkTallyIn(rt, a, known)
	text := func(list []record.Pool, err error) (out []string) {
		if err != nil {
			rt.Fatal(err)
		}
		for _, p := range list {
			if p.Captures > 0 {
				out = append(out, fmt.Sprint(p.Captures, p.Versions, p.URLs, p.First, p.Last, p.Bytes))
			}
		}
		return out
	}
	if g, x := fmt.Sprint(text(known.Pools(context.Background()))), fmt.Sprint(text(w.Pools(context.Background()))); g != x && !split(known, w) {
		rt.Fatalf("the pools have %s, want %s", g, x)
	}
}

// split reports whether one of two snapshots has pools that are parts of a month.
func split(list ...*Snapshot) bool {
	for _, v := range list {
		if len(v.Pin.Parts) > 0 {
			return true
		}
	}
	return false
}

func keyOf(url string) string { return urlkey.Key(url) }

// TestAddedKept shows that merging, sealing, copying and reindexing keep the times at which
// captures were added, also when the catalogue was lost, and that a clock that was set back
// adds captures after those before.
func TestAddedKept(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := Options{Now: func() time.Time { return now }}
	a := openAt(filepath.Join(t.TempDir(), "a"), clock)
	defer a.Close()
	want := make(map[string]record.Time)
	for i, step := range []time.Duration{0, time.Hour, -2 * time.Hour, 0} {
		now = now.Add(step)
		v := &visit{url: fmt.Sprintf("http://www.example.com/%d", i%2), time: day0 + record.Time(i*1000), status: 200, body: fmt.Sprint("body ", i)}
		put(t, a, []*visit{v})
		want[fmt.Sprint(v.url, v.time)] = record.At(time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)) + []record.Time{0, 3_600_000, 3_600_001, 3_600_002}[i]
	}
	check := func(a *Archive, after string) {
		t.Helper()
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		defer v.Close()
		got := make(map[string]record.Time)
		for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColAdded}) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				got[fmt.Sprint(b.URLs()[i], b.Time[i])] = b.Added[i]
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("after %s, captures were added at %v, want %v", after, got, want)
		}
		for f, err := range a.Verify(ctx, task.VerifyOptions{}) {
			t.Errorf("after %s: %+v %v", after, f, err)
		}
	}
	check(a, "the imports")
	lose := func() {
		if !mustSweep(t, a) {
			t.Skip("the clock of the store cannot be moved: files that are out of force would be taken for those in force")
		}
		a.Close()
		for _, name := range []string{"CURRENT", "catalog"} {
			if err := removeAll(filepath.Join(a.Local(), name)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.Reindex(ctx, task.ReindexOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	lose()
	check(a, "the loss of the catalogue")
	b := openAt(filepath.Join(t.TempDir(), "b"), clock)
	defer b.Close()
	if _, err := a.Copy(ctx, task.CopyOptions{Dir: place(b.Local())}); err != nil {
		t.Fatal(err)
	}
	check(b, "COPY")
	for _, seal := range []bool{false, true} {
		if _, err := a.Merge(ctx, task.MergeOptions{Seal: seal}); err != nil {
			t.Fatal(err)
		}
		check(a, fmt.Sprint("a merge, sealing ", seal))
	}
	if _, err := a.Reindex(ctx, task.ReindexOptions{}); err != nil {
		t.Fatal(err)
	}
	check(a, "REINDEX")
	lose()
	check(a, "the loss of the catalogue of a merged pool")
}

// TestKnownPools shows that a pool's counts as they were known do not depend on a capture that
// came in later and that gave a revisit of the month before its body.
func TestKnownPools(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	a := openAt(t.TempDir(), Options{Now: func() time.Time { return now }})
	defer a.Close()
	const url = "http://www.example.com/1"
	original := &visit{url: "http://www.example.com/3", time: day0, status: 200, body: storyOf("abc")}
	revisit := &visit{url: url, time: day0 + dayMillis, status: 200, as: "url", refers: original, body: original.body, seq: 1}
	page := &visit{url: url, time: day0 + 40*dayMillis, status: 200, body: original.body, seq: 2}
	missing := &visit{url: url, time: day0 + 41*dayMillis, status: 404, body: original.body, seq: 3}
	put(t, a, []*visit{revisit, page, missing})
	before := record.At(now)
	now = now.Add(time.Hour)
	put(t, a, []*visit{original})
	if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{"200807"}, Seal: true}); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, c := range []struct {
		v        *Snapshot
		versions int64
	}{{v, 1}, {v.KnownAt(before), 2}} { // after a revisit with the same body, the page is no new version
		pools, err := c.v.Pools(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if p := pools[1]; p.Name != "200807" || p.Versions != c.versions || p.Bytes != c.versions*int64(len(original.body)) {
			t.Errorf("pool %s has %d versions of %d bytes, want %d", p.Name, p.Versions, p.Bytes, c.versions)
		}
	}
}

// TestPoolOfRevisit shows that a pool's counts take in the body that a revisit got from a
// capture that came in later and was made later.
func TestPoolOfRevisit(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	body := storyOf("abc")
	revisit := &visit{url: "http://www.example.com/1", time: day0 + dayMillis, status: 200, as: "digest", body: body}
	original := &visit{url: revisit.url, time: day0 + 5*dayMillis, status: 200, body: body, seq: 1}
	put(t, a, []*visit{revisit})
	put(t, a, []*visit{original})
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	pools, err := v.Pools(ctx)
	if err != nil || len(pools) != 1 || pools[0].Versions != 1 || pools[0].Bytes != int64(len(body)) {
		t.Errorf("the pools are %+v, %v, want one version of %d bytes", pools, err, len(body))
	}
}

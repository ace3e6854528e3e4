package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// TestStates deletes the original of a revisit that came in before it, and the two captures
// that a 304 had its body from, one after the other. After merges in any order, SEAL, COPY,
// REINDEX and the loss of the catalogue, each time that is asked for has the bodies of that
// time, and nothing is wrong with the archive.
func TestStates(t *testing.T) {
	ctx := context.Background()
	for _, order := range [][]string{{"200806", "200807"}, {"200807", "200806"}, {"200806"}, {"200807"}, {"seal 200806", "seal 200807"}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			now := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
			a := openAt(filepath.Join(t.TempDir(), "a"), Options{Now: func() time.Time { return now }})
			defer func() { a.Close() }()
			at := func(day int64) record.Time { return day0 + record.Time(day*dayMillis) }
			original := &visit{url: "http://www.example.com/original", time: at(1), status: 200, body: storyOf("abc")}
			revisit := &visit{url: "http://www.example.com/revisit", time: at(40), status: 200, as: "url", refers: original, body: original.body, seq: 1}
			const url = "http://www.example.com/304"
			first := &visit{url: url, time: at(2), status: 200, body: storyOf("ab!c"), seq: 2}
			second := &visit{url: url, time: at(3), status: 404, body: storyOf("xac"), seq: 3}
			third := &visit{url: url, time: at(4), status: 200, body: "c", seq: 4}
			same := &visit{url: url, time: at(41), as: "before", seq: 5}
			other := &visit{url: "http://www.example.com/other", time: at(3), status: 200, body: "other", seq: 6}
			var times []record.Time
			for _, part := range [][]*visit{{revisit, first, same, other}, {original, second}, {third}} {
				put(t, a, part)
				times = append(times, record.At(now))
				now = now.Add(time.Hour)
			}
			remove := func(v *visit) {
				t.Helper()
				if _, err := deleteWhere(a, func(u string, time record.Time) bool { return u == v.url && time == v.time }); err != nil {
					t.Fatal(err)
				}
			}
			for _, v := range []*visit{first, original, second} {
				remove(v)
			}
			want := [][2]string{{"(none)", first.body}, {original.body, second.body}, {original.body, third.body}}
			check := func(after string) {
				t.Helper()
				v, err := a.Snapshot(ctx)
				if err != nil {
					t.Fatal(err)
				}
				defer v.Close()
				for i, k := range append(times, record.MaxTime) {
					rows, err := rowsIn(v.KnownAt(k), record.MinTime, record.MaxTime)
					var got [2]string
					for _, r := range rows {
						switch r.time {
						case revisit.time:
							got[0] = r.body
						case same.time:
							got[1] = r.body
						}
					}
					if w := want[min(i, 2)]; err != nil || got != w {
						t.Errorf("after %s, known at import %d: %.40q, %v, want %.40q", after, i, got, err, w)
					}
				}
				for f, err := range a.Verify(ctx, task.VerifyOptions{}) {
					t.Errorf("after %s: %+v %v", after, f, err)
				}
			}
			check("the deletions")
			for _, pool := range order {
				var o task.MergeOptions
				o.Seal = len(pool) > 6
				o.Pools = []string{pool[len(pool)-6:]}
				if _, err := a.Merge(ctx, o); err != nil {
					t.Fatal(err)
				}
				check(pool)
			}
			if len(order) < 2 {
				return // the files still have the deleted captures, and only the catalogue said that they are deleted
			}
			if !inBuckets() {
				withoutIndex(t, &a, []string{original.url, revisit.url, url, other.url})
			}
			if _, err := a.Reindex(ctx, task.ReindexOptions{}); err != nil {
				t.Fatal(err)
			}
			check("REINDEX")
			b := openAt(filepath.Join(t.TempDir(), "b"), Options{})
			if _, err := a.Copy(ctx, task.CopyOptions{Dir: place(b.Local())}); err != nil {
				t.Fatal(err)
			}
			a.Close()
			a = b
			check("COPY")
			a.Close()
			if err := errors.Join(removeFile(filepath.Join(a.Local(), "CURRENT")), removeAll(filepath.Join(a.Local(), "catalog"))); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Reindex(ctx, task.ReindexOptions{}); err != nil {
				t.Fatal(err)
			}
			check("the loss of the catalogue")
			remove(same)
			remove(revisit)
			for _, pool := range order {
				if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{pool[len(pool)-6:]}, Seal: len(pool) > 6}); err != nil {
					t.Fatal(err)
				}
			}
			v, err := a.Snapshot(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			for _, s := range v.Pin.Segments {
				if s.States > 0 {
					t.Errorf("segment %d has states, although their captures were deleted and merged", s.ID)
				}
			}
			if rows, err := rowsIn(v, record.MinTime, record.MaxTime); err != nil || !slices.ContainsFunc(rows, func(r row) bool { return r.body == third.body }) || len(rows) != 2 {
				t.Errorf("at last there are %d captures, %v, want 2", len(rows), err)
			}
		})
	}
}

// withoutIndex removes the index files of an archive and opens it again. All captures and those of each
// URL must be the same as before: states are no captures, also if the db-files are read.
func withoutIndex(t *testing.T, a **Archive, urls []string) {
	t.Helper()
	read := func() (all []row, of map[string]int) {
		t.Helper()
		v, err := (*a).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if all, err = rowsIn(v, record.MinTime, record.MaxTime); err != nil {
			t.Fatal(err)
		}
		of = make(map[string]int)
		for _, u := range urls {
			found, err := v.Lookup(t.Context(), urlkey.Key(u))
			if err != nil {
				t.Fatal(err)
			}
			of[u] = len(found)
		}
		return all, of
	}
	all, of := read()
	dir := (*a).Local()
	(*a).Close()
	if err := removeAll(filepath.Join(dir, "index")); err != nil {
		t.Fatal(err)
	}
	*a = openAt(dir, Options{Warn: func(error) {}})
	if got, found := read(); !equalRows(got, all) || !maps.Equal(found, of) {
		t.Errorf("without indexes: %s%v, want %v", diffRows(got, all), found, of)
	}
}

// TestStatesOfSealed lets a revisit in a sealed part of a month lose its original, which is in
// a later part and whose blocks are in the part of the revisit. The merge writes the state of
// the revisit after runs that it copies unchanged, and the state refers to these runs.
func TestStatesOfSealed(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	a := openAt(t.TempDir(), Options{Now: func() time.Time { return now }})
	defer a.Close()
	at := func(day int64) record.Time { return day0 + record.Time(day*dayMillis) }
	alike := &visit{url: "http://www.example.com/a", time: at(40), status: 200, body: storyOf("ab!c")}
	original := &visit{url: "http://www.example.com/z", time: at(41), status: 200, body: storyOf("abc"), seq: 1}
	revisit := &visit{url: alike.url, time: at(42), status: 200, as: "url", refers: original, body: original.body, seq: 2}
	put(t, a, []*visit{revisit, alike})
	early := record.At(now)
	now = now.Add(time.Hour)
	put(t, a, []*visit{original})
	for _, seal := range []bool{false, true} {
		if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{"200807"}, Seal: seal, PoolLimit: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if parts := poolNames(t, a); len(parts) != 2 {
		t.Fatalf("the pools are %v, want two parts", parts)
	}
	if _, err := deleteWhere(a, func(u string, _ record.Time) bool { return u == original.url }); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{"200807A"}}); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for k, want := range map[record.Time]string{early: "(none)", record.MaxTime: revisit.body} {
		rows, err := rowsIn(v.KnownAt(k), revisit.time, revisit.time+1)
		if err != nil || len(rows) != 1 || rows[0].body != want {
			t.Errorf("known at %d: %+v, %v, want %q", k, rows, err, want)
		}
	}
}

// TestDeletedBefore304 deletes a page, and a revisit without a body that comes after it. A 304
// follows them: it had no body from the revisit, and gets none from the deleted page, although
// the page stays in the files because another capture has its body from there. An earlier page
// that stays gives it its body.
func TestDeletedBefore304(t *testing.T) {
	ctx := context.Background()
	at := func(day int64) record.Time { return day0 + record.Time(day*dayMillis) }
	const url = "http://www.example.com/1"
	earlier := &visit{url: url, time: at(1), status: 200, body: storyOf("ab!c")}
	page := &visit{url: url, time: at(2), status: 200, body: storyOf("abc"), seq: 1}
	revisit := &visit{url: url, time: at(3), status: 500, as: "digest", body: "not in the archive", seq: 2}
	same := &visit{url: url, time: at(4), as: "before", seq: 3}
	again := &visit{url: url, time: at(40), status: 200, body: page.body, seq: 4}
	for _, visits := range [][]*visit{{page, revisit, same, again}, {earlier, page, revisit, same, again}} {
		want := "(none)"
		if visits[0] == earlier {
			want = earlier.body
		}
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		put(t, a, visits)
		if _, err := deleteWhere(a, func(u string, t record.Time) bool { return u == url && (t == page.time || t == revisit.time) }); err != nil {
			t.Fatal(err)
		}
		check := func(after string) {
			t.Helper()
			for _, r := range readRows(t, a, record.MinTime, record.MaxTime) {
				if r.time == same.time && r.body != want {
					t.Errorf("after %s, the body of the 304 is %.30q, want %.30q", after, r.body, want)
				}
			}
		}
		check("the deletion")
		if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{"200806"}}); err != nil {
			t.Fatal(err)
		}
		check("a merge")
	}
}

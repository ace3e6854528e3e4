package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// deleteWhere deletes the captures that f is true of.
func deleteWhere(a *Archive, f func(url string, at record.Time) bool) (task.DeleteResult, error) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		return task.DeleteResult{}, err
	}
	defer v.Close()
	return v.Delete(ctx, task.DeleteOptions{Targets: targets(ctx, v, f), Reason: "because"})
}

func targets(ctx context.Context, v *Snapshot, f func(url string, at record.Time) bool) iter.Seq2[task.Target, error] {
	return func(yield func(task.Target, error) bool) {
		for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
			if err != nil {
				yield(task.Target{}, err)
				return
			}
			for i := range b.N {
				if f(b.URLs()[i], b.Time[i]) && !yield(task.Target{Key: b.Key[i], Ref: b.Ref[i]}, nil) {
					return
				}
			}
		}
	}
}

// past is what became of a visit so far: the step at which it was imported and
// the one at which it was deleted, 0 for neither.
type past struct{ imported, deleted int }

// removalModel is a history in which captures come and go.
type removalModel struct {
	visits []*visit
	past   map[*visit]past
	fixed  map[*visit]*visit // 304s that a merge gave the body of a deleted capture
	step   int
}

func (m *removalModel) visible(v *visit) bool {
	p := m.past[v]
	return p.imported > 0 && p.deleted == 0
}

// chosen gives the visits that f is true of.
func (m *removalModel) chosen(f func(*visit) bool) (out []*visit) {
	for _, v := range m.visits {
		if f(v) {
			out = append(out, v)
		}
	}
	return out
}

// bring notes an import. A revisit whose original is not to be seen comes as a
// response: what becomes of those without one TestDeletedOriginal shows.
func (m *removalModel) bring(visits []*visit) {
	m.step++
	for _, v := range visits {
		there := func(o *visit) bool {
			return o.as == "" && (m.visible(o) || slices.Contains(visits, o)) && o.time.Pool() <= v.time.Pool()
		}
		switch v.as {
		case "url":
			if !there(v.refers) {
				v.as = ""
			}
		case "digest":
			if !slices.ContainsFunc(m.visits, func(o *visit) bool { return o.url == v.url && o.body == v.body && there(o) }) {
				v.as = ""
			}
		}
	}
	for _, v := range visits {
		m.past[v] = past{imported: m.step}
		delete(m.fixed, v)
	}
}

// take notes that visits were deleted.
func (m *removalModel) take(visits []*visit) {
	m.step++
	for _, v := range visits {
		m.past[v] = past{m.past[v].imported, m.step}
	}
}

// rows is what the archive must answer: the history of what is visible, in
// which a 304 has the body of the capture before it that it knows of.
func (m *removalModel) rows() []row {
	var list []*visit
	for _, v := range m.visits {
		if !m.visible(v) {
			continue
		}
		c := *v
		if c.as == "before" {
			c.as = ""
			if p := m.before(v); p != nil {
				c.body, c.status = p.body, p.status
			} else {
				c.body, c.status = "(none)", 200
			}
		}
		list = append(list, &c)
	}
	rows := historyOf(list)
	for i := range rows {
		if rows[i].body == "(none)" {
			rows[i].bytes = -1
		}
	}
	return rows
}

// before is the response whose body v, a 304, has.
func (m *removalModel) before(v *visit) *visit {
	for {
		if p := m.fixed[v]; p != nil {
			return p
		}
		var p *visit
		for _, o := range m.visits {
			if o.url != v.url || m.past[o].imported == 0 || m.past[o].deleted > 0 && m.past[o].deleted < m.past[v].imported {
				continue
			}
			if o.time < v.time && (p == nil || o.time > p.time) {
				p = o
			}
		}
		if p == nil || p.as != "before" {
			return p
		}
		v = p
	}
}

// fix notes which 304s a merge gave a body for good: that of a capture
// that is deleted. What comes in between the two later does not matter to them.
func (m *removalModel) fix(t rapid.TB, a *Archive) {
	for _, v := range m.visits {
		if v.as != "before" || !m.visible(v) {
			continue
		}
		p := m.before(v)
		if p != nil && hasState(t, a, v) {
			m.fixed[v] = p
		}
	}
}

// hasState reports whether a merge gave a 304, which is to be seen, the body that it has.
func hasState(t rapid.TB, a *Archive, v *visit) bool {
	ctx := context.Background()
	s, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	look := s.NewLooker(0)
	defer look.Close()
	group, err := look.At(ctx, urlkey.Key(v.url))
	if err != nil {
		t.Fatal(err)
	}
	for i := range group {
		if group[i].Time == v.time {
			from := group[i].From
			return from.Seg != nil && int(from.Run) >= from.Seg.Info.Runs-from.Seg.Info.States
		}
	}
	t.Fatalf("%s at %d is not there", v.url, v.time)
	return false
}

// TestRemovals imports, deletes, merges and drops in any mixture. The archive answers
// what the model does after each step, over all time and over any range of days,
// and nothing is wrong with it in the end.
func TestRemovals(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := &removalModel{visits: drawHistory(rt), past: make(map[*visit]past), fixed: make(map[*visit]*visit)}
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		drawBounds(rt, a)
		for range rapid.IntRange(1, 10).Draw(rt, "steps") {
			some := make(map[*visit]bool)
			for _, v := range m.visits {
				some[v] = rapid.IntRange(0, 2).Draw(rt, "some") == 0
			}
			switch rapid.SampledFrom([]string{"import", "import", "delete", "drop", "merge"}).Draw(rt, "do") {
			case "import":
				list := m.chosen(func(v *visit) bool { return some[v] && !m.visible(v) })
				m.bring(list)
				put(t, a, list)
			case "delete":
				list := m.chosen(func(v *visit) bool { return some[v] && m.visible(v) })
				m.take(list)
				res, err := deleteWhere(a, func(url string, at record.Time) bool {
					return slices.ContainsFunc(list, func(v *visit) bool { return v.url == url && v.time == at })
				})
				n := int64(0)
				for _, p := range res.Pools {
					n += p.Captures
				}
				if err != nil || n != int64(len(list)) {
					rt.Fatalf("deleted %d captures with error %v, want %d", n, err, len(list))
				}
			case "merge":
				someMerged(rt, a, rapid.IntRange(0, 2).Draw(rt, "seal") == 0)
				m.fix(rt, a)
			case "drop":
				pool := rapid.SampledFrom(append(poolNames(rt, a), "200809")).Draw(rt, "pool")
				in := poolOf(rt, a)
				_, err := a.Drop(context.Background(), task.DropOptions{Pool: pool})
				var depends *task.DependsError
				var none *task.NoPoolError
				switch {
				case err == nil:
					m.step++
					for _, v := range m.chosen(func(v *visit) bool { return in[v.url+fmt.Sprint(v.time)] == pool }) {
						m.past[v] = past{}
						delete(m.fixed, v)
					}
				case !errors.As(err, &depends) && !errors.As(err, &none):
					rt.Fatal(err)
				}
			}
			want := m.rows()
			if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
				rt.Fatalf("whole history:\n%s", diffRows(got, want))
			}
			from := day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "from")*dayMillis)
			to := from + record.Time(rapid.IntRange(0, 90).Draw(rt, "days")*dayMillis)
			part := slices.DeleteFunc(slices.Clone(want), func(r row) bool { return r.time < from || r.time >= to })
			if got := readRows(t, a, from, to); !equalRows(got, part) {
				rt.Fatalf("from %v to %v:\n%s", from.Std(), to.Std(), diffRows(got, part))
			}
			checkTally(rt, a)
			checkSizes(rt, a)
			if got, err := pooled(a); err != nil || !reflect.DeepEqual(got, countRows(want)) {
				rt.Fatalf("pools have %v (error %v), want %v", got, err, countRows(want))
			}
		}
		if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
			rt.Fatalf("VERIFY finds %+v", got)
		}
		b := filepath.Join(t.TempDir(), "copy")
		copyTo(t, a, place(b))
		c := openAt(b, Options{})
		defer c.Close()
		if got, want := readRows(t, c, record.MinTime, record.MaxTime), m.rows(); !equalRows(got, want) {
			rt.Fatalf("the copy answers:\n%s", diffRows(got, want))
		}
	})
}

// TestRemovedTwice deletes a 304, brings it again and deletes it again: what came
// behind it the second time has the body that it had then, and not the one of a
// capture that had been deleted before.
func TestRemovedTwice(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const url = "http://a.example/"
	at := func(day int64) record.Time { return day0 + record.Time(day*dayMillis) }
	old := &visit{url: url, time: at(1), status: 200, body: "old"}
	gone := &visit{url: url, time: at(2), status: 200, body: "gone"}
	same := &visit{url: url, time: at(3), as: "before"}
	last := &visit{url: url, time: at(4), as: "before"}
	remove := func(days ...int64) {
		t.Helper()
		_, err := deleteWhere(a, func(_ string, time record.Time) bool {
			return slices.ContainsFunc(days, func(d int64) bool { return at(d) == time })
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(t, a, []*visit{old, gone, same})
	remove(2, 3)
	put(t, a, []*visit{same})
	put(t, a, []*visit{last})
	remove(3)
	rows := readRows(t, a, record.MinTime, record.MaxTime)
	if len(rows) != 2 || rows[1].time != last.time || rows[1].body != "old" || rows[1].change != record.ChangeSame {
		t.Errorf("got %+v, want the last capture to be as the first", rows)
	}
}

// TestMergeEmptied merges a pool all of whose captures were deleted, and which
// the file of another pool depends on still: it becomes empty, and stays.
func TestMergeEmptied(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const url, other = "http://a.example/", "http://a.example/other"
	put(t, a, []*visit{{url: url, time: day0, status: 200, body: storyOf("abc")}})
	put(t, a, []*visit{{url: url, time: day0 + 40*dayMillis, status: 200, body: storyOf("ab!c")}, {url: other, time: day0 + 40*dayMillis, status: 200, body: "other"}})
	if _, err := deleteWhere(a, func(u string, _ record.Time) bool { return u == url }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it went on for ever
	defer cancel()
	for _, pool := range []string{day0.Pool(), (day0 + 40*dayMillis).Pool(), day0.Pool()} {
		if _, err := a.Merge(ctx, task.MergeOptions{Pools: []string{pool}}); err != nil {
			t.Fatalf("merge of %s: %v", pool, err)
		}
	}
	if rows := readRows(t, a, record.MinTime, record.MaxTime); len(rows) != 1 || rows[0].url != other || rows[0].body != "other" {
		t.Errorf("got %+v, want the other page alone", rows)
	}
	if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("VERIFY finds %+v", got)
	}
}

// poolOf gives the pool of each capture that is stored, hidden ones too.
func poolOf(t rapid.TB, a *Archive) map[string]string {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	out := make(map[string]string)
	for _, s := range v.Pin.Segments {
		err := v.EveryEntry(ctx, s, func(_ timeline.Place, e *segment.Stored) error {
			out[urlkey.URL(e.Key)+fmt.Sprint(e.Time)] = s.Pool
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// pooled counts captures and versions by what the pools are described as.
func pooled(a *Archive) (map[string][2]int64, error) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	pools, err := v.Pools(ctx)
	got := make(map[string][2]int64)
	for _, p := range pools {
		if p.Captures > 0 {
			n := got[catalog.MonthOf(p.Name)]
			got[catalog.MonthOf(p.Name)] = [2]int64{n[0] + p.Captures, n[1] + p.Versions}
		}
	}
	return got, err
}

func countRows(rows []row) map[string][2]int64 {
	out := make(map[string][2]int64)
	for _, r := range rows {
		n := out[r.time.Pool()]
		n[0]++
		if r.change != record.ChangeSame {
			n[1]++
		}
		out[r.time.Pool()] = n
	}
	return out
}

// TestDeletedOriginal shows what becomes of visits whose original is deleted:
// those that were there keep its body, and one that comes later has none until
// the original comes again.
func TestDeletedOriginal(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	o := &visit{url: "http://a.example/", time: day0, status: 200, body: "text"}
	before := &visit{url: "http://b.example/", time: day0 + dayMillis, status: 200, body: "text", as: "url", refers: o}
	after := &visit{url: "http://c.example/", time: day0 + 2*dayMillis, status: 200, body: "text", as: "url", refers: o}
	check := func(when string, want ...string) {
		t.Helper()
		var got []string
		for _, r := range readRows(t, a, record.MinTime, record.MaxTime) {
			got = append(got, r.url[7:8]+" "+r.body)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	put(t, a, []*visit{o})
	put(t, a, []*visit{before})
	if _, err := deleteWhere(a, func(url string, _ record.Time) bool { return url == o.url }); err != nil {
		t.Fatal(err)
	}
	check("after the DELETE", "b text")
	put(t, a, []*visit{after})
	check("with a later visit", "b text", "c (none)")
	put(t, a, []*visit{o})
	check("with the original again", "a text", "b text", "c text")
}

// TestDeleteChanged deletes captures of a snapshot whose segments are gone by
// then: nothing is deleted.
func TestDeleteChanged(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	threeMonths(t, a)
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if _, err := a.Drop(ctx, task.DropOptions{Pool: "200808"}); err != nil {
		t.Fatal(err)
	}
	all := targets(ctx, v, func(string, record.Time) bool { return true })
	if _, err := v.Delete(ctx, task.DeleteOptions{Targets: all}); !errors.Is(err, task.ErrChanged) {
		t.Errorf("got error %v, want ErrChanged", err)
	}
	if got := readRows(t, a, record.MinTime, record.MaxTime); len(got) != 2 {
		t.Errorf("%d captures are left, want the 2 of other pools", len(got))
	}
	if files, _ := glob(filepath.Join(a.Local(), commit.DirRemoved, "*")); len(files) != 1 {
		t.Errorf("removal files %v, want that of the DROP alone", files)
	}
}

// TestReindexRemoved loses the catalogue of an archive of which captures were
// deleted: what was deleted stays so.
func TestReindexRemoved(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	visits := threeMonths(t, a)
	if _, err := deleteWhere(a, func(_ string, at record.Time) bool { return at == day0 }); err != nil {
		t.Fatal(err)
	}
	want := historyOf(visits[1:])
	names, err := glob(filepath.Join(a.Local(), commit.DirCatalog, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, filepath.Join(a.Local(), commit.FileCurrent)) {
		if err := removeFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Reindex(context.Background(), task.ReindexOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
		t.Errorf("after REINDEX:\n%s", diffRows(got, want))
	}
	if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("VERIFY finds %+v", got)
	}
}

// TestDropRefused names what needs a pool: by bodies, and by visits alone.
func TestDropRefused(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	threeMonths(t, a)
	put(t, a, []*visit{
		{url: "http://b.example/", time: day0 + 100*dayMillis, status: 304, as: "before"},
	})
	drop := func(pool string) error {
		_, err := a.Drop(context.Background(), task.DropOptions{Pool: pool})
		return err
	}
	for _, c := range []struct {
		pool string
		want *task.DependsError
	}{
		{"200806", &task.DependsError{Pool: "200806", By: []string{"200807"}}},
		{"200808", &task.DependsError{Pool: "200808", Revisits: []string{"200809"}}},
	} {
		var got *task.DependsError
		if err := drop(c.pool); !errors.As(err, &got) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("DROP of %s: got %v, want %v", c.pool, err, c.want)
		}
	}
	for _, pool := range []string{"200809", "200808", "200807", "200806"} {
		if err := drop(pool); err != nil {
			t.Errorf("DROP of %s: %v", pool, err)
		}
	}
	if mustSweep(t, a) {
		if files, _ := glob(filepath.Join(a.Local(), commit.DirPools, "*", "*")); len(files) != 0 {
			t.Errorf("files %v are left", files)
		}
	}
	put(t, a, []*visit{{url: "http://b.example/", time: day0, status: 200, body: "again"}})
}

// TestRemovalsAtOnce imports, deletes one URL and drops the last pool all at
// once, as three processes do. None fails, and once more of each gives what is
// left.
func TestRemovalsAtOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		visits := drawHistory(rt)
		for _, v := range visits {
			v.as = ""
		}
		const url, pool = "http://www.example.com/0", "200808"
		dir := t.TempDir()
		remove := func(a *Archive) error {
			_, err := deleteWhere(a, func(u string, _ record.Time) bool { return u == url })
			for errors.Is(err, task.ErrChanged) {
				_, err = deleteWhere(a, func(u string, _ record.Time) bool { return u == url })
			}
			return err
		}
		drop := func(a *Archive) error {
			_, err := a.Drop(context.Background(), task.DropOptions{Pool: pool})
			var none *task.NoPoolError
			if errors.As(err, &none) {
				return nil
			}
			return err
		}
		var wg sync.WaitGroup
		errs := make([]error, 3)
		for i, f := range []func(*Archive) error{
			func(a *Archive) error {
				var res task.ImportResult
				return putErr(a, visits, &res)
			}, remove, drop,
		} {
			wg.Go(func() {
				a := openAt(dir, Options{BatchBytes: 2000})
				defer a.Close()
				for n := 0; n < 5 && errs[i] == nil; n++ {
					errs[i] = f(a)
				}
			})
		}
		wg.Wait()
		a := openAt(dir, Options{})
		defer a.Close()
		if err := errors.Join(append(errs, remove(a), drop(a))...); err != nil {
			rt.Fatal(err)
		}
		want := historyOf(slices.DeleteFunc(visits, func(v *visit) bool { return v.url == url || v.time.Pool() == pool }))
		if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
			rt.Fatalf("what is left:\n%s", diffRows(got, want))
		}
		if got := verify(t, dir, task.VerifyOptions{}); len(got) > 0 {
			rt.Fatalf("VERIFY finds %+v", got)
		}
	})
}

// TestDeletedColumns deletes one capture of a URL: of the others all is told that
// was before, also what their segments' index keeps for few questions only.
func TestDeletedColumns(t *testing.T) {
	ctx := context.Background()
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, []*visit{
		{url: "http://a.example/", time: day0, status: 200, body: "a"},
		{url: "http://a.example/", time: day0 + 1000, status: 200, body: "b"},
	})
	if _, err := deleteWhere(a, func(_ string, at record.Time) bool { return at == day0 }); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	rows := 0
	for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColJob | record.ColAdded}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			rows++
			if b.Job[i] != "test" || b.Added[i] == 0 {
				t.Errorf("job %q, added %d, want test and a time", b.Job[i], b.Added[i])
			}
		}
	}
	if rows != 1 {
		t.Errorf("%d captures, want 1", rows)
	}
}

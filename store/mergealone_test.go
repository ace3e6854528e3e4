package store

import (
	"path/filepath"
	"testing"

	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// TestMergeAlone runs a merge that an import starts, for a later month. Meanwhile the db-files and
// the index of an earlier month cannot be read. The captures of the two months share blocks. The
// merge succeeds without a warning, because it reads only the segments that it merges. Afterwards
// the archive answers as before.
func TestMergeAlone(t *testing.T) {
	if inBuckets() {
		t.Skip("the test damages a file")
	}
	dir := t.TempDir()
	a := openAt(dir, Options{})
	defer func() { a.Close() }()
	earlier, later := pages(20, day0), pages(20, day0+31*dayMillis)
	for _, v := range later {
		v.body += "<p>one more paragraph</p>"
	}
	put(t, a, earlier[:10])
	put(t, a, later[:10])
	put(t, a, later[5:])
	put(t, a, earlier[10:])
	p, err := a.folder.Pin()
	if err != nil {
		t.Fatal(err)
	}
	pools := p.PoolNames()
	var files []string
	for _, s := range p.PoolSegments(pools[0]) {
		files = append(files, filepath.Join(a.Local(), s.File), filepath.Join(a.Local(), s.Index))
	}
	if n := len(p.PoolSegments(pools[1])); n != 2 {
		t.Fatalf("pool %s has %d segments, want 2", pools[1], n)
	}
	p.Release()
	whole := make(map[string][]byte)
	for _, name := range files {
		b, err := readFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if whole[name] = b; writeFile(name, make([]byte, len(b))) != nil {
			t.Fatal("cannot damage the file")
		}
	}
	a.Close() // it has the index open
	a = openAt(dir, Options{Warn: func(err error) { t.Errorf("warning: %v", err) }})
	err = a.merger.Some(t.Context(), pools[1], 0, allOf(pools[1]))
	for name, b := range whole {
		if err := writeFile(name, b); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err = a.folder.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	merged := p.PoolSegments(pools[1])
	if len(merged) != 1 || len(merged[0].Uses) == 0 {
		t.Errorf("%d segments after the merge, the first uses %v; want one that uses blocks of the earlier month", len(merged), merged[0].Uses)
	}
	if got, want := readRows(t, a, record.MinTime, record.MaxTime), historyOf(append(earlier, later...)); !equalRows(got, want) {
		t.Errorf("history:\n%s", diffRows(got, want))
	}
	if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("VERIFY finds %+v", got)
	}
}

// allOf returns a function that returns all segments of a pool.
func allOf(pool string) func(*catalog.Catalog) []*segment.Info {
	return func(c *catalog.Catalog) []*segment.Info { return c.PoolSegments(pool) }
}

// TestMergeAloneHints merges segments of a later month for which no statement asked. After the first
// of the segments was written, an import brought a capture of an earlier month for a URL in it, and
// with it the last of the segments. The hints in the merged segment do not take that capture into
// account. A question about the later month nevertheless finds it.
func TestMergeAloneHints(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	from := day0 + 31*dayMillis
	earlier, later := pages(1, day0), pages(2, from)
	later[0].body += "<p>one more paragraph</p>"
	put(t, a, later[:1])
	put(t, a, append(earlier, later[1:]...))
	pool := poolNames(t, a)[1]
	if err := a.merger.Some(t.Context(), pool, 0, allOf(pool)); err != nil {
		t.Fatal(err)
	}
	if c, err := a.folder.InForce(); err != nil || len(c.PoolSegments(pool)) != 1 {
		t.Fatalf("the pool was not merged: %v", err)
	}
	var want []row
	for _, r := range historyOf(append(earlier, later...)) {
		if r.time >= from {
			want = append(want, r)
		}
	}
	if got := readRows(t, a, from, record.MaxTime); !equalRows(got, want) {
		t.Errorf("history:\n%s", diffRows(got, want))
	}
}

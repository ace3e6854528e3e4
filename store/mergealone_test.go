package store

import (
	"path/filepath"
	"testing"

	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// TestMergeAlone merges segments of a later month for which no statement asked, while the file of
// an earlier month cannot be read. The captures share blocks with those of the earlier month, some
// of which came in first and some last. The merge succeeds, because it reads no run of a segment
// that it does not merge. Afterwards the archive answers as before.
func TestMergeAlone(t *testing.T) {
	if inBuckets() {
		t.Skip("the test damages a file")
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
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
		files = append(files, filepath.Join(a.Local(), s.File))
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
	all := func(c *catalog.Catalog) []*segment.Info { return c.PoolSegments(pools[1]) }
	err = a.merger.Some(t.Context(), pools[1], 0, all)
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

package segment

import (
	"path/filepath"
	"slices"
	"testing"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
)

// TestPassOver reads the chunks of a segment whose bounds satisfy a condition, from the
// index and from the db-file alone. The bounds of each are those of its entries.
func TestPassOver(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(9000)
	for i := range entries {
		if entries[i].Bytes >= 0 {
			entries[i].Bytes = int64(i)
		}
	}
	info := writeSegment(t, dir, entries)
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for name, index := range map[string]*indexfile.File{"index": x, "db-file": nil} {
		s := NewReader(disk.Inside(disk.OS, dir), info, index, func(err error) { t.Error(err) })
		defer s.Close()
		var all []uint32
		var bounds []Bounds
		whole := s.Chunks(WantAll)
		for c, err := whole.Seek(""); c != nil || err != nil; c, err = whole.Next() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c.Run)
			b := Bounds{LeastBytes: 1 << 60, GreatestBytes: -2, FirstTime: record.MaxTime, LastTime: record.MinTime}
			for _, e := range c.AppendEntries(nil) {
				b.LeastBytes, b.GreatestBytes = min(b.LeastBytes, e.Bytes), max(b.GreatestBytes, e.Bytes)
				b.FirstTime, b.LastTime = min(b.FirstTime, e.Time), max(b.LastTime, e.Time)
				b.Lost = b.Lost || e.Body == BodyNone
			}
			if c.bounds != b {
				t.Errorf("%s: run %d has the bounds %+v, want %+v", name, c.Run, c.bounds, b)
			}
			bounds = append(bounds, b)
		}
		whole.Close()
		if len(all) < 6 {
			t.Fatalf("only %d chunks", len(all))
		}
		for mask := range 1 << 6 {
			over := func(i int) bool { return mask>>(i%6)&1 != 0 }
			c := s.Chunks(WantTime)
			c.PassOver(func(b Bounds) bool { return over(slices.Index(bounds, b)) })
			var got, want []uint32
			for i, n := range all {
				if !over(i) {
					want = append(want, n)
				}
			}
			for chunk, err := c.Seek(""); chunk != nil || err != nil; chunk, err = c.Next() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, chunk.Run)
			}
			c.Close()
			if !slices.Equal(got, want) {
				t.Errorf("%s, without those of %b: got chunks %d, want %d", name, mask, got, want)
			}
		}
	}
}

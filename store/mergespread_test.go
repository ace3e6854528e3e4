package store

import (
	"fmt"
	"testing"

	"infomall/store/record"
	"infomall/store/record/task"
)

// TestMergesSpread imports batches that each have captures of twelve months, so that the merges
// of twelve pools become due at the same import. That import merges only some of them. Later
// imports merge the others, although these imports have no captures of those months. The
// archive answers as if nothing had been merged.
func TestMergesSpread(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	var visits []*visit
	put := func(months int, first record.Time, text string) {
		t.Helper()
		g, err := a.intake.NewImporter(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		for m := range months {
			for _, v := range pages(4, first+record.Time(m)*31*dayMillis) {
				v.body += text
				visits = append(visits, v)
				var res task.ImportResult
				if err := g.Add(t.Context(), v.capture(), &res); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := g.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// merged returns how many of the twelve pools have few segments.
	merged := func() (n int) {
		t.Helper()
		p, err := a.folder.Pin()
		if err != nil {
			t.Fatal(err)
		}
		defer p.Release()
		for _, name := range p.PoolNames()[:12] {
			switch s := len(p.PoolSegments(name)); {
			case s > 8:
				t.Errorf("pool %s has %d segments, want at most 8", name, s)
			case s < 8:
				n++
			}
		}
		return n
	}
	for i := range 8 {
		put(12, day0+record.Time(i)*3600_000, fmt.Sprint(i))
	}
	before := merged()
	if before == 0 || before > 6 {
		t.Errorf("the import that makes twelve merges due does %d, want some of them", before)
	}
	for i := range 12 - before {
		put(1, day0+record.Time(900+31*i)*dayMillis, "later")
		if now := merged(); now <= before && now < 12 {
			t.Errorf("a later import leaves %d pools merged, before were %d", now, before)
		} else {
			before = now
		}
	}
	if got, want := readRows(t, a, record.MinTime, record.MaxTime), historyOf(visits); !equalRows(got, want) {
		t.Errorf("history:\n%s", diffRows(got, want))
	}
	if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
		t.Errorf("VERIFY finds %+v", got)
	}
}

package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// scanned is one row of a scan as text.
func scanned(b *record.Batch, i int) string {
	return fmt.Sprint(b.URLs()[i], b.Time[i], b.Ref[i], b.Status[i], b.Change[i], b.Digest[i])
}

// TestAhead scans and counts an archive of some pools with one goroutine and with
// several: the rows are the same, and a scan's in the same order.
func TestAhead(t *testing.T) {
	var visits []*visit
	for i := range 6000 {
		visits = append(visits, &visit{
			url: fmt.Sprintf("http://h%d.example/%d", i%7, i%1500), time: day0 + record.Time(i*37%90)*dayMillis + record.Time(i),
			status: 200 + i%3*100, body: fmt.Sprint("body ", i%11),
		})
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, visits)
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	all := record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColStatus | record.ColChange | record.ColDigest}
	some := all
	some.From, some.Ranges = day0+20*dayMillis, []urlkey.Range{{From: "example,h1,", To: "example,h2,"}, {From: "example,h4,"}}
	for name, s := range map[string]record.Scan{"all": all, "some": some} {
		read := func(goroutines, after int) (rows []string) {
			a.snapshots.Goroutines, a.snapshots.AheadAfter = goroutines, after
			for b, err := range v.Scan(t.Context(), s) {
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.N {
					rows = append(rows, scanned(b, i))
				}
			}
			return rows
		}
		want := read(1, 0)
		if len(want) < 2*record.BatchRows {
			t.Fatalf("%s: only %d rows", name, len(want))
		}
		for after := range 3 {
			if got := read(2, after); !slices.Equal(got, want) {
				t.Errorf("%s, ahead after %d batches: got %d rows, want %d, or they differ", name, after, len(got), len(want))
			}
		}
		count := func(goroutines int) map[string]int64 {
			a.snapshots.Goroutines, a.snapshots.SharedCaptures = goroutines, 0
			q := record.Tally{Scan: s, Host: true, Time: true}
			q.Columns = record.ColStatus
			sums := make(map[string]int64)
			for b, err := range v.Tally(t.Context(), q) {
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.N {
					sums[tallyText(q, b, i)] += b.Count[i]
				}
			}
			return sums
		}
		wantSums := count(1)
		for n := 2; n < 5; n++ {
			if got := count(n); !maps.Equal(got, wantSums) {
				t.Errorf("%s, counted by %d goroutines: got %d sums, want %d, or they differ", name, n, len(got), len(wantSums))
			}
		}
	}
}

// TestAheadEnds stops scans and counts after some batches, and ends their
// context: nothing is read after that, and a context that ended is told.
func TestAheadEnds(t *testing.T) {
	var visits []*visit
	for i := range 9000 {
		visits = append(visits, &visit{url: fmt.Sprintf("http://h.example/%d", i), time: day0 + record.Time(i%3*30)*dayMillis, status: 200, body: "x"})
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, visits)
	a.snapshots.Goroutines, a.snapshots.AheadAfter, a.snapshots.SharedCaptures = 3, 1, 0
	scan := record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColBytes}
	for name, open := range map[string]func(context.Context, *Snapshot) record.Rows{
		"scan": func(ctx context.Context, v *Snapshot) record.Rows { return v.Scan(ctx, scan) },
		"URLs": func(ctx context.Context, v *Snapshot) record.Rows {
			return v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Once: true})
		},
		"tally": func(ctx context.Context, v *Snapshot) record.Rows {
			return v.Tally(ctx, record.Tally{Scan: scan, Time: true})
		},
	} {
		for stopAt := range 4 {
			v, err := a.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range open(t.Context(), v) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n > stopAt {
					break
				}
			}
			chunks := v.Stats().Chunks
			// The snapshot is closed under a goroutine that would go on.
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			if now := v.Stats().Chunks; now != chunks {
				t.Errorf("%s: %d chunks read after it was stopped", name, now-chunks)
			}
		}
		v, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var after int
		var last error
		for b, err := range open(ctx, v) {
			cancel()
			if last = err; err == nil {
				after += b.N
			}
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("%s: got error %v; want that of the context", name, last)
		}
		const aheadBatches = 16 // a scan has no more batches at once
		if after > (aheadBatches+1)*record.BatchRows {
			t.Errorf("%s: got %d rows after the context ended", name, after)
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/catalog"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// drawBounds draws what merges of an archive may hold: mostly next to nothing.
func drawBounds(rt *rapid.T) mergeBounds {
	return mergeBounds{
		ways:   rapid.SampledFrom([]int{2, 3, catalog.MergeWays}).Draw(rt, "ways"),
		runs:   rapid.SampledFrom([]int64{1, 4 << 10, mergeRuns}).Draw(rt, "bytes of runs"),
		places: rapid.SampledFrom([]int64{0, 500, mergePlaces}).Draw(rt, "bytes of places"),
	}
}

// TestPlaces compares places, of which few fit into memory, with a map.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := []*segment.Info{{ID: 3, Runs: 4}, {ID: 7, Runs: 1}, {ID: 8, Runs: 5}}
		blocks := func(r segment.RunRef) int { return int(r.Segment*7+r.Run*3) % 11 }
		p := newPlaces(disk.OS, t.TempDir(), in, rapid.SampledFrom([]int64{0, 250, 1 << 20}).Draw(rt, "held"))
		defer p.close()
		want := make(map[segment.BlockRef]segment.BlockRef)
		met := make(map[segment.RunRef]bool)
		for range rapid.IntRange(0, 200).Draw(rt, "steps") {
			s := rapid.SampledFrom(in).Draw(rt, "segment")
			ref := segment.RunRef{Segment: s.ID, Run: uint32(rapid.IntRange(0, s.Runs-1).Draw(rt, "run"))}
			if got := p.met(ref); got != met[ref] {
				rt.Fatalf("met %v: %v, want %v", ref, got, met[ref])
			}
			at, err := p.run(ref, blocks(ref))
			if err != nil || len(at) != blocks(ref) {
				rt.Fatalf("run %v: %d blocks, %v; want %d", ref, len(at), err, blocks(ref))
			}
			met[ref] = true
			for n := range at {
				b := segment.BlockRef{Segment: ref.Segment, Run: ref.Run, N: uint32(n)}
				if got, err := p.of(b); got != want[b] || err != nil {
					rt.Fatalf("block %v is at %v, %v; want %v", b, got, err, want[b])
				}
			}
			if len(at) > 0 {
				b := segment.BlockRef{Segment: ref.Segment, Run: ref.Run, N: uint32(rapid.IntRange(0, len(at)-1).Draw(rt, "block"))}
				to := segment.BlockRef{Segment: rapid.Uint32().Draw(rt, "to"), Run: 5, N: b.N + 1<<31}
				if err := p.set(b, to); err != nil {
					rt.Fatal(err)
				}
				want[b] = to
			}
			if one := int64(11*placeBytes + 100); p.held > p.most+one {
				rt.Fatalf("%d bytes are in memory, of %d and those of one run", p.held, p.most)
			}
		}
		if p.has(4) || !p.has(7) {
			rt.Fatal("segment 7 is one of those that are merged, 4 is none")
		}
	})
}

// TestMergeHolds merges many small captures, which lie in many segments that hold
// the same URLs, within bounds that are a small part of them: it holds no more
// than they say, merges in rounds, and keeps all.
func TestMergeHolds(t *testing.T) {
	ctx := context.Background()
	a := Open(t.TempDir(), Options{})
	defer a.Close()
	const segments, captures = 7, 1100
	random := rand.New(rand.NewPCG(1, 2))
	for s := range segments {
		g, err := a.intake.newIngest(ctx, "test")
		if err != nil {
			t.Fatal(err)
		}
		var res task.ImportResult
		for i := range captures {
			c := &record.Capture{
				AskedURL: fmt.Sprintf("http://h%d.example/%d/%d", i%10, i, s), Time: day0, Status: 200, Offset: int64(i),
				Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"), Body: fmt.Appendf(nil, "%x", random.Uint64()),
			}
			if err := g.add(ctx, c, &res); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.flush(ctx); err != nil {
			t.Fatal(err)
		}
		if err := g.close(); err != nil {
			t.Fatal(err)
		}
	}
	const runs, places = 5 << 20, 20 << 10
	a.merger.bounds = mergeBounds{ways: 3, runs: runs, places: places}
	for _, seal := range []bool{false, true} {
		w, err := a.folder.NewWriter(ctx)
		if err != nil {
			t.Fatal(err)
		}
		rounds := 0
		task := mergeTask{pool: "200806", seal: seal, choose: func(c *catalog.Catalog) []*segment.Info { return c.PoolSegments("200806") }}
		for more := true; more; rounds++ {
			v, err := a.Snapshot(ctx)
			if err != nil {
				t.Fatal(err)
			}
			in := task.choose(v.Pin.Catalog)
			if some := crowded(in, a.merger.bounds.ways); some != nil {
				in = some
			}
			v.Runs.Shelve(a.merger.bounds.runs, a.merger.bounds.ways+1)
			m := newMerging(w, v.Snapshot, task, in, places)
			if m.hidden, err = v.IsHidden(); err != nil {
				t.Fatal(err)
			}
			m.progress = func(string, int64, int64) {
				if m.at.held > places+2000*placeBytes {
					t.Fatalf("places take %d bytes, of %d", m.at.held, places)
				}
			}
			if err := m.run(ctx); err != nil {
				t.Fatal(err)
			}
			m.close()
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			if _, more, err = a.merger.mergeOnce(ctx, w, &task); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 3, true: 1}[seal]; rounds != want {
			t.Errorf("it took %d rounds, want %d", rounds, want)
		}
		if got := count(t, a); got != segments*captures {
			t.Errorf("%d captures are left of %d", got, segments*captures)
		}
	}
}

// count counts the captures of an archive.
func count(t *testing.T, a *Archive) (n int) {
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for b, err := range v.Scan(context.Background(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		n += b.N
	}
	return n
}

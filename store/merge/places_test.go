package merge

import (
	"testing"

	"pgregory.net/rapid"

	"infomall/store/disk"
	"infomall/store/segment"
)

// TestPlaces compares places, of which few fit into memory, with a map.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := []*segment.Info{{ID: 3, Runs: 4}, {ID: 7, Runs: 1}, {ID: 8, Runs: 5}}
		blocks := func(r segment.RunRef) int { return int(r.Segment*7+r.Run*3) % 11 }
		p := newPlaces(disk.Inside(disk.OS, t.TempDir()), "places", in, rapid.SampledFrom([]int64{0, 250, 1 << 20}).Draw(rt, "held"))
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

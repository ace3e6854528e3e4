package dedup

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawHashes draws fingerprints of which many are near each other: near an
// earlier one, which makes chains, or near the middle of a cluster.
func drawHashes(t *rapid.T) []uint64 {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	list := make([]uint64, rapid.SampledFrom([]int{0, 2, 30, amongItems, amongItems + 1, 1500}).Draw(t, "hashes"))
	alone := rapid.IntRange(0, 4).Draw(t, "alone")
	flips := rapid.IntRange(0, 6).Draw(t, "flips")
	clusters := rapid.SampledFrom([]int{0, 0, 1, 3, 40, 200}).Draw(t, "clusters")
	for i := range list {
		list[i] = r.Uint64()
		if i == 0 || r.IntN(4) < alone {
			continue
		}
		if clusters == 0 {
			list[i] = list[r.IntN(i)]
		} else {
			// Every second middle is five bits from the one before.
			c := uint64(r.IntN(clusters))
			list[i] = (c/2+1)*0x9e3779b97f4a7c15 ^ c%2*0x1_0010_0100_0101
		}
		for range r.IntN(flips + 1) {
			list[i] ^= 1 << r.IntN(64)
		}
	}
	return list
}

// pair returns one number for two places, in any order.
func pair(i, j uint32) uint64 { return uint64(min(i, j))<<32 | uint64(max(i, j)) }

// near returns all pairs within a distance, by comparing each pair.
func near(list []uint64, distance int) (pairs []uint64) {
	for i := range list {
		for j := range list[i+1:] {
			if bits.OnesCount64(list[i]^list[i+1+j]) <= distance {
				pairs = append(pairs, pair(uint32(i), uint32(i+1+j)))
			}
		}
	}
	return pairs
}

// pairs returns the pairs that Pairs finds, sorted. It panics unless Pairs says that it has passed
// one fingerprint after the other, and, if there are pairs, all of them.
func pairs(list []uint64, distance int) (out []uint64) {
	passed := 0
	pass := func(done int) {
		if passed++; done != passed {
			panic(fmt.Sprintf("%d fingerprints passed, not %d", done, passed))
		}
	}
	if err := Pairs(context.Background(), list, distance, pass, func(i uint32, others []uint32) bool {
		for _, j := range others {
			out = append(out, pair(i, j))
		}
		return true
	}); err != nil {
		panic(err)
	}
	if passed > len(list) || len(out) > 0 && passed < len(list) {
		panic(fmt.Sprintf("%d of %d fingerprints passed", passed, len(list)))
	}
	slices.Sort(out)
	return out
}

// TestPairs shows that every pair within a distance is found once, and no other
// pair.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawHashes(t)
		distance := rapid.IntRange(0, 8).Draw(t, "distance")
		want := near(list, distance)
		if got := pairs(list, distance); !slices.Equal(got, want) {
			t.Fatalf("distance %d: %d pairs %x, want %d %x", distance, len(got), got, len(want), want)
		}
		x := newIndex(list, distance)
		for i, h := range list {
			var want []uint32
			for j, o := range list {
				if bits.OnesCount64(h^o) <= distance {
					want = append(want, uint32(j))
				}
			}
			got := x.near(h, nil)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("distance %d: near %d are %v, want %v", distance, i, got, want)
			}
		}
	})
}

// TestPairsMany has so many fingerprints with the same first bits that parts
// are divided by a second digit. They are random, or in clusters of which two
// are next to each other.
func TestPairsMany(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(9, 10))
	for name, list := range map[string][]uint64{"uniform": uniform(n), "clusters": clustered(n, 0, 2)} {
		for i := range list {
			if name == "clusters" && i%100 >= 50 {
				list[i] = list[i-50] ^ 0x11111&-(r.Uint64()&1)
			}
			list[i] = list[i]&^(0xff<<56|0xff<<24) | 0x12<<56 | 0x34<<24
		}
		var got, want int
		var sum, wanted uint64 // whatever the order
		for i, h := range list {
			for j, o := range list[i+1:] {
				if bits.OnesCount64(h^o) <= 3 {
					want++
					wanted += mix(pair(uint32(i), uint32(i+1+j)))
				}
			}
		}
		if err := Pairs(t.Context(), list, 3, nil, func(i uint32, others []uint32) bool {
			for _, j := range others {
				got++
				sum += mix(pair(i, j))
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if got != want || sum != wanted {
			t.Errorf("%s: %d pairs, want %d, or others", name, got, want)
		}
	}
}

// TestCover shows that each fingerprint is in one cell, within the cell's
// radius.
func TestCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawHashes(t)
		p := pairing{ctx: context.Background(), distance: rapid.IntRange(0, 6).Draw(t, "distance"), hashes: list}
		if len(list) == 0 {
			return
		}
		if err := p.cover(); err != nil {
			t.Fatal(err)
		}
		seen := make([]bool, len(list))
		for n, middle := range p.cells.middle {
			m := p.cells.members(uint32(n))
			for i, h := range m.hash {
				at := m.at[i]
				if d := bits.OnesCount64(h ^ middle); seen[at] || list[at] != h || d > int(p.cells.radius[n]) || d > p.cells.widest {
					t.Fatalf("cell %d has %x, of place %d, %d bits from its middle: radius %d, widest %d", n, h, at, d, p.cells.radius[n], p.cells.widest)
				}
				seen[at] = true
			}
		}
		if slices.Contains(seen, false) {
			t.Fatal("one is in no cell")
		}
	})
}

// TestLayouts tests every layout, including layouts that layoutFor never chooses.
// Any two fingerprints within the distance agree in the key of some table.
func TestLayouts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 9 {
		for blocks := 1; blocks <= 3; blocks++ {
			for _, l := range []layout{newLayout(k, blocks), newHalves(k, blocks)} {
				for range 2000 {
					x := uint64(0)
					for range k {
						x |= 1 << r.IntN(64)
					}
					if !slices.ContainsFunc(l.tables, func(t table) bool { return x&t.mask == 0 }) {
						t.Fatalf("k %d, r %d: no table for the difference %x", k, blocks, x)
					}
				}
			}
		}
	}
	if n := len(newLayout(3, 1).tables); n != 4 {
		t.Errorf("%d tables of 16 bits, want 4", n)
	}
	if n := len(newLayout(3, 3).tables); n != 20 {
		t.Errorf("%d tables of three blocks, want 20", n)
	}
	if got := Plan(1_000_000, 3); got != "tables of fingerprints: 8, by 24 bits, about 0.037 s" {
		t.Errorf("plan %q", got)
	}
}

// TestNeighbours counts the fingerprints near one among all 64-bit numbers near
// it.
func TestNeighbours(t *testing.T) {
	const h = 0x123456789abcdef0
	list := []uint64{h}
	for i := range 64 {
		list = append(list, h^1<<i)
		for j := range i {
			list = append(list, h^1<<i^1<<j)
			for k := range j {
				list = append(list, h^1<<i^1<<j^1<<k)
			}
		}
	}
	for distance, want := range []int{1, 65, 65 + 2016, 43745} {
		if got := len(newIndex(list, distance).near(h, nil)); got != want {
			t.Errorf("%d neighbours within %d, want %d", got, distance, want)
		}
	}
	for i, want := range []uint64{0x2222333344441111, 0x3333444411112222, 0x4444111122223333} {
		if got := bits.RotateLeft64(0x1111222233334444, 16*(i+1)); got != want {
			t.Errorf("rotated by %d: %x, want %x", 16*(i+1), got, want)
		}
	}
}

// uniform returns n random fingerprints.
func uniform(n int) []uint64 {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64()
	}
	return list
}

// clustered returns n fingerprints in clusters of 50. Each differs from the
// middle of its cluster in least to most bits.
func clustered(n, least, most int) []uint64 {
	r := rand.New(rand.NewPCG(5, 6))
	list := make([]uint64, n)
	for i := 0; i < n; i += 50 {
		middle := r.Uint64()
		for j := i; j < min(i+50, n); j++ {
			list[j] = middle
			for range least + r.IntN(most-least+1) {
				list[j] ^= 1 << r.IntN(64)
			}
		}
	}
	return list
}

// BenchmarkPairs finds all pairs among a million fingerprints. On a shared
// Xeon, in CPU time, it takes 54 ms for uniform ones. It takes 67 ms for
// clusters within one bit of a middle, which have 24.5 million pairs within two
// bits. Of the 67 ms, a third goes into sorting fingerprints by digits, a fifth
// into assigning them to others in two tables, a fifth into collecting the
// members of cells, and a tenth into reporting pairs. Without cells, clusters
// took 290 ms. In loose clusters pairs must be compared one by one: up to two
// bits from the middle 170 ms instead of 500, up to three bits, in random
// order, 250 instead of 450. If half of the fingerprints are in no cluster, no
// cells are made, and the time is the same as without.
//
// Variants that were measured and not kept, for uniform fingerprints and
// clusters:
//
//   - places moved along with fingerprints from the start: 101 ms
//   - slots of 14 bits: 86 ms; of 15 bits: 69 ms; slots cleared for each part:
//     81 ms
//   - cells made around the last fingerprint in a slot instead of the first,
//     and not made again around their middles: 3 s for loose clusters, because
//     the rest lies far from its cluster
//   - pairs of cells reported as they are found, without groups: 62 ms, but
//     twice as long for loose clusters, which are found in many tables
//   - without cells, listing the pairs of a group one by one if all are near:
//     300 ms
//   - sorting by digits with a buffer per digit: 16 ms per table instead of 10;
//     by 6 bits first: 12 ms
//   - comparing by a list of pairs, or four or eight at a time: 19 to 22 ms
//     instead of 25
//   - joining equal fingerprints first: .51 CPU seconds instead of .41
func BenchmarkPairs(b *testing.B) {
	const n = 1_000_000
	loose := clustered(n, 0, 3)
	r := rand.New(rand.NewPCG(7, 8))
	r.Shuffle(n, func(i, j int) { loose[i], loose[j] = loose[j], loose[i] })
	for _, c := range []struct {
		name string
		list []uint64
	}{{"uniform", uniform(n)}, {"clusters", clustered(n, 1, 1)}, {"loose", loose}} {
		b.Run(c.name, func(b *testing.B) {
			found := 0
			for range b.N {
				found = 0
				if err := Pairs(b.Context(), c.list, 3, nil, func(_ uint32, others []uint32) bool {
					found += len(others)
					return true
				}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(found), "pairs")
		})
	}
}

// BenchmarkNear looks up one fingerprint: 1.8 µs among a million, 6.6 µs among
// ten million.
func BenchmarkNear(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		list := uniform(n)
		x := newIndex(list, 3)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var dst []uint32
			for i := range b.N {
				dst = x.near(list[i*7919%n]^1, dst[:0])
			}
		})
	}
}

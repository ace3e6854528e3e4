package dedup

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawHashes draws fingerprints of which many are near each other.
func drawHashes(t *rapid.T) []uint64 {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	list := make([]uint64, rapid.IntRange(0, 300).Draw(t, "hashes"))
	for i := range list {
		list[i] = r.Uint64()
		if i > 0 && r.IntN(4) > 0 {
			list[i] = list[r.IntN(i)]
			for range r.IntN(6) {
				list[i] ^= 1 << r.IntN(64)
			}
		}
	}
	return list
}

// near lists all pairs within a distance, by looking at each.
func near(list []uint64, distance int) (pairs [][2]uint32) {
	for i := range list {
		for j := range i {
			if bits.OnesCount64(list[i]^list[j]) <= distance {
				pairs = append(pairs, [2]uint32{uint32(j), uint32(i)})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	return pairs
}

func pairs(list []uint64, distance int) (out [][2]uint32) {
	Pairs(list, distance, func(i uint32, others []uint32) bool {
		for _, j := range others {
			out = append(out, [2]uint32{min(i, j), max(i, j)})
		}
		return true
	})
	slices.SortFunc(out, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	return out
}

// TestPairs finds every pair within a distance, once, and no other.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawHashes(t)
		distance := rapid.IntRange(0, 8).Draw(t, "distance")
		want := near(list, distance)
		if got := pairs(list, distance); !slices.Equal(got, want) {
			t.Fatalf("distance %d: %d pairs %v, want %d %v", distance, len(got), got, len(want), want)
		}
		x := NewIndex(list, distance)
		for i, h := range list {
			var want []uint32
			for j, o := range list {
				if bits.OnesCount64(h^o) <= distance {
					want = append(want, uint32(j))
				}
			}
			got := x.Near(h, nil)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("distance %d: near %d are %v, want %v", distance, i, got, want)
			}
		}
	})
}

// TestLayouts sorts by every layout, whatever the number of fingerprints would
// choose: any two within the distance stand together in some table.
func TestLayouts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 9 {
		for blocks := 1; blocks <= 3; blocks++ {
			l := newLayout(k, blocks)
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
	if n := len(newLayout(3, 1).tables); n != 4 {
		t.Errorf("%d tables of 16 bits, want 4", n)
	}
	if n := len(newLayout(3, 3).tables); n != 20 {
		t.Errorf("%d tables of three blocks, want 20", n)
	}
	if got := Plan(1_000_000, 3); got != "4 tables of fingerprints sorted by 16 to 16 bits, about 0.063 s" {
		t.Errorf("plan %q", got)
	}
}

// TestNeighbours counts the fingerprints near one among all that are.
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
		if got := len(NewIndex(list, distance).Near(h, nil)); got != want {
			t.Errorf("%d neighbours within %d, want %d", got, distance, want)
		}
	}
	for i, want := range []uint64{0x2222333344441111, 0x3333444411112222, 0x4444111122223333} {
		if got := bits.RotateLeft64(0x1111222233334444, 16*(i+1)); got != want {
			t.Errorf("rotated by %d: %x, want %x", 16*(i+1), got, want)
		}
	}
}

// uniform and clustered are fingerprints at random, and in clusters of 50 within
// a bit of a middle, so that each is within two of the others.
func uniform(n int) []uint64 {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.Uint64()
	}
	return list
}

func clustered(n int) []uint64 {
	r := rand.New(rand.NewPCG(5, 6))
	list := make([]uint64, n)
	for i := 0; i < n; i += 50 {
		middle := r.Uint64()
		for j := i; j < min(i+50, n); j++ {
			list[j] = middle ^ 1<<r.IntN(64)
		}
	}
	return list
}

func BenchmarkPairs(b *testing.B) {
	const n = 1_000_000
	for _, c := range []struct {
		name string
		list []uint64
	}{{"uniform", uniform(n)}, {"clusters", clustered(n)}} {
		b.Run(c.name, func(b *testing.B) {
			found := 0
			for range b.N {
				found = 0
				Pairs(c.list, 3, func(_ uint32, others []uint32) bool {
					found += len(others)
					return true
				})
			}
			b.ReportMetric(float64(found), "pairs")
		})
	}
}

func BenchmarkNear(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		list := uniform(n)
		x := NewIndex(list, 3)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var dst []uint32
			for i := range b.N {
				dst = x.Near(list[i*7919%n]^1, dst[:0])
			}
		})
	}
}

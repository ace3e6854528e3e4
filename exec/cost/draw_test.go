package cost

import (
	"math"
	"math/rand/v2"
	"testing"

	"infomall/exec/value"
)

// TestExtrapolated draws samples of rows with known numbers of different values. From a sample
// follows within a third how many different values all rows have. From a sample of a tenth
// or more follows also how many values only one row has.
func TestExtrapolated(t *testing.T) {
	const all = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	// single rows have a value each, and the others share kinds values.
	for _, c := range []struct{ single, kinds int }{{0, 1}, {0, 5}, {0, 100}, {0, 2000}, {all, 0}, {5000, 2000}, {15_000, 50}} {
		for _, n := range []int{all / 20, all / 10, all / 2, all} {
			if n <= all/10 && c.single > 0 && c.kinds > 0 {
				continue // a tenth of the rows says too little of values that come unequally often
			}
			seen := map[int]int{}
			for _, row := range r.Perm(all)[:n] {
				if row >= c.single {
					row = all + row%c.kinds
				}
				seen[row]++
			}
			var once, twice float64
			for _, k := range seen {
				switch k {
				case 1:
					once++
				case 2:
					twice++
				}
			}
			got, single := extrapolated(float64(len(seen)), once, twice, float64(n), all)
			if want := c.single + c.kinds; math.Abs(math.Log(got/float64(want))) > math.Log(4./3) {
				t.Errorf("%d different values in %d of %d rows mean %.0f values, want %d", len(seen), n, all, got, want)
			}
			if n >= all/10 && math.Abs(single-float64(c.single)) > max(200, float64(c.single)/3) {
				t.Errorf("%d different values in %d of %d rows mean %.0f values that come once, want %d", len(seen), n, all, single, c.single)
			}
		}
	}
}

// TestThinned shows that a draw with fewer rows stands for as many rows as before.
func TestThinned(t *testing.T) {
	d := &draw{scale: 2}
	for range 7 {
		v := value.NewVector(value.Int, 10)
		for i := range 10 {
			v.Ints[i] = int64(d.n + i)
		}
		d.batches = append(d.batches, &value.Batch{N: 10, Cols: []*value.Vector{v}})
		d.n += 10
		d.rows += 10
	}
	for _, n := range []int{1, 7, 16, 69, 70, 100} {
		less := d.thinned(n)
		if want := min(n, 70); less.n != want || math.Abs(less.expected()-140) > 140/float64(want)+1 {
			t.Errorf("thinned to %d, the draw has %d rows and stands for %.0f", n, less.n, less.expected())
		}
		var got []int64
		for _, b := range less.batches {
			got = append(got, b.Cols[0].Ints[:b.N]...)
		}
		for i := 1; i < len(got); i++ {
			if gap := float64(got[i] - got[i-1]); math.Abs(gap-70/float64(less.n)) >= 1 {
				t.Errorf("thinned to %d, the rows are %v", n, got)
				break
			}
		}
	}
	none := &draw{scale: 40}
	if got := none.expected(); got != 0 {
		t.Errorf("a draw without rows stands for %g", got)
	}
}

package store

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
)

// TestLasting imports months in any order, each in one or two parts, and merges segments as after an
// import. What the catalogue says of each pool must be what a scan counts, although a month that came
// in late changes which captures of later months begin a version.
func TestLasting(t *testing.T) {
	enough, draws := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		var batches [][]*visit
		for month := range 3 {
			for half := range rapid.IntRange(1, 2).Draw(rt, "parts") {
				var batch []*visit
				for url := range 3 {
					for n := range rapid.IntRange(0, 2).Draw(rt, "visits") {
						day := month*31 + half*12 + n*5 + url
						batch = append(batch, &visit{
							url: fmt.Sprintf("http://www.example.com/%d", url), time: day0 + record.Time(day*dayMillis), status: 200,
							body: rapid.SampledFrom([]string{"<p>one", "<p>two"}).Draw(rt, "body"),
						})
					}
				}
				if len(batch) > 0 {
					batches = append(batches, batch)
				}
			}
		}
		for _, batch := range rapid.Permutation(batches).Draw(rt, "order") {
			put(t, a, batch)
			if rapid.Bool().Draw(rt, "merge") {
				someMerged(rt, a, false)
			}
			enough += checkPools(rt, a)
			draws++
		}
	})
	if enough < draws {
		t.Errorf("the catalogue was enough for %d pools in %d archives, want at least one in each", enough, draws)
	}
}

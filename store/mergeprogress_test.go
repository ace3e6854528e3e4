package store

import (
	"fmt"
	"testing"

	"infomall/store/record"
	"infomall/store/record/task"
)

// TestMergeProgress merges three pools, of which one has nothing to merge, and seals them. The
// progress is a share of all pools to merge: it never gets less, and ends with all their captures.
// The progress of the index of words follows.
func TestMergeProgress(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const day = record.Time(24 * 3_600_000)
	for part := range 3 {
		for month := range 3 {
			if month == 2 && part > 0 {
				continue // the third pool has one segment
			}
			var visits []*visit
			for url := range 5 + 10*month {
				visits = append(visits, &visit{url: fmt.Sprintf("http://a.example/%d", url), time: day0 + day*record.Time(31*month+part), status: 200, body: fmt.Sprint("words ", part)})
			}
			put(t, a, visits)
		}
	}
	for _, c := range []struct {
		seal bool
		want int64
	}{{false, 3 * (5 + 15)}, {true, 3*(5+15) + 25}} {
		var last, total, indexed, all int64
		o := task.MergeOptions{Seal: c.seal}
		o.Progress = func(done, of int64) {
			if done < last || total != 0 && of != total || indexed > 0 {
				t.Errorf("seal %v: %d of %d after %d of %d", c.seal, done, of, last, total)
			}
			last, total = done, of
		}
		o.Indexing = func(done, of int64) { indexed, all = done, of }
		if _, err := a.Merge(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if total != c.want || last != total {
			t.Errorf("seal %v: ended with %d of %d captures, want %d", c.seal, last, total, c.want)
		}
		if all == 0 || indexed != all {
			t.Errorf("seal %v: %d of %d bytes of words were reported", c.seal, indexed, all)
		}
	}
}

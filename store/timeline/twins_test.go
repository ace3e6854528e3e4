package timeline

import (
	"math/rand/v2"
	"testing"

	"infomall/store/record"
	"infomall/store/segment"
)

// TestTwins compares Twins.Of with a loop over all captures, for lists that grow and have many captures
// of one time.
func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	found := 0
	for range 30 {
		var list []Capture
		var twins Twins
		for time := range record.Time(3) {
			for range 1 + r.IntN(60) {
				e := Capture{Entry: segment.Entry{
					Time: time, Via: record.Via(r.IntN(4)), Status: int32(200 + r.IntN(2)), Seq: int64(r.IntN(40)), ID: segment.ID{byte(r.IntN(20))},
				}}
				if r.IntN(3) == 0 {
					e.ownID = segment.ID{byte(r.IntN(20))}
				}
				want := -1
				for i := range list {
					if list[i].Time == e.Time && list[i].Same(&e) {
						want = i
					}
				}
				if got := twins.Of(list, &e); got != want {
					t.Fatalf("the twin of capture %d is %d, want %d", len(list), got, want)
				}
				if want >= 0 {
					found++
				}
				if want < 0 || r.IntN(2) == 0 {
					list = append(list, e)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("%d captures have a twin: the test shows little", found)
	}
}

package cdx

import (
	"testing"

	"infomall/store/record"
)

// TestCompare shows that lines whose times lie far apart are compared correctly, also on a
// machine of 32 bits: 2,147,483,648 milliseconds are less than 25 days.
func TestCompare(t *testing.T) {
	q := &Query{closest: 1000}
	for _, apart := range []record.Time{1, 1 << 31, 1 << 32, 1<<32 + 1<<31, 1 << 40} {
		near, far := &Line{Time: 1000}, &Line{Time: 1000 + apart}
		for name, compare := range map[string]func(a, b *Line) int{"times": compareTimes, "distances": q.compareDistances} {
			if compare(near, far) >= 0 || compare(far, near) <= 0 {
				t.Errorf("%s, %d ms apart: %d and %d", name, apart, compare(near, far), compare(far, near))
			}
		}
	}
}

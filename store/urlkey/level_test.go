package urlkey

import (
	"fmt"
	"math"
	"testing"
)

// TestLevel shows that of many similar keys one in 2^n has level n or more, and that some
// keys have the levels that indexes were made with.
func TestLevel(t *testing.T) {
	const keys = 1 << 17
	var atLeast [8]int
	for i := range keys {
		level := Level(fmt.Sprintf("com,example,www)/page/%d.html", i))
		for n := range atLeast {
			if level >= n {
				atLeast[n]++
			}
		}
	}
	for n, got := range atLeast {
		want := float64(int(keys) >> n)
		if math.Abs(float64(got)-want) > 5*math.Sqrt(want) {
			t.Errorf("%d of %d keys have level %d or more, want about %.0f", got, keys, n, want)
		}
	}
	for key, want := range map[string]int{"": 0, "com,example)/": 1, "com,example)/756": 9, "com,example)/1955": 11} {
		if got := Level(key); got != want {
			t.Errorf("key %q has level %d, want %d", key, got, want)
		}
	}
}

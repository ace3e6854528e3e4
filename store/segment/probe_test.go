package segment

import (
	"fmt"
	"testing"

	"github.com/bits-and-blooms/bloom/v3"
)

// TestProbe asks filters of different sizes and numbers of hashes, one after the
// other, also such as damage makes: a Probe must say of each what that says
// itself.
func TestProbe(t *testing.T) {
	filters := []*bloom.BloomFilter{
		bloom.New(64, 1), bloom.New(1<<12, 7), bloom.New(1000, 7), bloom.New(1<<12, 3), bloom.New(1<<12, hashesMax), bloom.New(1<<12, hashesMax+1), bloom.New(1<<20, 7),
	}
	key := func(i int) string { return fmt.Sprintf("com,example,h%d)/p http", i) }
	for i := range 100 {
		for n, f := range filters {
			if i%(n+2) == 0 {
				f.AddString(key(i))
			}
		}
	}
	var p Probe
	for i := range 1000 {
		p.Reset(key(i))
		for n, f := range filters {
			if got, want := p.in(f), f.TestString(key(i)); got != want {
				t.Errorf("filter %d, key %q: got %v, want %v", n, key(i), got, want)
			}
		}
	}
}

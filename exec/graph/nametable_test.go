package graph

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNameTable numbers random names, some of them long, and compares the table
// with a map, also after clear.
func TestNameTable(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		return strings.Repeat(fmt.Sprint(n), rapid.SampledFrom([]int{0, 1, 7, 50, 9000}).Draw(t, "times"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var table nameTable
		for range 2 {
			numbers := map[string]uint32{}
			for _, s := range rapid.SliceOfN(name, 0, 300).Draw(t, "names") {
				want, there := numbers[s]
				if !there {
					want = uint32(len(numbers))
					numbers[s] = want
				}
				got, fresh, err := table.add([]byte(s))
				if err != nil || got != want || fresh == there {
					t.Fatalf("%.20q is number %d, new: %v, error %v; want %d, %v", s, got, fresh, err, want, !there)
				}
			}
			table.clear()
		}
	})
}

// TestNameTableGrows numbers more names than fit at first, and shows that a
// name longer than any URL is refused.
func TestNameTableGrows(t *testing.T) {
	var table nameTable
	var name []byte
	const n = 50_000
	for range 2 {
		for i := range n {
			name = fmt.Appendf(name[:0], "http://www.h%d.example/d%d/page-%d.html", i%20, i%37, i)
			if got, _, err := table.add(name); got != uint32(i) || err != nil {
				t.Fatalf("%s is number %d, error %v; want %d", name, got, err, i)
			}
		}
	}
	if _, _, err := table.add(make([]byte, nameTextSize)); err == nil {
		t.Error("a name of a megabyte is taken")
	}
	if got, _, err := table.add(name); got != n-1 || err != nil {
		t.Errorf("%s is number %d, error %v; want %d", name, got, err, n-1)
	}
}

package op

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/value"
)

// TestSketchError counts up to a million texts: few of them exactly, and more
// with an error of less than three standard errors.
func TestSketchError(t *testing.T) {
	s := new(sketch)
	next := 10
	for n := 1; n <= 1_000_000; n++ {
		v := value.OfText(fmt.Sprintf("http://h%d.example/%d", n%97, n))
		s.add(v)
		s.add(v)
		if n < next {
			continue
		}
		next = next * 3 / 2
		off := math.Abs(float64(s.count())-float64(n)) / float64(n)
		if n <= sketchExact && off > 0 || off > 3*1.04/64 {
			t.Errorf("%d different values are counted as %d", n, s.count())
		}
		if s.bytes() > 3<<sketchBits {
			t.Fatalf("%d values take %d bytes", n, s.bytes())
		}
	}
}

// TestSketchMerge shows that sketches of parts, encoded and merged in any
// order, count like one sketch of all.
func TestSketchMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2000).Draw(t, "n")
		parts := make([]*sketch, rapid.IntRange(1, 4).Draw(t, "parts"))
		for i := range parts {
			parts[i] = new(sketch)
		}
		whole := new(sketch)
		for i := range n {
			v := value.OfInt(int64(i))
			whole.add(v)
			parts[i*i%7%len(parts)].add(v)
			parts[i%len(parts)].add(v)
		}
		merged := new(sketch)
		for _, p := range parts {
			merged.merge(decodeSketch(p.encode()))
		}
		if merged.count() != whole.count() || merged.encode() != whole.encode() {
			t.Fatalf("%d values in %d parts: %d, as a whole %d", n, len(parts), merged.count(), whole.count())
		}
	})
}

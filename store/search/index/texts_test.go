package index

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTexts adds texts, many of them several times, to a texts that may remember all of them,
// drops most, and starts again. Each is known if it was added since the last start, with what
// was said of it then.
func TestTexts(t *testing.T) {
	for _, c := range []struct{ bytesMost, most int }{{1 << 20, 1 << 20}, {100, 1 << 20}, {0, 1 << 20}, {100, 70}, {1 << 20, 70}} {
		r := rand.New(rand.NewPCG(1, 2))
		x := newTexts()
		x.bytesMost, x.most = c.bytesMost, c.most
		for range 2 {
			want := make(map[string]int32)
			for n := range int32(3000) {
				text := strings.Repeat("long", r.IntN(20)) + fmt.Sprint(r.IntN(500))
				var anchors []string
				for range r.IntN(3) {
					anchors = append(anchors, fmt.Sprint(r.IntN(10)))
				}
				key := fmt.Sprintf("%q %q", text, anchors)
				doc, seen := want[key]
				of, known := x.add(text, anchors)
				switch {
				case known != seen:
					t.Fatalf("%+v: text %d is %s; known = %v, want %v", c, n, key, known, seen)
				case known && (of.doc != doc || of.shape != uint64(doc)+1):
					t.Fatalf("%+v: text %d is %s: got %+v, want document %d", c, n, key, *of, doc)
				case !known:
					if len(want) == c.most {
						clear(want)
					}
					want[key] = n
					of.doc, of.shape = n, uint64(n)+1
				}
			}
			x.reset()
		}
	}
}

package block

import "infomall/store/page"

// Shape is what stands on lines of its own in a page, in order, a run of like
// elements as one: two pages of one template have nearly the same.
type Shape []page.Tag

// sequenceMax is how many tags of a page are compared with those of another.
const sequenceMax = 300

// ShapeOf is the shape of a page.
func ShapeOf(t *page.Tree) (out Shape) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != page.Element || !n.Tag.Block() || len(out) > 0 && out[len(out)-1] == n.Tag {
			continue
		}
		if out = append(out, n.Tag); len(out) == sequenceMax {
			break
		}
	}
	return out
}

// sequenceSimilarity is 2·LCS/(n+m): 1 for sequences that are equal, 0 for such as
// have nothing in common.
func sequenceSimilarity[T comparable](a, b []T) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(longestCommon(a, b)) / float64(len(a)+len(b))
}

// longestCommon returns the length of the longest common subsequence of a and
// b.
func longestCommon[T comparable](a, b []T) int {
	row := make([]int, len(b)+1) // row[j] is that of what was read of a, and b[:j]
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// Shapes as alike as this are of one design; a redesign has redesignPages at least
// before and after it.
const (
	shapeAlike    = .6
	redesignPages = 3
)

// Redesigns tells where among the pages of a site, in order of time, it was
// designed anew: the places of the first pages of each new design. No page since
// then looks like one before, so that pages of several kinds, which alternate, are
// one design.
func Redesigns(pages []Shape) (begins []int) {
	// last[i] is the last page that looks like page i.
	last := make([]int, len(pages))
	for i := range pages {
		last[i] = i
		for j := len(pages) - 1; j > i; j-- {
			if sequenceSimilarity(pages[i], pages[j]) >= shapeAlike {
				last[i] = j
				break
			}
		}
	}
	begin, reach := 0, 0 // of the design, and the last page that one so far looks like
	for i := range pages {
		if i > reach && i-begin >= redesignPages && len(pages)-i >= redesignPages {
			begins = append(begins, i)
			begin = i
		}
		reach = max(reach, last[i])
	}
	return begins
}

package about

import "infomall/store/page/markup"

// Shape is the sequence of the tags of a page's block elements. Equal tags in a
// row are one tag in it. Two pages of one template have nearly the same Shape.
type Shape []markup.Tag

// sequenceMax is the largest length of a Shape. The time to compare two Shapes
// grows with the product of their lengths.
const sequenceMax = 300

// ShapeOf returns the Shape of a page, cut off after sequenceMax tags.
func ShapeOf(t *markup.Tree) (out Shape) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != markup.Element || !n.Tag.Block() || len(out) > 0 && out[len(out)-1] == n.Tag {
			continue
		}
		if out = append(out, n.Tag); len(out) == sequenceMax {
			break
		}
	}
	return out
}

// sequenceSimilarity returns how similar a and b are: 1 if they are equal, 0 if
// they have no element in common. The result is 2·c/(len(a)+len(b)), with c the
// length of the longest common subsequence.
func sequenceSimilarity[T comparable](a, b []T) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(longestCommon(a, b)) / float64(len(a)+len(b))
}

// longestCommon returns the length of the longest common subsequence of a and
// b.
func longestCommon[T comparable](a, b []T) int {
	row := make([]int, len(b)+1) // row[j] is the result for the elements of a so far and b[:j]
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

// The limits by which Redesigns decides.
const (
	shapeAlike    = .6 // pages with this sequenceSimilarity or more look alike
	redesignPages = 3  // the least number of pages of a design
)

// Redesigns finds the redesigns of a site: from a redesign on, no page looks
// like a page before it. pages must be in order of time. The result has the
// index of the first page of each new design; the first design has no entry. If
// pages that look different alternate, all of them count as one design.
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
	begin, reach := 0, 0 // the first page of the current design; the last page that looks like one of the pages so far
	for i := range pages {
		if i > reach && i-begin >= redesignPages && len(pages)-i >= redesignPages {
			begins = append(begins, i)
			begin = i
		}
		reach = max(reach, last[i])
	}
	return begins
}

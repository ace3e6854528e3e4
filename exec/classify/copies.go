package classify

import (
	"cmp"
	"context"
	"slices"

	"infomall/exec/dedup"
	"infomall/store/words"
)

const (
	// copySimilarity is the least Jaccard similarity of the shingles of two near-copies. It is the
	// default of DEDUP, too.
	copySimilarity = .8
	// sketchLength is how many shingles of a text are kept: the smallest ones. Because shingles are
	// hashes, these are a fair sample, by which two texts can be compared.
	sketchLength = 200
	// comparedMax is with how many texts at most a text is compared because they have the same
	// number for a band (a part of the MinHash signature). Otherwise texts that many others
	// resemble, such as empty templates, would take too long.
	comparedMax = 64
)

// copies finds those examples that are near-copies of each other.
type copies struct {
	bands    *dedup.Bands
	numbers  []uint64 // of all bands of all examples
	sketches []uint32
	ends     []int // where the sketch of each example ends
}

// add adds the next example.
func (c *copies) add(text string) {
	if c.bands == nil {
		c.bands = dedup.NewBands(copySimilarity)
	}
	var shingler dedup.Shingler
	for _, w := range words.Of(text) {
		shingler.Word(words.Hash(w))
	}
	set := shingler.Set()
	if len(set) == 0 {
		set = []uint32{0} // a text without words is a copy of other such texts
	}
	c.numbers = c.bands.Of(set, c.numbers)
	c.sketches = append(c.sketches, set[:min(len(set), sketchLength)]...)
	c.ends = append(c.ends, len(c.sketches))
}

// bytes returns how much memory c takes, in bytes.
func (c *copies) bytes() int64 {
	return int64(len(c.numbers))*8 + int64(len(c.sketches))*4 + int64(len(c.ends))*8
}

// sketch returns the least shingles of example i.
func (c *copies) sketch(i uint32) []uint32 {
	from := 0
	if i > 0 {
		from = c.ends[i-1]
	}
	return c.sketches[from:c.ends[i]]
}

// groups joins near-copies into groups. The members of the groups are indexes of examples. The error
// is that of ctx.
func (c *copies) groups(ctx context.Context) (*dedup.Groups, error) {
	n := len(c.ends)
	groups := dedup.NewGroups(n)
	if n == 0 {
		return groups, nil
	}
	perExample := len(c.numbers) / n
	order := make([]uint32, n)
	for band := range perExample {
		number := func(i uint32) uint64 { return c.numbers[int(i)*perExample+band] }
		for i := range order {
			order[i] = uint32(i)
		}
		slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b)) })
		var first []uint32 // an example of each group with the current number
		for k, i := range order {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if k == 0 || number(order[k-1]) != number(i) {
				first = first[:0]
			}
			of := groups.Of(i)
			if slices.ContainsFunc(first, func(j uint32) bool {
				return groups.Of(j) == of || similarity(c.sketch(i), c.sketch(j)) >= copySimilarity && join(groups, i, j)
			}) {
				continue
			}
			if len(first) < comparedMax {
				first = append(first, i)
			}
		}
	}
	return groups, nil
}

// join joins the groups of i and j, and returns true.
func join(g *dedup.Groups, i, j uint32) bool {
	g.Join(i, j)
	return true
}

// similarity returns the Jaccard similarity of two sets of shingles. a and b are their sketches:
// the smallest members of each set. The result is exact if the sketches are whole sets, and
// otherwise an estimate from the smallest shingles of the union.
func similarity(a, b []uint32) float64 {
	most := len(a) + len(b)
	if len(a) == sketchLength || len(b) == sketchLength {
		most = sketchLength
	}
	union, common := 0, 0
	for union < most && (len(a) > 0 || len(b) > 0) {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			a = a[1:]
		case len(a) == 0 || a[0] > b[0]:
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
			common++
		}
		union++
	}
	return float64(common) / float64(union)
}

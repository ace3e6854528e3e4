package duplicate

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"infomall/exec/dedup"
)

// quote is a text that another text contains, at least to the degree that the
// statement asks for.
type quote struct {
	quoted, by uint32
	whole      bool // they are alike as wholes, too
}

// byShingles finds candidates by common shingles, of which it uses a quarter. A
// shingle that many texts have connects each of them only with the first few.
func (c *comparison) byShingles(ctx context.Context) error {
	shingles := c.run.Lines(ctx)
	defer shingles.Close()
	sampled := make([]uint32, len(c.list)) // how many shingles of each
	var line [8]byte
	for i := range c.list {
		if c.list[i].state < remembered {
			continue
		}
		set, err := c.shingles(ctx, uint32(i))
		if err != nil {
			return err
		}
		binary.BigEndian.PutUint32(line[4:], uint32(i))
		for _, h := range set {
			if !dedup.Sampled(h) {
				break // they rise
			}
			sampled[i]++
			binary.BigEndian.PutUint32(line[:], h)
			if err := shingles.Add(line[:]); err != nil {
				return err
			}
		}
	}
	pairs := c.run.Lines(ctx)
	defer pairs.Close()
	var last [4]byte
	var same []uint32
	for l, err := range shingles.Sorted() {
		if err != nil {
			return err
		}
		if string(l[:4]) != string(last[:]) {
			copy(last[:], l)
			same = same[:0]
		}
		i := binary.BigEndian.Uint32(l[4:])
		for _, j := range same {
			binary.BigEndian.PutUint32(line[:], j)
			binary.BigEndian.PutUint32(line[4:], i)
			if err := pairs.Add(line[:]); err != nil {
				return err
			}
		}
		if len(same) < sameMax {
			same = append(same, i)
		}
	}
	var pair [8]byte
	count := 0
	check := func() error {
		i, j := binary.BigEndian.Uint32(pair[:]), binary.BigEndian.Uint32(pair[4:])
		// Only half of the expected number is required, because samples vary.
		if count == 0 || float64(count) < c.similarity/2*float64(min(sampled[i], sampled[j])) {
			return nil
		}
		return c.confirmQuote(ctx, i, j)
	}
	for l, err := range pairs.Sorted() {
		if err != nil {
			return err
		}
		if string(l) != string(pair[:]) {
			if err := check(); err != nil {
				return err
			}
			copy(pair[:], l)
			count = 0
		}
		count++
	}
	if err := check(); err != nil {
		return err
	}
	return ctx.Err()
}

// confirmQuote records which of two texts is contained in the other, if one is.
// The shorter is the contained one; if both are equally long, the earlier.
func (c *comparison) confirmQuote(ctx context.Context, i, j uint32) error {
	a, err := c.shingles(ctx, i)
	if err != nil {
		return err
	}
	b, err := c.shingles(ctx, j)
	if err != nil {
		return err
	}
	if cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(c.list[i].time, c.list[j].time)) > 0 {
		i, j, a, b = j, i, b, a
	}
	if dedup.Containment(a, b) >= c.similarity {
		c.quotes = append(c.quotes, quote{i, j, dedup.Jaccard(a, b) >= c.similarity})
	}
	return nil
}

// quoted returns groups: each text that is contained in others, followed by
// these. A text that equals an earlier one as a whole is in the group of that
// one.
func (c *comparison) quoted() (groups [][]uint32) {
	earlier := func(i, j uint32) int {
		return cmp.Or(cmp.Compare(c.list[i].time, c.list[j].time), cmp.Compare(i, j))
	}
	slices.SortFunc(c.quotes, func(a, b quote) int {
		return cmp.Or(earlier(a.quoted, b.quoted), earlier(a.by, b.by))
	})
	copied := make(map[uint32]bool)
	for k, q := range c.quotes {
		if copied[q.quoted] {
			continue
		}
		if k == 0 || c.quotes[k-1].quoted != q.quoted {
			groups = append(groups, []uint32{q.quoted})
		}
		last := &groups[len(groups)-1]
		*last = append(*last, q.by)
		copied[q.by] = copied[q.by] || q.whole
	}
	return groups
}

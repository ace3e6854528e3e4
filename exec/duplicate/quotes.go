package duplicate

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"infomall/exec/dedup"
)

// quote is a pair of texts, given by their indexes in comparison.list: the text named by contains
// the text named quoted, at least to the degree that the statement asks for.
type quote struct {
	quoted, by uint32
	whole      bool // the two texts are also similar as wholes
}

// byShingles finds candidates for texts that contain each other: pairs with
// common shingles. It records confirmed pairs in c.quotes. It samples a quarter
// of all shingles. For a shingle that many texts have, it pairs each text only
// with the first sameMax.
func (c *comparison) byShingles(ctx context.Context) error {
	shingles := c.run.Lines(ctx)
	defer shingles.Close()
	sampled := make([]uint32, len(c.list)) // how many sampled shingles each text has
	var line [8]byte
	report := c.report("sample", c.what())
	for i := range c.list {
		report(int64(i), int64(len(c.list)))
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
				break // set is sorted, so no later shingle is sampled
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
	added := int64(0) // pairs
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
			added++
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
	report, done := c.report("compare", "entries"), int64(0)
	for l, err := range pairs.Sorted() {
		if err != nil {
			return err
		}
		report(done, added)
		done++
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

// confirmQuote compares two texts by their shingles and adds them to c.quotes
// if one contains enough of the other. The text with fewer shingles is the
// contained text; if both have equally many, it is the earlier text.
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

// quoted returns one group for each text that is contained in others: this
// text, followed by the texts that contain it, the earliest first. A text that
// is similar as a whole to the first text of an earlier group has no group of
// its own.
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

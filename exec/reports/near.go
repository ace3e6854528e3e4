package reports

import (
	"context"
	"slices"

	"infomall/exec/dedup"
)

// join joins the clusters of texts that are near each other, if at least one of the two texts
// is fresh. It goes through the bands of prints one after the other: only texts with an equal
// number are compared.
func (s *State) join(ctx context.Context, clusters *dedup.Groups) error {
	f := finder{s: s, ctx: ctx, clusters: clusters}
	if s.fresh < len(s.texts)/freshFew {
		return f.few()
	}
	for band := range dedup.PrintBands {
		if err := f.band(band); err != nil {
			return err
		}
	}
	return nil
}

// freshFew divides the number of texts: fresh texts are few if they are less than 1/freshFew of
// all.
const freshFew = 16

// finder finds near texts.
type finder struct {
	s        *State
	ctx      context.Context
	clusters *dedup.Groups
	may      [mayBits / 64]uint64 // a bit for the numbers that fresh texts have in the band
	entries  []uint64             // texts with an equal bit: the number in the band, then the index of the text
	groups   [][]uint32           // memory of compare
	compared int
}

// mayBits is the number of bits of finder.may, a power of 2.
const mayBits = 1 << 20

// band joins the clusters of near texts whose prints have an equal number in a band.
func (f *finder) band(band int) error {
	clear(f.may[:])
	texts := f.s.texts
	for i := range texts {
		if texts[i].fresh {
			n := texts[i].Print.Band(band) % mayBits
			f.may[n/64] |= 1 << (n % 64)
		}
	}
	f.entries = f.entries[:0]
	for i := range texts {
		number := texts[i].Print.Band(band)
		if n := number % mayBits; f.may[n/64]&(1<<(n%64)) != 0 && !texts[i].gone {
			f.entries = append(f.entries, uint64(number)<<32|uint64(i))
		}
	}
	return f.joinEqual()
}

// few does what band does, for all bands in one pass over the texts. If few texts are fresh, the
// texts that may be near one of them are few, too.
func (f *finder) few() error {
	var may [dedup.PrintBands][fewBits / 64]uint64 // as in finder.may
	texts := f.s.texts
	for i := range texts {
		if texts[i].fresh {
			for band := range may {
				n := texts[i].Print.Band(band) % fewBits
				may[band][n/64] |= 1 << (n % 64)
			}
		}
	}
	var entries [dedup.PrintBands][]uint64
	for i := range texts {
		t := &texts[i]
		if t.gone {
			continue
		}
		for band := range may {
			number := t.Print.Band(band)
			if n := number % fewBits; may[band][n/64]&(1<<(n%64)) != 0 {
				entries[band] = append(entries[band], uint64(number)<<32|uint64(i))
			}
		}
	}
	for _, f.entries = range entries {
		if err := f.joinEqual(); err != nil {
			return err
		}
	}
	return nil
}

// fewBits is the number of bits for a band in finder.few, a power of 2. All bands together fit
// into the cache of the processor.
const fewBits = 1 << 16

// joinEqual joins the clusters of near texts among f.entries with an equal number.
func (f *finder) joinEqual() error {
	slices.Sort(f.entries)
	for rest := f.entries; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n]>>32 == rest[0]>>32 {
			n++
		}
		if n > 1 {
			if err := f.compare(rest[:n]); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	return f.ctx.Err()
}

// compare joins the clusters of near texts among the texts in list, which have an equal number
// in one band. They come in the order of their indexes. A text is not compared with texts of its own cluster.
func (f *finder) compare(list []uint64) error {
	if !slices.ContainsFunc(list, func(e uint64) bool { return f.s.texts[uint32(e)].fresh }) {
		return nil
	}
	f.groups = f.groups[:0]
	for _, e := range list {
		i := uint32(e)
		t := &f.s.texts[i]
		mine := -1 // the group of this text
		for g := 0; g < len(f.groups); g++ {
			group := f.groups[g]
			same := f.clusters.Of(group[0]) == f.clusters.Of(i)
			if !same {
				same = slices.ContainsFunc(group, func(o uint32) bool {
					if !t.fresh && !f.s.texts[o].fresh {
						return false // they were compared before
					}
					f.compared++
					return f.s.texts[o].Print.Near(&t.Print)
				})
			}
			switch {
			case !same:
			case mine < 0:
				mine = g
				f.clusters.Join(group[0], i)
				f.groups[g] = append(group, i)
			default:
				f.clusters.Join(group[0], i)
				f.groups[mine] = append(f.groups[mine], group...)
				f.groups = slices.Delete(f.groups, g, g+1)
				g--
			}
		}
		if mine < 0 {
			f.groups = append(f.groups, []uint32{i})
		}
		if f.compared > comparedMost {
			f.compared = 0
			if err := f.ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// comparedMost is after how many comparisons the context is checked again.
const comparedMost = 1 << 16

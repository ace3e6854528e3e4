package article

import (
	"hash/maphash"

	"infomall/store/page/markup"
)

// The limits by which doubtLists decides.
const (
	listLeast  = 3  // this many lines with dates in elements of the same kind are a list
	listLevels = 3  // this many elements around a date decide of which kind its place is
	listDoubt  = .3 // factor of the weight of a date in a list
)

// listSeed is the seed of the hashes that kindAt returns. They are never stored.
var listSeed = maphash.MakeSeed()

// doubtLists lowers the weight of dates that appear to be in a list: at least listLeast lines,
// with as many different days, are in elements with the same tags and classes. Such lists are
// lists of articles, comments and tables of dates.
func (r *reader) doubtLists() {
	type kind struct{ lines, day, days, line int }
	kinds := map[uint64]*kind{}
	of := func(c *candidate) uint64 { return r.kindAt(r.lines[c.line].node) }
	for i := range r.dates {
		c := &r.dates[i]
		if c.from != FromText {
			continue
		}
		k := kinds[of(c)]
		if k == nil {
			k = &kind{line: -1}
			kinds[of(c)] = k
		}
		if k.line != c.line {
			k.line = c.line
			k.lines++
		}
		if day := (c.year*16+c.month)*32 + c.day; day != k.day {
			k.day = day
			k.days++
		}
	}
	for i := range r.dates {
		if c := &r.dates[i]; c.from == FromText {
			if k := kinds[of(c)]; k.lines >= listLeast && k.days >= listLeast {
				c.weight *= listDoubt
				c.plain = false
			}
		}
	}
}

// kindAt returns a hash of the tags and classes of the listLevels innermost elements around node
// n.
func (r *reader) kindAt(n int32) uint64 {
	var h maphash.Hash
	h.SetSeed(listSeed)
	for e, level := r.t.Nodes[n].Parent, 0; e != 0 && level < listLevels; e, level = r.t.Nodes[e].Parent, level+1 {
		h.WriteByte(byte(r.t.Nodes[e].Tag))
		if r.t.May(int(e), markup.AttrNames) {
			class, _ := r.t.Attr(int(e), "class")
			h.Write(class)
		}
		h.WriteByte(0)
	}
	return h.Sum64()
}

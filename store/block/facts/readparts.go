package facts

import "slices"

// readPart holds the facts of a part of a page that divide.Memory remembers. It is stored in
// KnownPart.Read, so that a Reader that meets the part in another page need not compute them
// again.
type readPart struct {
	leaves  []*Leaf
	mayLink bool // the layout between the leaves may have links
}

// readLeaves sets r.Made to the leaves of the page with their facts. It reports
// whether the layout (the bytes between the leaves) may have links.
func (m *Reader) readLeaves(r *Reading) (inLayout bool) {
	r.Made, m.mayLink = make([]*Leaf, 0, len(r.Leaves)), m.mayLink[:0]
	at := 0 // the end of the leaf before
	known := r.Known
	for i := 0; i < len(r.Leaves); i = len(r.Made) {
		n := r.Leaves[i]
		between := r.Page.MayLink(at, r.Blocks[n].Start)
		m.mayLink = append(m.mayLink, between)
		inLayout = inLayout || between
		for len(known) > 0 && (known[0].Part.Read == nil || known[0].Block < n && !known[0].Has(n)) {
			known = known[1:]
		}
		if len(known) > 0 && known[0].Has(n) {
			p := known[0].Part.Read.(*readPart)
			inLayout = inLayout || p.mayLink
			r.Made = append(r.Made, p.leaves...)
			for range p.leaves[1:] {
				m.mayLink = append(m.mayLink, p.mayLink)
			}
		} else {
			r.Made = append(r.Made, m.leaf(r.Body, r.Blocks[n].Start, r.Blocks[n].End))
		}
		at = r.Blocks[r.Leaves[len(r.Made)-1]].End
	}
	return inLayout || r.Page.MayLink(at, len(r.Page.Body))
}

// teach stores the facts of the leaves of a page in those known parts of the page that have
// none stored yet. readLeaves finds them there when a later page has the same part. teach sets
// r.Known to nil.
func (m *Reader) teach(r *Reading) {
	for i := range r.Known {
		p := &r.Known[i]
		if p.Part.Read != nil {
			continue
		}
		from, _ := slices.BinarySearch(r.Leaves, p.Block)
		to, _ := slices.BinarySearch(r.Leaves, p.End())
		p.Part.Read = &readPart{slices.Clone(r.Made[from:to]), slices.Contains(m.mayLink[from+1:to], true)}
	}
	r.Known = nil
}

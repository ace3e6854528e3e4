package divide

import (
	"sync"

	"infomall/store/block/flow"
	"infomall/store/page/markup"
)

// atom is a range of a page that a division may use as one part: an element, a
// run of text, or a group of these. An atom does not change after it is made, but for the
// field follows.
type atom struct {
	start, end int32  // the atom is Body[start:end]
	from, to   int32  // nodes from to to-1 start in the atom
	element    int32  // the node, if the atom is exactly one element; otherwise 0
	text       int32  // bytes of visible text
	weight     int32  // what the atom shows as one number, see flow.Amount.Weight
	apart      bool   // a separator comes before the atom
	border     bool   // the separator is a border, or the atom begins with a border
	pre        bool   // the text is preformatted: newlines end lines
	follows    bool   // the atom is in the section of a heading before it, see the method follow
	parts      []atom // for a group, the atoms that were joined; otherwise nil
}

// show adds the amount o, which a node of the atom shows, to the text and weight
// of the atom.
func (a *atom) show(o flow.Amount) { a.text, a.weight = a.text+o.Text, a.weight+o.Weight() }

// atoms makes the atoms of one page, in memory that later pages reuse. The
// atoms are valid until free is called.
type atoms struct {
	*flow.Flow
	store    []atom   // the free end of stores
	stores   []atom   // the memory in which atoms are made
	built    []atom   // the list of children or lines that is being made
	out      []atom   // the list of parts that a step of the division is making
	opened   []atom   // the list of parts in which regions and modules replace large parts by their own parts
	blocks   []Block  // the blocks of the tree that is being made
	inside   []int32  // for each node, 1 + the index of its children in families; 0 if they were not found yet
	families [][]atom // the children of elements, see children
	// The run that was divided last, and its lines. If one level finds no parts in
	// the run, the next level asks for its lines again.
	run      lineKey
	runLines []atom
	work     int // how many nodes and atoms were looked at so far; tests check that it grows linearly
}

// lineKey identifies a run of text by its ranges in the body and in the nodes.
type lineKey struct {
	start, end, from, to int32
	pre                  bool
}

// atomsLeast is the least number of atoms for which memory is allocated at once.
const atomsLeast = 1 << 9

var atomStores = sync.Pool{New: func() any { return new(atoms) }}

// newAtoms returns an atoms value for the page of f. It has no atoms yet.
func newAtoms(f *flow.Flow) *atoms {
	m := atomStores.Get().(*atoms)
	m.Flow, m.store = f, m.stores
	if n := len(f.Page.Nodes); cap(m.inside) < n {
		m.inside = make([]int32, n)
	} else {
		m.inside = m.inside[:n]
		clear(m.inside)
	}
	return m
}

// free gives the memory of m to later pages. The atoms of m are not valid after
// that.
func (m *atoms) free() {
	m.Flow, m.store = nil, nil
	clear(m.families)
	m.families = m.families[:0]
	m.run, m.runLines, m.work = lineKey{}, nil, 0
	atomStores.Put(m)
}

// list returns a slice of n atoms with undefined content, in the memory of m.
func (m *atoms) list(n int) []atom {
	if n > len(m.store) {
		m.stores = make([]atom, max(n, 2*len(m.stores), atomsLeast))
		m.store = m.stores
	}
	l := m.store[:n:n]
	m.store = m.store[n:]
	m.work += n
	return l
}

// take copies the atoms of *built into a new list, empties *built, and returns the new list. It
// returns nil if *built is empty.
func (m *atoms) take(built *[]atom) []atom {
	if len(*built) == 0 {
		return nil
	}
	l := m.list(len(*built))
	copy(l, *built)
	*built = (*built)[:0]
	return l
}

// pair joins two neighbouring atoms into a group and returns the group.
func (m *atoms) pair(a, b *atom) atom {
	l := m.list(2)
	l[0], l[1] = *a, *b
	return group(l)
}

// page returns the atom that is the whole body.
func (m *atoms) page() atom {
	a := atom{end: int32(len(m.Page.Body)), from: 0, to: int32(len(m.Page.Nodes))}
	a.show(*m.All())
	return a
}

// group joins neighbouring atoms into one atom and returns it. A single atom is
// returned unchanged.
func group(parts []atom) atom {
	if len(parts) == 1 {
		return parts[0]
	}
	g := atom{start: parts[0].start, end: parts[len(parts)-1].end, from: parts[0].from, to: parts[len(parts)-1].to, apart: parts[0].apart, border: parts[0].border, parts: parts}
	for i := range parts {
		g.text, g.weight = g.text+parts[i].text, g.weight+parts[i].weight
	}
	return g
}

// expand divides an atom and returns its parts: the members of a group, the
// children of an element, or the paragraphs or lines of a run of text. If an
// element contains a single part, expand divides that part instead. It returns
// nil if the atom cannot be divided.
func (m *atoms) expand(a *atom) []atom {
	for {
		var parts []atom
		switch {
		case a.parts != nil:
			parts = a.parts
		case a.element != 0 && m.preformatted(a.element):
			e := &m.Page.Nodes[a.element]
			return m.knownLines(&atom{start: e.Inner, end: e.Outer, from: a.element + 1, to: a.to, pre: true})
		case a.element != 0 || a.from == 0 && a.to == int32(len(m.Page.Nodes)):
			parts = m.children(a.element)
		default:
			return m.knownLines(a)
		}
		m.work += len(parts)
		if len(parts) != 1 {
			return parts
		}
		a = &parts[0]
	}
}

func (m *atoms) preformatted(n int32) bool {
	switch m.Page.Nodes[n].Tag {
	case markup.TagPre, markup.TagListing, markup.TagXmp, markup.TagPlaintext:
		return m.Shows(int(n)).Blocks <= 1
	}
	return false
}

// children returns the parts of element n in order: block elements, and the
// runs of text and inline elements between them. An inline element that
// contains block elements is replaced by its content. Nodes that show nothing
// belong to no part.
func (m *atoms) children(n int32) []atom {
	if known := m.inside[n]; known != 0 {
		return m.families[known-1]
	}
	m.findChildren(int(n))
	parts := m.take(&m.built)
	m.families = append(m.families, parts)
	m.inside[n] = int32(len(m.families))
	return parts
}

// findChildren appends the parts of element n to m.built, the list that children
// returns.
func (m *atoms) findChildren(n int) {
	nodes := m.Page.Nodes
	run := atom{}
	apart, border := false, false // the fields of the next child, if a separator comes before it
	fresh := true                 // nothing is shown on the current line yet
	flush := func() {
		if run.end > 0 {
			m.built = append(m.built, run)
			run = atom{}
		}
		fresh = true
	}
	for i, end := n+1, int(nodes[n].Next); i < end; {
		m.work++
		e := &nodes[i]
		if e.Kind != markup.Element && e.Kind != markup.Text && e.Kind != markup.Raw {
			i++
			continue
		}
		shows := m.Shows(i)
		switch {
		case e.Kind == markup.Element && e.Tag == markup.TagHr:
			flush()
			apart, border = true, true
		case shows.Empty():
			if e.Kind == markup.Element && m.border(i, int(e.Next)) {
				flush()
				apart, border = true, true
			} else if e.Kind == markup.Element && e.Tag == markup.TagImg {
				flush() // A spacer image.
			} else if e.Kind == markup.Element && e.Tag == markup.TagBr {
				fresh = true
			}
		case e.Kind == markup.Element && e.Tag.Block():
			flush()
			a := atom{start: e.Start, end: e.End, from: int32(i), to: e.Next, element: int32(i), apart: apart, border: border}
			a.show(shows)
			if e.Tag != markup.TagTd && e.Tag != markup.TagTh && mayBorder(shows) && m.border(i, int(e.Next)) {
				a.apart, a.border = true, true
			}
			apart, border = false, false
			m.built = append(m.built, a)
		case e.Kind == markup.Element && shows.Blocks > 0:
			i++ // Enter the element: its first words may belong to the current run.
			continue
		default:
			if mayBorder(shows) && fresh && m.endsLine(int(e.Next), end) && m.border(i, int(e.Next)) {
				flush()
				apart, border = true, true
			}
			if run.end == 0 {
				run.start, run.from, run.apart, run.border = e.Start, int32(i), apart, border
				apart, border = false, false
			}
			run.end, run.to = e.End, e.Next
			run.pre = e.Kind == markup.Raw && e.Parent == 0
			run.show(shows)
			fresh = shows.Breaks > 0 && nodes[e.Next-1].Tag == markup.TagBr
		}
		i = int(e.Next)
	}
	flush()
}

package life

import (
	"slices"
	"strings"
)

// Sense says whether a change of a block changes the content of the page, and not only dates,
// counters or the like. It is a result of the function substantial.
type Sense struct {
	Substantial bool
	Reason      string // why the change is not substantial; "" if it is substantial, or if nothing changed
}

// Senses returns whether each change is substantial: one Sense for each element
// of r.Changes(level). A block that stayed the same has the zero Sense. If the
// body of this version or of the version before shows no text, each change is
// substantial.
func (r *Revision) Senses(level int) []Sense {
	changes, texts := r.changedTexts(level)
	out := make([]Sense, len(changes))
	for i, m := range changes {
		out[i] = r.senseOf(i, m.Op, &texts[i])
	}
	return out
}

// Sense returns one Sense for all changes at a level, the same as Together returns for
// r.Senses(level). It stops at the first substantial change. It looks at added and removed
// blocks first, because these changes are mostly substantial and need no comparison.
func (r *Revision) Sense(level int) Sense {
	changes, texts := r.changedTexts(level)
	var senses []Sense
	for _, edited := range []bool{false, true} {
		for i, m := range changes {
			if (m.Op == Edited) != edited {
				continue
			}
			s := r.senseOf(i, m.Op, &texts[i])
			if s.Substantial {
				return s
			}
			senses = append(senses, s)
		}
	}
	return Together(senses)
}

// changedText has the leaves of a block that changed. Leaves that did not change are left out.
type changedText struct {
	from  []oldLeaf // leaves of the block before the change; see the method old
	new   []int     // the leaves after the change, as indexes of blocks
	moved bool      // leaves that are both in the old and in the new block are in another order
	torn  bool      // the leaves of the old block are too large to be compared with each of many new blocks
}

// tornMost is the largest product of the size of the leaves of an old block, in bytes, and the number of
// new blocks with which they are compared. If one large block became many, each of them lost the words of
// all others: a change of one of them is substantial, and no comparison is needed.
const tornMost = 1 << 20

// oldLeaf is a leaf of a block before the change. stays is the change in whose block the leaf is
// the same before and after, or -1. All changes of one old block share one list of oldLeafs.
type oldLeaf struct{ leaf, stays int }

// old returns the leaves before the change with index i, as indexes of blocks.
func (c *changedText) old(i int) (leaves []int) {
	for _, l := range c.from {
		if l.stays != i {
			leaves = append(leaves, l.leaf)
		}
	}
	return leaves
}

// changedTexts returns r.Changes(level), and for each of them the leaves that changed.
func (r *Revision) changedTexts(level int) ([]Match, []changedText) {
	if r.Before == nil || len(r.matches) == 0 {
		return nil, nil
	}
	p := r.pairs(level)
	defer p.free()
	changes := r.changes(p)
	texts := make([]changedText, len(changes))
	changesOf := make([]int, len(p.old)) // how many changes each old block is a part of
	for _, o := range p.toOld {
		if o >= 0 {
			changesOf[o]++
		}
	}
	leaves, sizes := make([][]oldLeaf, len(p.old)), make([]int, len(p.old))
	for i, m := range r.matches {
		o, n := p.ofOld[i], p.ofNew[i]
		stays := -1
		if o >= 0 && n >= 0 && p.toOld[n] == o && m.Op != Edited {
			stays = n
			texts[n].moved = texts[n].moved || m.Op == Moved
		} else if n >= 0 {
			texts[n].new = append(texts[n].new, m.New)
		}
		if o >= 0 && (stays < 0 || changesOf[o] > 1) {
			leaves[o] = append(leaves[o], oldLeaf{m.Old, stays})
			sizes[o] += r.Before.size(m.Old)
		}
	}
	for n, o := range p.toOld {
		if o >= 0 {
			texts[n].from, texts[n].torn = leaves[o], changesOf[o] > 1 && changesOf[o]*sizes[o] > tornMost
		}
	}
	removed := len(p.new)
	for o, n := range p.toNew {
		if n < 0 {
			texts[removed].from = leaves[o]
			removed++
		}
	}
	return changes, texts
}

// senseOf returns whether the change with index i, of a block, is substantial. It
// compares the texts of the changed leaves in c, before and after. It does not look at
// the layout, because a History that comes from a Resting does not have it.
func (r *Revision) senseOf(i int, op Op, c *changedText) (s Sense) {
	switch {
	case op == Same:
	case op == Moved:
		s.Reason = reasonOrder
	case !r.Readable() || !r.Before.Readable() || c.torn:
		s.Substantial = true
	default:
		s.Reason, s.Substantial = substantial(op, r.Before.textOf(c.old(i)), r.textOf(c.new))
		switch {
		case s.Substantial || !c.moved:
		case s.Reason == reasonMarkup:
			s.Reason = reasonOrder
		default:
			s = Together([]Sense{s, {Reason: reasonOrder}})
		}
	}
	return s
}

// Readable reports whether the body of r is a page or a text, so that it shows a text.
func (r *Revision) Readable() bool { return r.Body != nil || r.rested != nil }

// textOf returns the texts of leaves in the order of the page, each beginning on a new line. It
// sorts leaves.
func (r *Revision) textOf(leaves []int) string {
	if len(leaves) == 1 {
		return r.Text(leaves[0])
	}
	slices.Sort(leaves)
	var text strings.Builder
	for _, n := range leaves {
		text.WriteString(r.Text(n))
		text.WriteByte('\n')
	}
	return text.String()
}

// Together returns one Sense for several changes. It is substantial if one of
// the changes is. Otherwise its Reason lists the reasons of all changes, each
// once, such as "date, order".
func Together(senses []Sense) Sense {
	var reasons []string
	for _, s := range senses {
		if s.Substantial {
			return Sense{Substantial: true}
		}
		if s.Reason != "" {
			reasons = append(reasons, strings.Split(s.Reason, ", ")...)
		}
	}
	slices.Sort(reasons)
	return Sense{Reason: strings.Join(slices.Compact(reasons), ", ")}
}

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
		out[i] = r.senseOf(m.Op, &texts[i])
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
			s := r.senseOf(m.Op, &texts[i])
			if s.Substantial {
				return s
			}
			senses = append(senses, s)
		}
	}
	return Together(senses)
}

// changedText has the leaves of a block that changed, as indexes of blocks: old
// has those before the change, and new those after it. Leaves that did not
// change are left out.
type changedText struct {
	old, new []int
	moved    bool // leaves that are both in the old and in the new block are in another order
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
	rows := make([][]int, len(p.old)) // for each old block, the changes that it is a part of
	for n, o := range p.toOld {
		if o >= 0 {
			rows[o] = append(rows[o], n)
		}
	}
	row := len(p.new)
	for o, n := range p.toNew {
		if n < 0 {
			rows[o] = append(rows[o], row)
			row++
		}
	}
	for i, m := range r.matches {
		o, n := p.ofOld[i], p.ofNew[i]
		both := o >= 0 && n >= 0 && p.toOld[n] == o && m.Op != Edited
		if n >= 0 && both {
			texts[n].moved = texts[n].moved || m.Op == Moved
		} else if n >= 0 {
			texts[n].new = append(texts[n].new, m.New)
		}
		if o < 0 {
			continue
		}
		for _, row := range rows[o] {
			if row != n || !both {
				texts[row].old = append(texts[row].old, m.Old)
			}
		}
	}
	return changes, texts
}

// senseOf returns whether a change of a block is substantial. It compares the
// texts of the changed leaves in c, before and after. It does not look at the
// layout, because a History that comes from a Resting does not have it.
func (r *Revision) senseOf(op Op, c *changedText) (s Sense) {
	switch {
	case op == Same:
	case op == Moved:
		s.Reason = reasonOrder
	case !r.Readable() || !r.Before.Readable():
		s.Substantial = true
	default:
		s.Reason, s.Substantial = substantial(op, r.Before.textOf(c.old), r.textOf(c.new))
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

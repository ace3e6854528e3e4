package life

import (
	"slices"
	"strings"
)

// Sense says whether a change of a block changes the content of the page. It is a
// result of the function Substantial.
type Sense struct {
	Substantial bool
	Reason      string // why the change is not substantial; "" if it is, or if nothing changed
}

// Senses returns whether changes are substantial: one Sense for each element of
// r.Changes(level). A block that stayed the same has the zero Sense. If this
// version or the version before has no Body, each change is substantial.
func (r *Revision) Senses(level int) []Sense {
	changes := r.Changes(level)
	out := make([]Sense, len(changes))
	for i, m := range changes {
		out[i] = r.senseOf(m)
	}
	return out
}

// Sense returns what Together returns for r.Senses(level). It ends at the first
// substantial change.
func (r *Revision) Sense(level int) Sense {
	var senses []Sense
	for _, m := range r.Changes(level) {
		s := r.senseOf(m)
		if s.Substantial {
			return s
		}
		senses = append(senses, s)
	}
	return Together(senses)
}

// senseOf returns whether the change m, one of r.Changes, is substantial.
func (r *Revision) senseOf(m Match) (s Sense) {
	text := func(r *Revision, n int) string {
		if n < 0 {
			return ""
		}
		return r.Text(n)
	}
	switch {
	case m.Op == Same:
	case r.Body == nil || r.Before.Body == nil:
		s.Substantial = true
	default:
		s.Reason, s.Substantial = Substantial(m.Op, text(r.Before, m.Old), text(r, m.New))
	}
	return s
}

// Together returns one Sense for several changes. It is substantial if a change
// is. Otherwise its Reason lists the reasons of all changes, each once, such as
// "date, order".
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

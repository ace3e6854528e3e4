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
	text := func(r *Revision, n int) string {
		if n < 0 {
			return ""
		}
		return r.Text(n)
	}
	for i, m := range changes {
		switch {
		case m.Op == Same:
		case r.Body == nil || r.Before.Body == nil:
			out[i].Substantial = true
		default:
			out[i].Reason, out[i].Substantial = Substantial(m.Op, text(r.Before, m.Old), text(r, m.New))
		}
	}
	return out
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

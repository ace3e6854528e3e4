package life

import (
	"slices"
	"strings"
)

// Sense is a result of the function Substantial. It says whether a change changes
// the content of a page.
type Sense struct {
	Substantial bool
	Reason      string // why it is not substantial; "" if it is, or if nothing changed
}

// Senses returns a Sense for each of r.Changes(level). A block that stayed the same
// has the zero Sense. If one of the two versions has no Body, each change is
// substantial.
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

// Together returns one Sense for several changes. It is substantial if one of them
// is. Otherwise its Reason lists the reasons of all, each once, such as "date,
// order".
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

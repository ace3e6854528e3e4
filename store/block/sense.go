package block

import (
	"slices"
	"strings"
)

// Sense is whether a change is one of what the page says, and why not, as the
// function Substantial tells.
type Sense struct {
	Substantial bool
	Reason      string // "" if it is substantial or no change
}

// Senses tells for each of Changes whether it is one of what the page says. What
// is no text says what its bytes say; what stayed the same is no change.
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

// Together is what changes come to: they are substantial if one of them is;
// else Reason has the reasons of all, each once.
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

package life

import (
	"crypto/sha256"

	"infomall/store/record"
)

// Brought is the amount of data in a version that the version before does not
// have. It is the most that must be stored for the version.
type Brought struct {
	// Blocks counts leaves that the version before has not.
	Blocks int
	// Bytes is the size of these leaves, and of the layout if it changed. A
	// body that is stored undivided counts in full.
	Bytes int64
}

// Brought returns the amount of data that the version has and the version
// before does not. It depends on these two versions only: blocks that the
// archive has from other pages count too.
func (r *Revision) Brought() Brought { return r.brought(r.Tree.Layout) }

// brought is Brought with a function that returns the layout.
func (r *Revision) brought(layout func() []byte) Brought {
	b := r.Before
	switch {
	case b != nil && b.Version.Digest == r.Version.Digest:
		return Brought{}
	case b == nil || !r.divided || !b.divided:
		return Brought{r.newLeaves(), r.Size}
	}
	n := Brought{Blocks: r.newLeaves()}
	for _, m := range r.matches {
		if m.Op == Added || m.Op == Edited {
			n.Bytes += int64(r.Tree.Blocks[m.New].End - r.Tree.Blocks[m.New].Start)
		}
	}
	rest := layout()
	if r.layoutHash = sha256.Sum256(rest); r.layoutHash != b.layoutSum() {
		n.Bytes += int64(len(rest))
	}
	return n
}

// newLeaves returns how many leaves the version before does not have. Only
// pages have leaves.
func (r *Revision) newLeaves() int {
	if r.Hidden() || r.Body == nil {
		return 0
	}
	if r.Before == nil || len(r.matches) == 0 {
		return len(r.leaves)
	}
	n := 0
	for _, m := range r.matches {
		if m.Op == Added || m.Op == Edited {
			n++
		}
	}
	return n
}

// layoutSum returns the SHA-256 of the layout. It is computed once.
func (r *Revision) layoutSum() record.Digest {
	if r.layoutHash == (record.Digest{}) {
		r.layoutHash = sha256.Sum256(r.Tree.Layout())
	}
	return r.layoutHash
}

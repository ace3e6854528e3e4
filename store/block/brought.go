package block

import (
	"crypto/sha256"

	"infomall/store/record"
)

// Brought is what a version has that the version before has not, which is the
// most that has to be stored for it.
type Brought struct {
	// Blocks counts leaves that the version before has not.
	Blocks int
	// Bytes is the size of these, and of the layout if that is another. What is
	// stored undivided counts whole.
	Bytes int64
}

// Brought tells what the version brought. It depends on nothing but the two
// versions: blocks that the archive has from elsewhere count as well.
func (r *Revision) Brought() Brought { return r.brought(r.Tree.Layout) }

// brought is Brought, given what makes the layout.
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

// newLeaves counts the leaves that the version before has not. Only pages have
// leaves.
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

// layoutSum is the sum of the layout, made once.
func (r *Revision) layoutSum() record.Digest {
	if r.layoutHash == (record.Digest{}) {
		r.layoutHash = sha256.Sum256(r.Tree.Layout())
	}
	return r.layoutHash
}

package life

import (
	"crypto/sha256"

	"infomall/store/record"
)

// Brought says how much data is new in a version of a URL: the version before
// does not have it. The archive stores no more than this for the version.
type Brought struct {
	// Blocks is the number of new leaves.
	Blocks int
	// Bytes is the size in bytes of the new leaves, plus the size of the layout
	// if it changed. If this body or the body before is stored undivided, Bytes
	// is the size of this body.
	Bytes int64
}

// Brought returns how much data of the version is new. It compares only these
// two versions: a block counts as new even if the archive has it from another
// page.
func (r *Revision) Brought() Brought { return r.brought(r.Tree.Layout) }

// brought does what Brought does. It calls the function layout, which returns
// the layout of the version, only if it needs the layout.
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

// newLeaves returns the number of leaves that the version before does not have.
// It is 0 if the version is not a page, because only pages have leaves. It is 0 for a
// document too, because documents are stored as one piece.
func (r *Revision) newLeaves() int {
	if r.Hidden() || r.Body == nil || r.Tree.Document != nil {
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

// layoutSum returns the SHA-256 of the layout. It computes the sum once.
func (r *Revision) layoutSum() record.Digest {
	if r.layoutHash == (record.Digest{}) {
		r.layoutHash = sha256.Sum256(r.Tree.Layout())
	}
	return r.layoutHash
}

package plan

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
)

// Trail is a node that yields the rows of In and one more column, the trail: a
// text that says from which captures a row was made. NULL means none. Footsteps
// reads it.
type Trail struct {
	In    Node
	Parts []TrailPart
}

// TrailPart is a place in a row that says from which captures the row was made:
// hidden columns of a source, or the trail of a node below.
type TrailPart struct {
	// Index is the index of the column with the trail, or of the first hidden column.
	Index int
	// Refs is how many pairs of hidden columns name a capture; 0 for a trail.
	Refs int
	// Evidence says on which further captures a row of the source depends. They are captures
	// of the URL that the first pair names.
	Evidence relation.Evidence
}

// Footstep is one entry of a trail: a capture from which a row was made, and further
// captures of the same URL on which the row depends.
type Footstep struct {
	Ref      record.Ref
	Evidence relation.Evidence
}

// footstepBytes is the size of a Footstep in a trail.
const footstepBytes = 13

// Append appends f to the trail dst and returns dst.
func (f Footstep) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, f.Ref.Segment)
	dst = binary.BigEndian.AppendUint32(dst, f.Ref.Run)
	dst = binary.BigEndian.AppendUint32(dst, f.Ref.N)
	return append(dst, byte(f.Evidence))
}

// Footsteps yields the entries of a trail. It may yield the same entry several times.
func Footsteps(trail string) iter.Seq[Footstep] {
	return func(yield func(Footstep) bool) {
		for i := 0; i+footstepBytes <= len(trail); i += footstepBytes {
			b := []byte(trail[i : i+footstepBytes])
			f := Footstep{
				Ref:      record.Ref{Segment: binary.BigEndian.Uint32(b), Run: binary.BigEndian.Uint32(b[4:]), N: binary.BigEndian.Uint32(b[8:])},
				Evidence: relation.Evidence(b[12]),
			}
			if !yield(f) {
				return
			}
		}
	}
}

// Below returns the node to whose rows n adds the trail.
func (n *Trail) Below() []Node { return []Node{n.In} }

// Columns returns the columns of In, then the trail.
func (n *Trail) Columns() []value.Column {
	return append(slices.Clip(n.In.Columns()), value.Column{Name: "captures", Type: value.Text})
}

// String returns the line of EXPLAIN for n.
func (n *Trail) String() string {
	return fmt.Sprintf("note the captures of each row, from %s", value.Counted(len(n.Parts), "place"))
}

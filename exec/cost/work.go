package cost

import (
	"math"

	"infomall/exec/plan"
	"infomall/exec/relation"
)

// Seconds for one unit of work, as guesses, see units. They were measured on a slow
// machine, when what was read was in the memory of the operating system.
const (
	perSegment  = 30e-6  // to open a segment
	perChunk    = 40e-6  // to decode an index chunk
	perCapture  = .25e-6 // to read a capture from chunks
	perTallied  = .05e-6 // to count a capture by chunks
	perStored   = 60e-6  // to read what is stored about a version
	perRow      = 1e-6   // to make a row of a relation
	perPage     = 250e-6 // to fill the late columns of a row
	perGrouped  = .3e-6  // to add a row to its group
	perJoined   = .5e-6  // to put a row into the table of a join, or to seek it there
	perSorted   = .15e-6 // for each comparison of rows
	perComputed = .1e-6  // to compute the expressions of a row
)

// units returns the work of the part p in seconds of a machine with the rates above, if
// in rows come in and out rows go out. For a source, in is how many captures it reads.
func units(p *Part, in, out float64) float64 {
	switch n := p.Node.(type) {
	case *plan.Source:
		r := &p.Reading
		work := float64(r.Segments)*perSegment + float64(r.Chunks)*perChunk + out*perRow
		switch {
		case n.Tally != nil:
			return work - out*perRow + in*perTallied
		case n.Relation.OfStored && n.Relation != relation.Findings && n.Relation != relation.Terms:
			versions := max(1, p.expected.Versions)
			if n.Relation.History {
				versions = max(versions, in*p.expected.Versions/max(p.expected.Captures, 1))
			}
			return work + versions*perStored
		}
		return work + in*perCapture
	case *plan.Payload:
		return in * perPage
	case *plan.Group:
		return in*perGrouped + out*perRow
	case *plan.Join:
		return (in + out) * perJoined
	case *plan.Sort, *plan.Window, *plan.Top:
		return in * math.Log2(in+2) * perSorted
	}
	return in * perComputed
}

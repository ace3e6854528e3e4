package cost

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/store/record"
)

// The seconds that one unit of work takes, as guesses; the function units adds them up. They
// were measured on a slow machine whose operating system had the files in memory.
const (
	perSegment   = 30e-6  // to open a segment
	perListed    = 300e-6 // to read a list that is not made from captures, such as that of jobs
	perChunk     = 20e-6  // to decode an index chunk
	perIndexByte = 1e-9   // to decode a byte of an index chunk
	perCapture   = .5e-6  // to read a capture from chunks
	perTallied   = .1e-6  // to count a capture by chunks
	perStored    = 3e-6   // to read what is stored about a version
	perDivided   = 30e-6  // to read what is stored about a version and its blocks
	perEntry     = 2e-9   // for each byte of entries
	perBody      = 22e-9  // for each byte of the bodies of versions that are divided into blocks
	perRead      = 40e-6  // to read the page of a version for its articles and headlines
	perText      = 25e-9  // for each byte of such pages
	perFact      = 1.5e-9 // the same, for each byte of its body
	perWord      = 4e-9   // for each byte of the bodies of versions whose words are counted
	perSought    = 2e-9   // for each byte of the bodies of versions whose words are sought
	perIndexed   = 3e-6   // for each capture of the segments whose index of words is asked
	perLinked    = 4e-6   // to read the links of a version
	perLinkByte  = 1e-9   // for each byte of the bodies of versions whose links are read
	perPart      = 4e-6   // to fill the late columns of a row that is a part of a version
	perFiltered  = 15e-9  // to read the filters of URLs, for each capture of their segments
	perProbe     = 50e-9  // to ask a segment whether it has a URL
	perPageByte  = 9e-9   // to fill the late columns of a row, for each byte of its body
	perFileByte  = 12e-9  // to read and decompress a byte of a db-file
	perRow       = .3e-6  // to make a row of a relation
	perPage      = 6e-6   // to fill the late columns of a row, without its body
	perFormat    = 40e-6  // to find the format of a body
	perGrouped   = 1.2e-6 // to add a row to its group
	perJoined    = .5e-6  // to put a row into the table of a join, or to seek it there
	perSorted    = .15e-6 // for each comparison of rows
	perComputed  = .1e-6  // to compute the expressions of a row
)

// textBytes is how many bytes of text a byte of a db-file stands for, at most.
const textBytes = 6

// units returns the work of the part p, in seconds at the rates above. The parameter in is
// the number of rows that come in, or for a source, of captures that it reads. The parameter
// out is the number of rows that it yields.
func units(p *Part, in, out float64) float64 {
	e := &p.expected
	switch n := p.Node.(type) {
	case *plan.Source:
		work := float64(p.Reading.Segments)*perSegment + float64(p.Reading.Chunks)*p.perChunk()
		if n.Tally != nil {
			work += in * perTallied
			if n.Tally.Words != nil {
				rest := 1 - p.indexedShare // the share of the pages that are read
				work += rest * (e.Versions*perStored + e.BodyBytes*(perFact+perSought))
			}
			return work
		}
		if !n.FromCaptures() {
			return perListed + out*perRow
		}
		work += out*perRow + in*perCapture + linkWork(&p.linked) + p.filtered*perFiltered
		switch n.Relation {
		case relation.Blocks, relation.Changes:
			pages := chosen(n, e)
			return work + pages*(perDivided+e.BodyBytes/max(e.Versions, 1)*perBody) + p.guess.file*perEntry
		case relation.Links, relation.Layouts:
			return work + linkWork(e)
		case relation.Articles:
			// All pages of the hosts are read, those before the time too.
			return work + in*perRead + in*e.BodyBytes/max(e.Captures, 1)*perText
		case relation.Terms:
			// A text that several versions have is stored, and read, once.
			text := min(e.BodyBytes, textBytes*float64(p.Reading.FileBytes))
			stored := e.Versions*perStored + e.BodyBytes*perFact
			if n.Terms.MayHaveNew() {
				stored *= 2 // the first time to find the new words
			}
			return work + stored + text*perWord
		case relation.Findings:
			rest := 1 - p.indexedShare
			stored, words := e.Versions*perStored+e.BodyBytes*perFact, e.BodyBytes*perSought*rest
			if n.Ranks() {
				words *= 2
			} else {
				stored *= rest
			}
			return work + stored + words + p.indexed*perIndexed
		}
		return work + p.guess.file*perFileByte
	case *plan.Payload:
		if n.Source.Relation.OfStored && n.Source.Relation != relation.Findings {
			return in * perPart
		}
		row := perPage + e.BodyBytes/max(e.Versions, 1)*perPageByte
		if n.Source.Relation == relation.Findings { // the page is divided, to find its best block
			row += e.BodyBytes / max(e.Versions, 1) * perBody
		}
		if slices.ContainsFunc(n.Fill, func(i int) bool { return ofFormat(n.Source.Fields[i].Name) }) {
			row += perFormat
		}
		return in*row + p.FileBytes*cmp.Or(p.perByte, perFileByte)
	case *plan.Group:
		return in*perGrouped + out*perRow
	case *plan.Join:
		return (in + out) * perJoined
	case *plan.Sort, *plan.Window, *plan.Top:
		return in * math.Log2(in+2) * perSorted
	}
	return in * perComputed
}

// ofFormat reports whether the column with this name needs the format of the body, which
// must then be found from the body.
func ofFormat(column string) bool {
	return strings.HasPrefix(column, "format") || column == "mime_agrees"
}

// linkWork returns the work of reading the links of the captures e, in seconds.
func linkWork(e *record.Expected) float64 { return e.Versions*perLinked + e.BodyBytes*perLinkByte }

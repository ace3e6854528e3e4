package session

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/cost"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
)

// PlanLines returns the plan node as lines for EXPLAIN. Below each source, a
// line names the pools that the source would open, and another says how much it
// reads. The last line is the cost of the plan.
func (s *Session) PlanLines(ctx context.Context, node plan.Node) (lines []string, err error) {
	snap, release, err := s.SnapshotFor(ctx, node)
	if err != nil {
		return nil, err
	}
	defer release()
	lines, e, err := s.planLines(ctx, snap, 0, node)
	if err != nil || len(plan.Sources(node)) == 0 {
		return lines, err
	}
	return append(lines, "cost: about "+EstimateText(e)), nil
}

// ReadLines returns the plans nodes as lines for EXPLAIN, indented by one
// step. Below each source, a line names the pools of snap that the source
// would open. The last line is the cost of reading what the plans yield.
func (s *Session) ReadLines(ctx context.Context, snap relation.Snapshot, nodes ...plan.Node) ([]string, error) {
	lines, e, err := s.planLines(ctx, snap, 1, nodes...)
	return append(lines, "cost of reading: about "+EstimateText(e)), err
}

// planLines returns plans as lines for EXPLAIN, indented by at least right
// steps (see Indented), and what they cost together. snap is nil if the plans read
// nothing.
func (s *Session) planLines(ctx context.Context, snap relation.Snapshot, right int, nodes ...plan.Node) (lines []string, sum *cost.Estimate, err error) {
	sum = new(cost.Estimate)
	var pools []record.Pool
	if snap != nil {
		if pools, err = snap.Pools(ctx); err != nil {
			return nil, sum, err
		}
	}
	for _, n := range nodes {
		e, err := s.Estimate(ctx, snap, n)
		if err != nil {
			return nil, sum, err
		}
		sum.Add(e)
		plan.Walk(n, func(n plan.Node, depth int) {
			lines = append(lines, Indented(right+depth, n.String()))
			src, ok := n.(*plan.Source)
			if !ok || !src.FromCaptures() || err != nil {
				return
			}
			var below []string
			below, err = sourceLines(ctx, snap, pools, src, e)
			for _, l := range below {
				lines = append(lines, Indented(right+depth+1, l))
			}
		})
		if err != nil {
			return nil, sum, err
		}
	}
	return lines, sum, nil
}

// sourceLines returns the lines that follow the line of the source src in EXPLAIN: which pools it
// opens, how much it reads, and how it finds words. pools are those of snap, and e is the estimate
// of the plan.
func sourceLines(ctx context.Context, snap relation.Snapshot, pools []record.Pool, src *plan.Source, e *cost.Estimate) (lines []string, err error) {
	if src.Known != 0 {
		snap = relation.KnownAt(snap, src.Known)
		if pools, err = snap.Pools(ctx); err != nil {
			return nil, err
		}
	}
	lines = append(lines, poolLine(pools, src.Reads()))
	if src.Known != 0 {
		lines = append(lines, knownLine(snap, src.Known))
	}
	if p := e.Of(src); p.Reading.Chunks > 0 {
		lines = append(lines, readLine(p, e.FileBytesOf(src)))
	}
	if src.AsksWords() {
		lines = append(lines, wordLine(snap, src.Reads()))
	}
	return lines, nil
}

// Indented returns a line of a plan, indented by two spaces for each step of
// depth.
func Indented(depth int, line string) string { return strings.Repeat("  ", depth) + line }

// poolLine returns a line that names the pools with captures in the time w, and says how
// many captures these pools have. A source reads at most that many.
func poolLine(pools []record.Pool, w relation.Window) string {
	var names []string
	var captures int64
	for _, p := range pools {
		if p.Last >= w.From && p.First < w.To {
			names = append(names, p.Name)
			captures += p.Captures
		}
	}
	return fmt.Sprintf("pools: %s with at most %s", poolList(names, len(pools)), value.Counted(captures, "capture"))
}

// knownLine returns a line that says how many segments a source leaves out because they
// were added after the time known. snap shows what was known at that time.
func knownLine(snap relation.Snapshot, known record.Time) string {
	left, all := snap.LeftOut()
	return fmt.Sprintf("known at %s: %s of %d left out", known.Std().Format("2006-01-02 15:04:05"), value.Counted(left, "segment"), all)
}

// readLine returns a line that says how much the source with the part p of an estimate
// reads. fileBytes is how many bytes of db-files are read for the rows of the source.
func readLine(p *cost.Part, fileBytes float64) string {
	r := &p.Reading
	line := fmt.Sprintf("reads: up to %s, in %s of %s; %s of indexes", value.Counted(r.Captures, "capture"), value.Counted(r.Chunks, "index chunk"),
		value.Counted(r.Segments, "segment"), value.Size(r.IndexBytes))
	if fileBytes > 0 {
		line += ", about " + value.Size(int64(fileBytes)) + " of db-files"
	}
	return line
}

// wordLine returns a line that says of how many segments in the time w a search reads the index
// of words, and of how many it reads the pages. It opens the indexes, because a search does not
// use one that is damaged or of another version.
func wordLine(snap relation.Snapshot, w relation.Window) string {
	usable, unusable, all := snap.WordsUsable(w.From, w.To)
	line := fmt.Sprintf("words: of %s by the index, of %d from the pages", value.Counted(usable, "segment"), all-usable)
	switch {
	case unusable > 0:
		line += fmt.Sprintf(", because the index of %d cannot be used; REINDEX SEARCH makes it again", unusable)
	case usable < all:
		line += "; MERGE POOL and REINDEX SEARCH make indexes"
	}
	return line
}

// poolList returns names as text for a line, with how many they are out of
// all.
func poolList(names []string, of int) string {
	return fmt.Sprintf("%s (%d of %d)", PoolNames(names), len(names), of)
}

// PoolNames returns the names of pools as text for a line, or "none". If they are more than
// twelve, it shows only the first and the last.
func PoolNames(names []string) string {
	const shown = 12
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > shown:
		return names[0] + " … " + names[len(names)-1]
	}
	return strings.Join(names, ", ")
}

package session

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record"
)

// PlanLines returns a plan, and below each source the pools that it would open.
func (s *Session) PlanLines(ctx context.Context, node plan.Node) (lines []string, err error) {
	snap, release, err := s.SnapshotFor(ctx, node)
	if err != nil {
		return nil, err
	}
	defer release()
	return planLines(ctx, snap, 0, node)
}

// ReadLines returns plans, each one step to the right, and below each source the pools
// that it would open in snap.
func ReadLines(ctx context.Context, snap relation.Snapshot, nodes ...plan.Node) (lines []string, err error) {
	return planLines(ctx, snap, 1, nodes...)
}

// planLines returns plans that begin right steps to the right, as Indented counts them.
// snap is nil if the plans read nothing.
func planLines(ctx context.Context, snap relation.Snapshot, right int, nodes ...plan.Node) (lines []string, err error) {
	var pools []record.Pool
	if snap != nil {
		if pools, err = snap.Pools(ctx); err != nil {
			return nil, err
		}
	}
	for _, n := range nodes {
		plan.Walk(n, func(n plan.Node, depth int) {
			lines = append(lines, Indented(right+depth, n.String()))
			if src, ok := n.(*plan.Source); ok && src.Relation.Scoped && src.Relation.OwnTime == "" {
				lines = append(lines, Indented(right+depth+1, poolLine(pools, src.Reads())))
			}
		})
	}
	return lines, nil
}

// Indented returns a line of a plan, as far to the right as its node is deep.
func Indented(depth int, line string) string { return strings.Repeat("  ", depth) + line }

// poolLine returns a line that says which pools have captures in w, and how
// many. A source reads at most that many.
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

// poolList is names for a line: all if they are few.
func poolList(names []string, of int) string {
	const shown = 12
	list := strings.Join(names, ", ")
	switch {
	case len(names) == 0:
		list = "none"
	case len(names) > shown:
		list = names[0] + " … " + names[len(names)-1]
	}
	return fmt.Sprintf("%s (%d of %d)", list, len(names), of)
}

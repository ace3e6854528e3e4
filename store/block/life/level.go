package life

import (
	"fmt"

	"infomall/store/block/facts"
)

// LevelManager finds the level whose blocks describe the changes of one URL
// best. It learns from the versions of the URL, in order. It takes the next
// coarser level if neighbouring blocks changed together in levelVotes changes
// in a row: the coarser level says as much with fewer blocks. It takes the next
// finer level if most bytes of the changed blocks stayed the same: the finer
// level shows better where the change was. The level stays between levelLeast
// and levelMost. The zero value is ready to use.
type LevelManager struct {
	level         int // 0 before the first version
	reason        string
	finer, coarse int // how many changes in a row, up to the last one, spoke for a finer level, and how many for a coarser level
}

// levelLeast and levelMost are the bounds of the level that a LevelManager
// chooses.
const (
	levelLeast = 1
	levelMost  = 4
	levelVotes = 3 // how many changes in a row must speak for another level
)

// Level returns the level for the URL after the versions learned so far, and the
// reason for it as a phrase. Before the first version they are KeptLevel and "".
func (m *LevelManager) Level() (level int, reason string) {
	if m.level == 0 {
		return facts.KeptLevel, ""
	}
	return m.level, m.reason
}

// Learn takes the next version of the URL into account. It may change the level.
func (m *LevelManager) Learn(r *Revision) {
	if m.level == 0 {
		m.level, m.reason = facts.KeptLevel, "default: no changes to learn from yet"
	}
	if r.Before == nil || r.Hidden() || r.Before.Hidden() {
		return
	}
	finer, coarser, any := r.levelVotes(m.level)
	if !any {
		return
	}
	m.finer, m.coarse = vote(m.finer, finer), vote(m.coarse, coarser)
	switch {
	case m.finer == levelVotes && m.level < levelMost:
		m.move(1, fmt.Sprintf("finer: in %d changes in a row most bytes stayed of the blocks that changed at level %d", levelVotes, m.level))
	case m.coarse == levelVotes && m.level > levelLeast:
		m.move(-1, fmt.Sprintf("coarser: in %d changes in a row neighbouring blocks changed together at level %d", levelVotes, m.level))
	}
}

// vote returns how many changes in a row spoke for a level, after one more
// change. count is the number before that change, and more says whether the
// change spoke for the level too. The result is at most levelVotes.
func vote(count int, more bool) int {
	if !more {
		return 0
	}
	return min(count+1, levelVotes)
}

// move adds by, which is 1 or -1, to the level, and sets the counts of changes
// to 0. reason says why the level moves.
func (m *LevelManager) move(by int, reason string) {
	m.level, m.reason = m.level+by, reason
	m.finer, m.coarse = 0, 0
}

// levelVotes reports whether the changes in the version, seen at a level, speak
// for a finer or for a coarser level. any is false if no block was added, edited
// or removed.
func (r *Revision) levelVotes(level int) (finer, coarser, any bool) {
	changed := map[int]bool{} // blocks of the version
	edited, stayed, divides := 0, 0, 0
	for _, m := range r.Changes(level) {
		switch m.Op {
		case Edited:
			changed[m.New], any = true, true
			size := r.size(m.New)
			edited += size
			stayed += int(m.Similarity * float64(size))
			if !r.Tree.Leaf(m.New) {
				divides += size
			}
		case Added:
			changed[m.New], any = true, true
		case Removed:
			any = true
		}
	}
	finer = edited > 0 && 2*stayed > edited && 2*divides > edited
	return finer, !finer && r.together(level, changed), any
}

// together reports whether neighbouring blocks of a level with the same parent
// change together: if one of two neighbours changed, the other changed too in at
// least three of four cases. changed has the blocks that changed.
func (r *Revision) together(level int, changed map[int]bool) bool {
	both, either := 0, 0
	cut := r.Tree.Cut(level)
	for i := 1; i < len(cut); i++ {
		a, b := cut[i-1], cut[i]
		if r.Tree.Blocks[a].Parent != r.Tree.Blocks[b].Parent || r.Tree.Blocks[b].Depth != level {
			continue
		}
		if changed[a] || changed[b] {
			either++
		}
		if changed[a] && changed[b] {
			both++
		}
	}
	return both > 0 && 4*both >= 3*either
}

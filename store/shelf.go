package store

import (
	"container/list"

	"infomall/store/segment"
)

// shelf keeps the runs that were decoded last, as many as fit into a number of
// bytes, which it counts exactly: the archive's cache is meant for queries, may
// hold more than it says for a while, and loses what it is given at once. It is
// used by one goroutine.
type shelf struct {
	held, most int64
	least      int // runs that stay, however large they are
	runs       map[uint64]*list.Element
	recent     *list.List // of *shelved, the last asked for in front
}

type shelved struct {
	key   uint64
	run   *segment.Run
	bytes int64
}

func newShelf(most int64, least int) *shelf {
	return &shelf{most: most, least: least, runs: make(map[uint64]*list.Element), recent: list.New()}
}

// get gives a run; nil if it is not there.
func (s *shelf) get(key uint64) *segment.Run {
	e := s.runs[key]
	if e == nil {
		return nil
	}
	s.recent.MoveToFront(e)
	return e.Value.(*shelved).run
}

// put takes a run, and gives up those that nobody asked for longest.
func (s *shelf) put(key uint64, r *segment.Run) {
	x := &shelved{key, r, r.Bytes()}
	s.runs[key] = s.recent.PushFront(x)
	for s.held += x.bytes; s.held > s.most && s.recent.Len() > s.least; {
		old := s.recent.Remove(s.recent.Back()).(*shelved)
		delete(s.runs, old.key)
		s.held -= old.bytes
	}
}

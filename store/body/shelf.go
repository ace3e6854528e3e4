package body

import (
	"container/list"

	"infomall/store/segment"
)

// shelf keeps the most recently used decoded runs, up to a fixed number of bytes. A
// merge uses a shelf instead of the archive's cache: that cache may exceed its limit
// for a while, and may drop a new entry immediately. Only one goroutine may use a shelf.
type shelf struct {
	held, most int64                    // size of the runs, and its limit, in bytes
	least      int                      // number of runs that stay, however large they are
	runs       map[uint64]*list.Element // by runKey
	recent     *list.List               // of *shelved; the most recently used is first
}

type shelved struct {
	key   uint64
	run   *segment.Run
	bytes int64
}

func newShelf(most int64, least int) *shelf {
	return &shelf{most: most, least: least, runs: make(map[uint64]*list.Element), recent: list.New()}
}

// get returns the run with a key (see runKey), or nil if the shelf does not have it.
func (s *shelf) get(key uint64) *segment.Run {
	e := s.runs[key]
	if e == nil {
		return nil
	}
	s.recent.MoveToFront(e)
	return e.Value.(*shelved).run
}

// put adds a run, which takes the given number of bytes. It then drops the least recently used
// runs, until the shelf is within its limit or has only s.least runs.
func (s *shelf) put(key uint64, r *segment.Run, bytes int64) {
	x := &shelved{key, r, bytes}
	s.runs[key] = s.recent.PushFront(x)
	for s.held += x.bytes; s.held > s.most && s.recent.Len() > s.least; {
		old := s.recent.Remove(s.recent.Back()).(*shelved)
		delete(s.runs, old.key)
		s.held -= old.bytes
	}
}

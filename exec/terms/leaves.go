package terms

import (
	"context"
	"errors"

	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/segment"
)

// errUnread is returned by a function that reads leaves if a leaf cannot be read. The whole page is
// then read instead.
var errUnread = errors.New("a leaf cannot be read")

// errStopped is the error that ends a count when the caller wants no more rows.
var errStopped = errors.New("stopped")

// pageReader reads the leaves of pages.
type pageReader struct {
	ctx    context.Context
	pages  Pages
	leaves []search.LeafRef
}

// read calls leaf for each stored leaf of the page of a version. If the leaves are not known, or
// leaf returns errUnread, it reads the whole page instead and calls text for each of its leaves.
// If leaf returned errUnread, it was called for the leaves before that one.
func (p *pageReader) read(ref record.Ref, leaf func(search.LeafRef, search.Reading) error, text func(string) error) error {
	leaves, as, ok, err := p.pages.Leaves(p.ctx, p.leaves[:0], ref)
	if p.leaves = leaves; err != nil {
		return err
	}
	for i := 0; ok && i < len(leaves); i++ {
		switch err := leaf(leaves[i], as); err {
		case nil:
		case errUnread:
			ok = false
		default:
			return err
		}
	}
	if ok {
		return nil
	}
	return p.pages.Texts(p.ctx, ref, text)
}

// leafMemory caches a value for each leaf, up to a limit in bytes. When it is full, it drops the
// leaves that were not asked for since the last time that it was full.
type leafMemory[T any] struct {
	limit     int64
	size      func(T) int64 // bytes that a value takes
	now, past map[leafRun][]T
	held      int64 // bytes that the values in now take, as far as they are known
	run       leafRun
	list      []T // now[run]
}

// leafRun identifies the stored run to which leaves belong, and the way in which they were read.
type leafRun struct {
	segment.RunRef
	search.Reading
}

// runBytes is an estimate of the memory that an entry of a map of runs takes, in bytes.
const runBytes = 128

func newLeafMemory[T any](limit int64, size func(T) int64) *leafMemory[T] {
	return &leafMemory[T]{limit: limit, size: size, now: make(map[leafRun][]T)}
}

// at returns a pointer to the cached value of a leaf, or to a new zero value. The caller may change
// the value. It must then call grown with the number of bytes by which the value grew. The pointer
// is valid until the next call of at.
func (m *leafMemory[T]) at(l search.LeafRef, as search.Reading) *T {
	if m.run.RunRef != l.RunRef || m.run.Reading != as {
		m.open(leafRun{l.RunRef, as})
	}
	if more := int(l.N) + 1 - len(m.list); more > 0 {
		var none T
		m.list = append(m.list, make([]T, more)...)
		m.now[m.run] = m.list
		m.held += int64(more) * m.size(none)
	}
	return &m.list[l.N]
}

// open makes run the current run, the one that at looks in first.
func (m *leafMemory[T]) open(run leafRun) {
	list, ok := m.now[run]
	if !ok {
		if m.held > m.limit/2 {
			m.now, m.past, m.held = make(map[leafRun][]T), m.now, 0
		}
		list = m.past[run]
		delete(m.past, run)
		m.now[run] = list
		m.held += runBytes
		for i := range list {
			m.held += m.size(list[i])
		}
	}
	m.run, m.list = run, list
}

// grown adds to the size of the cache the number of bytes by which a value grew.
func (m *leafMemory[T]) grown(bytes int64) { m.held += bytes }

// clear drops all leaves.
func (m *leafMemory[T]) clear() { *m = *newLeafMemory(m.limit, m.size) }

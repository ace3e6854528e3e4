package terms

import (
	"context"
	"errors"

	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/segment"
)

// errUnread is what a function that reads leaves returns if a leaf cannot be read. The
// page is then read.
var errUnread = errors.New("a leaf cannot be read")

// errStopped ends a count after the caller wants no more rows.
var errStopped = errors.New("stopped")

// pageReader reads the leaves of pages.
type pageReader struct {
	ctx    context.Context
	pages  Pages
	leaves []search.LeafRef
}

// read calls leaf for each stored leaf of the page of a version. If the leaves are not
// known, or leaf returns errUnread, it reads the page and calls text for each leaf of it,
// maybe after some calls of leaf.
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

// leafMemory remembers something of each leaf, up to a limit of bytes. When it is full, it
// forgets the leaves that were not asked for since it was full the last time.
type leafMemory[T any] struct {
	limit     int64
	size      func(T) int64 // bytes that a value takes
	now, past map[leafRun][]T
	held      int64 // bytes that the values in now take, as far as they are known
	run       leafRun
	list      []T // now[run]
}

// leafRun is the leaves of one run in one reading.
type leafRun struct {
	segment.RunRef
	search.Reading
}

// runBytes is about how many bytes an entry of a map of runs takes.
const runBytes = 128

func newLeafMemory[T any](limit int64, size func(T) int64) *leafMemory[T] {
	return &leafMemory[T]{limit: limit, size: size, now: make(map[leafRun][]T)}
}

// at returns the remembered value of a leaf, or a zero value if there is none. The caller
// may change the value, and then calls grown with the number of bytes that it has added.
// The result is valid until the next call of at.
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

// open makes run the current run.
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

// grown notes that a value takes more bytes than it did.
func (m *leafMemory[T]) grown(bytes int64) { m.held += bytes }

// clear forgets all leaves.
func (m *leafMemory[T]) clear() { *m = *newLeafMemory(m.limit, m.size) }

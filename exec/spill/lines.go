package spill

import (
	"context"
	"iter"
)

// Lines sorts lines by their bytes, with use of disk if they do not fit in
// memory. One goroutine uses it and closes it.
type Lines struct{ s *Sorter }

// Lines returns an empty Lines. Its methods fail when ctx ends.
func (m *Memory) Lines(ctx context.Context) *Lines { return &Lines{m.Sorter(ctx, 2)} }

// Add adds a copy of a line.
func (l *Lines) Add(line []byte) error { return l.s.Add(line, nil) }

// Sorted yields all lines, sorted. It can be called once. Each line is valid
// until the iteration moves on.
func (l *Lines) Sorted() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for r, err := range l.s.Sorted() {
			if !yield(r.Key, err) || err != nil {
				return
			}
		}
	}
}

// Close releases memory and files.
func (l *Lines) Close() { l.s.Close() }

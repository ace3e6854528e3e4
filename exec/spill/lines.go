package spill

import (
	"context"
	"iter"
)

// Lines sorts lines by their bytes. Lines that do not fit in memory go to
// temporary files. One goroutine uses it and closes it.
type Lines struct{ s *Sorter }

// Lines returns an empty Lines, which uses half of the memory m. Its methods
// fail when ctx is done.
func (m *Memory) Lines(ctx context.Context) *Lines { return &Lines{m.Sorter(ctx, 2)} }

// Add adds a copy of a line.
func (l *Lines) Add(line []byte) error { return l.s.Add(line, nil) }

// Sorted yields all lines, sorted, with repetitions. It can be called only
// once. Each line is valid until the iteration moves on.
func (l *Lines) Sorted() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for r, err := range l.s.Sorted() {
			if !yield(r.Key, err) || err != nil {
				return
			}
		}
	}
}

// Close releases memory and temporary files.
func (l *Lines) Close() { l.s.Close() }

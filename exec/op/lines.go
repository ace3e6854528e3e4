package op

import (
	"context"
	"iter"
)

// Lines sorts lines by their bytes, with use of disk if they do not fit in
// memory. One goroutine uses it and closes it.
type Lines struct{ s *sorter }

// Lines returns an empty Lines. Its methods fail when ctx ends.
func (r *Runner) Lines(ctx context.Context) *Lines { return &Lines{r.newSorter(ctx, 2)} }

// Add adds a copy of a line.
func (l *Lines) Add(line []byte) error { return l.s.add(line, nil) }

// Sorted yields all lines, sorted. It can be called once. Each line is valid
// until the iteration moves on.
func (l *Lines) Sorted() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for r, err := range l.s.sorted() {
			if !yield(r.key, err) || err != nil {
				return
			}
		}
	}
}

// Close releases memory and files.
func (l *Lines) Close() { l.s.close() }

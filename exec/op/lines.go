package op

import (
	"context"
	"iter"
)

// Lines sorts lines by their bytes. What is more than the memory given to
// operators goes to temporary files. It is for one goroutine, which closes it.
type Lines struct{ s *sorter }

// Lines makes a Lines that ends with ctx.
func (r *Runner) Lines(ctx context.Context) *Lines { return &Lines{r.newSorter(ctx, 2)} }

// Add takes a copy of a line.
func (l *Lines) Add(line []byte) error { return l.s.add(line, nil) }

// Sorted yields all lines in order, once. A line is valid until the iteration
// moves on.
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

package duplicate

// pieces collects a long list piece by piece. A single growing slice would have a quarter
// of unused room, and during each growth two copies.
type pieces[T any] struct {
	full [][]T
	last []T
	n    int // length of the whole list
}

// pieceLength is the length of a piece, unless more is added at once.
const pieceLength = 1 << 13

// add appends x to the list.
func (p *pieces[T]) add(x ...T) {
	if len(p.last)+len(x) > cap(p.last) {
		p.full, p.last = append(p.full, p.last), make([]T, 0, max(pieceLength, len(x)))
	}
	p.last, p.n = append(p.last, x...), p.n+len(x)
}

// join returns the list, and empties p.
func (p *pieces[T]) join() []T {
	out := make([]T, 0, p.n)
	p.full = append(p.full, p.last)
	for i, piece := range p.full {
		out = append(out, piece...)
		p.full[i] = nil // the collector may free it
	}
	*p = pieces[T]{}
	return out
}

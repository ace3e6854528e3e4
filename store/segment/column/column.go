package column

import "errors"

// ErrDamaged is returned if the bytes of a column are not what an encoder writes:
// they are damaged.
var ErrDamaged = errors.New("column is damaged")

// Sized returns a slice of n elements, in the memory of dst if that is large
// enough. The content of the slice is arbitrary.
func Sized[T any](dst []T, n int) []T {
	if cap(dst) < n {
		return make([]T, n)
	}
	return dst[:n]
}

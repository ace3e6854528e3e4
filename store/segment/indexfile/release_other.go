//go:build !linux

package indexfile

// Passed does nothing on systems other than Linux. On Linux it releases the memory
// of those parts of an index file that a walk has passed; see release_linux.go.
type Passed struct{}

// Add does nothing.
func (*Passed) Add([]byte) {}

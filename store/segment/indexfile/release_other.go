//go:build !linux

package indexfile

// passed does nothing on systems other than Linux. On Linux it releases the memory of those
// parts of an index file that a cursor has passed; see release_linux.go.
type passed struct{}

// add does nothing on these systems.
func (*passed) add([]byte) {}

// end does nothing on these systems.
func (*passed) end() {}

//go:build !linux

package state

// release does nothing on systems other than Linux; release_linux.go says what it
// is for.
func release(at, size uintptr) {}

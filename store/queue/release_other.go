//go:build !linux

package queue

// release does nothing: see release_linux.go.
func release(at, size uintptr) {}

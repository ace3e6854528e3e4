//go:build !linux

package segment

// passed does nothing: see release_linux.go.
type passed struct{}

func (*passed) add([]byte) {}

//go:build !linux

package memory

// UseHugePages does nothing on this system.
func UseHugePages() {}

//go:build !linux

package term

// keepCtrlD does nothing on this system: a Ctrl-D that is typed while no
// program reads is lost.
func keepCtrlD(int) error { return nil }

//go:build !linux

package term

// keepCtrlD does nothing here: a Ctrl-D typed while nobody reads is lost.
func keepCtrlD(int) error { return nil }

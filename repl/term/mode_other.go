//go:build !linux

package term

// quietKeys returns an error: keys are only read line by line on this system.
func quietKeys(int) error { return errNoKeys }

func keyWithin(int, int) (byte, error) { return 0, errNoKeys }

// keepCtrlD does nothing on this system: a Ctrl-D that is typed while no
// program reads is lost.
func keepCtrlD(int) error { return nil }

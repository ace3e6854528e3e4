package term

import "golang.org/x/sys/unix"

// keepCtrlD makes Ctrl-D an ordinary character on the terminal fd. Otherwise
// Ctrl-D would mean the end of input, and would be lost if no program reads at
// that moment.
func keepCtrlD(fd int) error {
	mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	mode.Cc[unix.VEOF] = 0 // no character
	return unix.IoctlSetTermios(fd, unix.TCSETS, mode)
}

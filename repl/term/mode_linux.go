package term

import "golang.org/x/sys/unix"

// keepCtrlD makes Ctrl-D a character like others on the terminal fd: as the
// sign for the end of input it would be eaten where nobody reads.
func keepCtrlD(fd int) error {
	mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	mode.Cc[unix.VEOF] = 0 // no character
	return unix.IoctlSetTermios(fd, unix.TCSETS, mode)
}

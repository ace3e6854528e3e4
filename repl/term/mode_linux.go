package term

import (
	"errors"

	"golang.org/x/sys/unix"
)

// quietKeys makes the terminal fd give each key at once, without showing it. Ctrl-C still
// sends a signal.
func quietKeys(fd int) error {
	mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	mode.Lflag &^= unix.ICANON | unix.ECHO
	mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
	return unix.IoctlSetTermios(fd, unix.TCSETS, mode)
}

// keyWithin waits up to the given number of milliseconds for a key on the terminal fd. It
// returns 0 if none was typed.
func keyWithin(fd, milliseconds int) (key byte, err error) {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, milliseconds)
	if n <= 0 || err != nil {
		if errors.Is(err, unix.EINTR) { // such as by a change of the window's size
			err = nil
		}
		return 0, err
	}
	var b [1]byte
	if n, err := unix.Read(fd, b[:]); n <= 0 {
		return 0, errors.Join(err, errNoKeys)
	}
	return b[0], nil
}

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

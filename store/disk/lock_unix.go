//go:build unix

package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Locks are flocks: they go with the open file, and with the process when it
// is killed. A file opened twice is two owners, also within one process.

// Open is an open file that can be locked: a File, an *os.File.
type Open interface{ Fd() uintptr }

// LockShared waits until no one else holds f's lock alone.
func LockShared(f Open) error { return flock(f, unix.LOCK_SH) }

// LockExclusive waits until no one else holds f's lock.
func LockExclusive(f Open) error { return flock(f, unix.LOCK_EX) }

// TryExclusive takes f's lock if no one else holds it, and tells whether.
func TryExclusive(f Open) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func flock(f Open, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

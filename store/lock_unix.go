//go:build unix

package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Locks are flocks: they go with the open file, and with the process when it
// is killed.

func lockShared(f *os.File) error { return flock(f, unix.LOCK_SH) }

func lockExclusive(f *os.File) error { return flock(f, unix.LOCK_EX) }

// tryExclusive reports whether the lock was to be had at once.
func tryExclusive(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// syncDir makes the names in a directory durable.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

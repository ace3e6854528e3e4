//go:build unix

package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A lock is an flock. It is released when the file is closed or the process
// ends. Two open Files of one name are two owners, even within one process.

// Open is an open file that can be locked, such as a File or an *os.File.
type Open interface{ Fd() uintptr }

// LockShared takes a shared lock on f. It waits while another owner holds an
// exclusive lock.
func LockShared(f Open) error { return flock(f, unix.LOCK_SH) }

// LockExclusive takes an exclusive lock on f. It waits while another owner
// holds any lock.
func LockExclusive(f Open) error { return flock(f, unix.LOCK_EX) }

// TryExclusive takes an exclusive lock on f if no other owner holds any lock, and
// reports whether it took the lock. It does not wait.
func TryExclusive(f Open) (bool, error) { return took(flock(f, unix.LOCK_EX|unix.LOCK_NB)) }

// TryShared takes a shared lock on f if no other owner holds an exclusive lock, and
// reports whether it took the lock. It does not wait.
func TryShared(f Open) (bool, error) { return took(flock(f, unix.LOCK_SH|unix.LOCK_NB)) }

// took returns what a try to take a lock reports whose error is err.
func took(err error) (bool, error) {
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

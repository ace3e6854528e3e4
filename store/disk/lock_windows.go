package disk

import (
	"errors"

	"golang.org/x/sys/windows"
)

// The functions behave as in lock_unix.go. On Windows a lock forbids others to
// read and write the bytes it covers. It therefore covers one byte at 1<<62,
// far beyond the end of any file.

// Open is an open file that can be locked, such as a File or an *os.File.
type Open interface{ Fd() uintptr }

const lockHigh = 1 << 30 // upper half of the locked byte's offset

// LockShared takes a shared lock on f. It waits while another owner holds an
// exclusive lock.
func LockShared(f Open) error { return lock(f, 0) }

// LockExclusive takes an exclusive lock on f. It waits while another owner
// holds any lock.
func LockExclusive(f Open) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryExclusive takes an exclusive lock on f if no other owner holds any lock, and
// reports whether it took the lock. It does not wait.
func TryExclusive(f Open) (bool, error) {
	return took(lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY))
}

// TryShared takes a shared lock on f if no other owner holds an exclusive lock, and
// reports whether it took the lock. It does not wait.
func TryShared(f Open) (bool, error) { return took(lock(f, windows.LOCKFILE_FAIL_IMMEDIATELY)) }

// took returns what a try to take a lock reports whose error is err.
func took(err error) (bool, error) {
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func lock(f Open, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockHigh})
}

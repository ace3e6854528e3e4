package disk

import (
	"errors"

	"golang.org/x/sys/windows"
)

// lock_unix.go has what the functions promise. A lock of this system forbids
// reading and writing what it covers, so it covers one byte far behind the end
// of any file of ours.

// Open is an open file that can be locked: a File, an *os.File.
type Open interface{ Fd() uintptr }

const lockHigh = 1 << 30 // upper half of the locked byte's offset

// LockShared waits until no one else holds f's lock alone.
func LockShared(f Open) error { return lock(f, 0) }

// LockExclusive waits until no one else holds f's lock.
func LockExclusive(f Open) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryExclusive takes f's lock if no one else holds it, and tells whether.
func TryExclusive(f Open) (bool, error) {
	err := lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func lock(f Open, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockHigh})
}

//go:build unix

package session

import (
	"syscall"
	"time"
)

// worked returns how long processors have worked for this process, in total.
func worked() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

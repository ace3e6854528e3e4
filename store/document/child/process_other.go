//go:build !linux

package child

import (
	"os"
	"time"
)

// executable returns the file of this program.
func executable() (string, error) { return os.Executable() }

// usage always returns false in ok: on this system, the memory and the CPU time
// of another process are not known.
func usage(pid int) (memory int64, cpu time.Duration, ok bool) { return 0, 0, false }

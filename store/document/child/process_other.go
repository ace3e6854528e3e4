//go:build !linux

package child

import (
	"os"
	"time"
)

// executable returns the file of this program.
func executable() (string, error) { return os.Executable() }

// usage returns false: the memory and the CPU time of another process are not known here.
func usage(pid int) (memory int64, cpu time.Duration, ok bool) { return 0, 0, false }

//go:build !unix

package cputime

import "time"

// Used returns 0: how long processors have worked for this process is not known.
func Used() time.Duration { return 0 }

//go:build !unix

package session

import "time"

// worked returns 0: how long processors have worked for this process is not known.
func worked() time.Duration { return 0 }

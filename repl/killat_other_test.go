//go:build !linux

package repl

import (
	"fmt"
	"os"
)

// killAt is the program killat, which traces on Linux only.
func killAt() {
	fmt.Fprintln(os.Stderr, "killat: it traces programs on Linux only")
	os.Exit(untracedStatus)
}

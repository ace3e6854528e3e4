//go:build !unix

package term

import "os"

// notifyResize does nothing: this system does not report a new window size. The
// next key draws the line with the new size.
func notifyResize(chan<- os.Signal) {}

// stopProcess does nothing: this system cannot stop and continue programs.
func stopProcess() error { return nil }

//go:build !unix

package term

import "os"

// notifyResize does nothing: windows here tell of no new size. The next key
// draws the line anew.
func notifyResize(chan<- os.Signal) {}

// stopProcess does nothing: there are no jobs to stop here.
func stopProcess() error { return nil }

//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// notifyResize sends to c when the window has another size.
func notifyResize(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH) }

// stopProcess stops all processes of the terminal's foreground job, as Ctrl-Z
// does where the terminal is not raw, and returns when the job goes on. Where
// there is no shell to go on from, it returns soon.
func stopProcess() error {
	// The signal may stop the process some moments later.
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-goesOn:
	case <-time.After(stopPatience):
	}
	return nil
}

// stopPatience is how long a process that was told to stop may still run.
const stopPatience = 200 * time.Millisecond

//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the child in its own process group, so that signals of the
// terminal, such as that of Ctrl-C, do not reach it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

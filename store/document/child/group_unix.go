//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the signals of the terminal, such as that of Ctrl-C, from the child.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

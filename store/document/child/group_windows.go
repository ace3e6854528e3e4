package child

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the child in its own process group, so that Ctrl-C does not
// reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

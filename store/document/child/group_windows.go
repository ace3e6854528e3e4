package child

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C from the child.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

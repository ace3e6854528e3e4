package child

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// executable returns a path of the file of this program. The path leads to that
// file even if another file has taken its name since.
func executable() (string, error) { return "/proc/self/exe", nil }

// ownGroup makes the system kill the child when its parent dies. It also starts
// the child in its own process group, so that signals of the terminal, such as
// that of Ctrl-C, do not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// clockTick is the unit of CPU times in /proc: 100 a second on all Linux machines.
const clockTick = 10 * time.Millisecond

// usage returns the resident memory of a process in bytes and its CPU time. ok is false
// if they are not known.
func usage(pid int) (memory int64, cpu time.Duration, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	// The name of the program, in brackets, may have blanks. Fields 14 and 15 are the
	// CPU times of the process and of the kernel for it, field 24 is the memory in pages.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 22 {
		return 0, 0, false
	}
	var n [3]int64
	for i, at := range []int{11, 12, 21} {
		if n[i], err = strconv.ParseInt(string(fields[at]), 10, 64); err != nil {
			return 0, 0, false
		}
	}
	return n[2] * int64(os.Getpagesize()), time.Duration(n[0]+n[1]) * clockTick, true
}

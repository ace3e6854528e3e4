package repl

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// changing lists the system calls that change a file system, or make a change
// durable. Of openat they are those that create a file or open it for writing.
var changing = []uint64{
	unix.SYS_OPENAT, unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_COPY_FILE_RANGE, unix.SYS_FTRUNCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
	unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT,
}

// callInfo is the answer to PTRACE_GET_SYSCALL_INFO when a filter stops a system
// call before it begins: struct ptrace_syscall_info of linux/ptrace.h.
type callInfo struct {
	op     uint8
	_      [3]uint8
	arch   uint32
	ip, sp uint64
	nr     uint64
	args   [6]uint64
}

// changes reports whether the system call, one of the list changing, changes a file
// system. What is written to standard output or standard error does not.
func (c *callInfo) changes() bool {
	switch c.nr {
	case unix.SYS_OPENAT:
		return c.args[2]&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC) != 0
	case unix.SYS_WRITE:
		return c.args[0] > uint64(syscall.Stderr)
	}
	return true
}

// killAt is the program killat. With the arguments N PROGRAM ARGUMENTS it runs the
// program and kills it when that begins its Nth system call that changes a file
// system. The calls of all threads are counted together; those of strace are
// counted by call and by thread, which finds few of them. killAt ends with the status
// of the program, with killedStatus, or with untracedStatus if it cannot trace.
func killAt() {
	runtime.LockOSThread() // only the thread that began to trace may go on with it
	at, err := strconv.Atoi(os.Args[1])
	cannot := func(err error) {
		if err != nil {
			// stopChanging may have taken the call write away.
			unix.Writev(syscall.Stderr, [][]byte{fmt.Appendln(nil, "killat:", err)})
			os.Exit(untracedStatus)
		}
	}
	cannot(err)
	program, err := exec.LookPath(os.Args[2])
	cannot(err)
	cannot(stopChanging())
	pid, err := syscall.ForkExec(program, os.Args[2:], &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	cannot(err)
	var status unix.WaitStatus
	_, err = unix.Wait4(pid, &status, 0, nil) // it stops before its first instruction
	cannot(err)
	cannot(unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESECCOMP|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL))
	cannot(unix.PtraceCont(pid, 0))
	threads := map[int]bool{pid: true}
	for calls := 0; ; {
		tid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		if err == unix.EINTR {
			continue
		}
		cannot(err)
		if !status.Stopped() {
			if tid != pid {
				continue // a thread has ended
			}
			if status.Signaled() {
				os.Exit(killedStatus)
			}
			os.Exit(status.ExitStatus())
		}
		signal := status.StopSignal()
		switch {
		case signal == unix.SIGTRAP && status.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
			signal = 0
			var info callInfo
			_, _, fault := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
			if fault != 0 && fault != unix.ESRCH {
				cannot(fault)
			}
			if fault == 0 && info.changes() {
				if calls++; calls == at {
					cannot(unix.Kill(pid, unix.SIGKILL))
				}
			}
		case signal == unix.SIGTRAP && status.TrapCause() > 0:
			signal = 0 // it starts a thread
		case !threads[tid]:
			signal = 0 // each thread begins with a stop
		}
		threads[tid] = true
		// A thread that was killed meanwhile is gone.
		if err := unix.PtraceCont(tid, int(signal)); err != unix.ESRCH {
			cannot(err)
		}
	}
}

// stopChanging makes the calls of the list changing stop for whoever traces the
// caller's thread, and the threads and processes that it starts from now on. If nobody
// traces them, these calls fail.
func stopChanging() error {
	const number = 0 // the place of the call's number in what a filter reads
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number}}
	for i, nr := range changing {
		toTrace := uint8(len(changing) - i) // over the other numbers and the verdict for all others
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: toTrace, K: uint32(nr)})
	}
	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	list := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&list)), 0, 0)
}

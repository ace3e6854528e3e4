package queue

import "syscall"

// release tells the system that a file which is mapped from an address on, and
// only read there, is not looked at soon: its pages no longer count as memory of
// this process. They stay in the page cache, and are there again when read.
func release(at, size uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, at, size, syscall.MADV_DONTNEED) // a hint: without it the pages just stay
}

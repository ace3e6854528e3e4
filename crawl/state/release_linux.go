package state

import "syscall"

// release tells the system that this process will not soon read the mapped
// file of size bytes at the address at. The pages of the file then no longer
// count as memory of this process. They stay in the page cache, from which
// the next read maps them again. The mapping must be read-only.
func release(at, size uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, at, size, syscall.MADV_DONTNEED) // only a hint: if it fails, the pages stay
}

package segment

import (
	"os"
	"syscall"
	"unsafe"
)

// release tells the system that a value of an index file, which is mapped and
// only read, is not looked at again soon: its pages no longer count as memory of
// this process. They stay in the page cache, and are there again when read.
func release(value []byte) {
	if len(value) == 0 {
		return
	}
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(value)))
	skip := (page - start%page) % page // the first page may have others' bytes
	if skip >= uintptr(len(value)) {
		return
	}
	whole := value[skip:]
	whole = whole[:uintptr(len(whole))/page*page]
	if len(whole) > 0 {
		_ = syscall.Madvise(whole, syscall.MADV_DONTNEED) // a hint: without it the pages just stay
	}
}

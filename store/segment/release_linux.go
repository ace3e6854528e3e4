package segment

import (
	"os"
	"syscall"
	"unsafe"
)

// passed is the values of an index file that a walk has behind it and that the
// system was not told of yet.
type passed struct{ values []byte }

// passedBytes is how much of a file is given back at once, and passedGap how much
// may lie between two values of which all is given back. A call for each value
// takes a tenth of the time of a scan.
const (
	passedBytes = 256 << 10
	passedGap   = 64 << 10
)

// add takes a value that is not looked at again soon.
func (p *passed) add(value []byte) {
	if len(value) == 0 {
		return
	}
	start := unsafe.SliceData(p.values)
	from, at := uintptr(unsafe.Pointer(start)), uintptr(unsafe.Pointer(unsafe.SliceData(value)))
	if end := from + uintptr(len(p.values)); from == 0 || at < end || at-end > passedGap {
		release(p.values)
		p.values = value
	} else {
		p.values = unsafe.Slice(start, at-from+uintptr(len(value)))
	}
	if len(p.values) >= passedBytes {
		release(p.values)
		p.values = nil
	}
}

// release tells the system that a part of an index file, which is mapped and only
// read, is not looked at again soon: its pages no longer count as memory of this
// process. They stay in the page cache, and are there again when read.
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

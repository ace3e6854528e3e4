package indexfile

import (
	"os"
	"syscall"
	"unsafe"
)

// passed is a range of a mapped index file with values that a cursor has passed, and whose memory
// was not released yet. read is the size of these values in bytes, which may have gaps between them.
type passed struct {
	values []byte
	read   int
}

// passedBytes is how many bytes of passed values add collects before it releases them in
// one system call. With 128 KB, a count of the captures with a word that 1 % of a million
// captures have took 1.8 times the CPU time, on a virtual machine with two cores.
// passedGap is the most bytes between two values that are released together. Without such
// gaps, releasing took a fifth of the time of a count that reads one in thirty values.
const (
	passedBytes = 512 << 10
	passedGap   = 4 << 20
	// endBytes is the least number of bytes of passed values that end releases. Fewer bytes of
	// each index file stay in the memory of the process.
	endBytes = 128 << 10
	// aroundBytes is how many bytes at the end of a released range are released again with the
	// next range. When an address is first read, Linux maps up to this many bytes before it,
	// so part of the released range comes back.
	aroundBytes = 64 << 10
)

// add records that the cursor has passed value and will not read it again soon. It extends the
// range by value, and releases the memory of the range if that is large enough.
func (p *passed) add(value []byte) {
	if len(value) == 0 {
		return
	}
	start := unsafe.SliceData(p.values)
	from, at := uintptr(unsafe.Pointer(start)), uintptr(unsafe.Pointer(unsafe.SliceData(value)))
	if end := from + uintptr(len(p.values)); from == 0 || at < end || at-end > passedGap {
		release(p.values)
		p.values, p.read = value, 0
	} else {
		p.values = unsafe.Slice(start, at-from+uintptr(len(value)))
	}
	if p.read += len(value); p.read >= passedBytes {
		release(p.values)
		p.values = p.values[len(p.values)-min(aroundBytes, len(p.values)):]
		p.read = len(p.values)
	}
}

// end releases the memory of the last range, unless the range is too small to be worth a
// system call.
func (p *passed) end() {
	if p.read >= endBytes {
		release(p.values)
	}
	*p = passed{}
}

// release tells the system that value, a part of a mapped index file, will not be
// read again soon. Its pages then no longer count as memory of this process. They
// stay in the page cache, and the next read maps them again.
func release(value []byte) {
	if len(value) == 0 {
		return
	}
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(value)))
	skip := (page - start%page) % page // the first memory page may also have other values
	if skip >= uintptr(len(value)) {
		return
	}
	whole := value[skip:]
	whole = whole[:uintptr(len(whole))/page*page]
	if len(whole) > 0 {
		_ = syscall.Madvise(whole, syscall.MADV_DONTNEED) // a hint: without it the pages just stay
	}
}

package memory

import (
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"unsafe"
)

// hugeBytes is how many bytes of the heap have huge pages. UseHugePages reserves addresses
// for them, but no memory.
const hugeBytes = 512 << 20

// hugePolicy is the file with the policy of the system for huge pages.
const hugePolicy = "/sys/kernel/mm/transparent_hugepage/enabled"

// UseHugePages makes the system provide the memory of the heap in pages of 2 MB, if the
// system does so for programs that ask for it. Go does not ask. Pages of 4 KB are slower:
// the first use of each is an interrupt, and the processor looks up more addresses. On a
// virtual machine, an import and a scan took 1.25 times the CPU time. With huge pages the
// process takes up to a tenth more memory.
//
// Only the first call does something. It leaves the heap as it is if the system does not give
// the addresses, for example because the memory of the process is limited.
func UseHugePages() { useHugePages() }

var useHugePages = sync.OnceFunc(func() {
	policy, err := os.ReadFile(hugePolicy)
	if strconv.IntSize < 64 || err != nil || !bytes.Contains(policy, []byte("[madvise]")) {
		return
	}
	// Go would end the program if it could not have the addresses.
	b, err := syscall.Mmap(-1, 0, hugeBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil || syscall.Munmap(b) != nil {
		return
	}
	growHuge()
})

// growHuge makes the heap grow into addresses with huge pages: it asks for huge pages for an
// allocation that becomes garbage at once. The request stays with these addresses. The collector
// must not run meanwhile: if it found the allocation in use, it would let as much garbage build up
// before it runs again.
func growHuge() {
	garbage.Lock()
	defer garbage.Unlock()
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(math.MaxInt64)
	advise()
	debug.SetMemoryLimit(limit)
	debug.SetGCPercent(percent)
}

// advise allocates hugeBytes, of which it touches one page, and asks for huge pages there.
func advise() {
	b := reserve(hugeBytes)
	b.WriteByte(0)
	all := unsafe.Slice(unsafe.StringData(b.String()), hugeBytes)
	_ = syscall.Madvise(all, syscall.MADV_HUGEPAGE) // without huge pages the program is slower
}

// Package memory sets when the garbage collector of the process runs, and what kind of
// pages the system gives the process.
package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// frugalGarbage is the value of GOGC during a crawl, an import or SEAL. The garbage collector runs
// when the garbage has reached this percentage of the memory in use. With Go's default of 100, a
// crawl of 12,000 pages took a quarter more memory, sealing 104 pools took 343 MB instead of 251,
// and an import of 50,000 captures into 24 months took 384 MB instead of 339. The CPU time was
// nearly the same.
const frugalGarbage = 50

// garbage has the settings of the garbage collector. There is one for the process, however many
// archives are open, because a process has one collector. A caller that changes a setting of the
// collector must hold the lock of garbage.
var garbage struct {
	sync.Mutex
	frugal  int              // calls of BeginFrugal that have not ended
	usual   int              // the value of GOGC when these calls have ended
	ballast *strings.Builder // see AllowGarbage
}

// BeginFrugal makes the garbage collector run more often until the caller calls
// end.
func BeginFrugal() (end func()) {
	garbage.Lock()
	defer garbage.Unlock()
	if garbage.frugal == 0 {
		garbage.usual = debug.SetGCPercent(frugalGarbage)
		if garbage.usual >= 0 && garbage.usual < frugalGarbage {
			debug.SetGCPercent(garbage.usual) // the environment has set a lower value
		}
	}
	garbage.frugal++
	return func() {
		garbage.Lock()
		defer garbage.Unlock()
		if garbage.frugal--; garbage.frugal == 0 {
			debug.SetGCPercent(garbage.usual)
		}
	}
}

// setUsual sets the value of GOGC while no call of BeginFrugal has begun, and returns the
// value before. The caller holds the lock of garbage.
func setUsual(percent int) (before int) {
	if garbage.frugal == 0 {
		return debug.SetGCPercent(percent)
	}
	before, garbage.usual = garbage.usual, percent
	return before
}

// ballastBytes is the amount of garbage, in bytes, below which the garbage collector usually
// does not run. Most statements use less memory than that. With Go's own minimum, scans took a
// fifth more CPU time.
const ballastBytes = 32 << 20

// goMinimum is Go's own minimum for a GOGC of 100, in bytes. It grows in proportion to GOGC.
const goMinimum = 4 << 20

// AllowGarbage lets at least ballastBytes of garbage build up between two runs of
// the collector. Only the first call does something.
//
// A high GOGC gives the first run this minimum. It would also let the heap grow to
// many times the memory in use, so it ends with the first run. From then on the process
// holds an allocation of ballastBytes: the collector runs when there is as much garbage as
// memory in use, and the allocation counts as in use. Nothing touches the allocation, so
// the system never has to provide the memory. An allocation from the start would make the
// collector run at once, and a start of the program would take a tenth more CPU time.
func AllowGarbage() { allowGarbage() }

var allowGarbage = sync.OnceFunc(func() {
	garbage.Lock()
	defer garbage.Unlock()
	percent := setUsual(100 * ballastBytes / goMinimum)
	if percent < 0 {
		setUsual(percent) // the environment has switched the collector off
		return
	}
	// The collector finds that nothing uses the argument, and calls holdBallast.
	runtime.AddCleanup(new(strings.Builder), holdBallast, percent)
})

// holdBallast allocates the ballast and sets GOGC to percent. It runs after the first run of
// the collector.
func holdBallast(percent int) {
	garbage.Lock()
	defer garbage.Unlock()
	garbage.ballast = reserve(ballastBytes)
	setUsual(percent)
}

// reserve allocates n bytes of memory and does not touch them. make would clear them if the
// heap has used a part of this memory before. A start of the program that cleared the ballast
// took 245 ms more CPU time.
func reserve(n int) *strings.Builder {
	b := new(strings.Builder)
	b.Grow(n)
	return b
}

// limitBase is the memory, in bytes, that the program needs in addition to the setting memory:
// for the ballast, for its tables, and to decode one run. The code of the program and the index
// files take another 75 MB, which the garbage collector does not count. With a limitBase of 10 MB
// more and memory = '64MB', DEDUP of a million captures took 196 MB instead of 176, and a merge
// 195 instead of 182. Both took a tenth less CPU time.
const limitBase = ballastBytes + 40<<20

// Limit makes the garbage collector run as often as needed to keep the memory of the
// process below memory + limitBase. It cannot do so if more than that is in use. memory is
// the value of the setting memory, in bytes. Limit does nothing if the user gave a limit in
// the variable GOMEMLIMIT.
func Limit(memory int64, getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" && memory < math.MaxInt64-limitBase {
		garbage.Lock()
		defer garbage.Unlock()
		debug.SetMemoryLimit(memory + limitBase)
	}
}

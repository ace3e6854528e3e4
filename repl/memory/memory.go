// Package memory sets when the garbage collector of the process runs, and what kind of
// pages the system gives the process.
package memory

import (
	"math"
	"runtime/debug"
	"strings"
	"sync"
)

// frugalGarbage is the value of GOGC during a crawl or SEAL: how much garbage,
// in per cent of the memory in use, may build up before it is collected. With
// Go's default of 100, a crawl of 12,000 pages took a quarter more memory, and
// sealing 104 pools took 343 MB instead of 251. The CPU time was nearly the
// same.
const frugalGarbage = 50

// garbage counts the calls of BeginFrugal that have not ended. There is one
// counter for the process, however many archives are open, because a process
// has one garbage collector. Whoever changes a setting of the collector holds its lock.
var garbage struct {
	sync.Mutex
	frugal int
	before int // the value of GOGC before the first of these calls
}

// BeginFrugal makes the garbage collector run more often until the caller calls
// end.
func BeginFrugal() (end func()) {
	garbage.Lock()
	defer garbage.Unlock()
	if garbage.frugal == 0 {
		garbage.before = debug.SetGCPercent(frugalGarbage)
		if garbage.before >= 0 && garbage.before < frugalGarbage {
			debug.SetGCPercent(garbage.before) // the environment has set a lower value
		}
	}
	garbage.frugal++
	return func() {
		garbage.Lock()
		defer garbage.Unlock()
		if garbage.frugal--; garbage.frugal == 0 {
			debug.SetGCPercent(garbage.before)
		}
	}
}

// ballastBytes is about the minimum amount of garbage, in bytes, at which the
// garbage collector runs. Go's own minimum is 4 MB. Most statements use less
// memory than that, and with Go's minimum scans took a fifth more CPU time.
const ballastBytes = 32 << 20

// ballast is an allocation of ballastBytes while calls of BeginRoomy have not ended.
// All calls share it.
var ballast struct {
	sync.Mutex
	users int
	bytes *strings.Builder
}

// BeginRoomy lets at least ballastBytes of garbage build up between two runs of
// the collector, until the caller calls end. To do so it holds an allocation of
// that size: the collector runs when there is as much garbage as memory in use,
// and the allocation counts as in use. Nothing touches the allocation, so the
// system never has to provide the memory.
func BeginRoomy() (end func()) {
	ballast.Lock()
	defer ballast.Unlock()
	if ballast.users == 0 {
		ballast.bytes = reserve(ballastBytes)
	}
	ballast.users++
	return func() {
		ballast.Lock()
		defer ballast.Unlock()
		if ballast.users--; ballast.users == 0 {
			ballast.bytes = nil
		}
	}
}

// reserve allocates n bytes of memory and does not touch them. make would clear them if the
// heap has used a part of this memory before. A start of the program that cleared the ballast
// took 245 ms more CPU time.
func reserve(n int) *strings.Builder {
	b := new(strings.Builder)
	b.Grow(n)
	return b
}

// limitBase is how many bytes of memory the program takes besides what the setting
// memory bounds: its code, the ballast, and what it needs to decode one run.
const limitBase = ballastBytes + 50<<20

// Limit makes the garbage collector run as often as needed to keep the memory of
// the process below the setting memory and limitBase, if no more than that is in use. It
// does nothing if the user gave a limit in the variable GOMEMLIMIT.
func Limit(memory int64, getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" && memory < math.MaxInt64-limitBase {
		garbage.Lock()
		defer garbage.Unlock()
		debug.SetMemoryLimit(memory + limitBase)
	}
}

package repl

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// frugalGarbage is how much garbage, in per cent of what is in use, crawls and who
// seals pools let come together. Go's own is 100: a crawl of 12,000 pages took a
// quarter more memory with it, to seal 104 pools 343 MB and not 251, and neither
// hardly less CPU time.
const frugalGarbage = 50

// garbage is the process's collector of garbage, while somebody is frugal: there is
// one, whatever archives are open.
var garbage struct {
	sync.Mutex
	frugal int
	before int // what it was set to without them
}

// beginFrugal has garbage collected more often until the function that it gives
// is called.
func beginFrugal() (end func()) {
	garbage.Lock()
	defer garbage.Unlock()
	if garbage.frugal == 0 {
		garbage.before = debug.SetGCPercent(frugalGarbage)
		if garbage.before >= 0 && garbage.before < frugalGarbage {
			debug.SetGCPercent(garbage.before) // as the environment has it
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

// ballastBytes is how much garbage comes together at least before it is collected.
// Go's own is 4 MB, and what most statements hold is less: scans took a fifth more
// CPU time.
const ballastBytes = 32 << 20

// beginRoomy lets so much garbage come together until the function that it gives
// is called: as much as is in use may, and this is in use. But nobody ever touches
// it, so that the system has no memory for it to find.
func beginRoomy() (end func()) {
	ballast := make([]byte, ballastBytes)
	return func() { runtime.KeepAlive(ballast) }
}

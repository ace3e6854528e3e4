package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestFrugal shows that garbage is collected more often while one crawl or several run,
// and as before when the last crawl has ended.
func TestFrugal(t *testing.T) {
	now := func() int {
		n := debug.SetGCPercent(100)
		debug.SetGCPercent(n)
		return n
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	first, second := BeginFrugal(), BeginFrugal()
	first()
	if got := now(); got != frugalGarbage {
		t.Errorf("while a crawl runs it is %d, want %d", got, frugalGarbage)
	}
	second()
	if got := now(); got != 100 {
		t.Errorf("after all it is %d, want 100", got)
	}
	debug.SetGCPercent(20)
	end := BeginFrugal()
	if got := now(); got != 20 {
		t.Errorf("who has set less has %d, want 20", got)
	}
	end()
}

// TestRoomy shows that little garbage is not collected while the process is roomy.
func TestRoomy(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer BeginRoomy()()
	collected := func() uint32 {
		runtime.GC() // from now on there may come as much as is in use
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range ballastBytes / 2 / len(garbageSink) {
			garbageSink = make([]byte, len(garbageSink))
		}
		runtime.ReadMemStats(&after)
		return after.NumGC - before.NumGC
	}
	// Goroutines left by other tests may make garbage too, but not always.
	for range 10 {
		if collected() == 0 {
			return
		}
	}
	t.Errorf("%d bytes of garbage are collected each time", ballastBytes/2)
}

var garbageSink = make([]byte, 1<<16)

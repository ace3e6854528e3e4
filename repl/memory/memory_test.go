package memory

import (
	"os"
	"os/exec"
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

// roomyVariable is set in the process that TestRoomy starts.
const roomyVariable = "INFOMALL_TEST_ROOMY"

// TestRoomy shows that little garbage is not collected after AllowGarbage, neither from the
// start nor later, and that the heap does not grow to many times the memory in use. It starts
// a process of its own for that.
func TestRoomy(t *testing.T) {
	if os.Getenv(roomyVariable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRoomy$")
		cmd.Env = append(os.Environ(), roomyVariable+"=1", "GOGC=100")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	AllowGarbage()
	if n := collected(ballastBytes / 2); n > 0 {
		t.Errorf("from the start, %d bytes of garbage are collected %d times", ballastBytes/2, n)
	}
	holds := func() bool {
		garbage.Lock()
		defer garbage.Unlock()
		return garbage.ballast != nil
	}
	for !holds() {
		runtime.GC()
	}
	runtime.GC() // from now on there may come as much as is in use
	if n := collected(ballastBytes / 2); n > 0 {
		t.Errorf("later, %d bytes of garbage are collected %d times", ballastBytes/2, n)
	}
	used := make([]byte, 4*ballastBytes)
	runtime.GC()
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.NextGC > 11*ballastBytes {
		t.Errorf("with %d bytes in use, the collector runs at %d bytes", len(used), m.NextGC)
	}
	runtime.KeepAlive(used)
}

// collected makes this many bytes of garbage and returns how often the collector runs
// meanwhile.
func collected(bytes int) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range bytes / len(garbageSink) {
		garbageSink = make([]byte, len(garbageSink))
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

var garbageSink = make([]byte, 1<<16)

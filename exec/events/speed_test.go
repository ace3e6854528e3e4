package events

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// TestYear measures a year of 300,000 documents of 100 words. It runs only if
// INFOMALL_EVENTS_YEAR is set.
func TestYear(t *testing.T) {
	if os.Getenv("INFOMALL_EVENTS_YEAR") == "" {
		t.Skip("a measurement: set INFOMALL_EVENTS_YEAR=1 to run it")
	}
	m := recipe{seed: 1, docs: 300000, periods: 365, cycle: 7, length: 100, events: map[string]int{"big": 600, "small": 1000, "slow": 400},
		words: [2]int{6, 14}, ranks: [2]float64{0, 1}, share: 0.8, background: newZipf(200000)}
	p := m.make()
	runtime.GC()
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	peak := make(chan uint64)
	stop := make(chan bool)
	go func() {
		most := uint64(0)
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
				runtime.ReadMemStats(&after)
				most = max(most, after.HeapInuse-before.HeapInuse)
			}
		}
	}()
	start := cpu()
	found, err := Find(t.Context(), p.stream, Options{Periods: p.periods, Coverage: p.coverage, Cycle: p.cycle})
	if err != nil {
		t.Fatal(err)
	}
	used := cpu() - start
	close(stop)
	t.Logf("%.1f CPU s, heap %d MB, %d events; %v", used, <-peak>>20, len(found), p.judge(found))
}

// cpu returns the CPU seconds that this process has used.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

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
	o := Options{Periods: p.periods, Coverage: p.coverage, Cycle: p.cycle}
	used, heap, found := measure(t, p, o)
	t.Logf("the year: %.1f CPU s, %d MB, %d events; %v", used, heap, len(found), p.judge(found))

	o.From, o.Before = 305, &History{}
	window := *p
	window.docs = nil
	for i := range p.docs {
		if d := &p.docs[i]; d.Period < o.From {
			o.Before.Add(d)
		} else {
			window.docs = append(window.docs, *d)
		}
	}
	begin := cpu()
	data := o.Before.Append(nil)
	if _, err := ParseHistory(data); err != nil {
		t.Fatal(err)
	}
	t.Logf("the history: %d KB, written and read in %.2f CPU s", len(data)>>10, cpu()-begin)
	used, heap, found = measure(t, &window, o)
	t.Logf("the last 60 days: %.1f CPU s, %d MB, %d events", used, heap, len(found))
}

// measure returns what Find takes: CPU seconds and the most megabytes of heap.
func measure(t *testing.T, p *planted, o Options) (seconds float64, megabytes int64, found []Event) {
	debug.FreeOSMemory()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	peak := make(chan int64)
	stop := make(chan bool)
	go func() {
		most := int64(0)
		var now runtime.MemStats
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
				runtime.ReadMemStats(&now)
				most = max(most, int64(now.HeapInuse)-int64(before.HeapInuse))
			}
		}
	}()
	begin := cpu()
	found, err := Find(t.Context(), p.stream, o)
	seconds = cpu() - begin
	close(stop)
	if err != nil {
		t.Fatal(err)
	}
	return seconds, <-peak >> 20, found
}

// cpu returns the CPU seconds that this process has used.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

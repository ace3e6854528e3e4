package memory

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// hugeVariable is set in the process that TestHugePages starts.
const hugeVariable = "INFOMALL_TEST_HUGE"

// TestHugePages shows that memory which is allocated after UseHugePages lies in huge pages, and
// that garbage is collected as before. It starts a process of its own for that.
func TestHugePages(t *testing.T) {
	if os.Getenv(hugeVariable) != "" {
		UseHugePages()
		AllowGarbage()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.NextGC > 4*ballastBytes {
			t.Errorf("the collector runs again at %d bytes, want at most %d", m.NextGC, 4*ballastBytes)
		}
		for range 32 {
			touched = append(touched, bytes.Repeat([]byte{1}, 1<<20))
		}
		showHugeBeside(t)
		if huge := hugeKilobytes(t); huge < 16<<10 {
			t.Errorf("of 32 MB, %d KB are in huge pages, want at least half", huge)
		}
		return
	}
	policy, err := os.ReadFile(hugePolicy)
	if err != nil || !bytes.Contains(policy, []byte("[madvise]")) {
		t.Skipf("the system does not provide huge pages to programs that ask: %s %v", policy, err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestHugePages$")
	cmd.Env = append(os.Environ(), hugeVariable+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

var touched [][]byte

// showHugeBeside changes the settings of the collector while the heap grows for huge pages.
// Both are afterwards as they were before.
func showHugeBeside(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(1<<30)
	grown := make(chan bool)
	go func() {
		for range 10 {
			growHuge()
		}
		close(grown)
	}()
	none := func(string) string { return "" }
	for done := false; !done; {
		Limit(1<<30-limitBase, none)
		BeginFrugal()()
		select {
		case <-grown:
			done = true
		default:
		}
	}
	if got := debug.SetGCPercent(percent); got != 100 {
		t.Errorf("GOGC is %d, want 100", got)
	}
	if got := debug.SetMemoryLimit(limit); got != 1<<30 {
		t.Errorf("the limit is %d, want %d", got, 1<<30)
	}
}

// hugeKilobytes returns how many KB of the process are in huge pages.
func hugeKilobytes(t *testing.T) int {
	rollup, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(rollup)) {
		if value, ok := strings.CutPrefix(line, "AnonHugePages:"); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no AnonHugePages in %s", rollup)
	return 0
}

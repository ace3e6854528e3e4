package repl

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"infomall/exec/cost"
)

// TestCostOf prints the tables of TestCost for the archive $INFOMALL_COST_ARCHIVE, with
// the parameters $INFOMALL_COST_PARAMS. It only reads the archive. With
// $INFOMALL_COST_OTHER, other parameters, it learns from queries with these before it
// prints the second table. $INFOMALL_COST_ONLY names some scripts, and $INFOMALL_COST_AGAIN
// asks for a last table, after the same queries. Seconds are those of the processor, which
// other programs on the machine change less than those of the clock.
func TestCostOf(t *testing.T) {
	path, params := os.Getenv("INFOMALL_COST_ARCHIVE"), os.Getenv("INFOMALL_COST_PARAMS")
	if path == "" {
		t.Skip("no INFOMALL_COST_ARCHIVE")
	}
	only := strings.Fields(os.Getenv("INFOMALL_COST_ONLY"))
	before := clock
	clock = processorTime
	defer func() { clock = before }()
	runtime.GC() // the first collection makes the ballast, and another follows
	rates := new(cost.Rates)
	t.Log("by the guesses")
	costTable(t, costsOf(t, path, params, rates, false, only...))
	if other := os.Getenv("INFOMALL_COST_OTHER"); other != "" {
		rates = new(cost.Rates)
		costsOf(t, path, other, rates, false, only...)
		t.Log("after queries with other parameters")
		costTable(t, costsOf(t, path, params, rates, false, only...))
	}
	if os.Getenv("INFOMALL_COST_AGAIN") != "" {
		t.Log("after the same queries")
		costTable(t, costsOf(t, path, params, rates, false, only...))
	}
	t.Logf("the rates take %d bytes", len(rates.Encode()))
}

// processorTime returns how long the processor has worked for this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail with these arguments
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

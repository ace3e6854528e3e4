//go:build unix

package repl

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"infomall/exec/session"
	"infomall/lang"
	"infomall/repl/memory"
)

// windowsArchive is the folder of the archive that BenchmarkWindows asks.
var windowsArchive = flag.String("windows.archive", "", "the archive that BenchmarkWindows asks, in place of its own million captures")

// BenchmarkWindows asks for windows over all captures and all versions, and reports the median
// CPU time of a question. The greatest result is all that a question prints, so that printing
// does not count. The index is cached before the first question.
//
// To compare with DuckDB, export the columns url, host, time and bytes of both relations to
// Parquet, and run the same questions with SET threads = 1 and GOMAXPROCS=1.
func BenchmarkWindows(b *testing.B) {
	dir := *windowsArchive
	if dir == "" {
		dir = million(b)
	}
	memory.AllowGarbage() // as in the program
	a, closer := openStore(dir, nil)
	defer closer.Close()
	for _, relation := range []string{"captures", "versions"} {
		for _, window := range []string{
			"row_number() OVER (PARTITION BY host ORDER BY time)",
			"rank() OVER (PARTITION BY host ORDER BY time)",
			"lag(time) OVER (PARTITION BY host ORDER BY time)",
			"row_number() OVER (PARTITION BY url ORDER BY time)",
			"lag(time) OVER (PARTITION BY url ORDER BY time)",
			"sum(bytes) OVER (PARTITION BY host)",
			"avg(bytes) OVER (PARTITION BY host)",
			"sum(bytes) OVER (PARTITION BY url)",
			"sum(bytes) OVER (ORDER BY time)",
			"sum(bytes) OVER (PARTITION BY host ORDER BY time)",
		} {
			query := fmt.Sprintf("SELECT max(s) FROM (SELECT %s AS s FROM %s)", window, relation)
			b.Run(relation+": "+window, func(b *testing.B) {
				st, err := lang.ParseOne(query, "")
				if err != nil {
					b.Fatal(err)
				}
				drain(b, a, session.DefaultSettings(), st)
				var took []float64
				for b.Loop() {
					before := cpuSeconds()
					drain(b, a, session.DefaultSettings(), st)
					took = append(took, cpuSeconds()-before)
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2]*1000, "cpu-ms")
			})
		}
	}
}

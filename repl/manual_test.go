package repl

import (
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestManual runs every example of the manual, in order, on an archive of the
// demo's captures, and compares each output with testdata/manual.txt. -update
// writes that file.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../lang/LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir() // the examples find queries/demo here, and write here
	if err := os.CopyFS(filepath.Join(work, "queries", "demo"), os.DirFS("../queries/demo")); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(work, "archive")
	run := func(t *testing.T, args ...string) string {
		cmd := exec.Command("infomall", append([]string{"-a", dir, "--yes"}, args...)...)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+work, "XDG_CACHE_HOME=/dev/null", "TZ=UTC")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return string(out)
	}
	run(t, "-c", "IMPORT 'queries/demo/*.raw'")
	// Without a server the crawl of the examples soon ends, and takes no orders.
	ended := strings.NewReplacer("PAUSE CRAWL", "EXPLAIN PAUSE CRAWL", "SET WORKERS", "EXPLAIN SET WORKERS", "SET DELAY", "EXPLAIN SET DELAY", "\nEXCLUDE", "\nEXPLAIN EXCLUDE", "INCLUDE ~", "EXPLAIN INCLUDE ~")
	examples := strings.Split(string(text), "```iql\n")[1:]
	if len(examples) == 0 {
		t.Fatal("the manual has no examples")
	}
	const name = "testdata/manual.txt"
	before, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	wanted := strings.Split(string(before), exampleRule)[1:]
	var all strings.Builder
	for i, example := range examples {
		example, _, _ := strings.Cut(example, "```")
		t.Run(strings.SplitN(example, "\n", 2)[0], func(t *testing.T) {
			got := "\n" + example + "\n" + settled(example, strings.ReplaceAll(run(t, "-c", ended.Replace(example)), work, "DIR")) + "\n"
			all.WriteString(exampleRule + got)
			switch {
			case *update:
			case i >= len(wanted):
				t.Errorf("%s does not have this example: run go test ./repl -run TestManual -update", name)
			case got != wanted[i]:
				t.Errorf("it prints\n%s\nand %s has\n%s", got, name, wanted[i])
			}
		})
	}
	if *update {
		if err := os.WriteFile(name, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// exampleRule begins each example in testdata/manual.txt.
const exampleRule = "=== example"

var (
	// A time at which the test ran: the demo ends in 2008.
	runTime = regexp.MustCompile(`20[2-9]\d-\d\d-\d\d(T[\d:.]+Z?)?`)
	// Rules and blanks that make a table as wide as its values.
	tableRule   = regexp.MustCompile(`─+`)
	tableBlanks = regexp.MustCompile(` {2,}`)
	// Examples whose counts of bytes and milliseconds differ from run to run.
	unsettled = regexp.MustCompile(`(?m)\b(IMPORT|EXPORT|CRAWL|TRACE|SCHEDULE|PAGERANK|HITS|DEDUP|ANALYZE|VERIFY|COPY|REPAIR|REINDEX|MERGE|SEAL|DROP|jobs|files|pools|POOLS|FILES|history|HISTORY)\b`)
	// A duration has one unit or several, such as 807ms and 1s 20ms.
	durations = regexp.MustCompile(`\b\d[\d.]*(ms|s|m|h)( \d+(ms|s|m|h))*\b`)
	digits    = regexp.MustCompile(`\d[\d.e-]*`)
	// The time at the end of a line with an estimated or measured cost, such as 13 ms and 0.2 s.
	costTime = regexp.MustCompile(`(?m)(cost.*, )(less than )?\d[\d.]* (ms|s|min|h)\b`)
)

// settled returns what an example printed without the parts that differ from run
// to run: times of the run, the widths of tables and, of statements that count
// bytes or time, all numbers. It shortens what is long.
func settled(example, printed string) string {
	printed = runTime.ReplaceAllString(printed, "TODAY")
	printed = tableRule.ReplaceAllString(tableBlanks.ReplaceAllString(printed, " "), "─")
	printed = costTime.ReplaceAllString(printed, "${1}TIME")
	if unsettled.MatchString(example) {
		printed = digits.ReplaceAllString(durations.ReplaceAllString(printed, "0s"), "0")
	}
	lines := strings.SplitAfter(printed, "\n")
	if rest := lines[min(len(lines), shownLines):]; len(rest) > 1 {
		sum := crc32.ChecksumIEEE([]byte(strings.Join(rest, "")))
		lines = append(lines[:shownLines:shownLines], fmt.Sprintf("… %d more lines, CRC-32 %08x\n", len(rest)-1, sum))
	}
	for i, line := range lines {
		if len(line) > shownBytes {
			lines[i] = fmt.Sprintf("%s… CRC-32 %08x\n", strings.ToValidUTF8(line[:shownBytes], ""), crc32.ChecksumIEEE([]byte(line)))
		}
	}
	return strings.Join(lines, "")
}

// testdata/manual.txt shows the beginning of what is long, and a checksum of the
// rest, so that it can be read and nothing is left uncompared.
const (
	shownLines = 20
	shownBytes = 200 // of a line
)

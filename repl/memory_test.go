package repl

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// memoryPages, memoryMonths and memoryWords are the pages of a made-up site, how many
// months it is crawled, and how many words a page has. Each month has a new version of each page.
const (
	memoryPages  = 2500
	memoryMonths = 12
	memoryWords  = 400
)

// TestMemory asks statements of an archive of 90 MB of text, with little memory and with
// much. The answers are the same, and with little memory the process takes at most
// 200 MB. Statements that read the text take 140 MB, and without a bound 280 MB.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes an archive of 90 MB of text")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not say how much memory a process took")
	}
	if underRace() {
		t.Skip("the race detector takes several times the memory")
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	for month := range memoryMonths {
		file := filepath.Join(dir, fmt.Sprintf("%02d.warc", month))
		writeWordy(t, file, month)
		runWithin(t, archive, "512MB", "IMPORT '"+file+"'")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	runWithin(t, archive, "512MB", "REINDEX SEARCH")
	for _, statement := range []string{
		"VERIFY",
		"SEARCH 'w1* -w99'",
		"SELECT sum(length(text)) FROM versions",
		"SELECT count(*) FROM versions WHERE text LIKE '%w99 w1%'",
		"SELECT digest, count(*) AS n FROM captures GROUP BY digest ORDER BY n DESC, digest LIMIT 5",
		"SELECT url, time, bytes FROM captures ORDER BY bytes DESC, url, time LIMIT 5",
	} {
		want, much := runWithin(t, archive, "512MB", statement)
		got, peak := runWithin(t, archive, "32MB", statement)
		if got != want {
			t.Errorf("%s: %q with little memory, %q with much", statement, got, want)
		}
		t.Logf("%.0f MB, and %.0f MB with much memory: %s", peak/(1<<20), much/(1<<20), statement)
		if most := 200.0 * (1 << 20); peak > most {
			t.Errorf("%s: the process took %.0f MB, more than %.0f MB", statement, peak/(1<<20), most/(1<<20))
		}
	}
}

// underRace reports whether the race detector runs.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// runWithin runs a statement in a process of its own, with a value of the setting memory.
// It returns what the process prints, and the largest amount of memory, in bytes, that
// it took.
func runWithin(t *testing.T, archive, memory, statement string) (out string, peak float64) {
	t.Helper()
	cmd := osexec.Command("infomall", "-a", archive, "-q", "-c", "SET memory = '"+memory+"'; "+statement)
	note := filepath.Join(t.TempDir(), "peak")
	cmd.Env = append(os.Environ(), peakNote+"="+note)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", statement, err, stderr.String())
	}
	b, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	kilobytes, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		t.Fatal(err)
	}
	return stdout.String(), kilobytes * 1024
}

// peakNote is the variable with the name of the file to which a program that a test runs
// writes the largest amount of memory that it took, in KB. What the system tells the
// test of an ended process may be the memory of the test itself, from which it was
// started.
const peakNote = "INFOMALL_TEST_PEAK"

// notePeak writes the file that peakNote asks for.
func notePeak() {
	name := os.Getenv(peakNote)
	if name == "" {
		return
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return // the test says that the file is missing
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_ = os.WriteFile(name, []byte(strings.Fields(value)[0]), 0o644)
		}
	}
}

// writeWordy writes a WARC file with the captures of one month. The words of its pages
// are drawn at random.
func writeWordy(t *testing.T, file string, month int) {
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(uint64(month), 1))
	words := make([]string, memoryWords)
	for page := range memoryPages {
		for i := range words {
			words[i] = fmt.Sprintf("w%d", r.IntN(100_000))
		}
		body := fmt.Sprintf("<html><title>page %d</title><p>%s</p></html>", page, strings.Join(words, " "))
		http := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		fmt.Fprintf(w, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://www%02d.example/p/%d\r\nWARC-Date: 2010-%02d-%02dT00:00:00Z\r\nWARC-Record-ID: <urn:uuid:%08x-0000-4000-8000-%012x>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			page%50, page, month+1, 1+page%28, month, page, len(http), http)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

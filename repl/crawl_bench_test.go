//go:build unix

package repl

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

var benchPages = flag.Int("crawlpages", 20_000, "how many pages BenchmarkCrawl fetches")

// BenchmarkCrawl crawls a site of 20,000 pages on this machine, served by
// another process, into a new archive, until all of it is in force; and then,
// where wget is installed, the same site with wget -r --warc-file. It tells of
// both pages a second, CPU time a page without the server's, and memory; and of
// pages that were asked for twice.
//
//	go test ./repl -run - -bench 'BenchmarkCrawl$' -benchtime 1x
//
// Of the 37 CPU seconds of 20,000 pages (wget: 4.5 for each thousand in the same
// hour, so .41 of it; .37 at 10,000 pages) reading and dividing pages takes 37 per
// cent, zstd 16, other writing of segments 7, garbage 10, links 8, the frontier 8,
// requests 4, the journal 2. What was tried, with what it brought of 60 CPU seconds:
//
//   - segments of 8 MB merged when there are 32, not 8, and whole batches published:
//     11 seconds less, and no second copy of a page to be made while crawling;
//   - pages of a frontier's database below 32 MB not given back: 4.5 less;
//   - no histories of pages packed that are fetched once: 2.6 less, and 24 MB;
//   - fingerprints of texts without copies, trees of pages used again: 1.5 less;
//   - garbage collected at 80 per cent of what is in use, not 50: 1.4 less, but 25 MB
//     more, so it was left;
//   - zstd's fastest level for the segments of a crawl: no difference in CPU time, and
//     219 MB stored, not 201;
//   - commits of the frontier as seldom as once in two seconds: no difference.
//
// That pages are parsed for their links and once more to be stored is 1.5 per cent.
func BenchmarkCrawl(b *testing.B) {
	site := startBenchServer(b, "benchsite", fmt.Sprint(*benchPages))
	for b.Loop() {
		dir := b.TempDir()
		ours := measure(b, site, osexec.Command("infomall", "-a", filepath.Join(dir, "archive"), "-c",
			fmt.Sprintf("CRAWL '%s/' DELAY 0s ALLOW PRIVATE AS bench", site)))
		ours.report(b, "")
		b.ReportMetric(float64(ours.twice), "twice")
		if ours.pages != *benchPages || ours.twice > 0 {
			b.Errorf("%d pages, %d of them twice", ours.pages, ours.twice)
		}
		if _, err := osexec.LookPath("wget"); err != nil {
			continue
		}
		cmd := osexec.Command("wget", "-q", "-r", "-l", "inf", "--warc-file=bench", site+"/")
		cmd.Dir = dir
		wget := measure(b, site, cmd)
		wget.report(b, "wget-")
		b.ReportMetric(ours.cpu/wget.cpu, "cpu/wget")
		b.ReportMetric(ours.rate/wget.rate, "speed/wget")
		os.RemoveAll(dir)
	}
}

var benchHostsMany = flag.Int("crawlhosts", 2_000, "how many hosts BenchmarkHosts asks")

// BenchmarkHosts crawls many hosts on this machine with 800 workers, one request a
// second to each at most. It tells of memory, of pages a second, of requests that
// came to a host too soon, and how much of the workers was idle while hosts were
// ready, as the servers see it: on the way to them and back a worker is idle too.
//
//	go test ./repl -run - -bench BenchmarkHosts -benchtime 1x -crawlhosts 50000
func BenchmarkHosts(b *testing.B) {
	const delay, workers = time.Second, 800
	for b.Loop() {
		home := startBenchServer(b, "benchhosts", fmt.Sprint(*benchHostsMany), delay.String(), fmt.Sprint(workers))
		cmd := osexec.Command("infomall", "-a", filepath.Join(b.TempDir(), "archive"), "-c",
			fmt.Sprintf("CRAWL '%s' WITHIN '*' WORKERS %d DELAY %s ALLOW PRIVATE AS hosts", home, workers, delay))
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		seconds := time.Since(start).Seconds()
		var pages, failures, most int
		var idle, full float64
		readStats(b, home+"stats", &pages, &failures, &most, &idle, &full)
		b.ReportMetric(float64(pages)/seconds, "pages/s")
		b.ReportMetric(cpuOf(cmd)*1000/float64(pages), "cpu-ms/page")
		b.ReportMetric(peakMemory(cmd)/1e6, "MB")
		b.ReportMetric(float64(failures), "violations")
		b.ReportMetric(float64(most), "at-once")
		b.ReportMetric(idle, "idle-%")
		b.ReportMetric(full, "full-s")
		if want := *benchHostsMany + (*benchHostsMany+3)/4; pages != want || failures > 0 || most > workers {
			b.Errorf("%d pages, want %d; %d requests too soon; %d at once", pages, want, failures, most)
		}
	}
}

// measured is what a crawl took.
type measured struct {
	pages, twice int     // that were asked for
	rate         float64 // pages a second
	cpu          float64 // seconds a thousand pages
	memory       float64 // bytes at most
}

func (m measured) report(b *testing.B, name string) {
	b.ReportMetric(m.rate, name+"pages/s")
	b.ReportMetric(m.cpu, name+"cpu-ms/page")
	b.ReportMetric(m.memory/1e6, name+"MB")
}

// startBenchServer has a process of its own serve what is to be crawled, and gives
// the URL that it prints.
func startBenchServer(b *testing.B, name string, args ...string) string {
	b.Helper()
	cmd := osexec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// measure runs a program that crawls the site.
func measure(b *testing.B, site string, cmd *osexec.Cmd) (m measured) {
	b.Helper()
	start := time.Now()
	out, err := cmd.CombinedOutput()
	seconds := time.Since(start).Seconds()
	if code := cmd.ProcessState.ExitCode(); err != nil && (cmd.Args[0] != "wget" || code != 8) { // 8: a page was not there
		b.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	var other int
	readStats(b, site+"/stats", &m.pages, &m.twice, &other)
	m.rate = float64(m.pages) / seconds
	m.cpu = cpuOf(cmd) * 1000 / float64(m.pages)
	m.memory = peakMemory(cmd)
	return m
}

// readStats reads what a server tells of its visitors.
func readStats(b *testing.B, url string, into ...any) {
	b.Helper()
	res, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), into...); err != nil {
		b.Fatalf("%q: %v", text, err)
	}
}

// cpuOf is the CPU time that a program which has ended used.
func cpuOf(cmd *osexec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// peakMemory is how many bytes of a program that has ended were in memory at most.
func peakMemory(cmd *osexec.Cmd) float64 {
	n := float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" {
		return n // which counts bytes
	}
	return n * 1024
}

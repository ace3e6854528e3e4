//go:build unix

package frontier

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/store/disk"
	"infomall/store/record"
)

var (
	urlsMany  = flag.Int("urls", 1_000_000, "how many URLs BenchmarkMillion queues")
	scattered = flag.Bool("scattered", false, "whether each URL that BenchmarkMillion queues is of another host than the one before")
)

// The size of the frontier in BenchmarkMillion: its URLs, their hosts, and how
// many URLs are out at a time.
const (
	millionHosts = 1000
	millionOut   = 100
	millionPage  = 20     // URLs that a page leads to, all of one host
	millionTaken = 50_000 // URLs that are taken out and measured
)

// BenchmarkMillion queues a million URLs of a thousand hosts in the order in
// which a crawl finds them, opens the frontier again as after a restart, and
// then takes out and finishes URLs while others are added.
//
// It reports the URLs queued per second, the duration of the restart, the
// duration of Next (the 99th percentile, and the longest, which loads heads of
// queues), and the memory with all mapped pages of the database. That is 202 MB
// if each URL has another host than the previous one; a restart reads 100 MB of
// it.
//
//	go test ./crawl/frontier -run - -bench BenchmarkMillion -benchtime 1x
func BenchmarkMillion(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // as while the program crawls
	for b.Loop() {
		dir := b.TempDir()
		f, q := openFrontier(b, dir)
		start := time.Now()
		for i := range *urlsMany {
			addMany(b, f, i)
			if q.Full() {
				check(b, q.Commit())
			}
		}
		check(b, q.Commit())
		b.ReportMetric(float64(*urlsMany)/time.Since(start).Seconds(), "adds/s")
		check(b, q.Close())

		start = time.Now()
		f, q = openFrontier(b, dir)
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "restart-ms")

		took := takeMany(b, f, q)
		check(b, q.Close())
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e6, "next-p99-ms")
		b.ReportMetric(float64(took[len(took)-1].Nanoseconds())/1e6, "next-max-ms")
		b.ReportMetric(memoryMax(b)/1e6, "MB")
	}
}

// takeMany takes URLs out, several at a time, finishes each and adds another
// one. It returns how long each call of Next took.
func takeMany(b *testing.B, f *Frontier, q *state.Crawl) (took []time.Duration) {
	var out []report.Queued
	now := time.Now()
	for i := range millionTaken {
		begun := time.Now()
		u, _, ok, err := f.Next(now)
		took = append(took, time.Since(begun))
		check(b, err)
		if !ok {
			b.Fatal("nothing is next")
		}
		if out = append(out, u); len(out) == millionOut {
			check(b, f.Release(out[0].Host, time.Time{}))
			check(b, f.Done(&out[0]))
			out = out[1:]
			addMany(b, f, *urlsMany+i)
		}
		if i%256 == 255 || q.Full() {
			check(b, q.Commit())
		}
	}
	return took
}

func openFrontier(b *testing.B, dir string) (*Frontier, *state.Crawl) {
	q, err := state.Open(disk.OS, dir)
	check(b, err)
	f, err := New(q)
	check(b, err)
	return f, q
}

// addMany adds the i-th URL.
func addMany(b *testing.B, f *Frontier, i int) {
	page := i / millionPage
	at := page
	if *scattered {
		at = i
	}
	host := fmt.Sprintf("www.h%d.example", at*7919%millionHosts)
	added, err := f.Add(report.Queued{
		URL: fmt.Sprintf("http://%s/section-%d/article-%d.html", host, i*31%37, i), Host: host, Priority: uint64(page % 7),
		Layer: page % 7, Via: fmt.Sprintf("http://%s/section-%d/article-%d.html", host, page%37, page), Due: record.NoTime,
	})
	check(b, err)
	if !added {
		b.Fatalf("URL %d was met before", i)
	}
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// memoryMax returns the largest amount of memory that the process has used, in
// bytes.
func memoryMax(b *testing.B) float64 {
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	if runtime.GOOS == "darwin" {
		return float64(u.Maxrss)
	}
	return float64(u.Maxrss) * 1024
}

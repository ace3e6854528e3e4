package exec_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
	"infomall/lang"
	"infomall/store/record"
)

// manyCaptures makes n captures of urls URLs on a tenth as many hosts.
func manyCaptures(n, urls int) *relationtest.Archive {
	r := rand.New(rand.NewPCG(2008, 6))
	captures := make([]relationtest.Capture, n)
	for i := range captures {
		u := r.IntN(urls)
		captures[i] = relationtest.Capture{
			URL:    fmt.Sprintf("http://h%d.cn/%d", u%(urls/10+1), u),
			Time:   modelStart + record.Time(r.IntN(90))*day1,
			Status: []int{200, 200, 200, 404, 500}[r.IntN(5)],
			Mime:   []string{html, "text/plain", ""}[r.IntN(3)],
			Body:   "xyz"[:r.IntN(3)],
		}
	}
	return relationtest.New(captures...)
}

// TestSpill asks what must hold rows with memory for all, some and none of them:
// the answers are the same, and no file is left behind.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	a := manyCaptures(700, 150)
	for _, src := range []string{
		"SELECT url, time FROM captures ORDER BY status DESC, mime NULLS FIRST, time DESC",
		"SELECT url, time FROM captures ORDER BY status LIMIT 20000",
		"SELECT DISTINCT host, status FROM captures",
		"SELECT DISTINCT host FROM captures ORDER BY host DESC",
		"SELECT host, status, count(*), sum(bytes), avg(bytes), min(time), max(url) FROM captures GROUP BY host, status",
		"SELECT mime, count(DISTINCT url), count(DISTINCT host), sum(DISTINCT bytes), min(DISTINCT time) FROM captures GROUP BY mime",
		"SELECT count(DISTINCT url), count(*) FROM captures",
		"SELECT count(*) FROM captures HAVING count(*) > 5",
		"SELECT url, max(time), count(*) FROM captures GROUP BY url HAVING count(*) > 5",
		"SELECT mime, bytes, digest, count(mime) FROM captures GROUP BY mime, bytes, digest HAVING max(bytes) > 1 AND digest NOT LIKE 'a%'",
		"SELECT * FROM hosts",
	} {
		s := newSession(archive{a})
		want, _, err := ask(s, src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for _, memory := range []int64{100_000, 10_000, 1} {
			s.Settings().MemoryBytes = memory
			got, _, err := ask(s, src)
			if err != nil || got != want {
				t.Errorf("%s with %d bytes: got %d lines, error %v; want %d lines, or they differ",
					src, memory, strings.Count(got, "\n"), err, strings.Count(want, "\n"))
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got files %v, error %v; want none", left, err)
	}
}

// TestDistinctCounts compares with counting by hand.
func TestDistinctCounts(t *testing.T) {
	s := newSession(archive{manyCaptures(500, 50)})
	rows, _, err := ask(s, "SELECT host, status, url FROM captures")
	if err != nil {
		t.Fatal(err)
	}
	urls, distinct := map[string]bool{}, map[string]bool{}
	for _, line := range strings.Split(strings.TrimSuffix(rows, "\n"), "\n")[1:] {
		f := strings.Split(line, "|")
		urls[f[2]] = true
		distinct[f[0]+"|"+f[1]] = true
	}
	got, _, err := ask(s, "SELECT count(DISTINCT url) FROM captures")
	if want := fmt.Sprintf("count(DISTINCT url)\n%d\n", len(urls)); err != nil || got != want {
		t.Errorf("got %q, error %v; want %q", got, err, want)
	}
	got, _, err = ask(s, "SELECT DISTINCT host, status FROM captures")
	if n := strings.Count(got, "\n") - 1; err != nil || n != len(distinct) {
		t.Errorf("got %d rows, error %v; want %d", n, err, len(distinct))
	}
	for _, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n")[1:] {
		if !distinct[line] {
			t.Errorf("row %q stands in no capture, or twice", line)
		}
		delete(distinct, line)
	}
}

// BenchmarkQuery measures statements over captures in memory, by row. The
// archive's own share is that of the first.
func BenchmarkQuery(b *testing.B) {
	const rows = 200_000
	a := &batches{manyCaptures(rows, 20_000), map[scanKind][]*record.Batch{}}
	runtime.GC()
	for _, c := range []struct{ name, src string }{
		{"count", "SELECT count(*) FROM captures"},
		{"filter", "SELECT count(*) FROM captures WHERE status = 200 AND mime = 'text/html'"},
		{"group-host", "SELECT host, count(*) FROM captures GROUP BY host"},
		{"group-mime", "SELECT mime, count(*), sum(bytes) FROM captures GROUP BY mime"},
		{"versions", "SELECT count(*) FROM versions"},
		{"latest", "SELECT count(*) FROM versions LATEST"},
		{"pages", "SELECT count(*) FROM pages"},
		{"distinct", "SELECT count(DISTINCT url) FROM captures"},
		{"top", "SELECT url, time FROM captures ORDER BY time DESC LIMIT 10"},
		{"sort", "SELECT url, time FROM captures ORDER BY time DESC LIMIT 1000000"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newSession(a)
			st, err := lang.ParseOne(c.src, "")
			if err != nil {
				b.Fatal(err)
			}
			run := func() {
				res, err := s.Run(b.Context(), st)
				if err == nil {
					err = drain(res)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			run() // makes the batches
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

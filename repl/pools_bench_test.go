package repl

import (
	"bytes"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"testing"
)

// What BenchmarkPools asks: pages of a few hosts, each captured in every month.
const (
	benchPools     = 120
	benchPoolPages = 40
)

// BenchmarkPools asks for the captures of one URL, with no clause of time, in an
// archive of 120 sealed pools: a process from its start to its end.
//
// The bar is 60 ms. With 300 pages a month, not 40, and nothing else on the
// machine, 40 processes took 20 ms (median) and 30 ms (p95), and 20 ms of CPU time.
func BenchmarkPools(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "archive")
	cpu := 0.0 // seconds of the processes
	run := func(statements string) []byte {
		cmd := osexec.Command("infomall", "-a", dir, "--yes", "--format", "csv", "--no-header", "-c", statements)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("%.200s: %v", statements, err)
		}
		cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		return out
	}
	name, seal := filepath.Join(b.TempDir(), "in.warc"), ""
	var text bytes.Buffer
	for i := range benchPools {
		year, month := 2005+i/12, 1+i%12
		for n := range benchPoolPages {
			page := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Page %d has a text,</p><p>and one of time %d.</p>", n, i/(1+n%7))
			fmt.Fprintf(&text, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h%d.example/p%d\r\nWARC-Date: %d-%02d-05T10:00:%02dZ\r\n"+
				"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", n%5, n, year, month, n, len(page), page)
		}
		seal += fmt.Sprintf("SEAL POOL '%d%02d';", year, month)
	}
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		b.Fatal(err)
	}
	run(fmt.Sprintf("IMPORT '%s';", name) + seal)
	cpu = 0
	for b.Loop() {
		out := run("SELECT url, time, status FROM captures IN 'http://h3.example/p23'")
		if got := bytes.Count(out, []byte("\n")); got != benchPools {
			b.Fatalf("%d captures, want %d", got, benchPools)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms/process")
	b.ReportMetric(cpu*1000/float64(b.N), "cpu-ms/process")
}

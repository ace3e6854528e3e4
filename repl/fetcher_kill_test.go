package repl

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"infomall/exec/session"
	"infomall/exec/worker/natstest"
)

// fetchersKilled is how many faults TestFetchersAreKilled makes.
var fetchersKilled = flag.Int("faults.fetchers", 0, "how often a process of a crawl by several, or a NATS node, is killed or stopped")

// hastyLease is the lease of the program hasty.
const hastyLease = 3 * time.Second

// hasty runs the program with a short lease in a crawl of several processes.
func hasty() {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	p.openArchive = func(path string, warn func(error)) (session.Archive, io.Closer, error) {
		a, c := openStore(path, warn)
		j := a.(archive)
		j.lease = hastyLease
		return j, c, nil
	}
	os.Exit(p.main(context.Background(), os.Args[1:]))
}

// loopbackHosts is a web of hosts 127.0.0.1, 127.0.0.2 and so on. It notes whether a host
// was asked too soon.
type loopbackHosts struct {
	t            *testing.T
	hosts, pages int
	port         int
	delay        time.Duration

	mu    sync.Mutex
	asked map[string]int
	last  map[string]time.Time // when the last request came, or its response was sent
	soon  int
}

func (w *loopbackHosts) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	w.mu.Lock()
	if since := time.Since(w.last[host]); since < w.delay {
		w.soon++
		w.t.Errorf("%s%s is asked for %v after the request before", host, r.URL.Path, since)
	}
	w.last[host] = time.Now()
	w.asked[host+r.URL.Path]++
	w.mu.Unlock()
	var h, p int
	fmt.Sscanf(host, "127.0.0.%d", &h)
	if n, _ := fmt.Sscanf(r.URL.Path, "/%d", &p); n != 1 || p >= w.pages {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(out, "<title>Page %d</title><p>This is page %s of host %s.", p, inWords(p), inWords(h))
	for _, to := range []int{2*p + 1, 2*p + 2} {
		if to < w.pages {
			fmt.Fprintf(out, "<a href=/%d>page</a> ", to)
		}
	}
	fmt.Fprintf(out, "<a href=http://127.0.0.%d:%d/%d>host</a>", h%w.hosts+1, w.port, p)
	w.mu.Lock()
	w.last[host] = time.Now()
	w.mu.Unlock()
}

// TestFetchersAreKilled kills processes of a crawl by several, and starts them again, or
// stops them for longer than their lease; and it kills nodes of the NATS cluster. All
// pages must then be in one of the archives, few of them twice, and no host may have been
// asked too soon.
func TestFetchersAreKilled(t *testing.T) {
	if *fetchersKilled == 0 {
		t.Skip("-faults.fetchers=n makes n faults")
	}
	const fetchers, workers = 3, 4
	w := &loopbackHosts{t: t, hosts: 12, pages: 40 + 25**fetchersKilled, delay: 50 * time.Millisecond, asked: make(map[string]int), last: make(map[string]time.Time)}
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	w.port = listener.Addr().(*net.TCPAddr).Port
	server := &http.Server{Handler: w}
	go server.Serve(listener)
	defer server.Close()
	cluster := natstest.Start(t, 3)
	dir := t.TempDir()
	archiveOf := func(i int) string { return filepath.Join(dir, fmt.Sprintf("archive%d", i)) }
	var within []string
	for h := range w.hosts {
		within = append(within, fmt.Sprintf("'127.0.0.%d'", h+1))
	}
	statement := fmt.Sprintf("CRAWL 'http://127.0.0.1:%d/0' WITHIN %s WORKERS %d DELAY %s ALLOW PRIVATE TRAPS OFF ON '%s' AS many", w.port, strings.Join(within, ", "), workers, "50ms", cluster.URLs())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	processes := make([]*exec.Cmd, fetchers)
	logs := make([]bytes.Buffer, fetchers)
	start := func(i int) {
		cmd := exec.CommandContext(ctx, "hasty", "-a", archiveOf(i), "--fetcher", cluster.URLs())
		cmd.Stderr = &logs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes[i] = cmd
	}
	main := exec.CommandContext(ctx, "hasty", "-a", filepath.Join(dir, "main"), "-c", statement)
	var out bytes.Buffer
	main.Stdout, main.Stderr = &out, &out
	if err := main.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- main.Wait() }()
	for i := range fetchers {
		start(i)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	kills, stops, nodes := 0, 0, 0
	var result error
	over := false
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case result = <-ended:
			over = true
		}
	}
	for n := 0; n < *fetchersKilled && !over; n++ {
		wait(time.Duration(random.Int64N(int64(2 * hastyLease))))
		i := random.IntN(fetchers)
		switch k := random.IntN(4); {
		case over:
		case k < 2:
			processes[i].Process.Kill()
			processes[i].Wait()
			kills++
			wait(time.Duration(random.Int64N(int64(2 * hastyLease))))
			start(i)
		case k == 2:
			processes[i].Process.Signal(syscall.SIGSTOP)
			stops++
			wait(hastyLease + time.Duration(random.Int64N(int64(hastyLease))))
			processes[i].Process.Signal(syscall.SIGCONT)
		default:
			cluster.Kill(i)
			nodes++
			wait(time.Duration(random.Int64N(int64(2 * hastyLease))))
			cluster.Restart(i)
		}
	}
	if !over {
		select {
		case result = <-ended:
		case <-time.After(10 * time.Minute):
			t.Error("the crawl does not end")
			main.Process.Kill()
			<-ended
		}
	}
	t.Logf("processes killed: %d, stopped: %d, nodes killed: %d; %v\n%s", kills, stops, nodes, result, out.String())
	if result != nil {
		t.Errorf("the statement ends with %v", result)
	}
	for i, p := range processes {
		p.Process.Signal(os.Interrupt)
		p.Wait()
		t.Logf("process %d: %s", i, logs[i].String())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	twice := 0
	for _, n := range w.asked {
		twice += n - 1
	}
	if most := (kills + stops) * outMax; twice > most {
		t.Errorf("%d pages are asked for again, want at most %d", twice, most)
	}
	stored := make(map[string]bool)
	for _, a := range append([]string{filepath.Join(dir, "main")}, archiveOf(0), archiveOf(1), archiveOf(2)) {
		if !exists(a) {
			continue
		}
		list, err := exec.Command("infomall", "-a", a, "--format", "csv", "--no-header", "-c", "SELECT url FROM captures WHERE kind = 'page' AND status = 200").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, list)
		}
		for url := range strings.Lines(string(list)) {
			stored[strings.TrimSpace(url)] = true
		}
		if out, err := exec.Command("infomall", "-a", a, "-c", "VERIFY").CombinedOutput(); err != nil {
			t.Errorf("VERIFY: %v\n%s", err, out)
		}
	}
	if want := w.hosts * w.pages; len(stored) != want {
		t.Errorf("%d pages are stored, want %d", len(stored), want)
	}
	t.Logf("%d pages, asked for again: %d, too soon: %d", len(stored), twice, w.soon)
}

// exists reports whether there is a file or folder at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

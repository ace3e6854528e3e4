package repl

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// killed is how often TestCrawlIsKilled kills a crawl.
const killed = 12

// outMax is how many pages a crawl may have fetched and not acknowledged when it
// is killed: those of a batch, and one for each worker.
const outMax = 256 + 16

// TestCrawlIsKilled kills a crawl at random moments and runs it again until it
// comes to its end. Every page is then in the archive, what was acknowledged is
// not asked for again, and nothing is left behind.
func TestCrawlIsKilled(t *testing.T) {
	const pages = 3000
	var mu sync.Mutex
	asked := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		var n int
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %d</title><p>This is the page with number %d, and not another.</p>", n, n)
		for _, to := range []int{2*n + 1, 2*n + 2} {
			if to < pages {
				fmt.Fprintf(w, "<a href=/%d>page %d</a>\n", to, to)
			}
		}
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "archive")
	run := func(args ...string) *exec.Cmd {
		return exec.Command("infomall", append([]string{"-a", dir, "--format", "csv", "--no-header"}, args...)...)
	}
	statement := fmt.Sprintf("CRAWL '%s/0' DELAY 0s ALLOW PRIVATE AS k", server.URL)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	twice, acknowledged := 0, map[string]bool{}
	for range killed {
		cmd := run("-c", statement)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(200 * time.Millisecond))))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		ended := cmd.Wait() == nil
		mu.Lock()
		for path := range acknowledged {
			if asked[path] > 1 && path != "/robots.txt" {
				twice++
			}
		}
		clear(asked)
		mu.Unlock()
		state, _ := run("-c", "SELECT state FROM crawls").Output()
		if ended || strings.Contains(string(state), "finished") {
			break // before it was killed
		}
		out, err := run("-c", "SELECT path(url) FROM fetches WHERE outcome = 'ok'").Output()
		if err != nil {
			continue // killed before the archive was there
		}
		mu.Lock() // for requests of the killed process that are still answered
		for path := range strings.Lines(string(out)) {
			path = strings.TrimSpace(path)
			acknowledged[path] = true
			asked[path] = 1
		}
		mu.Unlock()
	}
	if state, _ := run("-c", "SELECT state FROM crawls").Output(); !strings.Contains(string(state), "finished") {
		if out, err := run("-c", statement).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	mu.Lock()
	for path := range acknowledged {
		if asked[path] > 1 {
			twice++
		}
	}
	mu.Unlock()
	if twice > 0 {
		t.Errorf("%d pages were asked for again that had been acknowledged", twice)
	}
	for _, c := range []struct{ query, want string }{
		{"SELECT count(DISTINCT url) FROM captures WHERE kind = 'page'", fmt.Sprint(pages)},
		{"SELECT count(*) FROM frontier", "0"},
		{"SELECT state FROM crawls", "finished"},
	} {
		out, err := run("-c", c.query).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.query, got, err, c.want)
		}
	}
	out, err := run("-c", "SELECT count(*) FROM captures WHERE kind = 'page'").Output()
	var captures int
	fmt.Sscan(string(out), &captures)
	if err != nil || captures > pages+killed*outMax {
		t.Errorf("%d captures of %d pages, %v: more than were under way", captures, pages, err)
	}
	t.Logf("%d captures of %d pages, killed %d times", captures, pages, killed)
	if out, err := run("-c", "VERIFY").CombinedOutput(); err != nil {
		t.Errorf("VERIFY: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "journal", "*")); len(left) > 0 {
		t.Errorf("journals are left: %v", left)
	}
}

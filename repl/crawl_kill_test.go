package repl

import (
	"flag"
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
var killed = flag.Int("faults.crawls", 12, "how often a crawl is killed")

// outMax is how many pages a crawl may have fetched and not acknowledged when
// it is killed: the pages of a batch, and one per worker.
const outMax = 256 + 16

// killAfter is the maximum number of responses that a crawl gets before it is
// killed.
const killAfter = 300

// TestCrawlIsKilled kills a crawl at random moments, also while it starts, and
// runs it again until it finishes. Every page must then be in the archive, no
// acknowledged page may be requested again, and no temporary file may remain.
func TestCrawlIsKilled(t *testing.T) {
	pages := killAfter * *killed * 2 / 3
	var mu sync.Mutex
	asked := make(map[string]int)
	answers, deadly := 0, -1 // now is closed after deadly answers
	now := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		if answers++; answers == deadly {
			close(now)
		}
		mu.Unlock()
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		var n int
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %d</title><p>This is the page with number %d, which is %s in words.</p>", n, n, inWords(n))
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
	twice, kills, acknowledged := 0, 0, map[string]bool{}
	for range *killed {
		after := random.IntN(killAfter)
		mu.Lock()
		answers, deadly, now = 0, after, make(chan struct{})
		moment := now
		mu.Unlock()
		cmd := run("-c", statement)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		wait := time.Duration(random.Int64N(int64(20 * time.Millisecond)))
		late := time.Minute
		if after%8 == 0 {
			moment, late = nil, 2*wait // while it starts
		}
		select {
		case <-moment:
			time.Sleep(wait) // a moment between two answers
		case <-time.After(late):
		case err := <-ended:
			ended <- err
		}
		cmd.Process.Kill()
		err := <-ended
		mu.Lock()
		for path := range acknowledged {
			if asked[path] > 1 && path != "/robots.txt" {
				twice++
			}
		}
		clear(asked)
		mu.Unlock()
		out, failed := run("-c", "SELECT path(url) FROM fetches WHERE outcome = 'ok' UNION ALL SELECT state FROM crawls").Output()
		if err == nil || strings.Contains(string(out), "finished") {
			break // before it was killed
		}
		kills++
		if failed != nil {
			continue // killed before the archive was there
		}
		mu.Lock() // for requests of the killed process that are still answered
		for path := range strings.Lines(string(out)) {
			if path = strings.TrimSpace(path); strings.HasPrefix(path, "/") {
				acknowledged[path] = true
				asked[path] = 1
			}
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
	if err != nil || captures > pages+kills*outMax {
		t.Errorf("%d captures of %d pages, %v: more than were under way", captures, pages, err)
	}
	t.Logf("%d captures of %d pages, killed %d times", captures, pages, kills)
	if kills < *killed*3/4 {
		t.Errorf("it came to its end after it was killed %d times, and was to be killed %d times", kills, *killed)
	}
	if out, err := run("-c", "VERIFY").CombinedOutput(); err != nil {
		t.Errorf("VERIFY: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "journal", "*")); len(left) > 0 {
		t.Errorf("journals are left: %v", left)
	}
}

// inWords returns a number written in letters. Pages that differ in numbers
// only would count as a trap.
func inWords(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

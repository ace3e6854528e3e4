package repl

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/crawl/render"
)

// TestRenderIsKilled kills a crawl with RENDER again and again, each time at a random answer
// of the server, and runs it until it finishes. The archive then has one capture of each
// page, of each part, and of each document after load, and no browser is left over.
func TestRenderIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	if _, err := render.Find(""); err != nil {
		t.Skip(err)
	}
	// A page takes two answers. There are so many pages that the crawl cannot finish before it
	// is killed for the last time.
	const answersMax = 12
	kills := max(2, *killed/4)
	pages := 8 * kills
	var mu sync.Mutex
	answers, deadly := 0, -1
	moment := make(chan struct{}) // closed after deadly answers
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if answers++; answers == deadly {
			close(moment)
		}
		mu.Unlock()
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/text-%d", &n); err == nil {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `"This text of page %s came by a script, as that of page %s did."`, inWords(n), inWords(n+1))
			return
		}
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %s</title><p id=p></p><script>fetch('text-%d').then(r => r.json()).then(x => p.textContent = x)</script>", inWords(n), n)
		for _, to := range []int{2*n + 1, 2*n + 2} {
			if to < pages {
				fmt.Fprintf(w, "<a href=/%d>page %s</a>\n", to, inWords(to))
			}
		}
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "archive")
	run := func(statement string) *exec.Cmd {
		return exec.Command("infomall", "-a", dir, "--format", "csv", "--no-header", "-c", "SET browser_sandbox = off; "+statement)
	}
	crawl := fmt.Sprintf("CRAWL '%s/0' DELAY 0s ALLOW PRIVATE RENDER AS k", server.URL)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range kills {
		now := make(chan struct{})
		mu.Lock()
		answers, deadly, moment = 0, 1+random.IntN(answersMax), now
		mu.Unlock()
		cmd := run(crawl)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.WaitDelay = time.Minute // for processes of the browser, which have the same outputs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-now:
		case err := <-ended:
			t.Fatalf("the crawl ended before it was killed: %v\n%s", err, out.Bytes())
		}
		cmd.Process.Kill()
		<-ended
	}
	if out, err := run(crawl).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := run("SELECT url, count(*) FROM captures WHERE status = 200 OR url LIKE 'dom:%' GROUP BY url").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]string)
	for _, row := range list {
		counts[row[0]] = row[1]
	}
	for n := range pages {
		page := fmt.Sprintf("%s/%d", server.URL, n)
		for _, u := range []string{page, fmt.Sprintf("%s/text-%d", server.URL, n), "dom:" + page} {
			if counts[u] != "1" {
				t.Errorf("the archive has %q captures of %s, want 1", counts[u], u)
			}
		}
	}
	if len(counts) != 3*pages {
		t.Errorf("the archive has %d URLs, want %d", len(counts), 3*pages)
	}
	for browsersOf(dir) > 0 { // they end by themselves after the process that was killed; the limit of go test reports one that does not
		time.Sleep(10 * time.Millisecond)
	}
}

// browsersOf returns how many processes of browsers run whose profile is in dir. It returns 0
// on a system without the folder /proc.
func browsersOf(dir string) (n int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if args, err := os.ReadFile(name); err == nil && strings.Contains(string(args), "--user-data-dir="+dir) {
			n++
		}
	}
	return n
}

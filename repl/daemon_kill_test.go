package repl

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDaemonIsKilled kills a daemon while a scheduled crawl waits for a server.
// Its job is then interrupted. The next daemon, of which there is only one,
// runs the job once more, and the crawl resumes.
func TestDaemonIsKilled(t *testing.T) {
	const pages = 20
	var mu sync.Mutex
	asked := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		n := asked[r.URL.Path]
		mu.Unlock()
		if r.URL.Path == "/last" && n == 1 {
			<-r.Context().Done() // until the daemon is killed
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><p>This page is called %[1]s, and there is no other of that name.</p>", r.URL.Path)
		if r.URL.Path == "/" {
			for i := range pages {
				fmt.Fprintf(w, "<a href=/%d>a page</a>", i)
			}
			fmt.Fprint(w, "<a href=/last>the last</a>")
		}
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "archive")
	run := func(args ...string) *exec.Cmd {
		return exec.Command("infomall", append([]string{"-a", dir, "--format", "csv", "--no-header", "-c"}, args...)...)
	}
	ask := func(query string) string {
		out, err := run(query).Output()
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		return strings.TrimSpace(string(out))
	}
	await := func(query, want string) {
		t.Helper()
		got := ""
		for end := time.Now().Add(patience); time.Now().Before(end); {
			if got = ask(query); got == want {
				return
			}
		}
		t.Fatalf("%s: %s, want %s", query, got, want)
	}
	start := func() *exec.Cmd {
		cmd := exec.Command("infomall", "-a", dir, "--daemon")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill() })
		return cmd
	}
	ask(fmt.Sprintf("SCHEDULE visit EVERY 7d AS CRAWL '%s/' DELAY 0s IGNORE ROBOTS ALLOW PRIVATE AS site", server.URL))

	killed := start()
	await("SELECT count(*) FROM fetches WHERE outcome = 'ok'", fmt.Sprint(pages+1))
	await("SELECT url ~ 'last' FROM workers WHERE step <> 'idle'", "true")
	if got := ask("SELECT name, state, scheduled FROM jobs; SELECT state FROM schedules"); got != "visit,running,true\n\nrunning" {
		t.Errorf("while it runs: %s", got)
	}
	if out, err := run("RUN SCHEDULE visit").CombinedOutput(); err == nil || !strings.Contains(string(out), "schedule visit: process ") {
		t.Errorf("run a second time: %v, %s", err, out)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait()
	if got := ask("SELECT name, state FROM jobs; SELECT state FROM schedules; SELECT state FROM crawls"); got != "visit,interrupted\n\ndue\n\ninterrupted" {
		t.Errorf("after it was killed: %s", got)
	}

	// It is due, and runs once, though two would run it.
	next := start()
	await("SELECT count(*) FROM jobs WHERE state = 'done'", "1")
	other := exec.Command("infomall", "-a", dir, "--daemon")
	if out, err := other.CombinedOutput(); err == nil || !strings.Contains(string(out), "an archive has one daemon") {
		t.Errorf("a second daemon: %v, %s", err, out)
	}
	if err := next.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := next.Wait(); err != nil {
		t.Errorf("the daemon ends with %v", err)
	}
	if got := ask("SELECT state, rows FROM jobs ORDER BY id; SELECT state, next_run > NOW FROM schedules; SELECT state, fetched FROM crawls"); got != fmt.Sprintf("interrupted,\ndone,%d\n\nwaiting,true\n\nfinished,%[1]d", pages+2) {
		t.Errorf("in the end: %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	for path, n := range asked {
		if want := map[bool]int{false: 1, true: 2}[path == "/last"]; n != want {
			t.Errorf("%s was asked for %d times, want %d", path, n, want)
		}
	}
	if len(asked) != pages+2 {
		t.Errorf("%d pages were asked for, want %d", len(asked), pages+2)
	}
}

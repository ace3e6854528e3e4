package repl

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"infomall/exec/worker/natstest"
)

// TestFetcher shows that --fetcher takes part in a crawl with the settings of the process
// that began it, that the relation crawls shows the part of each process, that orders
// reach the crawl and not a part, and that a fetcher ends well.
func TestFetcher(t *testing.T) {
	w := &loopbackHosts{t: t, hosts: 6, pages: 8, asked: make(map[string]int), last: make(map[string]time.Time)}
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	w.port = listener.Addr().(*net.TCPAddr).Port
	agents := make(map[string]bool)
	server := &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		agents[r.UserAgent()] = true
		w.mu.Unlock()
		w.ServeHTTP(out, r)
	})}
	go server.Serve(listener)
	defer server.Close()
	url := natstest.Start(t, 1).URLs()
	mine, other := t.TempDir()+"/a", t.TempDir()+"/b"
	fetcher := exec.Command("hasty", "-a", other, "--fetcher", url)
	said, err := fetcher.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := fetcher.Start(); err != nil {
		t.Fatal(err)
	}
	log := make(chan string)
	go func() {
		var all strings.Builder
		b := make([]byte, 4096)
		for {
			n, err := said.Read(b)
			all.Write(b[:n])
			if err != nil {
				log <- all.String()
				return
			}
		}
	}()
	run := func(dir, text string) (string, error) {
		out, err := exec.Command("hasty", "-a", dir, "--format", "csv", "--no-header", "-c", text).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	out, err := run(mine, fmt.Sprintf("SET agent = 'by many'; CRAWL 'http://127.0.0.1:%d/0' WITHIN '127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6' DELAY 0s ALLOW PRIVATE TRAPS OFF ON '%s' AS many", w.port, url))
	if err != nil || !strings.Contains(out, "48") {
		t.Errorf("the crawl says %s, %v, want 48 pages", out, err)
	}
	if len(agents) != 1 || !agents["by many"] {
		t.Errorf("the user agents are %v", agents)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, text, want string }{
		{mine, "SELECT name, state FROM crawls", "many@" + host + ",finished"},
		{mine, "STOP CRAWL many", "crawl many is finished"},
		{mine, "ADD 'http://127.0.0.1/' TO CRAWL many", "crawl many is finished"},
		{mine, `STOP CRAWL "many@` + host + `"`, "finished"},
		{mine, "STOP CRAWL few", "there are many"},
	} {
		if out, _ := run(c.dir, c.text); !strings.Contains(out, c.want) {
			t.Errorf("%s: %s, want %s", c.text, out, c.want)
		}
	}
	if err := fetcher.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	text := <-log
	if err := fetcher.Wait(); fetcher.ProcessState.ExitCode() != statusDone {
		t.Errorf("the fetcher ends with %v:\n%s", err, text)
	}
	if !strings.Contains(text, "takes part in the crawls of "+url) {
		t.Errorf("the fetcher says:\n%s", text)
	}
}

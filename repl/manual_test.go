package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestManual runs every example of the manual against the demo's captures.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../lang/LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir() // where the examples find queries/demo, and write
	if err := os.CopyFS(filepath.Join(work, "queries", "demo"), os.DirFS("../queries/demo")); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(work, "archive")
	run := func(t *testing.T, args ...string) string {
		cmd := exec.Command("infomall", append([]string{"-a", dir, "--yes"}, args...)...)
		cmd.Dir = work
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return string(out)
	}
	run(t, "-c", "IMPORT 'queries/demo/*.raw'")
	// Without a server the crawl of the examples is soon over, and takes no orders.
	over := strings.NewReplacer("PAUSE CRAWL", "EXPLAIN PAUSE CRAWL", "SET WORKERS", "EXPLAIN SET WORKERS")
	blocks := strings.Split(string(text), "```iql\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("the manual has no examples")
	}
	for _, block := range blocks {
		src, _, _ := strings.Cut(block, "```")
		t.Run(strings.SplitN(src, "\n", 2)[0], func(t *testing.T) {
			if out := run(t, "-c", over.Replace(src)); strings.TrimSpace(out) == "" {
				t.Errorf("it shows nothing:\n%s", src)
			}
		})
	}
}

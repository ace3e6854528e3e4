//go:build unix

package crawl

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"infomall/crawl/report"
)

// TestPipe shows that a crawl of local files does not wait for the writer of a named pipe.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<a href=pipe>pipe</a>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := newArchive(t)
	o := report.CrawlOptions{Name: "files", Statement: "CRAWL", Seeds: []string{fileScheme + filepath.ToSlash(dir)[1:] + "/index.html"}, Depth: -1, Agent: "infomall"}
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	if got, want := asked(t, a, "files"), "index.html pipe:unreachable"; got != want {
		t.Errorf("took up %s, want %s", got, want)
	}
}

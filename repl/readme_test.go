package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme runs what the README says to type: its statements and its calls
// of the program.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "archive")
	ran := 0
	for line := range strings.Lines(string(text)) {
		line, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		line = strings.TrimPrefix(line, "infomall> ")
		if !indented {
			continue
		}
		var cmd *exec.Cmd
		switch {
		case strings.HasPrefix(line, "./infomall "):
			cmd = exec.Command("sh", "-c", strings.TrimPrefix(line, "./"))
		case strings.HasSuffix(line, ";"):
			cmd = exec.Command("infomall", "-c", line)
		default:
			continue
		}
		ran++
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "INFOMALL_ARCHIVE="+dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || len(out) == 0 {
			t.Errorf("%s\ngave %d bytes and %v\n%s", line, len(out), err, stderr.String())
		}
	}
	if ran < 8 {
		t.Errorf("only %d lines of the README were found to run", ran)
	}
}

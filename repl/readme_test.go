package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme runs the README's statements and its calls of the program, in
// order, on one archive. Each must succeed and print something. A statement
// after a prompt must print exactly the lines below it; -update writes those
// lines.
func TestReadme(t *testing.T) {
	const name = "../README.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "archive")
	run := func(line string, cmd *exec.Cmd) string {
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "INFOMALL_ARCHIVE="+archive)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || len(out) == 0 {
			t.Errorf("%s\ngave %d bytes and %v\n%s", line, len(out), err, stderr.String())
		}
		return string(out)
	}
	// The README shows the first result before the call that imports its captures.
	run("IMPORT", exec.Command("infomall", "-c", "IMPORT 'queries/demo/*.raw'"))

	var written strings.Builder
	lines := strings.SplitAfter(string(text), "\n")
	ran, answers := 0, 0
	for i := 0; i < len(lines); i++ {
		written.WriteString(lines[i])
		line, indented := strings.CutPrefix(strings.TrimRight(lines[i], "\n"), "    ")
		if !indented {
			continue
		}
		if statement, ok := strings.CutPrefix(line, prompt); ok {
			got := run(line, exec.Command("infomall", "--format", "table", "-c", statement))
			var want strings.Builder
			for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    "); i++ {
				want.WriteString(strings.TrimPrefix(lines[i+1], "    "))
			}
			if want.String() != got && !*update {
				t.Errorf("%s\nprints\n%s\nand the README has\n%s", line, got, &want)
			}
			for row := range strings.Lines(got) {
				written.WriteString("    " + row)
			}
			answers++
		} else if call, ok := strings.CutPrefix(line, "./infomall "); ok {
			run(line, exec.Command("sh", "-c", "infomall "+call))
			ran++
		} else if strings.HasSuffix(line, ";") {
			run(line, exec.Command("infomall", "-c", line))
			ran++
		}
	}
	if ran < 6 || answers < 4 {
		t.Errorf("only %d lines and %d answers of the README were found to run", ran, answers)
	}
	if *update {
		if err := os.WriteFile(name, []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

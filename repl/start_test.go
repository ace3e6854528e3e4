package repl

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// startBytesMax is how many bytes our packages may allocate in all when they are initialized.
const startBytesMax = 400_000

// TestStart shows that our packages do little before the program starts. Each statement of a
// shell script starts the program, so tables and patterns are made when they are first used.
// With 1.1 million bytes, a start took a sixth more CPU time. The package repl does not count,
// because it has the variables of its tests here.
func TestStart(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sum, packages := 0, 0
	var large []string
	for line := range strings.Lines(string(out)) {
		var name string
		var at, took float64
		var bytes int
		// init infomall/exec/relation @176 ms, 9.2 ms clock, 66752 bytes, 309 allocs
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes", &name, &at, &took, &bytes); err != nil || !strings.HasPrefix(name, "infomall/") || name == "infomall/repl" {
			continue
		}
		packages++
		if sum += bytes; bytes > startBytesMax/20 {
			large = append(large, strings.TrimSpace(line))
		}
	}
	if packages < 50 {
		t.Fatalf("of our packages, %d are initialized, want at least 50:\n%s", packages, out)
	}
	if sum > startBytesMax {
		t.Errorf("our packages allocate %d bytes before the program starts, want at most %d; make tables at the first use, by sync.OnceValue:\n%s",
			sum, startBytesMax, strings.Join(large, "\n"))
	}
}

package repl

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// killStep is the distance of the system calls at which TestKilledBySignal kills a
// statement.
var killStep = flag.Int("faults.step", 5, "a statement is killed at one of so many system calls that change files")

// killedStatus is the exit status of killat if it has killed the program, and
// untracedStatus if it cannot trace programs here.
const (
	killedStatus   = 137
	untracedStatus = 99
)

// TestKilledBySignal kills the program at system calls of each statement that
// changes an archive. It goes through the calls that change files, in steps of
// -faults.step from a random first one, until the statement ends before the next one.
// With -faults.step=1 it tries all of them. After each kill the
// archive must be correct, its answers must be those before or after the statement,
// and running the statement again must complete it.
func TestKilledBySignal(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program some thousand times; not with -short")
	}
	if status, out := runKilled(1, "infomall", "--version"); status == untracedStatus {
		t.Skipf("programs cannot be traced here: %s", out)
	}
	demo, err := filepath.Abs("../queries/demo")
	if err != nil {
		t.Fatal(err)
	}
	imports := func(month string) string { return fmt.Sprintf("IMPORT '%s/%s.raw';", demo, month) }
	work := t.TempDir()
	before := filepath.Join(work, "0")
	infomall(t, before, imports("200806"))
	first := 1 + rand.IntN(*killStep)
	t.Logf("the first call is number %d", first)
	for i, statement := range []string{
		imports("200807"),
		imports("200808"),
		"MERGE POOL '200807';",
		"DELETE FROM 'www.lanshan.example/news' REASON 'a test' FOREVER;",
		"ALLOW 'www.lanshan.example/news';",
		"MERGE POOL '200806';",
		"REINDEX;",
		"DROP POOL '200808';",
	} {
		t.Run(statement, func(t *testing.T) {
			was := answers(t, before)
			after := filepath.Join(work, strconv.Itoa(i+1))
			copyArchive(t, before, after)
			infomall(t, after, statement)
			is := answers(t, after)
			killed := 0
			for at := 1 + (first+i)%*killStep; ; at += *killStep {
				dir := filepath.Join(t.TempDir(), "archive")
				copyArchive(t, before, dir)
				status, out := runKilled(at, "infomall", "--yes", "-a", dir, "-c", statement)
				if status == statusDone {
					break
				}
				if status != killedStatus {
					t.Fatalf("killed at call %d it ends with status %d:\n%s", at, status, out)
				}
				killed++
				infomall(t, dir, "VERIFY;")
				switch got := answers(t, dir); got {
				case is:
					continue
				case was:
				default:
					t.Errorf("killed at call %d it answers\n%s\nbefore it was\n%s\nafter it should be\n%s", at, got, was, is)
				}
				infomall(t, dir, statement)
				if got := answers(t, dir); got != is {
					t.Errorf("killed at call %d and run again it answers\n%s\nwant\n%s", at, got, is)
				}
			}
			if t.Logf("killed %d times", killed); killed < callsMin / *killStep {
				t.Errorf("killed %d times, at one of %d calls; want at least %d times", killed, *killStep, callsMin / *killStep)
			}
			before = after
		})
	}
}

// callsMin is fewer than the system calls that change files in any statement of
// TestKilledBySignal. The statement with the fewest makes 22.
const callsMin = 15

// runKilled runs a program that is killed at a system call, and returns the exit
// status of killat and what was printed.
func runKilled(at int, program ...string) (status int, out string) {
	cmd := exec.Command("killat", append([]string{strconv.Itoa(at)}, program...)...)
	printed, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return untracedStatus, err.Error()
	}
	return cmd.ProcessState.ExitCode(), string(printed)
}

// infomall runs a statement on an archive, in this process, and returns its output.
func infomall(t *testing.T, dir, statement string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	args := []string{"--yes", "-a", dir, "-c", statement}
	if status := Main(t.Context(), args, strings.NewReader(""), &stdout, &stderr, os.Getenv); status != 0 {
		t.Fatalf("%s: status %d\n%s%s", statement, status, &stdout, &stderr)
	}
	return stdout.String()
}

// answers returns what an archive answers about everything it holds.
func answers(t *testing.T, dir string) string {
	t.Helper()
	return infomall(t, dir, "SELECT url, time, change, digest FROM captures; SELECT url, time, op, topic FROM changes; SELECT entry, scope, reason FROM blocked;")
}

func copyArchive(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

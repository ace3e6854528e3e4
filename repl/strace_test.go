package repl

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// changing lists the system calls that change a file system.
const changing = "openat,write,pwrite64,ftruncate,fsync,fdatasync,renameat,renameat2,linkat,unlinkat,mkdirat"

// TestKilledBySignal kills the program at a random system call of each
// statement that changes an archive, if strace is installed. Afterwards the
// archive must be correct, its answers must be those before or after the
// statement, and running the statement again must complete it.
func TestKilledBySignal(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program some hundred times; not with -short")
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skipf("no strace: %v", err)
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "-e", "inject=fsync:signal=KILL:when=9999", "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v\n%s", err, out)
	}
	demo, err := filepath.Abs("../queries/demo")
	if err != nil {
		t.Fatal(err)
	}
	imports := func(month string) string { return fmt.Sprintf("IMPORT '%s/%s.raw';", demo, month) }
	work := t.TempDir()
	before := filepath.Join(work, "0")
	infomall(t, before, imports("200806"))
	r := rand.New(rand.NewPCG(13, 14))
	for i, statement := range []string{
		imports("200807"),
		imports("200808"),
		"MERGE POOL '200807';",
		"DELETE FROM 'www.lanshan.example/news' REASON 'a test';",
		"MERGE POOL '200806';",
		"REINDEX;",
		"DROP POOL '200808';",
	} {
		t.Run(statement, func(t *testing.T) {
			was := answers(t, before)
			after := filepath.Join(work, strconv.Itoa(i+1))
			copyArchive(t, before, after)
			trace := filepath.Join(t.TempDir(), "trace")
			run := exec.Command(strace, "-f", "-qq", "-o", trace, "-e", "trace="+changing, "infomall", "--yes", "-a", after, "-c", statement)
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			calls, err := os.ReadFile(trace)
			if err != nil {
				t.Fatal(err)
			}
			total := strings.Count(string(calls), "\n")
			is := answers(t, after)
			killed := 0
			for range 10 {
				dir := filepath.Join(t.TempDir(), "archive")
				copyArchive(t, before, dir)
				at := 1 + r.IntN(total)
				cmd := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+changing,
					"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", changing, at), "infomall", "--yes", "-a", dir, "-c", statement)
				if cmd.Run() != nil {
					killed++
				}
				infomall(t, dir, "VERIFY;")
				switch got := answers(t, dir); got {
				case is:
					continue
				case was:
				default:
					t.Errorf("killed at call %d of %d it answers\n%s\nbefore it was\n%s\nafter it should be\n%s", at, total, got, was, is)
				}
				infomall(t, dir, statement)
				if got := answers(t, dir); got != is {
					t.Errorf("killed at call %d of %d and run again it answers\n%s\nwant\n%s", at, total, got, is)
				}
			}
			if killed == 0 {
				t.Error("nothing was killed")
			}
			before = after
		})
	}
}

// infomall runs a statement on an archive and returns its output.
func infomall(t *testing.T, dir, statement string) string {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command("infomall", "--yes", "-a", dir, "-c", statement)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", statement, err, out, &stderr)
	}
	return string(out)
}

// answers returns what an archive answers about everything it holds.
func answers(t *testing.T, dir string) string {
	t.Helper()
	return infomall(t, dir, "SELECT url, time, change, digest FROM captures; SELECT url, time, op, topic FROM changes;")
}

func copyArchive(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

//go:build unix

package repl

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var graphKills = flag.Int("graph.kills", 0, "how often TestGraphImportIsKilled kills at any time, besides where it always does")

// TestGraphImportIsKilled kills imports of a list of edges while they read it, and
// while they write the graph. It is there whole or not at all, and once one has come
// through nothing is left of the others.
func TestGraphImportIsKilled(t *testing.T) {
	const nodes, edges = 1 << 16, 80_000
	var list bytes.Buffer
	for i := range uint64(edges) {
		fmt.Fprintf(&list, "http://h%d.example/%d -> %d %d.5\n", i%7, i, i*i%nodes, 1+i%9)
	}
	lines := list.Bytes()
	tmp := t.TempDir()
	dir, pipe, file := filepath.Join(tmp, "archive"), filepath.Join(tmp, "pipe"), filepath.Join(tmp, "edges.txt")
	if err := os.WriteFile(file, lines, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(statement string) *exec.Cmd {
		return exec.Command("infomall", "-a", dir, "--format", "csv", "--no-header", "-c", statement)
	}
	ask := func(statement string) string {
		t.Helper()
		out, err := run(statement).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", statement, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	start := func(from string) (cmd *exec.Cmd, ended chan struct{}) {
		t.Helper()
		cmd = run("IMPORT '" + from + "' FORMAT graph AS g")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended = make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // it may have been killed
		}()
		return cmd, ended
	}
	whole := ""
	judge := func(when string) {
		t.Helper()
		switch got := ask("SELECT nodes, edges FROM graphs"); {
		case got == "":
		case got == whole:
			ask("DROP GRAPH g")
		default:
			t.Fatalf("killed %s, the graph has %s nodes and edges, want none or %s", when, got, whole)
		}
	}

	ask("IMPORT '" + file + "' FORMAT graph AS g")
	whole = ask("SELECT nodes, edges FROM graphs")
	sum := ask("SELECT count(*), sum(weight) FROM edges")
	ask("DROP GRAPH g")

	for _, part := range []int{0, len(lines) / 3, len(lines) - 1} {
		cmd, ended := start(pipe)
		out, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(lines[:part]); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Kill()
		<-ended
		out.Close()
		judge(fmt.Sprintf("%d bytes into the list", part))
	}

	for _, size := range []int64{0, 1} {
		cmd, ended := start(file)
	writing:
		for {
			made, _ := filepath.Glob(filepath.Join(dir, "writers", "*", "result"))
			for _, name := range made {
				if st, err := os.Stat(name); err == nil && st.Size() >= size {
					break writing
				}
			}
			select {
			case <-ended:
				break writing // it was faster
			default:
			}
		}
		cmd.Process.Kill()
		<-ended
		judge(fmt.Sprintf("with %d bytes of it written", size))
	}

	begun := time.Now()
	_, ended := start(file)
	<-ended
	took := time.Since(begun)
	judge("not at all")
	for range *graphKills {
		after := time.Duration(rand.Int64N(int64(took)))
		cmd, ended := start(file)
		select {
		case <-time.After(after):
		case <-ended:
		}
		cmd.Process.Kill()
		<-ended
		judge(fmt.Sprintf("after %v of %v", after, took))
	}

	ask("IMPORT '" + file + "' FORMAT graph AS g")
	if got := ask("SELECT count(*), sum(weight) FROM edges"); got != sum {
		t.Errorf("in the end there are %s edges and weights, want %s", got, sum)
	}
	if out, err := run("VERIFY").CombinedOutput(); err != nil {
		t.Errorf("VERIFY: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "writers", "*", "*")); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

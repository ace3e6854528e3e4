package repl

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/repl/memory"
)

// mainWithWorkers does what Main does, and asks three workers.
func mainWithWorkers(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	memory.AllowGarbage()
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, openArchive: openPlace}
	askParts(p)
	return p.main(ctx, args)
}

// TestWorkersOfArchive asks workers that read an archive on disk. The rows must be those
// that the program gives alone.
func TestWorkersOfArchive(t *testing.T) {
	needsHere(t, "TestScriptsElsewhere has workers that read a bucket")
	dir := t.TempDir()
	runMain(t, []string{"-a", dir, "-c", "IMPORT '../queries/demo/*.raw'; MERGE POOL ALL"})
	for _, query := range []string{
		"SELECT host, count(*), count(DISTINCT url), max(bytes) FROM versions GROUP BY host",
		"SELECT url, time, text FROM versions WHERE text CONTAINS '图书馆'",
		"SELECT url, target, anchor FROM links LATEST",
		"SELECT url, time, op, added_text FROM changes WHERE op = 'edited' ORDER BY time DESC, url LIMIT 20",
		"SELECT url, block, label, topic FROM blocks IN 'www.lanshan.example' AT 2008-07-10",
		"SELECT DISTINCT status, mime FROM captures SINCE 2008-07",
		"SELECT url, as_of, title FROM versions EACH month",
	} {
		var got, errs bytes.Buffer
		args := []string{"-a", dir, "--format", "csv", "-c", query}
		if status := mainWithWorkers(context.Background(), args, strings.NewReader(""), &got, &errs, func(string) string { return "" }); status != 0 {
			t.Errorf("%s: status %d: %s", query, status, errs.String())
		}
		if want := runMain(t, args); got.String() != want {
			t.Errorf("%s: with workers\n%s\nalone\n%s", query, got.String(), want)
		}
		args[len(args)-1] = "EXPLAIN " + query
		got.Reset()
		mainWithWorkers(context.Background(), args, strings.NewReader(""), &got, &errs, func(string) string { return "" })
		if !strings.Contains(got.String(), "tasks by ranges of URLs") {
			t.Errorf("%s is not divided:\n%s", query, got.String())
		}
	}
}

// TestWorkersOfDamagedArchive asks workers that read an archive with a damaged file. The rows,
// the error after them and the exit status must be those that the program gives alone.
func TestWorkersOfDamagedArchive(t *testing.T) {
	needsHere(t, "TestScriptsElsewhere has workers that read a bucket")
	dir := t.TempDir()
	runMain(t, []string{"-a", dir, "-c", "IMPORT '../queries/demo/*.raw'; MERGE POOL ALL"})
	files, err := filepath.Glob(filepath.Join(dir, "pools", "*", "*.raw"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(b) / 3; i < len(b)/2; i++ {
			b[i] ^= 0x55
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	none := func(string) string { return "" }
	args := []string{"-a", dir, "--format", "csv", "-c", "SELECT url, time, length(text) AS n FROM versions ORDER BY url, time"}
	var want, got, wantErr, gotErr bytes.Buffer
	wantStatus := Main(context.Background(), args, strings.NewReader(""), &want, &wantErr, none)
	status := mainWithWorkers(context.Background(), args, strings.NewReader(""), &got, &gotErr, none)
	if !strings.Contains(wantErr.String(), "everything else is answered") {
		t.Errorf("alone: no damage was met: %s", wantErr.String())
	}
	if got.String() != want.String() || gotErr.String() != wantErr.String() || status != wantStatus {
		t.Errorf("with workers: status %d, rows\n%s\n%s\nalone: status %d, rows\n%s\n%s", status, got.String(), gotErr.String(), wantStatus, want.String(), wantErr.String())
	}
}

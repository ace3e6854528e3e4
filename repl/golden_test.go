package repl

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// golden is the folder of the golden archive: an archive in the format in force,
// questions and their answers. Its README.md says when it is made again.
const golden = "../store/testdata/golden"

// TestGolden opens the golden archive and asks its questions: as it is, and after
// indexes, catalogue, derived data and segments were made again. With -update it
// makes the archive and the answers first.
func TestGolden(t *testing.T) {
	queries, answers := filepath.Join(golden, "queries.iql"), filepath.Join(golden, "want.csv")
	if *update {
		makeGolden(t)
	}
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(golden, "archive"))); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []byte {
		t.Helper()
		return runGolden(t, "", append([]string{"-a", dir, "--format", "csv"}, args...)...)
	}
	if *update {
		if err := os.WriteFile(answers, run("-f", queries), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	lose := func(names ...string) func() {
		return func() {
			for _, name := range names {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			run("-c", "REINDEX")
		}
	}
	for _, step := range []struct {
		then string
		do   func()
	}{
		{"", func() {}},
		{"the indexes were lost and made again", lose("index")},
		{"the catalogue was lost and made again", lose("CURRENT", "catalog", "index")},
		{"what is derived was made again", func() { run("-c", "REINDEX DERIVED") }},
		{"all was merged", func() { run("-c", "MERGE POOL ALL") }},
	} {
		step.do()
		if got := run("-f", queries); !bytes.Equal(got, want) {
			name := filepath.Join(t.TempDir(), "got.csv")
			_ = os.WriteFile(name, got, 0o644) // for the diff alone
			diff, _ := exec.Command("diff", answers, name).Output()
			t.Errorf("%s: the answers differ:\n%s", step.then, diff)
		}
		run("-c", "VERIFY")
	}
}

// goldenExports are what the golden archive imports beside the demo's captures:
// captures exported to WARC, which have names of records.
var goldenExports = []string{
	"EXPORT (SELECT url, time FROM captures DURING 2008-06 AND 2008-06 WHERE time < '2008-06-25') TO 'early.warc.gz'",
	"EXPORT (SELECT url, time FROM captures DURING 2008-06 AND 2008-06 WHERE time >= '2008-06-25') TO 'late.warc.gz'",
	"EXPORT (SELECT url, time FROM captures DURING 2008-08 AND 2008-08) TO '200808.warc.gz'",
}

// goldenSteps make the golden archive. It has a pool split into parts, sealed
// pools and others, captures deleted from both, a sealed pool written again after
// that, merged segments, captures that came late, a view and a ranking.
var goldenSteps = []string{
	"IMPORT '200807.raw' AS second",
	"IMPORT 'early.warc.gz' AS first",
	"IMPORT '200808.warc.gz' AS third",
	"SET pool_limit = 16KB; MERGE POOL '200806'",
	"SEAL POOL '200806'",
	"SEAL POOL '200806A'",
	"SEAL POOL '200807'",
	"DELETE FROM '=www.lanshan.example' UNTIL 2008-06-02 REASON 'asked for'",
	"SEAL POOL '200806A'",
	"DELETE FROM 'lib.lanshan.example' BETWEEN 2008-07 AND 2008-07 REASON 'of a static pool'",
	"DELETE FROM 'bbs.lanshan.example' SINCE 2008-08 REASON 'of a dynamic pool'",
	"IMPORT 'late.warc.gz' AS late",
	"CREATE VIEW lately AS SELECT url FROM captures SINCE 2008-08",
	"PAGERANK LATEST",
}

// makeGolden makes the golden archive again.
func makeGolden(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../queries/demo")); err != nil {
		t.Fatal(err)
	}
	for _, step := range append([]string{"IMPORT '2008*.raw'"}, goldenExports...) {
		runGolden(t, dir, "-a", "from", "-c", step)
	}
	for _, step := range goldenSteps {
		runGolden(t, dir, "-a", "archive", "--yes", "-c", step)
	}
	made, to := filepath.Join(dir, "archive"), filepath.Join(golden, "archive")
	locks, err := filepath.Glob(filepath.Join(made, "pools", "*", "LOCK"))
	if err != nil {
		t.Fatal(err)
	}
	for _, lock := range locks {
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"LOCK", "jobs", "journal", "writers"} { // not part of what is archived
		if err := os.RemoveAll(filepath.Join(made, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(made)); err != nil {
		t.Fatal(err)
	}
}

// runGolden runs the program in dir and returns what it prints.
func runGolden(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("infomall", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("infomall %q: %v\n%s", args, err, errs.Bytes())
	}
	return out.Bytes()
}

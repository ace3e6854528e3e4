package repl

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGolden opens archives that older programs wrote and asks them the same
// questions as then: as they are, and after indexes, catalogue and segments
// were built again. store/testdata/golden/README.md says how to add one.
func TestGolden(t *testing.T) {
	formats, err := filepath.Glob("../store/testdata/golden/format*")
	if err != nil || len(formats) == 0 {
		t.Fatal(formats, err)
	}
	if testing.Short() {
		formats = formats[len(formats)-1:]
	}
	for _, format := range formats {
		t.Run(filepath.Base(format), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "archive")
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(format, "archive"))); err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) []byte {
				t.Helper()
				var out, errs bytes.Buffer
				cmd := exec.Command("infomall", append([]string{"-a", dir, "--format", "csv"}, args...)...)
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Run(); err != nil {
					t.Fatalf("infomall %q: %v\n%s", args, err, errs.Bytes())
				}
				return out.Bytes()
			}
			queries, answers := filepath.Join(format, "queries.iql"), filepath.Join(format, "want.csv")
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
				{"the indexes were lost and made anew", lose("index")},
				{"the catalogue was lost and made anew", lose("CURRENT", "catalog", "index")},
				{"what is derived was made anew", func() { run("-c", "REINDEX DERIVED") }},
				{"all was merged", func() { run("-c", "MERGE POOL ALL") }},
			} {
				step.do()
				if got := run("-f", queries); !bytes.Equal(got, want) {
					name := filepath.Join(t.TempDir(), "got.csv")
					_ = os.WriteFile(name, got, 0o644) // for the diff alone
					diff, _ := exec.Command("diff", answers, name).Output()
					t.Errorf("%s: the answers are not those of then:\n%s", step.then, diff)
				}
				run("-c", "VERIFY")
			}
		})
	}
}

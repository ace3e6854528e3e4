package repl

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	core "infomall/exec"
	"infomall/exec/relation/all"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
)

// nowhereBytesMax bounds the address space of a program that TestNowhere runs,
// so that an endless loop ends before it uses all memory.
const nowhereBytesMax = 4 << 30

// nowhereTimes holds time clauses before, after and around all captures of the
// demo.
var nowhereTimes = []string{
	"", "AT 1990", "AT 2050", "NEAREST 1990", "NEAREST 2050", "FIRST", "LATEST", "BETWEEN 1990 AND 1991", "SINCE 2050", "UNTIL 1990",
	"DURING 1990 AND 1991", "DURING 2050 AND 2051", "EACH month", "EACH year SINCE 2050", "EACH year UNTIL 1990", "BETWEEN 2007 AND 2010 EACH month",
}

// eachStatement returns statements of every kind, about a host that no archive
// has.
func eachStatement(t *testing.T) (statements []string) {
	t.Helper()
	text, err := os.ReadFile("../exec/testdata/statements.iql")
	if err != nil {
		t.Fatal(err)
	}
	for st, err := range lang.Statements(string(text), "statements.iql") {
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, st.String())
	}
	return statements
}

// nowhereScript returns statements of every kind, and queries for all columns
// of all relations, about hosts and times of which an archive has nothing.
func nowhereScript(t *testing.T) []string {
	t.Helper()
	statements := eachStatement(t)
	for _, name := range all.Names() {
		var columns []string
		for _, c := range all.Find(name).Columns {
			columns = append(columns, c.Name)
		}
		switch name {
		case "periods":
			name = "periods(month)"
		case "findings":
			name = "findings('words')"
		}
		for _, scope := range []string{"", "IN 'nowhere.example'", "IN 'http://nowhere.example/a'", "IN 'a.example' .. 'b.example/'"} {
			for _, when := range nowhereTimes {
				statements = append(statements, fmt.Sprintf("SELECT %s FROM %s %s %s", strings.Join(columns, ", "), name, scope, when))
			}
		}
	}
	return statements
}

// TestNowhere runs statements of every kind on an archive without captures, and
// on one that has nothing of what they ask for. Each must end, with rows,
// without rows, or with an error.
func TestNowhere(t *testing.T) {
	if testing.Short() {
		t.Skip("the program's memory is bounded, and the race detector needs more")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh to bound the program's memory")
	}
	var script strings.Builder
	for i, st := range nowhereScript(t) {
		fmt.Fprintf(&script, "SELECT %d AS number;\n%s;\n", i, st)
	}
	script.WriteString("SELECT 'all have ended' AS word;\n")
	demo, err := filepath.Abs("../queries/demo/*.raw")
	if err != nil {
		t.Fatal(err)
	}
	for name, first := range map[string]string{
		"nothing": "CREATE VIEW v AS SELECT 1",
		"demo":    "IMPORT '" + demo + "'",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "statements.iql"), []byte(script.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf("ulimit -v %d; exec infomall --yes --keep-going -c \"$1\" statements.iql", nowhereBytesMax>>10), "sh", first)
			cmd.Dir = dir
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if status := cmd.ProcessState.ExitCode(); status != statusDone && status != statusFailed {
				t.Errorf("ended with status %d: %v\n%.2000s", status, err, stderr.String())
			}
			if !strings.HasSuffix(stdout.String(), "word\nall have ended\n") {
				t.Errorf("the last statement that ended wrote\n%s", stdout.String()[max(0, stdout.Len()-200):])
			}
			if strings.Contains(stderr.String(), "panic") {
				t.Errorf("%.5000s", stderr.String())
			}
		})
	}
}

// TestAsks runs statements of every kind. Those whose result is an answer, and not
// a summary of work, have it printed to the output in scripts.
func TestAsks(t *testing.T) {
	dir := t.TempDir()
	demo, err := filepath.Abs("../queries/demo")
	if err != nil {
		t.Fatal(err)
	}
	a, closer := openStore(filepath.Join(dir, "archive"), func(err error) { t.Error(err) })
	defer closer.Close()
	o := session.Options{Archive: a, Settings: session.DefaultSettings(), Confirm: func(context.Context, []string) error { return nil }}
	o.Crawler, _ = a.(session.Crawler)
	s := core.New(o)
	script := eachStatement(t)
	t.Chdir(dir)
	answers := 0
	script = append([]string{
		"IMPORT '" + demo + "/*.raw'",
		"PAGERANK",
		"EXPLAIN RANK 'http://www.lanshan.example/'",
		"SHOW PATH 'http://www.lanshan.example/' TO 'http://lib.lanshan.example/main.asp' AT 2008-06",
		"SHOW PATH 'http://www.lanshan.example/' TO 'http://lib.lanshan.example/main.asp' DURING 2008-06 AND 2008-07",
		"RECOVER '" + demo + "/200806.raw'",
		"SHOW PAGE 'http://www.lanshan.example/'",
		"DIFF 'http://www.lanshan.example/'",
		"BLAME 'http://www.lanshan.example/' AS words",
		"SHOW STORY 'http://www.lanshan.example/' SINCE 2008-07",
	}, script...)
	for _, text := range script {
		st, err := lang.ParseOne(text, "")
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Run(context.Background(), st)
		if err != nil {
			continue // the archive has nothing that it asks for
		}
		res.Close()
		answer := res.Kind != session.ResultNone && res.Kind != session.ResultWork
		if _, ok := st.(*ast.Recover); ok {
			answer = true // a list of damage has rows too, because a job counts its records
		}
		if answer {
			answers++
		}
		if core.SpecOf(st).Answers != answer {
			t.Errorf("%s: answers %v, and is taken for one that asks: %v", text, answer, core.SpecOf(st).Answers)
		}
	}
	if answers < 20 {
		t.Errorf("%d statements answered", answers)
	}
}

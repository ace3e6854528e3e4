package repl

import (
	"bytes"
	"context"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"infomall/queries"
)

// TestCacheChangesNothing runs each saved query with the cache off, and twice
// in one process with the cache on, so that the cache is full the second time.
// All three must print the same.
func TestCacheChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	t.Chdir("..")
	a := newSiteArchive(t)
	a.importFiles("queries/demo/*.raw")
	a.importFiles("queries/demo/news.warc.gz")
	scripts, err := fs.Glob(queries.FS, "*.iql")
	if err != nil {
		t.Fatal(err)
	}
	regions := regionsFile(t)
	for _, name := range scripts {
		if name == writesFiles {
			continue
		}
		text, err := fs.ReadFile(queries.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"-a", a.path}
		args = append(args, exampleParams(string(text), regions)...)
		want := runMain(t, append(args, "-c", "SET cache = off", "-f", "queries/"+name))
		got := runMain(t, append(args, "-c", "SET cache = on", "-f", "queries/"+name, "-f", "queries/"+name))
		if got != want+"\n"+want && got != want+want {
			t.Errorf("%s: with the cache it prints\n%s\nwithout, once,\n%s", name, got, want)
		}
	}
}

// TestExplainAnalyzeTellsOfCache shows that a repeated query is answered from
// the cache, and that nothing comes from the cache if it is off.
func TestExplainAnalyzeTellsOfCache(t *testing.T) {
	t.Chdir("..")
	a := newSiteArchive(t)
	a.importFiles("queries/demo/*.raw")
	const ask = "EXPLAIN ANALYZE SELECT url, text FROM versions;"
	hits := regexp.MustCompile(`cache: hits (\d+), misses (\d+)`)
	var got []string
	for _, m := range hits.FindAllStringSubmatch(a.run(ask+ask+"SET cache = off;"+ask), -1) {
		got = append(got, m[1]+"/"+m[2])
	}
	if len(got) != 3 || got[0] == got[1] || !strings.HasSuffix(got[1], "/0") || strings.HasPrefix(got[1], "0/") || !strings.HasPrefix(got[2], "0/") {
		t.Errorf("hits and misses of the first time, the second and without cache: %v", got)
	}
}

// writesFiles is the script that writes files. It says how many it wrote, and that is
// another number when it runs again.
const writesFiles = "lake.iql"

var exampleParam = regexp.MustCompile(`--param \S+=\S+`)

// exampleParams returns the parameters of a script's example. regions is a file of regions
// that takes the place of the one in the example.
func exampleParams(script, regions string) (params []string) {
	for _, param := range exampleParam.FindAllString(headerOf(script), -1) {
		if param == "--param file=qqwry.dat" {
			params = append(params, "--param", "file="+regions)
			continue
		}
		params = append(params, strings.Fields(strings.ReplaceAll(param, "'", ""))...) // as a shell takes quotes off
	}
	return params
}

// headerOf is the comment that a script begins with.
func headerOf(script string) string {
	header, _, _ := strings.Cut(script, "\n\n")
	return header
}

// runMain runs the program in this process and returns its output.
func runMain(t *testing.T, args []string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := mainElsewhere(context.Background(), args, strings.NewReader(""), &stdout, &stderr, elsewhere); code != 0 {
		t.Fatalf("%q: status %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}

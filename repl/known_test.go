package repl

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"infomall/queries"
)

// onlyReads is in the message that refuses a script that writes.
const onlyReads = " writes, and RUN … KNOWN AT only reads"

// refusesKnown are the scripts that RUN … KNOWN AT refuses, each with a part of the message.
var refusesKnown = map[string]string{
	"hubs.iql": "HITS" + onlyReads, "important.iql": "PAGERANK" + onlyReads, "movers.iql": "PAGERANK" + onlyReads,
	"classes.iql": "TRAIN" + onlyReads, "events.iql": "EVENTS" + onlyReads, "clusters.iql": "CLUSTER" + onlyReads, "mirrors.iql": "DEDUP" + onlyReads, "reprints.iql": "DEDUP" + onlyReads, "tour.iql": "IMPORT" + onlyReads,
	"watch.iql": "watches is about the archive as it is now",
}

// rankedKnown are statements that write, with a number in the name of their result, and with
// %s in place of KNOWN AT.
var rankedKnown = []string{
	"PAGERANK probe%[1]d LATEST%[2]s; SELECT url, rank FROM ranks WHERE ranking = 'probe%[1]d'",
	"PAGERANK probe%[1]d BY host%[2]s; SELECT url, rank FROM ranks WHERE ranking = 'probe%[1]d'",
	"HITS probe%[1]d FOR '招生'%[2]s; SELECT url, hub, authority FROM ranks WHERE ranking = 'probe%[1]d'",
}

// TestKnownQueries brings in a site in parts, the months in the wrong order, merges it, and
// deletes a page at last. Each saved query that is run KNOWN AT the time of a part must print
// what it prints in a copy of the archive of that time in which the page was deleted, too.
func TestKnownQueries(t *testing.T) {
	t.Chdir("..")
	dir := t.TempDir()
	now := filepath.Join(dir, "now")
	run := func(archive, text string) string {
		t.Helper()
		return runMain(t, []string{"-a", archive, "--yes", "--format", "tsv", "-c", text})
	}
	type past struct{ dir, time string }
	var copies []past
	for i, part := range []string{"200807", "200806", "200808"} {
		run(now, "IMPORT 'queries/demo/"+part+".raw'")
		at := strings.Fields(run(now, "SELECT max(added) FROM captures"))
		c := past{filepath.Join(dir, fmt.Sprint(i)), at[len(at)-1]}
		copyPlace(t, c.dir, now)
		copies = append(copies, c)
		if i > 0 {
			run(now, "MERGE POOL ALL")
		}
	}
	const remove = "DELETE FROM 'www.lanshan.example/admission/'"
	run(now, remove)
	for _, c := range copies {
		run(c.dir, remove)
	}
	scripts, err := fs.Glob(queries.FS, "*.iql")
	if err != nil {
		t.Fatal(err)
	}
	answered, regions := 0, regionsFile(t)
	for _, name := range scripts {
		if name == writesFiles {
			continue
		}
		text, err := fs.ReadFile(queries.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		params := exampleParams(string(text), regions)
		query := `RUN "` + strings.TrimSuffix(name, ".iql") + `"` // RUN watch begins RUN WATCH name
		for _, c := range copies[:2] {
			got, failure := tryMain(append([]string{"-a", now, "-c", query + " KNOWN AT '" + c.time + "'"}, params...))
			if why := refusesKnown[name]; why != "" || failure != "" {
				if why == "" || !strings.Contains(failure, why) {
					t.Errorf("%s: KNOWN AT gives %s", name, failure)
				}
				continue
			}
			if want := runMain(t, append([]string{"-a", c.dir, "-c", query}, params...)); got != want {
				t.Errorf("%s: KNOWN AT %s prints\n%s\nthe copy of that time\n%s", name, c.time, got, want)
			}
			answered++
		}
	}
	for i, statements := range rankedKnown {
		for j, c := range copies[:2] {
			got := run(now, fmt.Sprintf(statements, 2*i+j, " KNOWN AT '"+c.time+"'"))
			if want := run(c.dir, fmt.Sprintf(statements, 2*i+j, "")); withoutTimes(got) != withoutTimes(want) {
				t.Errorf("%s: KNOWN AT %s prints\n%s\nthe copy of that time\n%s", statements, c.time, got, want)
			}
		}
	}
	if answered < 30 {
		t.Errorf("%d answers were compared, want 30 or more", answered)
	}
}

// withoutTimes returns the lines of text that are about URLs: others say how long the
// statement took.
func withoutTimes(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "http") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// tryMain runs the program in this process and returns its output, and the messages if it
// fails.
func tryMain(args []string) (output, failure string) {
	var stdout, stderr bytes.Buffer
	if mainElsewhere(context.Background(), args, strings.NewReader(""), &stdout, &stderr, elsewhere) != 0 {
		failure = stderr.String()
	}
	return stdout.String(), failure
}

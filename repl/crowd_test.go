package repl

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/exec/relation/all"
	"infomall/lang"
	langast "infomall/lang/ast"
	"infomall/store"
	"infomall/store/record"
)

var (
	crowdRounds = flag.Int("faults.crowd", 6, "damaged archives of which every statement is asked")
	crowdSeed   = flag.Uint64("faults.crowdseed", 1, "seed of the first of them; 0: by chance")
)

// crowdHang is the wall time after which a statement counts as endless. The
// slowest statement takes a hundredth of it on an idle machine.
const crowdHang = 2 * time.Minute

// crowdReads holds statements that change nothing in the archive, by type of
// statement. The test also runs SELECT on every relation.
var crowdReads = map[string][]string{
	"Query": {
		"SELECT url, time, digest, bytes FROM captures", "SELECT url, title, text, links FROM pages", "SELECT url, html FROM versions AT 2005",
		"SELECT url, change, previous FROM versions EACH year", "SELECT url, rank, next_due FROM pages", "SELECT count(*) FROM captures GROUP BY host",
		"SELECT url, time FROM captures NEAREST 2004-06", "SELECT * FROM blocks AT 2006", "SELECT url, text FROM captures IN 'http://a.crowd.example/0'",
		"SELECT * FROM named", "SELECT url, words FROM pages",
	},
	"Export": {
		"EXPORT (SELECT url, time FROM captures) TO 'out.warc'", "EXPORT (SELECT url, time FROM captures) TO 'out.raw'",
		"EXPORT 'x.example' TO 'out.warc.gz' FOLLOW CRAWL c", "EXPORT (SELECT url, time FROM captures) TO 'out.wacz'", "EXPORT (SELECT source, target, weight FROM edges) TO 'out.edges'",
	},
	"ExportProvenance": {
		"EXPORT PROVENANCE OF (SELECT url, last_seen, change FROM versions) TO 'out.wacz'", "EXPORT PROVENANCE OF (SELECT DISTINCT op FROM changes) TO 'out.wacz'",
	},
	"Summarize":   {"SUMMARIZE captures", "SUMMARIZE SELECT url, text FROM versions"},
	"TraceEvent":  {"TRACE EVENT 'page'"},
	"Trace":       {"TRACE 'http://a.crowd.example/1'"},
	"CopyPool":    {"COPY POOL ALL TO 'copy'"},
	"MovePool":    {"MOVE POOL ALL TO 'tier'", "MOVE POOL ALL TO 'tier' AFTER 12mo"},
	"Verify":      {"VERIFY", "VERIFY SAMPLE 1/2"},
	"CheckReplay": {"CHECK REPLAY IN 'nobody.example'"},
	"Recover":     {"RECOVER '$RAW'", "RECOVER '$RAW' TO 'saved.warc'"},
	"Run":         {"RUN asked"},
	"Explain":     {"EXPLAIN ANALYZE SELECT url, digest FROM captures", "EXPLAIN PAGERANK", "EXPLAIN MERGE POOL ALL", "EXPLAIN VERIFY", "EXPLAIN REINDEX"},
	"Describe":    {"DESCRIBE captures", "DESCRIBE named"},
	"Show":        {"SHOW POOLS", "SHOW FILES", "SHOW TOMBSTONES", "SHOW CRAWLS", "SHOW SCHEDULES", "SHOW WATCHES", "SHOW JOBS", "SHOW VIEWS", "SHOW QUERIES", "SHOW METADATA", "SHOW GRAPHS"},
	"ShowRobots":  {"SHOW ROBOTS 'http://a.crowd.example/1'"},
	"ShowPage":    {"SHOW PAGE 'http://a.crowd.example/0'", "SHOW PAGE 'http://b.crowd.example/1' AS raw", "SHOW PAGE 'http://b.crowd.example/0' AS blocks"},
	"Diff":        {"DIFF 'http://a.crowd.example/0'"},
	"Blame":       {"BLAME 'http://a.crowd.example/0'", "BLAME 'http://b.crowd.example/1' AS lines", "BLAME 'http://b.crowd.example/0' AT 2006 AS words"},
	"ShowStory":   {"SHOW STORY 'http://a.crowd.example/0'", "SHOW STORY 'http://b.crowd.example/1' UNTIL 2006 ALL"},
	"ShowPath":    {"SHOW PATH 'http://a.crowd.example/0' TO 'http://b.crowd.example/1'", "SHOW PATH 'x' TO 'z' OVER GRAPH lines", "SHOW PATH 'http://a.crowd.example/0' TO 'http://b.crowd.example/1' DURING 2000 AND 2020"},
	"ExplainRank": {"EXPLAIN RANK 'http://a.crowd.example/0'", "EXPLAIN RANK 'http://a.crowd.example/0' IN site"},
	"Set":         {"SET level = leaves"},
	"Reset":       {"RESET level"},
	"Help":        {"HELP SELECT"},
}

// crowdWrites holds statements that change the archive, by type of statement.
var crowdWrites = map[string][]string{
	"Import":         {"IMPORT '$FILE'", "IMPORT '$DIR/lines.edges' FORMAT graph AS lines"},
	"Crawl":          {"CRAWL 'http://crowd.invalid/' LIMIT 1 PAGES DELAY 0s AS gone", "CRAWL DUE LIMIT 1 PAGES"},
	"OrderCrawl":     {"STOP CRAWL gone"},
	"AddToCrawl":     {"ADD 'http://crowd.invalid/1' TO CRAWL gone"},
	"MergePool":      {"MERGE POOL ALL", "SEAL POOL ALL"},
	"RepairPool":     {"REPAIR POOL '$POOL' FROM '$WHOLE'"},
	"Reindex":        {"REINDEX", "REINDEX DERIVED", "REINDEX DOCUMENTS"},
	"DropPool":       {"DROP POOL '$POOL'"},
	"Delete":         {"DELETE FROM 'http://a.crowd.example/2'"},
	"Allow":          {"ALLOW 'http://a.crowd.example/2'"},
	"Rule":           {"RULE hidden ON 'a.crowd.example' EXCLUDE"},
	"DropRule":       {"DROP RULE hidden"},
	"CreateView":     {"CREATE OR REPLACE VIEW named AS SELECT url FROM captures"},
	"CreateMetadata": {"CREATE OR REPLACE METADATA words ON page AS length(text)"},
	"Save":           {"SAVE asked AS SELECT count(*) FROM captures"},
	"DropView":       {"DROP VIEW named"},
	"DropMetadata":   {"DROP METADATA words"},
	"DropGraph":      {"DROP GRAPH lines"},
	"DropGazetteer":  {"DROP GAZETTEER"},
	"Schedule":       {"SCHEDULE daily EVERY 1d AS VERIFY"},
	"RunSchedule":    {"RUN SCHEDULE daily"},
	"Unschedule":     {"UNSCHEDULE daily"},
	"Watch":          {"WATCH seen EVERY 1d AS SELECT url FROM captures"},
	"RunWatch":       {"RUN WATCH seen"},
	"Unwatch":        {"UNWATCH seen"},
	"PageRank":       {"PAGERANK", "PAGERANK lines OVER GRAPH lines"},
	"HITS":           {"HITS site OVER 'crowd.example'"},
	"Train":          {"TRAIN hosts ON (SELECT text, host AS class FROM versions) FOLDS 2"},
	"DropClassifier": {"DROP CLASSIFIER hosts"},
	"Cluster":        {"CLUSTER site ON (SELECT url, time, text FROM versions) BY simhash", "CLUSTER words ON (SELECT url, text FROM pages) BY words K 2"},
	"DropClusters":   {"DROP CLUSTERS site"},
	"Dedup":          {"DEDUP", "DEDUP METHOD SIMHASH", "DEDUP METHOD CONTAINMENT"},
	"Events":         {"EVENTS", "EVENTS news BY month OF headlines"},
	"DropEvents":     {"DROP EVENTS events"},
}

// TestCrowdIsWhole shows that TestCrowd runs every type of statement.
func TestCrowdIsWhole(t *testing.T) {
	files, err := filepath.Glob("../lang/ast/*.go")
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "statement" || fn.Type.Params.NumFields() > 0 {
				continue
			}
			types++
			name := fn.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
			if crowdReads[name] == nil && crowdWrites[name] == nil {
				t.Errorf("no statement of type %s: add one to crowdReads or crowdWrites", name)
			}
		}
	}
	if types != len(crowdReads)+len(crowdWrites) {
		t.Errorf("%d types of statements, and statements of %d", types, len(crowdReads)+len(crowdWrites))
	}
	for _, list := range []map[string][]string{crowdReads, crowdWrites} {
		for name, sources := range list {
			for _, src := range sources {
				for st, err := range lang.Statements(src, "") {
					if err != nil {
						t.Errorf("%s: %v", src, err)
					} else if got := reflect.TypeOf(langast.Statement(st)).Elem().Name(); got != name {
						t.Errorf("%s is of type %s, not %s", src, got, name)
					}
				}
			}
		}
	}
}

// crowd builds archives and runs statements on them.
type crowd struct {
	t    *testing.T
	r    *rand.Rand
	work string // a folder of this round
	dir  string // of the archive
	log  bytes.Buffer
}

// ask runs one statement as the program does, and returns its output and its
// status. If the statement does not end, the test fails.
func (c *crowd) ask(src string) (stdout, stderr string, status int) {
	c.t.Helper()
	fmt.Fprintf(&c.log, "%s\n", src)
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), crowdHang)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-done:
		case <-time.After(2 * crowdHang):
			stacks := make([]byte, 1<<20)
			panic(fmt.Sprintf("%s does not end, not even when its context has ended\n%s\n%s", src, c.log.Bytes(), stacks[:runtime.Stack(stacks, true)]))
		}
	}()
	env := func(name string) string {
		if name == "HOME" {
			return c.work
		}
		return ""
	}
	p := &program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: env, openArchive: openPlace} // Main makes room for large archives first
	begun := time.Now()
	status = p.main(ctx, []string{"-a", c.dir, "--yes", "--format", "csv", "-c", src})
	if took := time.Since(begun); testing.Verbose() && took > 10*time.Second {
		fmt.Fprintf(os.Stderr, "%v: %s\n", took, src)
	}
	if ctx.Err() != nil {
		c.t.Fatalf("%s did not end in %v\n%s", src, crowdHang, c.log.Bytes())
	}
	if status != 0 && errs.Len() == 0 && !strings.Contains(src, "VERIFY") {
		c.t.Errorf("%s ends with status %d and says nothing\n%s", src, status, c.log.Bytes())
	}
	return out.String(), errs.String(), status
}

// date returns a random time, sometimes an impossible one.
func (c *crowd) date() time.Time {
	t := time.Date(2002+c.r.IntN(3)*2, time.Month(1+c.r.IntN(2)*5), 1+c.r.IntN(28), c.r.IntN(24), 0, c.r.IntN(3), c.r.IntN(2)*1e6, time.UTC)
	switch c.r.IntN(25) {
	case 0:
		return t.AddDate(-t.Year(), 0, 0)
	case 1:
		return t.AddDate(7990, 0, 0)
	case 2:
		return t.AddDate(-30, 0, 0)
	}
	return t
}

var crowdHosts = []string{"a.crowd.example", "b.crowd.example", "c.crowd.example"}

func (c *crowd) url() string {
	return fmt.Sprintf("http://%s/%d", crowdHosts[c.r.IntN(len(crowdHosts))], c.r.IntN(4))
}

// page returns a random page: a menu and a foot that pages share, text of its
// own, and links.
func (c *crowd) page() string {
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%s ", []string{"lake", "garden", "library", "river", "bridge", "street", "museum", "tower"}[c.r.IntN(8)])
		}
		return b.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<html><title>%s</title><body><div class=menu><a href=/0>home</a> <a href=/1>news</a> <a href=/2>the list of all that is there</a></div>", words(3))
	for range 1 + c.r.IntN(4) {
		fmt.Fprintf(&b, "<div><h2>%s</h2><p>%s</p><a href=%q>%s</a></div>", words(2), words(10+c.r.IntN(50)), c.url(), words(2))
	}
	return b.String() + "<div class=foot>All rights are with those who wrote it, and it may be copied with their names beside it.</div></body></html>"
}

// tianwang returns a random file of Tianwang records.
func (c *crowd) tianwang() []byte {
	var b []byte
	for range 4 + c.r.IntN(12) {
		status := []string{"200 OK", "200 OK", "200 OK", "404 Not Found", "302 Found\r\nLocation: " + c.url()}[c.r.IntN(5)]
		m := "HTTP/1.1 " + status + "\r\nContent-Type: text/html\r\n\r\n" + c.page()
		b = fmt.Appendf(b, "version: 1.0\nurl: %s\ndate: %s\nip: 192.0.2.1\nlength: %d\n\n%s\n", c.url(), c.date().Format("Mon, 02 Jan 2006 15:04:05 GMT"), len(m), m)
	}
	return b
}

// warc returns a random file of WARC records with a chain of revisits, each of
// which refers to the previous one, to itself or to a later one.
func (c *crowd) warc() []byte {
	var b []byte
	add := func(kind, url string, at time.Time, more, content string) {
		b = fmt.Appendf(b, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%08x-0000-4000-8000-%012x>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n%sContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, c.r.Uint32(), c.r.Uint64N(1<<48), at.Format("2006-01-02T15:04:05.000Z"), url, more, len(content), content)
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	for range 1 + c.r.IntN(3) {
		url, at := c.url(), c.date()
		digest := fmt.Sprintf("WARC-Payload-Digest: sha1:%032d\r\n", c.r.IntN(4))
		if c.r.IntN(4) > 0 {
			add("response", url, at, "", head+c.page())
		}
		chain := c.r.IntN(12)
		for n := range chain {
			to, toURL := at, url
			at = at.Add(time.Duration(c.r.IntN(3)) * time.Hour * 24)
			switch c.r.IntN(8) {
			case 0:
				to = at
			case 1:
				to = at.AddDate(0, 0, 5)
			case 2:
				toURL = c.url()
			case 3:
				url = c.url()
			}
			more := "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To-Target-URI: " + toURL + "\r\nWARC-Refers-To-Date: " + to.Format("2006-01-02T15:04:05Z") + "\r\n"
			if n%3 == 0 {
				more += digest
			}
			content := head
			if c.r.IntN(3) == 0 {
				content = ""
			}
			add("revisit", url, at, more, content)
		}
	}
	return b
}

// build builds an archive with every kind of file in it.
func (c *crowd) build() {
	c.t.Helper()
	write := func(name string, b []byte) string {
		path := filepath.Join(c.work, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			c.t.Fatal(err)
		}
		return path
	}
	must := func(src string) {
		c.t.Helper()
		if _, errs, status := c.ask(src); status != 0 {
			c.t.Fatalf("%s ends with status %d before any damage: %s\n%s", src, status, errs, c.log.Bytes())
		}
	}
	for n := range 2 + c.r.IntN(3) {
		// Records with impossible dates count as damaged.
		c.ask(fmt.Sprintf("IMPORT '%s'", write(fmt.Sprintf("part%d.raw", n), c.tianwang())))
		c.ask(fmt.Sprintf("IMPORT '%s'", write(fmt.Sprintf("part%d.warc", n), c.warc())))
		switch c.r.IntN(4) {
		case 0:
			must("MERGE POOL ALL")
		case 1:
			must("SEAL POOL ALL")
		case 2:
			must(fmt.Sprintf("DELETE FROM '%s'", c.url()))
		}
	}
	write("lines.edges", []byte("x y\ny z\nz x\n"))
	must(fmt.Sprintf("IMPORT '%s' FORMAT graph AS lines", filepath.Join(c.work, "lines.edges")))
	for _, src := range []string{
		"PAGERANK", "HITS site OVER 'crowd.example'", "DEDUP", "EVENTS", "CREATE VIEW named AS SELECT url FROM captures", "SAVE asked AS SELECT count(*) FROM captures",
		"CREATE METADATA words ON page AS length(text)", "SCHEDULE daily EVERY 1d AS VERIFY", "WATCH seen EVERY 1d AS SELECT url FROM captures", "VERIFY SAMPLE 1/2",
	} {
		must(src)
	}
	c.ask("CRAWL 'http://crowd.invalid/' LIMIT 1 PAGES DELAY 0s AS gone")
	c.journal()
}

// journal leaves what a killed crawl leaves: a journal that is not published.
func (c *crowd) journal() {
	c.t.Helper()
	ctx := context.Background()
	a := store.Open(c.dir, store.Options{})
	defer a.Close()
	s, err := a.NewSink(ctx, "killed", 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for range 3 {
		err := s.Put(ctx, &record.Capture{
			AskedURL: c.url(), Time: record.At(time.Date(2010, 1, 1+c.r.IntN(28), 0, 0, 0, 0, time.UTC)), Status: 200, RefersTime: record.NoTime,
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), Body: []byte(c.page()),
		})
		if err != nil {
			c.t.Fatal(err)
		}
	}
	if err := s.Sync(); err != nil {
		c.t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(c.dir, "journal", "*"))
	if err != nil || len(files) != 1 {
		c.t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		c.t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_ = s.Close(ended) // as if it were killed
	if err := os.WriteFile(files[0], b, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// crowdQuiet reports whether damage to a file need not be reported: locks,
// files that a killed process may have torn, and files that only make queries
// faster.
func crowdQuiet(name string) bool {
	base := filepath.Base(name)
	dir, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return base == "LOCK" || base == "lock" || base == "gate" || dir == "jobs" || dir == "journal" || dir == "writers" || dir == "crawls"
}

// crowdNeeded reports whether captures are read from the file name.
func crowdNeeded(name string) bool {
	dir, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return name == "CURRENT" || dir == "catalog" || dir == "removed" || dir == "pools"
}

// damage damages a file or two, and returns which.
func (c *crowd) damage() (files []string, told bool) {
	c.t.Helper()
	var all []string
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(c.dir, path)
			all = append(all, rel)
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			c.t.Fatal(err)
		}
		return b
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(c.dir, name), b, 0o644); err != nil {
			c.t.Fatal(err)
		}
	}
	// A folder is drawn first: there are many more results than catalogues.
	folders := make(map[string][]string)
	for _, name := range all {
		dir, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		folders[dir] = append(folders[dir], name)
	}
	names := slices.Sorted(maps.Keys(folders))
	draw := func() string {
		list := folders[names[c.r.IntN(len(names))]]
		return list[c.r.IntN(len(list))]
	}
	removed := ""
	drawOther := func() string { // a file that is still there
		name := draw()
		for name == removed {
			name = draw()
		}
		return name
	}
	for range 1 + c.r.IntN(2) {
		name := draw()
		if slices.Contains(files, name) {
			continue
		}
		before := read(name)
		b := bytes.Clone(before)
		at := c.r.IntN(len(b) + 1)
		what := []string{"flip", "flip", "zero", "cut", "empty", "remove", "swap", "swap", "copy", "append", "insert"}[c.r.IntN(11)]
		gone := false
		switch what {
		case "flip":
			if at < len(b) {
				b[at] ^= 1 << c.r.IntN(8)
			}
		case "zero":
			clear(b[at:min(len(b), at+c.r.IntN(4096))])
		case "cut":
			b = b[:at]
		case "empty":
			b = nil
		case "remove":
			gone, removed = true, name
			if err := os.Remove(filepath.Join(c.dir, name)); err != nil {
				c.t.Fatal(err)
			}
		case "swap", "copy":
			other := drawOther()
			b = read(other)
			if what == "swap" && !slices.Contains(files, other) {
				write(other, before)
				files = append(files, other)
				told = told || !crowdQuiet(other) && !bytes.Equal(before, b)
				fmt.Fprintf(&c.log, "damage: swap %s with\n", other)
			}
		case "append":
			b = append(b, read(drawOther())...)
		case "insert":
			b = slices.Insert(b, at, before[:min(len(before), c.r.IntN(100))]...)
		}
		if !gone {
			write(name, b)
		}
		fmt.Fprintf(&c.log, "damage: %s of %s at %d\n", what, name, at)
		files = append(files, name)
		switch dir, _, _ := strings.Cut(filepath.ToSlash(name), "/"); {
		case crowdQuiet(name), bytes.Equal(b, before) && !gone:
		case gone && (dir == "results" || dir == "verify" || dir == "definitions"):
			// They may be missing.
		default:
			told = true
		}
	}
	return files, told
}

// rows returns the lines of a CSV result without its header.
func rows(csv string) []string {
	lines := strings.Split(strings.TrimSuffix(csv, "\n"), "\n")
	return lines[1:]
}

// TestCrowd damages small archives in every way, and asks each of them every
// statement. Each statement ends without a panic and reports the damage. A query
// returns only rows that were there, and all rows that need no damaged file.
func TestCrowd(t *testing.T) {
	seed := *crowdSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	for n := range *crowdRounds {
		crowdRound(t, seed+uint64(n))
		if t.Failed() {
			return
		}
	}
}

func crowdRound(t *testing.T, seed uint64) {
	work := t.TempDir()
	defer os.RemoveAll(work)
	c := &crowd{t: t, r: rand.New(rand.NewPCG(seed, 0)), work: work, dir: filepath.Join(work, "archive")}
	fmt.Fprintf(&c.log, "-faults.crowdseed=%d -faults.crowd=1\n", seed)
	if testing.Verbose() {
		fmt.Fprintf(os.Stderr, "seed %d\n", seed)
	}
	c.build()
	whole := filepath.Join(work, "whole")
	if err := os.CopyFS(whole, os.DirFS(c.dir)); err != nil {
		t.Fatal(err)
	}
	before := make(map[string][]string)
	for _, src := range crowdAnswers {
		out, errs, status := c.ask(src)
		if status != 0 {
			t.Fatalf("%s: %s\n%s", src, errs, c.log.Bytes())
		}
		before[src] = rows(out)
	}
	depends, months := c.depends(), make(map[string]string)
	for pool := range depends {
		month := pool[:6]
		if _, asked := months[month]; !asked {
			months[month], _, _ = c.ask(monthQuery(month))
		}
	}
	c.log.Reset()
	fmt.Fprintf(&c.log, "-faults.crowdseed=%d -faults.crowd=1\n", seed)
	files, tell := c.damage()
	needed := slices.ContainsFunc(files, crowdNeeded)
	// What there is is known as long as the catalogue and the removals are whole.
	hidden := slices.ContainsFunc(files, func(name string) bool {
		return crowdNeeded(name) && filepath.Ext(name) != ".raw" && filepath.Ext(name) != ".names"
	})
	told := false
	for _, src := range crowdAnswers {
		out, errs, status := c.ask(src)
		told = told || errs != ""
		if status != 0 && !needed {
			t.Errorf("%s ends with status %d, though nothing that it reads is damaged: %s\n%s", src, status, errs, c.log.Bytes())
		}
		if status != 0 && !slices.ContainsFunc(files, func(name string) bool { return strings.Contains(errs, filepath.Base(name)) }) {
			t.Errorf("%s ends with status %d and names no damaged file: %s\n%s", src, status, errs, c.log.Bytes())
		}
		if status == 4 {
			continue // the archive cannot be read
		}
		got := rows(out)
		if status == 0 && !hidden && !slices.Equal(got, before[src]) {
			t.Errorf("%s gives other rows than before the damage\n%s\ngot %q\nwant %q", src, c.log.Bytes(), got, before[src])
		}
		for _, row := range got {
			if row != "" && !slices.Contains(before[src], row) && status == 0 {
				t.Errorf("%s gives a row that was not there: %s\n%s", src, row, c.log.Bytes())
			}
		}
	}
	if !hidden {
		c.askMonths(files, depends, months)
	}
	_, errs, status := c.ask("VERIFY")
	if told = told || status != 0 || errs != ""; tell && !told {
		t.Errorf("nothing tells of the damage\n%s", c.log.Bytes())
	}
	raws, err := filepath.Glob(filepath.Join(c.dir, "pools", "*", "*.raw"))
	if err != nil {
		t.Fatal(err)
	}
	pools, err := filepath.Glob(filepath.Join(whole, "pools", "*"))
	if err != nil || len(pools) == 0 {
		t.Fatal(pools, err)
	}
	raw := filepath.Join(c.work, "part0.raw")
	if len(raws) > 0 {
		raw = raws[c.r.IntN(len(raws))]
	}
	fill := strings.NewReplacer("$RAW", raw, "$FILE", filepath.Join(c.work, "part0.raw"), "$DIR", c.work, "$WHOLE", whole,
		"$POOL", filepath.Base(pools[c.r.IntN(len(pools))]), "TO '", "TO '"+c.work+"/")
	askAll := func(list map[string][]string) {
		var sources []string
		for _, name := range slices.Sorted(maps.Keys(list)) {
			sources = append(sources, list[name]...)
		}
		c.r.Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
		for _, src := range sources {
			if strings.HasPrefix(src, "SHOW PATH") || strings.HasPrefix(src, "ADD") {
				c.ask(src)
			} else {
				c.ask(fill.Replace(src))
			}
		}
	}
	for _, name := range all.Names() {
		if name == "findings" {
			name += "('the')"
		}
		c.ask("SELECT * FROM " + name)
	}
	askAll(crowdReads)
	askAll(crowdWrites)
	askAll(crowdReads)
}

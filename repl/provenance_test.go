package repl

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/formats/warc"
)

// provenanceQueries are queries whose rows depend only on the captures that EXPORT
// PROVENANCE writes for them, with how many captures these are in the demo.
var provenanceQueries = []struct {
	query    string
	captures int
}{
	{"SELECT url, time, status, mime, bytes, digest FROM captures IN 'www.lanshan.example/calendar.htm'", 6},
	{"SELECT url, time, title, text FROM versions WHERE title CONTAINS '图书馆' AND time < '2008-07-01'", 1},
	{"SELECT url, time, last_seen, visits, change FROM versions IN 'www.lanshan.example/calendar.htm'", 6},
	{"SELECT url, time, change, previous FROM captures WHERE status = 404", 7},
	{"SELECT host, status, count(*), max(time) FROM captures WHERE status <> 200 GROUP BY host, status", 10},
	{"SELECT DISTINCT url FROM captures WHERE status = 404", 4},
	{"SELECT url, not_before, time, added_text, removed_text FROM changes IN 'lanshan.example' WHERE added_text CONTAINS '2318'", 7},
	{"SELECT url, time, block, change, text FROM blocks IN 'www.lanshan.example/contact.htm' WHERE change = 'edited'", 4},
	{"SELECT url, time, block, first_seen FROM blocks IN 'www.lanshan.example/contact.htm'", 4},
	{"SELECT url, target, anchor FROM links IN 'www.lanshan.example/contact.htm' LATEST", 1},
	{"SELECT url, first_seen, last_seen, version_count FROM pages IN 'www.lanshan.example/contact.htm'", 5},
	{"SELECT a.url, a.time, b.time AS later FROM captures a JOIN captures b ON a.url = b.url AND b.time > a.time AND b.status = 200 WHERE a.status = 404", 4},
	{"SELECT url FROM versions LATEST WHERE status = 200 AND url IN (SELECT url FROM captures WHERE status = 404)", 2},
	{"SELECT url, time FROM captures WHERE status = 404 UNION SELECT url, time FROM captures WHERE kind = 'redirect' ORDER BY url, time LIMIT 3", 3},
	{"SELECT date_trunc('month', time) AS month, count(*) FROM captures WHERE kind = 'missing' GROUP BY month ORDER BY month", 4},
}

// TestProvenance shows that a file of EXPORT PROVENANCE is whole: all its files have the
// digests in the manifest, each row has captures, and all of these are in the WARC file
// with their bodies. Asked again of an archive with these captures only, each query
// gives the same rows. The captures come from Tianwang files, and from a WARC file with
// revisit records.
func TestProvenance(t *testing.T) {
	first := newSiteArchive(t)
	first.importFiles("../queries/demo/*.raw")
	exchanged := filepath.Join(t.TempDir(), "all.warc.gz")
	first.run("EXPORT (SELECT url, time FROM captures) TO '" + exchanged + "'")
	second := newSiteArchive(t)
	second.importFiles(exchanged)
	if got := second.query("SELECT count(*) FROM captures WHERE via_record = 'revisit'"); got[1][0] == "0" {
		t.Fatal("the WARC file has no revisit records")
	}
	for _, c := range provenanceQueries {
		for _, a := range []*siteArchive{first, second} {
			checkProvenance(t, a, c.query, c.captures)
		}
	}
}

// checkProvenance exports the provenance of a query, checks the file, imports it into
// an empty archive, and checks that the query has the same rows there. captures is how
// many captures the file must have.
func checkProvenance(t *testing.T, a *siteArchive, query string, captures int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.wacz")
	rows := a.query("EXPORT PROVENANCE OF (" + query + ") TO '" + file + "'")
	if want := fmt.Sprint(captures); rows[1][2] != want {
		t.Errorf("%s: %s captures, want %s", query, rows[1][2], want)
	}
	files := waczFiles(t, file)
	checkEvidence(t, query, files)
	again := newSiteArchive(t)
	again.importFiles(file)
	for _, asked := range []*siteArchive{a, again} {
		out := filepath.Join(t.TempDir(), "rows.jsonl")
		asked.run("EXPORT (" + query + ") TO '" + out + "'")
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(files["provenance/rows.jsonl"]) {
			t.Errorf("%s\nanswers\n%s\nand the file has the rows\n%s", query, got, files["provenance/rows.jsonl"])
		}
	}
}

// waczFiles returns the content of all files in a WACZ file, by path. It checks them
// against the digests in the WACZ file.
func waczFiles(t *testing.T, name string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var all struct {
		Resources []struct {
			Path, Hash string
			Bytes      int
		}
	}
	decode(t, files["datapackage.json"], &all)
	for _, r := range all.Resources {
		if got := digestText(files[r.Path]); got != r.Hash || len(files[r.Path]) != r.Bytes {
			t.Errorf("%s: %s has digest %s and %d bytes, and the manifest says %s and %d", name, r.Path, got, len(files[r.Path]), r.Hash, r.Bytes)
		}
	}
	if len(all.Resources) != len(files)-2 {
		t.Errorf("%s: the manifest lists %d of %d files", name, len(all.Resources), len(files)-2)
	}
	var digest struct{ Path, Hash string }
	decode(t, files["datapackage-digest.json"], &digest)
	if got := digestText(files[digest.Path]); digest.Path != "datapackage.json" || got != digest.Hash {
		t.Errorf("%s: %q has digest %s, want %s", name, digest.Path, got, digest.Hash)
	}
	return files
}

// decode reads the JSON text into v.
func decode(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// digestText returns the sha256 of b as a WACZ file spells it.
func digestText(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// jsonLines reads the JSON lines in text.
func jsonLines[T any](t *testing.T, text []byte) (list []T) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var x T
		decode(t, line, &x)
		list = append(list, x)
	}
	return list
}

// checkEvidence checks that each row in a file of EXPORT PROVENANCE has captures, that
// the WARC file has just the captures of the rows, and that each has its body.
func checkEvidence(t *testing.T, query string, files map[string][]byte) {
	t.Helper()
	type capture struct {
		ID  string `json:"record_id"`
		URL string
		SHA string `json:"sha256"`
	}
	stands := jsonLines[struct{ Captures, Context []string }](t, files["provenance/evidence.jsonl"])
	captures := jsonLines[capture](t, files["provenance/captures.jsonl"])
	if rows := bytes.Count(files["provenance/rows.jsonl"], []byte("\n")); rows == 0 || len(stands) != rows {
		t.Errorf("%s: %d rows, of which %d have captures", query, rows, len(stands))
	}
	used := map[string]bool{}
	for i, s := range stands {
		if len(s.Captures) == 0 {
			t.Errorf("%s: row %d has no captures", query, i+1)
		}
		ids := slices.Concat(s.Captures, s.Context)
		for _, id := range ids {
			used[id] = true
		}
		if slices.Sort(ids); len(slices.Compact(ids)) != len(s.Captures)+len(s.Context) {
			t.Errorf("%s: row %d has a capture twice: %v", query, i+1, s)
		}
	}
	bodies := warcBodies(t, files["archive/data.warc.gz"])
	for _, c := range captures {
		if !used[c.ID] {
			t.Errorf("%s: no row stands on %s", query, c.ID)
		}
		if sum, ok := bodies[c.ID]; !ok || sum != "" && sum != "sha256:"+c.SHA {
			t.Errorf("%s: the record %s of %s is there: %v, its body has digest %s, want %s", query, c.ID, c.URL, ok, sum, c.SHA)
		}
		delete(used, c.ID)
		delete(bodies, c.ID)
	}
	if len(used) > 0 || len(bodies) > 0 {
		t.Errorf("%s: captures.jsonl lacks %v of the rows and %v of the WARC file", query, used, bodies)
	}
}

// warcBodies returns the digests of the bodies in a WARC file by the IDs of their
// records, "" for a record without body.
func warcBodies(t *testing.T, file []byte) map[string]string {
	t.Helper()
	if _, err := gzip.NewReader(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	bodies := make(map[string]string)
	for it, err := range warc.Read(context.Background(), bytes.NewReader(file), warc.Options{}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case it.Damage != "":
			t.Fatal(it.Damage)
		case it.Capture == nil:
			continue
		}
		bodies[it.Capture.RecordID] = ""
		if body := it.Capture.Body; len(body) > 0 {
			bodies[it.Capture.RecordID] = digestText(body)
		}
		it.Capture.Close()
	}
	return bodies
}

// TestProvenanceManifest shows what a file of EXPORT PROVENANCE says about the question.
func TestProvenanceManifest(t *testing.T) {
	a := newSiteArchive(t)
	a.importFiles("../queries/demo/*.raw")
	file := filepath.Join(t.TempDir(), "x.wacz")
	a.run("CREATE VIEW other AS SELECT 1; CREATE METADATA long ON version AS bytes > 0; CREATE VIEW big AS SELECT url FROM versions WHERE long; CREATE VIEW all_big AS SELECT url FROM big")
	query := "SELECT url FROM captures WHERE status = $code AND url IN (SELECT url FROM all_big)"
	a.run("SET $code = 404; SET $other = 1; SET level = leaves; EXPORT PROVENANCE OF (" + query + ") TO '" + file + "'")
	var m struct {
		Statement, Archive, Time, Program string
		State                             string `json:"archive_state"`
		Parameters, Settings              map[string]string
		Definitions                       []string
		Rows, Captures                    int
	}
	decode(t, waczFiles(t, file)["provenance/manifest.json"], &m)
	if m.Statement != query || m.Archive != "archive" || m.Rows != 4 || m.Captures != 6 {
		t.Errorf("the manifest is %+v", m)
	}
	want := "CREATE METADATA long ON version AS bytes > 0; CREATE VIEW big AS SELECT url FROM versions WHERE long; CREATE VIEW all_big AS SELECT url FROM big"
	if got := strings.Join(m.Definitions, "; "); got != want {
		t.Errorf("definitions %q, want %q", got, want)
	}
	if fmt.Sprint(m.Parameters) != "map[code:404]" || m.Settings["level"] != "leaves" || m.Settings["timezone"] != "UTC" {
		t.Errorf("parameters %v, settings %v", m.Parameters, m.Settings)
	}
	if !strings.HasPrefix(m.Program, "infomall ") || m.Time == "" || !strings.Contains(m.State, "-") {
		t.Errorf("program %q, time %q, state %q", m.Program, m.Time, m.State)
	}
}

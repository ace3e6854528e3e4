package repl

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// visitsQuery selects everything that an exchange of captures must preserve.
const visitsQuery = `SELECT url, time, status, kind, mime, bytes, digest, change, ip, origin, asked_url, location, truncated FROM captures`

// versionsQuery selects the same for versions, with the headers and the body.
const versionsQuery = `SELECT url, time, last_seen, visits, change, reason, headers, html FROM versions`

// samplesDir returns the folder of the sample files made by other programs.
func samplesDir(t *testing.T) string {
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.FromSlash("../../shared")
	}
	dir = filepath.Join(dir, "data", "warc")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("sample files are not here: ", err)
	}
	return dir
}

// TestARCIsWARC imports one crawl as ARC and as WARC, plain and compressed:
// the archives answer the same.
func TestARCIsWARC(t *testing.T) {
	name := filepath.Join(samplesDir(t), "ukwa", "small-arcs-and-warcs", "IAH-20080430204825-00000-blackbook-truncated.")
	var want [][]string
	for _, format := range []string{"warc", "warc.gz", "arc", "arc.gz"} {
		a := newSiteArchive(t)
		a.importFiles(name + format)
		got := append(a.query(visitsQuery), a.query(versionsQuery)...)
		if want == nil {
			if want = got; len(want) != 2+2*8 {
				t.Fatalf("%d rows of %s, want 2 headers and 8 captures", len(want), format)
			}
			continue
		}
		diffRows(t, got, want)
	}
}

// TestCDXJIsPywbs compares an index of a sample file with the index that pywb
// made of it. The length of a record is the only field that is not known here.
func TestCDXJIsPywbs(t *testing.T) {
	dir := filepath.Join(samplesDir(t), "pywb", "sample_archive")
	for warc, index := range map[string]string{"iana.warc.gz": "iana.cdxj", "dupes.warc.gz": "dupes.cdxj"} {
		a := newSiteArchive(t)
		a.importFiles(filepath.Join(dir, "warcs", warc))
		file := filepath.Join(t.TempDir(), "out.cdxj")
		a.query(fmt.Sprintf("EXPORT (SELECT url, time FROM captures) TO '%s'", file))
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, "cdxj", index))
		if err != nil {
			t.Fatal(err)
		}
		want = regexp.MustCompile(`"length": "\d+", `).ReplaceAll(want, nil)
		if !bytes.Equal(got, want) {
			t.Errorf("index of %s:\n%s\nwant\n%s", warc, got, want)
		}
	}
}

// TestExchangeSamples imports each sample made by other programs, exports it as
// WARC, WACZ and Tianwang records, imports the export, and compares the answers
// of the two archives.
func TestExchangeSamples(t *testing.T) {
	dir := samplesDir(t)
	files := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".warc") {
			return err
		}
		files++
		t.Run(d.Name(), func(t *testing.T) {
			one := newSiteArchive(t)
			one.importFiles(name)
			if len(one.query("SELECT url FROM captures LIMIT 1")) == 1 {
				return // only damage in it, or no captures
			}
			outs := []string{"out.warc.gz", "out.warc", "out.wacz", "out.raw", "out.raw.zlib"}
			if testing.Short() {
				outs = outs[files%len(outs):][:1]
			}
			for _, out := range outs {
				checkExchange(t, one, out)
			}
		})
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d sample files, %v", files, err)
	}
}

// checkExchange exports all captures to a file of that name, imports it and
// compares.
func checkExchange(t *testing.T, one *siteArchive, name string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("through %s", name)
		}
	}()
	file := filepath.Join(t.TempDir(), name)
	one.query(fmt.Sprintf("EXPORT (SELECT url, time FROM captures) TO '%s'", file))
	two := newSiteArchive(t)
	if sum := two.importFiles(file); sum["damaged"] != 0 {
		t.Errorf("%d records of %s are damaged", sum["damaged"], name)
	}
	diffRows(t, two.query(visitsQuery), one.query(visitsQuery))
	got, want := two.query(versionsQuery), one.query(versionsQuery)
	const headers = 6
	for i := range min(len(got), len(want)) {
		if want[i][headers] == "" {
			// A visit that came without headers goes out with those of its
			// original, if that is not in the file at the same URL.
			got[i][headers] = ""
		}
		// A revisit's head without its empty line may be exported with a body after it.
		got[i][headers], want[i][headers] = strings.TrimRight(got[i][headers], "\n"), strings.TrimRight(want[i][headers], "\n")
	}
	diffRows(t, got, want)
}

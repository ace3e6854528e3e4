package repl

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFollowCrawl runs a crawl and, in another process, an EXPORT … FOLLOW. The site holds a
// page back until the export has written the others. In the end, the WARC file has what the
// archive has.
func TestFollowCrawl(t *testing.T) {
	work := t.TempDir()
	out := filepath.Join(work, "out.warc.gz")
	asked, written := make(chan bool, 1), make(chan bool)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<title>Home</title><a href="/a">a</a> <a href="/b">b</a> <a href="/late">late</a>`)
		case "/late":
			asked <- true
			<-written
			fmt.Fprint(w, "<title>Late</title>")
		default:
			fmt.Fprintf(w, "<title>Page %s</title>", r.URL.Path)
		}
	}))
	defer site.Close()
	dir := filepath.Join(work, "archive")
	crawl := exec.Command("infomall", "-a", dir, "-c",
		fmt.Sprintf("SET publish_every = 1s; CRAWL '%s/' DELAY 0s IGNORE ROBOTS ALLOW PRIVATE AS site", site.URL))
	var said bytes.Buffer
	crawl.Stdout, crawl.Stderr = &said, &said
	if err := crawl.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- crawl.Wait() }()
	select {
	case <-asked:
	case err := <-ended:
		t.Fatalf("the crawl has ended: %v\n%s", err, &said)
	}
	// The crawl waits for the last page. The export follows it meanwhile.
	follow := exec.Command("infomall", "-a", dir, "-c", fmt.Sprintf("EXPORT '*' TO '%s' FOLLOW CRAWL site", out))
	var printed bytes.Buffer
	follow.Stdout, follow.Stderr = &printed, &printed
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	exported := make(chan error, 1)
	go func() { exported <- follow.Wait() }()
	for n := 0; n == 0; {
		select {
		case err := <-exported:
			t.Fatalf("the export has ended before the crawl: %v\n%s", err, &printed)
		case <-time.After(20 * time.Millisecond): // it writes twice a second
		}
		b, _ := os.ReadFile(out) // it comes into being now
		n = bytes.Count(unzippedPart(b), []byte("\r\nWARC-Type: response\r\n"))
	}
	close(written)
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	if err := <-exported; err != nil {
		t.Fatalf("%v\n%s", err, &printed)
	}
	const question = "SELECT url, time, status, digest, ip FROM captures"
	want := infomall(t, dir, question)
	back := filepath.Join(work, "back")
	infomall(t, back, fmt.Sprintf("IMPORT '%s'", out))
	if got := infomall(t, back, question); got != want || strings.Count(want, "\n") < 5 {
		t.Errorf("the archive has\n%s\nand the file\n%s\n%s", want, got, &printed)
	}
	if b, err := os.ReadFile(out); err != nil || bytes.Count(unzippedPart(b), []byte("WARC-Type: response")) != strings.Count(want, "\n")-1 {
		t.Errorf("the file has not each capture once: %v", err)
	}
}

// unzippedPart returns what a reader gets of a file of gzip members that is being written: up
// to the place where bytes are missing.
func unzippedPart(b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(z)
	return text
}

// followKills is how often TestFollowIsKilled kills an export.
const followKills = 6

// TestFollowIsKilled kills an EXPORT … FOLLOW at random system calls, again and again, while
// captures come in. When it is run to its end, it has written the same records as an export
// that was not killed.
func TestFollowIsKilled(t *testing.T) {
	if status, out := runKilled(1, "infomall", "--version"); status == untracedStatus {
		t.Skipf("programs cannot be traced here: %s", out)
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	demo, err := filepath.Abs("../queries/demo")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	dir, out := filepath.Join(work, "archive"), filepath.Join(work, "out.warc")
	statement := fmt.Sprintf("EXPORT 'lanshan.example' TO '%s' FOLLOW CRAWL done", out)
	infomall(t, dir, fmt.Sprintf("IMPORT '%s/200806.raw'; CRAWL 'http://www.lanshan.example/' DEPTH 0 FROM ARCHIVE AS done", demo))
	killed := 0
	for i := 0; killed < followKills; i++ {
		if i == 10*followKills {
			t.Fatalf("seed %d: only %d of %d exports were killed", seed, killed, i)
		}
		if months := map[int]string{2: "200807", 4: "200808"}; months[killed] != "" {
			infomall(t, dir, fmt.Sprintf("IMPORT '%s/%s.raw'", demo, months[killed]))
		}
		switch status, printed := runKilled(1+random.IntN(60), "infomall", "-a", dir, "-c", statement); status {
		case killedStatus:
			killed++
		case statusDone: // there was less to write
		default:
			t.Fatalf("seed %d: status %d\n%s", seed, status, printed)
		}
	}
	infomall(t, dir, statement)
	got := withoutInfo(t, out)
	out = filepath.Join(work, "whole.warc")
	infomall(t, dir, fmt.Sprintf("EXPORT 'lanshan.example' TO '%s' FOLLOW CRAWL done", out))
	if want := withoutInfo(t, out); got != want || strings.Count(want, "WARC/1.1\r\n") != 109 {
		t.Errorf("seed %d: after %d kills the file has %d bytes and %d records, and without them %d and %d",
			seed, killed, len(got), strings.Count(got, "WARC/1.1\r\n"), len(want), strings.Count(want, "WARC/1.1\r\n"))
	}
}

// withoutInfo returns the WARC file with this name without its first record, which describes
// the file and has the time at which it was written.
func withoutInfo(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(b[1:], []byte("WARC/1.1\r\n"))
	if i < 0 {
		t.Fatalf("%s has one record or none", name)
	}
	return string(b[1+i:])
}

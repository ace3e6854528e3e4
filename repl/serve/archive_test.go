package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/repl"
	"infomall/store/document/child"
)

// TestMain lets the program that the tests run start this test program as a child that
// reads documents.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args[1:], child.Argument) {
		os.Exit(repl.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
	}
	os.Exit(m.Run())
}

// The origins of the server in a browser test. An isolated test has all ports for
// itself.
const (
	interfaceOrigin = "http://127.0.0.1:8080"
	interfacePort   = 8080
	replayPort      = 8081
)

// capture is one capture of an archive that a test makes.
type capture struct {
	url         string
	contentType string // "" is text/html
	header      string // further lines of the header, each with its end
	body        string
}

// captureTime is the time of all captures that tests make.
const captureTime = "2008-07-07T01:02:03Z"

// writeWARC writes captures to a file in WARC.
func writeWARC(t *testing.T, file string, captures []capture) {
	t.Helper()
	var b bytes.Buffer
	for i, c := range captures {
		if c.contentType == "" {
			c.contentType = "text/html"
		}
		response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n%s", c.contentType, c.header, c.body)
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nWARC-Date: %s\r\n"+
			"WARC-Target-URI: %s\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, captureTime, c.url, len(response), response)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs the program with these arguments until it ends.
func run(t *testing.T, args ...string) {
	t.Helper()
	var out bytes.Buffer
	if status := repl.Main(context.Background(), args, strings.NewReader(""), &out, &out, func(string) string { return "" }); status != 0 {
		t.Fatalf("infomall %q: status %d: %s", args, status, out.Bytes())
	}
}

// serveArchive imports captures and serves them at interfaceOrigin until the test
// ends. It returns the path of the access log.
func serveArchive(t *testing.T, captures []capture) (log string) {
	t.Helper()
	dir := t.TempDir()
	warc, archive, log := filepath.Join(dir, "captures.warc"), filepath.Join(dir, "archive"), filepath.Join(dir, "access.log")
	writeWARC(t, warc, captures)
	run(t, "-a", archive, "-c", "IMPORT '"+warc+"'")
	startServer(t, archive, log)
	return log
}

// startServer serves an archive at interfaceOrigin until the test ends, and returns
// when the server is ready.
func startServer(t *testing.T, archive, log string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	out, said := io.Pipe()
	go func() {
		args := []string{"-a", archive, "--serve", strings.TrimPrefix(interfaceOrigin, "http://"), "--access-log", log}
		ended <- repl.Main(ctx, args, strings.NewReader(""), said, said, func(string) string { return "" })
		said.Close()
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	first := make([]byte, 4096)
	n, err := out.Read(first) // the line that says where the server is
	if err != nil || !bytes.Contains(first[:n], []byte("serving")) {
		t.Fatalf("the server does not start: %v: %s", err, first[:n])
	}
	go io.Copy(io.Discard, out)
}

var frameSource = regexp.MustCompile(`<iframe[^>]* src="(http://[^/"]+)/`)

// replayOrigin returns the origin at which the server replays the page url.
func replayOrigin(t *testing.T, url string) string {
	t.Helper()
	client := http.Client{Timeout: time.Minute}
	answer, err := client.Get(interfaceOrigin + "/20080710/" + url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := frameSource.FindSubmatch(page)
	if found == nil {
		t.Fatalf("no frame in the page of %s:\n%s", url, page)
	}
	return string(found[1])
}

var requestLine = regexp.MustCompile(`"[A-Z]+ (\S+) HTTP/`)

// requested returns how often each path is in an access log.
func requested(t *testing.T, log string) map[string]int {
	t.Helper()
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]int{}
	for _, line := range requestLine.FindAllSubmatch(b, -1) {
		paths[string(line[1])]++
	}
	return paths
}

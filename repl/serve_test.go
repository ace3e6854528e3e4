package repl

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestServe starts the server on the demo's captures, as a user would, while other
// runs of the program import and delete captures. The server must show each change
// at once, and end well.
func TestServe(t *testing.T) {
	demo, err := filepath.Abs("../queries/demo")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "archive")
	runMain(t, []string{"-a", dir, "-c", "IMPORT '" + demo + "/200806.raw'"})

	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	log := filepath.Join(t.TempDir(), "access.log")
	status := make(chan int, 1)
	go func() {
		defer write.Close()
		args := []string{"-a", dir, "--serve", "127.0.0.1:0", "--access-log", log, "--query-timeout", "1m"}
		status <- mainElsewhere(ctx, args, strings.NewReader(""), io.Discard, write, elsewhere)
	}()
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal("the server says nothing")
	}
	said := regexp.MustCompile(`at (http://127\.0\.0\.1:\d+)/, replay at port (\d+)`).FindStringSubmatch(lines.Text())
	if said == nil {
		t.Fatalf("the server says %q", lines.Text())
	}
	go io.Copy(io.Discard, read)
	ui, replay := said[1], "http://127.0.0.1:"+said[2]
	get := func(url, accept string) (int, string) {
		r, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	captures := func() string {
		_, body := get(ui+"/api/query?statement=SELECT+count(*)+AS+n+FROM+captures", "text/csv")
		return strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(body, "\r", ""), "n\n"))
	}
	if got := captures(); got != "42" {
		t.Errorf("captures: %s, want 42", got)
	}
	if code, body := get(replay+"/20080610id_/http://www.lanshan.example/", ""); code != 200 || !strings.Contains(body, "<html") {
		t.Errorf("the first page at replay: %d %.100s", code, body)
	}
	if code, body := get(ui+"/*/http://www.lanshan.example/", ""); code != 200 || !strings.Contains(body, "/20080602011504/http://www.lanshan.example/") {
		t.Errorf("the calendar: %d %s", code, body)
	}
	if code, body := get(ui+"/api/complete?before=SELECT+url+FROM+c", ""); code != 200 || !strings.Contains(body, `"captures",`) {
		t.Errorf("a completion: %d %s", code, body)
	}
	runMain(t, []string{"-a", dir, "-c", "IMPORT '" + demo + "/200807.raw'"})
	if got := captures(); got != "78" {
		t.Errorf("captures after an import: %s, want 78", got)
	}
	runMain(t, []string{"-a", dir, "--yes", "-c", "DELETE FROM 'lanshan.example' REASON 'asked for'"})
	for _, url := range []string{replay + "/20080610id_/http://www.lanshan.example/", ui + "/*/http://www.lanshan.example/", ui + "/20080610/http://www.lanshan.example/", ui + "/timemap/link/http://www.lanshan.example/"} {
		if code, _ := get(url, ""); code != 404 {
			t.Errorf("%s after DELETE: status %d, want 404", url, code)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if got := <-status; got != statusDone {
		t.Errorf("the server ended with status %d", got)
	}
	if b, err := os.ReadFile(log); err != nil || strings.Count(string(b), "\n") != 9 {
		t.Errorf("the access log is %q, %v", b, err)
	}
}

// TestServeOptions shows command lines that --serve refuses, and the address that it
// has if none is given.
func TestServeOptions(t *testing.T) {
	for _, args := range []string{"--serve -c HELP", "--serve 127.0.0.1:0 script.iql", "--serve nowhere", "--serve 127.0.0.1:0 --query-memory much", "--serve 127.0.0.1:0 --serve-origin archive.example", "--serve 127.0.0.1:0 --replay-origin https://a.*.example",
		"--replay-proxy nowhere", "--replay-proxy 127.0.0.1:0 --at never", "--serve 127.0.0.1:0 --at 2008", "--replay-proxy 127.0.0.1:0 -c HELP"} {
		var stderr strings.Builder
		if code := Main(t.Context(), append([]string{"-a", t.TempDir()}, strings.Fields(args)...), strings.NewReader(""), io.Discard, &stderr, func(string) string { return "" }); code == statusDone || stderr.Len() == 0 {
			t.Errorf("%s: status %d, %q", args, code, stderr.String())
		}
	}
	if o, err := parseOptions([]string{"--replay-proxy", "--at", "2008"}, io.Discard); err != nil || o.ReplayProxy != "127.0.0.1:8090" || o.At != "2008" {
		t.Errorf("the proxy is %v (%v)", o, err)
	}
	for args, want := range map[string]string{"--serve": "127.0.0.1:8080", "--serve --quiet": "127.0.0.1:8080", "--serve 0.0.0.0:80": "0.0.0.0:80", "--serve=[::1]:80": "[::1]:80"} {
		o, err := parseOptions(strings.Fields(args), io.Discard)
		if err != nil || o.Serve != want {
			t.Errorf("%s serves at %v (%v), want %s", args, o, err, want)
		}
	}
}

// TestReplayProxy starts the proxy on the demo's captures, as a user would, and
// fetches a page through it.
func TestReplayProxy(t *testing.T) {
	demo, err := filepath.Abs("../queries/demo")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "archive")
	runMain(t, []string{"-a", dir, "-c", "IMPORT '" + demo + "/200806.raw'"})
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	status := make(chan int, 1)
	go func() {
		defer write.Close()
		args := []string{"-a", dir, "--replay-proxy", "127.0.0.1:0", "--at", "2008-06-10"}
		status <- mainElsewhere(ctx, args, strings.NewReader(""), io.Discard, write, elsewhere)
	}()
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal("the proxy says nothing")
	}
	said := regexp.MustCompile(`HTTP proxy at (127\.0\.0\.1:\d+), with captures near 2008-06-10`).FindStringSubmatch(lines.Text())
	if said == nil {
		t.Fatalf("the proxy says %q", lines.Text())
	}
	go io.Copy(io.Discard, read)
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: said[1]})}}
	res, err := client.Get("http://www.lanshan.example/")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.StatusCode != 200 || res.Header.Get("Date") != "Mon, 09 Jun 2008 01:10:06 GMT" || !strings.Contains(string(body), `<link href="/css/style.css"`) {
		t.Errorf("through the proxy: %d %v %v %.300s", res.StatusCode, err, res.Header, body)
	}
	client.CloseIdleConnections()
	stop()
	if got := <-status; got != statusDone {
		t.Errorf("the proxy ended with status %d", got)
	}
}

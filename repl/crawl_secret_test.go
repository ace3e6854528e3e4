package repl

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPasswordsAreNotKept crawls with passwords for a host and a proxy, and
// searches for them in every file that exists afterwards and in all output.
func TestPasswordsAreNotKept(t *testing.T) {
	const secret, proxySecret = "Xq7-open-sesame", "Xq8-by-proxy"
	let := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != secret || r.Header.Get("Proxy-Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		let++
		fmt.Fprint(w, "<title>Inside</title>")
	}))
	defer server.Close()
	// The server is its own proxy: each knows its host by another name.
	seed := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	home := t.TempDir()
	netrc := filepath.Join(t.TempDir(), "netrc")
	text := fmt.Sprintf("machine localhost login me password %s\nmachine 127.0.0.1 login me password %s\n", secret, proxySecret)
	if err := os.WriteFile(netrc, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	crawl := fmt.Sprintf("CRAWL '%s/' PROXY '%s' ALLOW PRIVATE AS inside;", seed, server.URL)
	var printed bytes.Buffer
	run := func(statements string) {
		cmd := exec.Command("infomall", "-a", filepath.Join(home, "archive"), "--keep-going", "-c", statements)
		cmd.Env = append(os.Environ(), "HOME="+home, "INFOMALL_HISTORY="+filepath.Join(home, "history"))
		cmd.Stdout, cmd.Stderr = &printed, &printed
		cmd.Run() // an error shows in the output
	}
	run(fmt.Sprintf("SET netrc = '%s'; EXPLAIN %s %s SHOW CRAWLS; SHOW WORKERS; SELECT * FROM fetches; SELECT * FROM captures; SHOW SETTINGS;", netrc, crawl, crawl))
	if let == 0 {
		t.Fatalf("the crawl did not get in:\n%s", &printed)
	}
	// A password in a URL is refused before anything is written.
	before := printed.Len()
	run(fmt.Sprintf("CRAWL 'http://me:%s@localhost/';", secret))
	if said := printed.String()[before:]; !strings.Contains(said, "must not contain a name and password") || !strings.Contains(said, "SET netrc") {
		t.Errorf("it is said: %s", said)
	}
	printed.Truncate(before) // the statement as it was typed
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		tellsNo(t, path, b, secret, proxySecret)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	tellsNo(t, "what is printed", printed.Bytes(), secret, proxySecret)
}

// tellsNo fails the test if text contains a password, also in a form in which
// passwords are sent.
func tellsNo(t *testing.T, what string, text []byte, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		sent := base64.StdEncoding.EncodeToString([]byte("me:" + s))
		if bytes.Contains(text, []byte(s)) || bytes.Contains(text, []byte(sent)) {
			t.Errorf("%s has a password", what)
		}
	}
}

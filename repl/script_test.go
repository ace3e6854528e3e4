package repl

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// TestScripts runs the program as a shell does. Beside testscript's own
// commands there is
//
//	status N command…
//
// which runs a command and wants it to end with status N, and
//
//	await TEXT command…
//
// which runs a command again until it prints a line TEXT, for a minute at most, and
//
//	serve DIR
//
// which serves the files of a folder as a web site, and sets $SITE to the URL
// of its home page, without the slash, and
//
//	recode CHARSET FILE…
//
// which writes files of UTF-8 again in another charset, and
//
//	regions QQWRY MAXMIND
//
// which writes two files of regions. $ROOT is the top of the source tree.
func TestScripts(t *testing.T) { testscript.Run(t, scriptParams(t, nil)) }

// scriptParams returns how the scripts run. vars are variables that they have besides.
func scriptParams(t *testing.T, vars map[string]string) testscript.Params {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CACHE_HOME", "/dev/null") // no measured rates, so estimates are the same each time
			env.Setenv("TERM", "xterm")
			env.Setenv("ROOT", root)
			env.Setenv("GORACE", raceOptions)
			for name, value := range vars {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":   status,
			"serve":    serveFolder,
			"await":    await,
			"recode":   recode,
			"remember": remember,
			"regions":  writeRegions,
		},
	}
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("ended with status %d, want %d", got, want)
	}
}

// remember NAME sets an environment variable to the last line of stdout.
func remember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: remember NAME")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	ts.Setenv(args[0], lines[len(lines)-1])
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: await TEXT command [args…]")
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if slices.Contains(strings.Split(ts.ReadFile("stdout"), "\n"), args[0]) {
			return
		}
	}
	ts.Fatalf("no line %q", args[0])
}

func recode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: recode CHARSET file…")
	}
	var charset encoding.Encoding
	switch args[0] {
	case "utf-16le":
		charset = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be-mark":
		charset = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "hz":
		charset = simplifiedchinese.HZGB2312
	default:
		var err error
		charset, err = htmlindex.Get(args[0])
		ts.Check(err)
	}
	for _, name := range args[1:] {
		b, err := charset.NewEncoder().Bytes([]byte(ts.ReadFile(name)))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o666))
	}
}

// serveFolder serves a folder while the script runs. A file that begins with a status
// line is a whole response, and sent as it is. The file find?q=a is the response to a GET
// with that query, and the file find?POST q=a to a POST with that body.
func serveFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve DIR")
	}
	root := os.DirFS(ts.MkAbs(args[0]))
	files := http.FileServerFS(root)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := r.URL.RawQuery
		if r.Method == "POST" {
			body, _ := io.ReadAll(r.Body)
			sent = "POST " + string(body)
		}
		if b, err := fs.ReadFile(root, strings.TrimPrefix(r.URL.Path, "/")+"?"+sent); err == nil && sent != "" {
			w.Header().Set("Content-Type", "text/html")
			w.Write(b)
			return
		}
		b, err := fs.ReadFile(root, strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || !bytes.HasPrefix(b, []byte("HTTP/")) {
			files.ServeHTTP(w, r)
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return // the client sees the end of the connection
		}
		defer conn.Close()
		conn.Write(b)
	}))
	ts.Defer(s.Close)
	ts.Setenv("SITE", s.URL)
}

package repl

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// failing runs a statement on the archive dir that must fail, and returns the error.
func failing(t *testing.T, dir, statement string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	if status := Main(t.Context(), []string{"--yes", "-a", dir, "-c", statement}, strings.NewReader(""), &stdout, &stderr, os.Getenv); status == 0 {
		t.Fatalf("%s: no error\n%s%s", statement, &stdout, &stderr)
	}
	return stderr.String()
}

// write writes a file.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// hooks is a web server that notes what it gets, and answers with a status.
type hooks struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	posts  []string // path, Idempotency-Key and body of each request
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{status: http.StatusOK}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.posts = append(h.posts, r.URL.Path+" "+r.Header.Get("Idempotency-Key")+" "+strings.ReplaceAll(string(body), "\r\n", "\n"))
		w.WriteHeader(h.status)
	}))
	t.Cleanup(h.Close)
	return h
}

// answer sets the status with which the server answers, and returns the requests since the
// last call.
func (h *hooks) answer(status int) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	posts := h.posts
	h.status, h.posts = status, nil
	return posts
}

// TestWatchThenPosts runs watches whose THEN sends the new rows to a web server. A batch
// that the server does not accept is sent again, with the same key, until it does. A script
// that sends several messages has a key for each.
func TestWatchThenPosts(t *testing.T) {
	dir, h := filepath.Join(t.TempDir(), "archive"), newHooks(t)
	infomall(t, dir, "IMPORT '../queries/demo/200806.raw'")
	twice := filepath.Join(t.TempDir(), "twice.iql")
	write(t, twice, "EXPORT (SELECT 1 AS n) TO '"+h.URL+"/a.csv'; EXPORT (SELECT 2 AS n) TO '"+h.URL+"/a.csv';")
	infomall(t, dir, `WATCH "new pages" EVERY 1d FROM START AS SELECT url FROM pages IN 'lib.lanshan.example'
		THEN EXPORT (SELECT batch, url FROM watched WHERE name = 'new pages' AND batch = $batch ORDER BY url) TO '`+h.URL+`/in/' || $batch FORMAT csv;
		WATCH two EVERY 1d FROM START AS SELECT 1 AS one THEN RUN '`+twice+`'`)
	h.answer(http.StatusServiceUnavailable)
	want := "THEN of batch 1: POST " + h.URL + "/in/1: the server answered 503 Service Unavailable"
	if got := failing(t, dir, `RUN WATCH "new pages"`); !strings.Contains(got, want) {
		t.Errorf("error %q, want %q", got, want)
	}
	refused := h.answer(http.StatusNoContent)
	infomall(t, dir, `RUN WATCH "new pages"`)
	accepted := h.answer(http.StatusOK)
	if len(refused) != 1 || !slices.Equal(refused, accepted) {
		t.Errorf("the server got %q, and then %q: the same is wanted", refused, accepted)
	}
	if !regexp.MustCompile(`^/in/1 new%20pages-[0-9]+-1 batch,url\n1,http://lib.lanshan.example/\n`).MatchString(accepted[0]) {
		t.Errorf("the server got %q", accepted[0])
	}
	infomall(t, dir, `RUN WATCH "new pages"`)
	if again := h.answer(http.StatusOK); again != nil {
		t.Errorf("without new rows the server got %q", again)
	}
	infomall(t, dir, "RUN WATCH two")
	keys := regexp.MustCompile(`^/a.csv two-[0-9]+-1 n\n1\n,/a.csv two-[0-9]+-1-2 n\n2\n$`)
	if got := strings.Join(h.answer(http.StatusOK), ","); !keys.MatchString(got) {
		t.Errorf("a script sent %q", got)
	}

	// Without a watch there is no key.
	infomall(t, dir, "EXPORT (SELECT 1 AS n) TO '"+h.URL+"/x.jsonl.gz'")
	if got := h.answer(http.StatusOK); len(got) != 1 || !strings.HasPrefix(got[0], "/x.jsonl.gz  \x1f\x8b") {
		t.Errorf("an EXPORT sent %q", got)
	}
	for statement, want := range map[string]string{
		"EXPORT (SELECT 1) TO 'http://192.0.2.1/x.csv'":                                         "address 192.0.2.1 is not on this machine: SET webhooks = any allows it",
		"WATCH w EVERY 1d AS SELECT 1 AS x THEN EXPORT (SELECT 1) TO 'http://192.0.2.1/x.csv'":  "address 192.0.2.1 is not on this machine",
		"EXPORT (SELECT 1) TO 'http://127.0.0.1/x'":                                             "does not show the format",
		"EXPORT (SELECT 1 AS a, 2 AS b) TO 'http://127.0.0.1/x/' PARTITION BY a FORMAT parquet": "a web server gets one file",
		"EXPORT 'lanshan.example' TO 'http://127.0.0.1/x.warc' FOLLOW":                          "a web server gets a complete file",
		"EXPORT 'lanshan.example' TO 'http://127.0.0.1/x.raw'":                                  "a web server gets one",
		"EXPORT (SELECT 1) TO 'http://a:b@127.0.0.1/x.csv'":                                     "contains a name or password",
		"EXPORT PROVENANCE OF (SELECT url FROM pages) TO 'http://127.0.0.1/x.wacz'":             "does not send it to a web server",
		"SET webhooks = all": `there is no "all"`,
	} {
		if got := failing(t, dir, statement); !strings.Contains(got, want) {
			t.Errorf("%s: error %q, want %q", statement, got, want)
		}
	}
	if got := h.answer(http.StatusOK); got != nil {
		t.Errorf("statements that fail sent %q", got)
	}
}

// TestWatchThenCrawls runs a watch whose THEN crawls and then fails. When THEN runs again
// for the batch, the crawl is not begun again, because its name has the number of the batch.
// A later watch of the same name crawls again.
func TestWatchThenCrawls(t *testing.T) {
	work := t.TempDir()
	dir, site, out := filepath.Join(work, "archive"), newHooks(t), filepath.Join(work, "out")
	infomall(t, dir, "IMPORT '../queries/demo/200806.raw'")
	both := filepath.Join(work, "both.iql")
	write(t, both, fmt.Sprintf("CRAWL '%s/' IGNORE ROBOTS ALLOW PRIVATE DELAY 0s AS 'c-' || $batch; EXPORT (SELECT 1 AS n) TO '%s/' || $batch || '.csv';", site.URL, out))
	watch := fmt.Sprintf("WATCH w EVERY 1d FROM START AS SELECT 1 AS one THEN RUN '%s' (batch = $batch)", both)
	infomall(t, dir, watch)
	for range 2 {
		failing(t, dir, "RUN WATCH w")
	}
	if got := site.answer(http.StatusOK); len(got) != 1 {
		t.Errorf("for one batch the site was asked for %q, want one request", got)
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	infomall(t, dir, "RUN WATCH w")
	if got := infomall(t, dir, "SELECT name, state FROM crawls; SELECT done FROM watches"); !strings.Contains(got, "c-1,finished") || !strings.Contains(got, "done\n1") {
		t.Errorf("after THEN the archive has %s", got)
	}
	infomall(t, dir, "UNWATCH w; "+watch+"; RUN WATCH w")
	if got := site.answer(http.StatusOK); len(got) != 1 {
		t.Errorf("for the new watch the site was asked for %q, want one request", got)
	}
}

package repl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infomall/exec/relation/all"
	"infomall/exec/relation/work"
)

// The words of hidden pages that no answer may have: one is a part of their URLs, the
// other is in their texts, links and headers.
const (
	hiddenName = "zebrasecret"
	hiddenWord = "quaggaword"
)

// served is a running server of an archive.
type served struct {
	t          *testing.T
	ui, replay string
}

// serveDir serves an archive until the test ends.
func serveDir(t *testing.T, dir string) *served {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	read, write := io.Pipe()
	status := make(chan int, 1)
	go func() {
		defer write.Close()
		status <- mainElsewhere(ctx, []string{"-a", dir, "--serve", "127.0.0.1:0", "--query-timeout", "5m"}, strings.NewReader(""), io.Discard, write, elsewhere)
	}()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if got := <-status; got != statusDone {
			t.Errorf("the server ended with status %d", got)
		}
	})
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal("the server says nothing")
	}
	said := regexp.MustCompile(`at (http://127\.0\.0\.1:\d+)/, replay at port (\d+)`).FindStringSubmatch(lines.Text())
	if said == nil {
		t.Fatalf("the server says %q", lines.Text())
	}
	go io.Copy(io.Discard, read)
	return &served{t, said[1], "http://127.0.0.1:" + said[2]}
}

// get returns the status and the body of an answer, without redirects.
func (s *served) get(address string) (status int, body string) {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(b) + res.Header.Get("Location") + res.Header.Get("Link")
}

// query returns the rows of a statement as CSV.
func (s *served) query(statement string) string {
	s.t.Helper()
	status, body := s.get(s.ui + "/api/query?format=csv&statement=" + url.QueryEscape(statement))
	if status != http.StatusOK {
		s.t.Fatalf("%s: status %d: %s", statement, status, body)
	}
	return body
}

// askMCP calls tools of the program as a client of the Model Context Protocol does, each
// with its arguments in JSON, and returns the answers.
func askMCP(t *testing.T, dir string, calls ...[2]string) (answers []string) {
	t.Helper()
	in, ask := io.Pipe()
	out, say := io.Pipe()
	status := make(chan int, 1)
	go func() {
		defer say.Close()
		status <- mainElsewhere(context.Background(), []string{"-a", dir, "--mcp"}, in, say, io.Discard, elsewhere)
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	send := func(line string) {
		t.Helper()
		if _, err := io.WriteString(ask, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	answer := func() string {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("the program ends: %v", lines.Err())
		}
		return lines.Text()
	}
	send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	answer()
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, c := range calls {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, i+1, c[0], c[1]))
		answers = append(answers, answer())
	}
	ask.Close()
	if got := <-status; got != statusDone {
		t.Errorf("--mcp ended with status %d", got)
	}
	return answers
}

// everyRelation returns a statement for each relation, which reads all its columns.
func everyRelation() (list []string) {
	for _, r := range all.Relations() {
		source := r.Name
		switch {
		case r.Asked:
			source += "('" + hiddenWord + " OR common')"
		case r.ByUnit:
			source += "(month) BETWEEN 2008-01 AND 2008-12"
		}
		var columns []string
		for _, c := range r.ColumnNames() {
			columns = append(columns, `"`+c+`"`)
		}
		if r == work.Watched {
			columns = []string{"*"} // those of the watches too
		}
		list = append(list, "SELECT "+strings.Join(columns, ", ")+" FROM "+source)
	}
	return append(list, "SELECT url, next_due, change_rate FROM pages", "SEARCH '"+hiddenWord+" OR common'", "SEARCH 'quagaword'", "SHOW VIEWS", "SHOW RULES", "SHOW JOBS", "SHOW CRAWLS")
}

// hiddenArchive makes an archive with pages to hide and others, whose texts, rankings,
// groups, crawls, jobs and definitions all name the former. It returns the scopes of the
// hidden pages as a statement has them, and the URL of one.
func hiddenArchive(t *testing.T, dir string) (scopes, page string) {
	t.Helper()
	html := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(html, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("<html><head><title>"+text+"</title></head><body><h1>"+text+"</h1><p>The common text of a page, which is long enough to be a block: "+text+".</p><a href=\"http://other.example/\">"+text+"</a></body></html>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	statement := func(args ...string) {
		t.Helper()
		runMain(t, append([]string{"-a", dir, "--yes"}, args...))
	}
	write("secret/index.html", hiddenWord+" one")
	write("secret/more.html", hiddenWord+" two")
	write("secret/copy.html", hiddenWord+" two")
	write("open/index.html", "common one")
	write("open/copy.html", "common two")
	write("open/more.html", "common two")
	for _, month := range []string{"2008-06", "2008-07"} {
		statement("-c", "IMPORT '"+html+"/secret/*.html' FORMAT html BASE 'http://"+hiddenName+".example/' AT "+month)
		statement("-c", "IMPORT '"+html+"/open/*.html' FORMAT html BASE 'http://open.example/' AT "+month)
		write("secret/index.html", hiddenWord+" one has changed")
		write("open/index.html", "common one has changed")
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		text := "common"
		if strings.Contains(r.URL.Path, hiddenName) {
			text = hiddenWord
		}
		io.WriteString(w, "<title>"+text+"</title><p>A page of a crawled site: "+text+". <a href=\"more.html\">more</a>")
	}))
	defer site.Close()
	secret := site.URL + "/" + hiddenName + "/"
	scopes = "'" + hiddenName + ".example', '" + secret + "*'"
	statement("-c", "CRAWL '"+secret+"index.html', '"+site.URL+"/open/index.html' LIMIT 2 PAGES DELAY 0s ALLOW PRIVATE AS crawled")
	statement("-c", "ADD '"+secret+"later.html' TO CRAWL crawled")
	statement("-c", "PAGERANK; HITS found OVER 'example'; DEDUP; DEDUP OF blocks; CLUSTER ON (SELECT url, time, text FROM versions) BY words; TRAIN hosts ON (SELECT url, text, host AS class FROM versions) FOLDS 2; TRAIN unnamed ON (SELECT text, host AS class FROM versions) FOLDS 2; TRAIN shown ON (SELECT url, text, path(url) AS class FROM versions IN 'open.example') FOLDS 2; CREATE VIEW seen AS SELECT url FROM 'http://"+hiddenName+".example/'")
	statement("-c", "SAVE asked AS SELECT url FROM '"+hiddenName+".example'; SET contact = 'a@b.example'; SCHEDULE daily EVERY 1d AS CRAWL 'http://"+hiddenName+".example/' AS again; WATCH seen EVERY 1d FROM START AS SELECT url FROM pages; RUN WATCH seen; WATCH some EVERY 1d AS SELECT url FROM '"+hiddenName+".example'")
	statement("-c", "DELETE FROM 'http://"+hiddenName+".example/copy.html' REASON 'the owner of "+hiddenName+".example asked' FOREVER; MERGE POOL ALL")
	return scopes, "http://" + hiddenName + ".example/"
}

// TestRulesHide asks a server for every relation, with all columns, and everything else
// that it answers, with a rule of each action on some pages. No answer may have the words
// of these pages, nor their URLs, and the relations made of captures must be those of an
// archive from which the pages are deleted. Without a rule, they show.
func TestRulesHide(t *testing.T) {
	if testing.Short() {
		t.Skip("asks for some hundred answers; not with -short")
	}
	work := t.TempDir()
	dir, control := filepath.Join(work, "archive"), filepath.Join(work, "control")
	scopes, page := hiddenArchive(t, dir)
	copyPlace(t, control, dir)
	runMain(t, []string{"-a", control, "--yes", "-c", "DELETE FROM " + scopes})
	s, c := serveDir(t, dir), serveDir(t, control)

	leaks := func(body string) bool {
		return strings.Contains(body, hiddenName) || strings.Contains(body, hiddenWord)
	}
	if status, body := s.get(s.replay + "/2008id_/" + page); status != http.StatusOK || !leaks(body) {
		t.Fatalf("without a rule, the page has status %d: %s", status, body)
	}
	var shown []string
	for _, st := range everyRelation() {
		if leaks(s.query(st)) {
			name := regexp.MustCompile(`FROM (\w+)`).FindStringSubmatch(st)
			if name == nil {
				name = []string{"", st}
			}
			shown = append(shown, name[1])
		}
	}
	for _, name := range []string{"captures", "versions", "pages", "blocks", "changes", "links", "hosts", "findings", "terms", "ranks", "duplicates", "classifiers", "clusters", "fetches", "frontier", "crawls", "schedules", "watches", "watched", "jobs", "tombstones", "blocked"} {
		if !slices.Contains(shown, name) {
			t.Errorf("without a rule, %s does not show the pages: the test can find no leak there", name)
		}
	}
	made := []string{"captures", "versions", "pages", "blocks", "changes", "layouts", "links", "hosts", "articles", "findings", "terms", "periods", "watched"}
	for _, action := range []string{"BLOCK 'by order'", "EXCLUDE", "EMBARGO 1000y"} {
		runMain(t, []string{"-a", dir, "-c", "RULE hidden ON " + scopes + " " + action})
		for _, st := range everyRelation() {
			body := s.query(st)
			if name := strings.Fields(st[strings.LastIndex(st, "FROM ")+1:]); len(name) > 1 && name[1] == "rules" || st == "SHOW RULES" {
				if strings.HasPrefix(action, "BLOCK") {
					continue // everybody sees what is blocked
				}
			}
			if leaks(body) {
				t.Errorf("%s: %s shows a hidden page:\n%s", action, st, body)
			}
		}
		for _, name := range made {
			st := everyRelation()[slices.IndexFunc(everyRelation(), func(st string) bool {
				return regexp.MustCompile(` FROM ` + name + `\b`).MatchString(st)
			})]
			if got, want := s.query(st), c.query(st); got != want {
				t.Errorf("%s: %s\n%s\nwant, as if the pages were deleted:\n%s", action, st, got, want)
			}
		}
		for _, st := range []string{
			"SELECT count(*), count(DISTINCT url), min(time), max(time) FROM captures", "SELECT host, count(*) FROM captures GROUP BY host ORDER BY host",
			"SELECT date_trunc('month', time), kind, count(*) FROM captures GROUP BY 1, 2 ORDER BY 1, 2", "SELECT name, captures, versions, urls, first_url, last_url, first_time, last_time FROM pools",
			"SELECT url FROM captures ORDER BY time DESC, url LIMIT 3", "SELECT url FROM versions ORDER BY bytes DESC, url LIMIT 2", "SELECT count(*) FROM links TO 'other.example'",
			"SELECT * FROM terms ORDER BY term", "SELECT url, score FROM findings('common') ORDER BY url, first_seen",
		} {
			if got, want := s.query(st), c.query(st); got != want {
				t.Errorf("%s: %s\n%s\nwant, as if the pages were deleted:\n%s", action, st, got, want)
			}
		}
		for _, path := range []string{
			"/", "/search?q=" + hiddenWord, "/api/search?q=quagaword", "/api/search?q=common", "/site", "/site?host=example", "/crawls", "/jobs", "/api/crawls", "/api/complete?before=" + url.QueryEscape("RUN "), "/api/complete?before=" + url.QueryEscape("SELECT url FROM '"), "/api/relations", "/metrics", "/healthz", "/openapi.json",
			"/cdx?url=*.example", "/cdx?url=example&matchType=domain&output=json", "/cdx?url=example&matchType=domain&showNumPages=true", "/*/example*",
		} {
			_, body := s.get(s.ui + path)
			body = strings.ReplaceAll(body, path[strings.Index(path, "/")+1:], "") // an address may come back
			if path == "/search?q="+hiddenWord {
				body = strings.ReplaceAll(body, hiddenWord, "")
			}
			if leaks(body) {
				t.Errorf("%s: %s shows a hidden page:\n%s", action, path, body)
			}
		}
		if got := s.query("SELECT DISTINCT name FROM classifiers"); got != "name\nshown\n" {
			t.Errorf("%s: the classifiers that may be seen are %q, want the one that was trained without hidden pages", action, got)
		}
		refused := http.StatusNotFound
		if strings.HasPrefix(action, "BLOCK") {
			refused = http.StatusUnavailableForLegalReasons
		}
		for path, want := range map[string]int{
			"/2008/" + page: refused, "/" + page: refused, "/*/" + page: refused, "/timegate/" + page: refused, "/timemap/link/" + page: refused, "/timemap/json/" + page: refused,
			"/timemap/cdxj/" + page: http.StatusOK, "/wayback/available?url=" + page: http.StatusOK, "/cdx?url=" + page: http.StatusOK, "/cdx?q=type:urlquery+url:" + url.QueryEscape(page): http.StatusOK,
			"/api/page?as=text&url=" + page: 0, "/api/diff?url=" + page: 0, "/history?url=" + page: 0, "/diff?url=" + page: 0, "/*/http://" + hiddenName + ".example/*": 0,
		} {
			status, body := s.get(s.ui + path)
			if want != 0 && status != want || strings.Contains(body, hiddenWord) || strings.Contains(body, "200806") && want == http.StatusOK {
				t.Errorf("%s: %s: status %d, want %d:\n%s", action, path, status, want, body)
			}
			if want == http.StatusUnavailableForLegalReasons && !strings.Contains(body, "by order") {
				t.Errorf("%s: %s does not say why:\n%s", action, path, body)
			}
		}
		for _, body := range askMCP(t, dir, [2]string{"query", `{"statement":"SELECT url, title FROM versions"}`}, [2]string{"search", `{"words":"quagaword"}`}, [2]string{"describe", `{}`}) {
			if leaks(body) || !strings.Contains(body, `"result"`) {
				t.Errorf("%s: --mcp answers %s", action, body)
			}
		}
		for _, modifier := range []string{"mp_", "id_", "im_", "if_"} {
			if status, body := s.get(s.replay + "/2008" + modifier + "/" + page); status != refused || strings.Contains(body, hiddenWord) {
				t.Errorf("%s: replay of %s%s: status %d, want %d:\n%s", action, page, modifier, status, refused, body)
			}
		}
	}

	// A longer scope lets some of it be seen, a rule that is gone lets all be seen, and the
	// archivist sees all anyway.
	runMain(t, []string{"-a", dir, "-c", "RULE open ON '" + page + "' EMBARGO 0d"})
	if status, body := s.get(s.replay + "/2008id_/" + page); status != http.StatusOK || !strings.Contains(body, hiddenWord) {
		t.Errorf("with a rule that shows it, the page has status %d: %s", status, body)
	}
	runMain(t, []string{"-a", dir, "-c", "DROP RULE open; RULE hidden ON " + scopes + " SINCE 2008-07 EXCLUDE"})
	if got := s.query("SELECT change, time FROM captures IN '" + page + "'"); got != "change,time\nfirst,2008-06-01T00:00:00.000Z\n" && !strings.Contains(got, "first,2008-06") || strings.Contains(got, "2008-07") {
		t.Errorf("with July excluded the captures are %q", got)
	}
	runMain(t, []string{"-a", dir, "-c", "DROP RULE hidden"})
	if status, body := s.get(s.replay + "/2008id_/" + page); status != http.StatusOK || !strings.Contains(body, hiddenWord) {
		t.Errorf("without rules, the page has status %d: %s", status, body)
	}
	// What the block-list keeps out is refused with its reason.
	if status, body := s.get(s.replay + "/2008id_/http://" + hiddenName + ".example/copy.html"); status != http.StatusUnavailableForLegalReasons || !strings.Contains(body, "asked") {
		t.Errorf("a page on the block-list has status %d: %s", status, body)
	}
}

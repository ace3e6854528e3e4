package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"infomall/exec/session"
)

// asking is the request for a statement.
func asking(statement string, more ...string) string {
	return "/api/query?" + pairs(append([]string{"statement", statement}, more...)...)
}

func pairs(list ...string) string {
	v := url.Values{}
	for i := 0; i < len(list); i += 2 {
		v.Set(list[i], list[i+1])
	}
	return v.Encode()
}

// TestQueryFormats shows the answer of a statement in each format.
func TestQueryFormats(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	const statement = "SELECT url, status FROM captures IN 'http://sub.a.example/'"
	const streamEnd = "\xff\xff\xff\xff\x00\x00\x00\x00" // of an Arrow stream
	for _, c := range []struct {
		format, accept string
		mediaType      string
		want           string
	}{
		{"", "", "application/json", "[\n{\"url\":\"http://sub.a.example/\",\"status\":200}\n]\n"},
		{"json", "", "application/json", "[\n{\"url\":\"http://sub.a.example/\",\"status\":200}\n]\n"},
		{"jsonl", "", "application/x-ndjson", "{\"url\":\"http://sub.a.example/\",\"status\":200}\n"},
		{"csv", "", "text/csv; charset=utf-8", "url,status\nhttp://sub.a.example/,200\n"},
		{"tsv", "", "text/tab-separated-values; charset=utf-8", "url\tstatus\nhttp://sub.a.example/\t200\n"},
		{"", "text/csv", "text/csv; charset=utf-8", "url,status\nhttp://sub.a.example/,200\n"},
		{"", "application/jsonl, */*", "application/x-ndjson", "{\"url\":\"http://sub.a.example/\",\"status\":200}\n"},
		{"parquet", "", "application/vnd.apache.parquet", "PAR1"},
		{"arrow", "", "application/vnd.apache.arrow.stream", streamEnd},
		{"", "application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream", streamEnd},
	} {
		more := []string{}
		if c.format != "" {
			more = []string{"format", c.format}
		}
		r := get(t, s.interfaceHandler(), asking(statement, more...), "Accept: "+c.accept)
		body := bodyOf(t, r)
		if c.format == "parquet" && strings.HasPrefix(body, "PAR1") && strings.HasSuffix(body, "PAR1") {
			body = "PAR1"
		}
		if c.want == streamEnd && strings.HasPrefix(body, "\xff\xff\xff\xff") && strings.HasSuffix(body, streamEnd) {
			body = streamEnd
		}
		if strings.ReplaceAll(body, "\r", "") != c.want || r.Header.Get("Content-Type") != c.mediaType {
			t.Errorf("format %q, Accept %q: %s %q, want %s %q", c.format, c.accept, r.Header.Get("Content-Type"), body, c.mediaType, c.want)
		}
	}
}

// TestQueryRequests shows the ways to send a statement and its parameters.
func TestQueryRequests(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	const want = "n\n2\n"
	const statement = "SELECT $n + 1 AS n"
	for _, c := range []struct{ name, method, target, mediaType, body string }{
		{"parameters of the address", "GET", asking(statement, "param.n", "1", "format", "csv"), "", ""},
		{"text", "POST", "/api/query?param.n=1&format=csv", "text/plain", statement},
		{"JSON", "POST", "/api/query", "application/json; charset=utf-8", `{"statement": "SELECT $n + 1 AS n", "params": {"n": "1"}, "format": "csv"}`},
		{"a form", "POST", "/api/query", "application/x-www-form-urlencoded", pairs("statement", statement, "param.n", "1", "format", "csv")},
	} {
		r := send(t, s.interfaceHandler(), c.method, c.target, c.body, "Content-Type: "+c.mediaType)
		if got := strings.ReplaceAll(bodyOf(t, r), "\r", ""); got != want {
			t.Errorf("%s: %d %q, want %q", c.name, r.StatusCode, got, want)
		}
	}
}

// TestQueryFaults shows errors as problems, with the place of the mistake.
func TestQueryFaults(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/secret.csv", []byte("a\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, _ := testServer(t, func(o *Options) { o.QueryRows = 3 }, cdxCaptures()...)
	for _, c := range []struct {
		statement    string
		status       int
		line, column int
		want         string
	}{
		{"SELECT colour FROM captures", 400, 1, 8, "no column"},
		{"SELECT url\nFROM capture", 400, 2, 6, "capture"},
		{"SELEC url", 400, 1, 1, ""},
		{"SELECT 1; SELECT 2", 400, 0, 0, ""},
		{"SELECT $x", 400, 0, 0, "x"},
		{"IMPORT '/etc/passwd'", 400, 1, 1, "IMPORT"},
		{"DROP POOL '200806'", 400, 1, 1, "DROP POOL"},
		{"DELETE FROM 'a.example' BECAUSE 'x'", 400, 0, 0, ""},
		{"CRAWL 'http://a.example/'", 400, 1, 1, "CRAWL"},
		{"EXPLAIN IMPORT '/etc/*'", 400, 0, 0, "IMPORT"},
		{"EXPORT (SELECT 1) TO '" + dir + "/out.csv'", 400, 1, 1, "EXPORT"},
		{"SELECT * FROM FILE '" + dir + "/secret.csv'", 400, 0, 0, "no files are read here"},
		{"RUN FILE '" + dir + "/secret.csv'", 400, 0, 0, ""},
		{"SET memory = '100GB'", 400, 1, 1, "SET"},
		{"VERIFY", 400, 1, 1, "VERIFY"},
	} {
		r := get(t, s.interfaceHandler(), asking(c.statement))
		var p problem
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			t.Errorf("%s: %v", c.statement, err)
			continue
		}
		text := p.Detail + p.Hint
		if r.StatusCode != c.status || r.Header.Get("Content-Type") != "application/problem+json; charset=utf-8" ||
			c.line != 0 && (p.Line != c.line || p.Column != c.column) || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %+v, want %d at %d:%d with %q", c.statement, r.StatusCode, p, c.status, c.line, c.column, c.want)
		}
	}
	if _, err := os.Stat(dir + "/out.csv"); err == nil {
		t.Error("EXPORT has written a file")
	}
	for _, target := range []string{"/api/query", asking("SELECT 1", "format", "xml")} {
		if r := get(t, s.interfaceHandler(), target); r.StatusCode != 400 {
			t.Errorf("%s: status %d, want 400", target, r.StatusCode)
		}
	}
}

// TestQueryRowsMax shows that an answer with too many rows breaks off in a way that
// the client sees.
func TestQueryRowsMax(t *testing.T) {
	s, m := testServer(t, func(o *Options) { o.QueryRows = 3 }, cdxCaptures()...)
	m.BatchRows = 2
	defer func() {
		if r := recover(); r != http.ErrAbortHandler {
			t.Errorf("the answer ended with %v, want a broken connection", r)
		}
	}()
	r := get(t, s.interfaceHandler(), asking("SELECT url FROM captures", "format", "csv"))
	t.Errorf("the answer is whole: %d %s", r.StatusCode, bodyOf(t, r))
}

// TestQueryTime shows that a statement ends after its time, and that others are
// refused while too many run.
func TestQueryTime(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.QueryTimeout = time.Nanosecond }, cdxCaptures()...)
	r := get(t, s.interfaceHandler(), asking("SELECT url FROM captures"))
	var p problem
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.StatusCode != 503 || !strings.Contains(p.Detail, "--query-timeout") || r.Header.Get("Retry-After") == "" {
		t.Errorf("after its time: %d %+v %v", r.StatusCode, p, err)
	}
	gate := make(chan struct{}, 1)
	release, err := acquire(t.Context(), gate, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := acquire(t.Context(), gate, 0); statusOf(err) != 503 {
		t.Errorf("a full gate gives %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := acquire(gone, gate, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that has gone away gets %v", err)
	}
	release()
	if _, err := acquire(t.Context(), gate, time.Hour); err != nil {
		t.Errorf("a free gate gives %v", err)
	}
}

// TestParquetParts shows that a Parquet file has a length, an ETag and ranges.
func TestParquetParts(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	target := asking("SELECT url FROM captures", "format", "parquet")
	head := send(t, s.interfaceHandler(), "HEAD", target, "")
	if head.ContentLength < 8 || head.Header.Get("ETag") == "" || head.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("HEAD: length %d, %v", head.ContentLength, head.Header)
	}
	if tail := get(t, s.interfaceHandler(), target, "Range: bytes=-4"); tail.StatusCode != 206 || bodyOf(t, tail) != "PAR1" {
		t.Errorf("the last four bytes: status %d", tail.StatusCode)
	}
}

// TestAPIs shows the APIs that are statements in other words.
func TestAPIs(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	for target, want := range map[string]string{
		"/api/page?url=a.example&at=20080610&as=text":              `"text":"body of 20080601000000`,
		"/api/page?url=a.example&as=html&format=raw":               "body of 20100101000000",
		"/api/page?url=never.example":                              "no capture",
		"/api/page?url=a.example&as=pdf":                           "raw, wire",
		"/api/diff?url=a.example&from=20080610&to=2009&format=raw": "20090101000000",
		"/api/diff": "url is missing",
		"/api/search?q=body&scope=sub.a.example&format=csv": "http://sub.a.example/",
		"/api/search?q=body&limit=-1":                       "whole number",
		"/api/search":                                       "q is missing",
		"/api/relations":                                    `"name": "captures"`,
		"/api/crawls":                                       "[",
	} {
		r := get(t, s.interfaceHandler(), target)
		if body := bodyOf(t, r); !strings.Contains(body, want) {
			t.Errorf("%s: %d has no %q: %s", target, r.StatusCode, want, body)
		}
	}
}

// TestComplete shows that the server completes statements by the function it is given,
// and bounds what it offers.
func TestComplete(t *testing.T) {
	var many []string
	for i := range completionsMax + 1 {
		many = append(many, fmt.Sprint("x", i))
	}
	s, _ := testServer(t, func(o *Options) {
		o.Complete = func(s *session.Session, before, after string) (int, []string) {
			if after == "many" {
				return 0, many
			}
			return len(before) - 2, []string{before + "|" + after}
		}
	})
	type answer struct {
		Typed      string
		Candidates []string
		More       bool
	}
	for _, c := range []struct {
		query string
		want  answer
	}{
		{pairs("before", "SELECT ü", "after", " FROM x"), answer{"ü", []string{"SELECT ü| FROM x"}, false}},
		{pairs("before", "", "after", "many"), answer{"", many[:completionsMax], true}},
	} {
		var got answer
		if err := json.Unmarshal([]byte(bodyOf(t, get(t, s.interfaceHandler(), "/api/complete?"+c.query))), &got); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.query, got, err, c.want)
		}
	}
	if r := get(t, s.interfaceHandler(), "/api/complete?before=SEL", "Sec-Fetch-Site: cross-site"); r.StatusCode != 403 {
		t.Errorf("a page of another site completes: %d", r.StatusCode)
	}
	none, _ := testServer(t, nil)
	if body := bodyOf(t, get(t, none.interfaceHandler(), "/api/complete?before=SEL")); !strings.Contains(body, `"candidates": []`) {
		t.Errorf("without the function: %s", body)
	}
}

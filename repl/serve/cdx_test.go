package serve

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"infomall/exec/relation/relationtest"
)

// cdxCaptures are the captures of the tests of the CDX server.
func cdxCaptures() []relationtest.Capture {
	image := shot("http://www.a.example/i.gif", "20080603000000")
	image.Mime, image.Head = "image/gif", "HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\n\r\n"
	missing := shot("http://a.example/old", "20080604000000")
	missing.Status = 404
	same := shot("http://a.example/", "20080601120000")
	same.Body = shot("http://a.example/", "20080601000000").Body
	return []relationtest.Capture{
		shot("http://a.example/", "20080601000000"), same, shot("https://www.a.example/", "20080615000000"),
		shot("http://a.example/", "20090101000000"), shot("http://a.example/", "20100101000000"),
		shot("http://a.example/dir/x", "20080602000000"), shot("http://a.example/dir/y", "20080602000000"),
		shot("http://sub.a.example/", "20080605000000"), image, missing, shot("http://b.example/", "20080601000000"),
	}
}

// TestCDX is a table of the parameters that the CDX servers of the Wayback Machine
// and of pywb document, and the lines that answer them.
func TestCDX(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	for _, c := range []struct{ query, want string }{
		// url and matchType
		{"url=a.example&fl=timestamp,original", "20080601000000 http://a.example/|20080601120000 http://a.example/|20080615000000 https://www.a.example/|20090101000000 http://a.example/|20100101000000 http://a.example/"},
		{"url=http%3A%2F%2Fa.example%2F&matchType=exact&fl=timestamp&limit=1", "20080601000000"},
		{"url=a.example/dir/*&fl=original", "http://a.example/dir/x|http://a.example/dir/y"},
		{"url=a.example/dir&matchType=prefix&fl=original", "http://a.example/dir/x|http://a.example/dir/y"},
		{"url=a.example&matchType=host&fl=urlkey&collapse=urlkey", "example,a)/|example,a)/dir/x|example,a)/dir/y|example,a)/old|example,a)/|example,a)/i.gif"},
		{"url=*.a.example&fl=original&filter=original:http://sub.*", "http://sub.a.example/"},
		{"url=a.example&matchType=domain&fl=original&filter=original:http://sub.*", "http://sub.a.example/"},
		{"url=never.example", ""},
		// default fields
		{"url=sub.a.example&fl=urlkey,timestamp,original,mimetype,statuscode,length", "example,a,sub)/ 20080605000000 http://sub.a.example/ text/html 200 22"},
		// from and to
		{"url=a.example&from=2009&fl=timestamp", "20090101000000|20100101000000"},
		{"url=a.example&to=200806&fl=timestamp", "20080601000000|20080601120000|20080615000000"},
		{"url=a.example&from=20080601&to=20080601&fl=timestamp", "20080601000000|20080601120000"},
		// limit and offset
		{"url=a.example&limit=2&fl=timestamp", "20080601000000|20080601120000"},
		{"url=a.example&limit=-2&fl=timestamp", "20090101000000|20100101000000"},
		{"url=a.example&offset=3&limit=1&fl=timestamp", "20090101000000"},
		{"url=a.example&fastLatest=true&limit=-1&fl=timestamp", "20100101000000"},
		// sort
		{"url=a.example&sort=reverse&limit=2&fl=timestamp", "20100101000000|20090101000000"},
		{"url=a.example&sort=closest&closest=20081220&limit=2&fl=timestamp", "20090101000000|20080615000000"},
		{"url=a.example&sort=reverse&limit=-2&fl=timestamp", "20080601120000|20080601000000"},
		{"url=a.example&sort=closest&closest=20081220&limit=-1&fl=timestamp", "20100101000000"},
		// filters of the Wayback Machine: patterns for the whole value
		{"url=a.example/*&filter=statuscode:404&fl=original", "http://a.example/old"},
		{"url=a.example/*&filter=!statuscode:200&fl=original", "http://a.example/old"},
		{"url=a.example/*&filter=mimetype:image/.*&fl=original", "http://www.a.example/i.gif"},
		{"url=a.example/*&filter=statuscode:40&fl=original", ""},
		{"url=a.example/*&filter=statuscode:200&filter=original:.*dir.*&fl=original", "http://a.example/dir/x|http://a.example/dir/y"},
		// filters of pywb: =, ~ and a part of the value
		{"url=a.example/*&filter==status:404&fl=url", "http://a.example/old"},
		{"url=a.example/*&filter=!=status:200&fl=url", "http://a.example/old"},
		{"url=a.example/*&filter=~url:.*/dir/[x]&fl=url", "http://a.example/dir/x"},
		{"url=a.example/*&filter=mime:gif&fl=url", "http://www.a.example/i.gif"},
		{"url=a.example/*&filter=!~mime:text&fl=url", "http://www.a.example/i.gif"},
		// collapse
		{"url=a.example&collapse=timestamp:4&fl=timestamp", "20080601000000|20090101000000|20100101000000"},
		{"url=a.example&collapseTime=6&fl=timestamp", "20080601000000|20090101000000|20100101000000"},
		{"url=a.example&collapse=digest&fl=timestamp", "20080601000000|20080615000000|20090101000000|20100101000000"},
		{"url=a.example&collapse=timestamp:4&showSkipCount=true&lastSkipTimestamp=true&fl=timestamp", "20080601000000 20080615000000 2|20090101000000 20090101000000 0|20100101000000 20100101000000 0"},
		{"url=a.example&showDupeCount=true&fl=timestamp&limit=3", "20080601000000 0|20080601120000 1|20080615000000 0"},
		// output
		{"url=sub.a.example&output=json&fl=timestamp,statuscode", `[["timestamp", "statuscode"],|["20080605000000", "200"]]`},
		{"url=sub.a.example&output=json&fl=timestamp&header=false", `[["20080605000000"]]`},
		{"url=never.example&output=json", "[]"},
		{"url=sub.a.example&output=jsonl&fl=timestamp,url", `{"timestamp": "20080605000000", "url": "http://sub.a.example/"}`},
		{"url=sub.a.example&output=cdxj&fl=urlkey,timestamp,original,mimetype,statuscode", `example,a,sub)/ 20080605000000 {"url": "http://sub.a.example/", "mime": "text/html", "status": "200"}`},
		{"url=sub.a.example&output=link", `<http://127.0.0.1:8081/20080605000000mp_/http://sub.a.example/>; rel="memento"; datetime="Thu, 05 Jun 2008 00:00:00 GMT"`},
		// pages
		{"url=a.example&showNumPages=true", "1"},
		{"url=a.example&showNumPages=true&output=json&pageSize=2", `{"pages": 1, "pageSize": 2, "blocks": 1}`},
		{"url=never.example&showNumPages=true", "0"},
		{"url=a.example&page=0&fl=timestamp&limit=1", "20080601000000"},
		// revisits
		{"url=sub.a.example&resolveRevisits=true&fl=timestamp,orig.length,orig.offset,orig.filename", "20080605000000 - - -"},
	} {
		r := get(t, s.interfaceHandler(), "/cdx?"+c.query)
		got := strings.ReplaceAll(strings.TrimSuffix(bodyOf(t, r), "\n"), "\n", "|")
		if r.StatusCode != 200 || got != c.want {
			t.Errorf("%s: status %d\n got %s\nwant %s", c.query, r.StatusCode, got, c.want)
		}
	}
}

// TestCDXFaults shows that a wrong parameter is answered with 400 and what to write.
func TestCDXFaults(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	for query, want := range map[string]string{
		"":                                   "url is missing",
		"url=":                               "url is missing",
		"url=http://[":                       "is no URL",
		"url=a.example&matchType=some":       "exact, prefix, host or domain",
		"url=a.example&from=yesterday":       "is no time",
		"url=a.example&limit=many":           "whole number",
		"url=a.example&fl=colour":            "no field",
		"url=a.example&filter=200":           "FIELD:VALUE",
		"url=a.example&filter=statuscode:(":  "missing closing",
		"url=a.example&collapse=timestamp:x": "FIELD:N",
		"url=a.example&output=xml":           "text, json",
		"url=a.example&sort=closest":         "closest=TIME",
		"url=a.example&sort=upwards":         "reverse or closest",
		"url=a.example&resumeKey=!":          "not a key",
		"url=a.example&gzip=maybe":           "true or false",
		"url=a.example&colour=red":           "no parameter",
		"url=a.example&page=-1":              "whole number",
		"url=a.example&page=1":               "no page 1",
		"url=a.example&pageSize=1000000":     "at most",
		"q=type:other%20url:a.example":       "urlquery or prefixquery",
	} {
		r := get(t, s.interfaceHandler(), "/cdx?"+query)
		var p problem
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.StatusCode != 400 || !strings.Contains(p.Detail, want) {
			t.Errorf("%s: status %d, %q, %v; want 400 and %q", query, r.StatusCode, p.Detail, err, want)
		}
	}
}

// TestCDXResume reads all lines two at a time, for each way of matching.
func TestCDXResume(t *testing.T) {
	twice := shot("http://a.example/", "20080601000000") // two captures of a URL at the same time
	twice.Body = "another"
	s, _ := testServer(t, nil, append(cdxCaptures(), twice)...)
	for _, scope := range []string{"url=a.example", "url=a.example/*", "url=a.example&matchType=domain", "url=a.example&matchType=host"} {
		whole := bodyOf(t, get(t, s.interfaceHandler(), "/cdx?"+scope+"&fl=timestamp,original"))
		got, key := "", ""
		for n := 0; n < 20; n++ {
			body := bodyOf(t, get(t, s.interfaceHandler(), "/cdx?"+scope+"&fl=timestamp,original&limit=2&showResumeKey=true&resumeKey="+url.QueryEscape(key)))
			lines, next, more := strings.Cut(body, "\n\n")
			got += strings.TrimSuffix(lines, "\n")
			if lines != "" {
				got += "\n"
			}
			if key = strings.TrimSpace(next); !more {
				break
			}
		}
		if got != whole {
			t.Errorf("%s: in parts\n%swhole\n%s", scope, got, whole)
		}
	}
	body := bodyOf(t, get(t, s.interfaceHandler(), "/cdx?url=a.example&fl=timestamp&limit=1&showResumeKey=true&output=json"))
	var rows [][]string
	if err := json.Unmarshal([]byte(body), &rows); err != nil || len(rows) != 4 || len(rows[2]) != 0 || len(rows[3]) != 1 {
		t.Errorf("the JSON with a resume key is %s (%v)", body, err)
	}
}

// TestPythonWayback sends the requests of WaybackClient.search and get_memento of the Python
// package wayback, and reads the answers as its source does: a line has seven fields, a
// blank line comes before the key of the next request and never at the end, and a
// memento has its own status, Memento-Datetime and Link, without a redirect.
func TestPythonWayback(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	const agent = "User-Agent: wayback/0.4.5 (+https://github.com/edgi-govdata-archiving/wayback)"
	var raw []string
	key := ""
	for requests := 0; ; requests++ {
		query := "url=a.example%2F%2A&limit=3&from=20080101000000&to=20091231235959&filter=statuscode%3A200&showResumeKey=true&resolveRevisits=true"
		if key != "" {
			query += "&resumeKey=" + url.QueryEscape(key)
		}
		r := get(t, s.interfaceHandler(), "/cdx/search/cdx?"+query, agent)
		body := bodyOf(t, r)
		if r.StatusCode >= 400 || requests == 10 {
			t.Fatalf("request %d has status %d: %s", requests, r.StatusCode, body)
		}
		key = ""
		lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
		for i, line := range lines {
			if line == "" {
				if i != len(lines)-2 {
					t.Fatalf("a blank line is line %d of %d: %q", i+1, len(lines), body)
				}
				key = lines[i+1]
				break
			}
			f := strings.Split(line, " ")
			if len(f) != 7 {
				t.Fatalf("a line has %d fields, want 7: %s", len(f), line)
			}
			if _, err := time.Parse("20060102150405", f[1]); err != nil {
				t.Error(err)
			}
			for _, n := range []string{f[4], f[6]} {
				if _, err := strconv.Atoi(n); n != "-" && err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
			raw = append(raw, "/web/"+f[1]+"id_/"+f[2])
		}
		if key == "" {
			break
		}
	}
	if len(raw) != 7 {
		t.Errorf("the search finds %d captures, want 7: %q", len(raw), raw)
	}
	for _, target := range raw {
		for _, target := range []string{target, strings.Replace(target, "id_/", "/", 1), strings.Replace(target, "id_/", "im_/", 1)} {
			r := get(t, s.replayHandler(), target, agent, "Accept-Encoding: gzip, deflate", "Host: 127.0.0.1:8081")
			if strings.Contains(target, "id_") || strings.Contains(target, "im_") {
				if links := r.Header.Get("Link"); r.StatusCode != 200 || r.Header.Get("Memento-Datetime") == "" || !strings.Contains(links, `rel="original"`) || !strings.Contains(links, "memento\"") {
					t.Errorf("%s: status %d, Memento-Datetime %q, Link %s", target, r.StatusCode, r.Header.Get("Memento-Datetime"), links)
				}
			} else if r.StatusCode != 302 || !strings.HasPrefix(r.Header.Get("Location"), "http://127.0.0.1:8080/2") {
				t.Errorf("%s, a view, leads to %d %s", target, r.StatusCode, r.Header.Get("Location"))
			}
		}
	}
}

// TestCDXToolkit sends the requests of CDXFetcher.iter, get and get_size_estimate of the
// Python package cdx_toolkit, and reads the answers as its source does: pages are read
// until one has the status 400 or 404, the first row names the fields, and raw bytes come
// without a redirect.
func TestCDXToolkit(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	h := s.interfaceHandler()
	const agent = "User-Agent: pypi_cdx_toolkit/0.9.38"
	// rows returns the rows of a page as objects, and whether there is such a page.
	rows := func(query string) (list []map[string]string, ok bool) {
		r := get(t, h, "/cdx?"+query, agent)
		if r.StatusCode == 400 || r.StatusCode == 404 {
			return nil, false
		}
		var lines [][]string
		if err := json.NewDecoder(r.Body).Decode(&lines); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: status %d, %v", query, r.StatusCode, err)
		}
		for _, line := range lines[min(1, len(lines)):] {
			row := map[string]string{}
			for i, name := range lines[0] {
				if other := map[string]string{"statuscode": "status", "original": "url", "mimetype": "mime"}[name]; other != "" {
					name = other
				}
				row[name] = line[i]
			}
			list = append(list, row)
		}
		return list, true
	}
	for _, c := range []struct {
		query string
		limit int
		want  int
	}{
		{"url=a.example%2F%2A&output=json", 1000, 9},
		{"url=a.example%2F%2A&output=json", 4, 4},
		{"url=a.example%2F%2A&output=json&filter=status%3A200&filter=%3Dmime%3Atext%2Fhtml&from=20080101000000&to=2008", 1000, 5},
		{"url=%2A.a.example&output=json&fl=url,timestamp,status", 1000, 10},
		{"url=a.example&matchType=host&output=json&filter=%21%3Dstatus%3A404", 1000, 8},
		{"url=never.example%2F%2A&output=json", 1000, 0},
	} {
		got, page := 0, 0
		for limit := c.limit; limit > 0; page++ {
			list, ok := rows(c.query + "&limit=" + strconv.Itoa(limit) + "&page=" + strconv.Itoa(page))
			if !ok {
				break
			}
			if page > 5 {
				t.Fatalf("%s: page %d is no error, so the client never ends", c.query, page)
			}
			limit -= len(list)
			got += len(list)
			for _, row := range list {
				target := "/" + row["timestamp"] + "id_/" + strings.ReplaceAll(row["url"], ":", "%3A")
				r := get(t, s.replayHandler(), target, agent, "Host: 127.0.0.1:8081")
				if row["status"] == "" || r.StatusCode != 200 || r.Header.Get("X-Archive-Orig-Content-Type")+r.Header.Get("Content-Type") == "" {
					t.Errorf("%s of %v: status %d", target, row, r.StatusCode)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s, limit %d: %d captures, want %d", c.query, c.limit, got, c.want)
		}
	}
	for query, want := range map[string]string{"url=a.example%2F%2A&showNumPages=true": "1", "url=a.example&showNumPages=true&matchType=host&pageSize=1": "1", "url=never.example&showNumPages=true": "0"} {
		if got := strings.TrimSpace(bodyOf(t, get(t, h, "/cdx?"+query, agent))); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestCDXClients sends the requests of other programs.
func TestCDXClients(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	h := s.interfaceHandler()
	for name, target := range map[string]string{
		"waybackpy":    "/cdx/search/cdx?url=https%3A%2F%2Fa.example&gzip=false&showResumeKey=true&limit=25000",
		"Wayback page": "/cdx/search/cdx?url=a.example&output=json&fl=timestamp,statuscode,digest&collapse=timestamp:8",
	} {
		r := get(t, h, target)
		if body := bodyOf(t, r); r.StatusCode != 200 || !strings.Contains(body, "20080601000000") {
			t.Errorf("%s: status %d: %s", name, r.StatusCode, body)
		}
	}
	r := get(t, h, "/cdx?url=a.example&fl=timestamp&limit=1", "Accept-Encoding: gzip, deflate")
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(z); err != nil || string(b) != "20080601000000\n" {
		t.Errorf("compressed: %q, %v", b, err)
	}
	if r := get(t, h, "/cdx?url=a.example&gzip=false", "Accept-Encoding: gzip"); r.Header.Get("Content-Encoding") != "" {
		t.Error("gzip=false is compressed")
	}
	xml := bodyOf(t, get(t, h, "/cdx?q=type%3Aurlquery+url%3Ahttp%253A%252F%252Fsub.a.example%252F"))
	for _, want := range []string{"<wayback><request>", "<url>http://sub.a.example/</url>", "<capturedate>20080605000000</capturedate>", "<httpresponsecode>200</httpresponsecode>", "<resultstype>resultstypecapture</resultstype>"} {
		if !strings.Contains(xml, want) {
			t.Errorf("the XML for OpenWayback has no %s: %s", want, xml)
		}
	}
}

// TestAvailable shows the answer in the form of web.archive.org.
func TestAvailable(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	for target, want := range map[string]string{
		"/wayback/available?url=a.example&timestamp=20081230": "20090101000000",
		"/wayback/available?url=a.example":                    "20100101000000",
		"/wayback/available?url=never.example":                "",
	} {
		r := get(t, s.interfaceHandler(), target)
		var body struct {
			Archived struct {
				Closest struct {
					Available              bool
					URL, Timestamp, Status string
				}
			} `json:"archived_snapshots"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		c := body.Archived.Closest
		if c.Timestamp != want || c.Available != (want != "") || want != "" && (c.Status != "200" || c.URL != "http://127.0.0.1:8080/"+want+"/http://a.example/") {
			t.Errorf("%s: %+v, want %s", target, c, want)
		}
	}
	if r := get(t, s.interfaceHandler(), "/wayback/available"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("without a URL: status %d", r.StatusCode)
	}
}

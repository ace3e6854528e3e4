package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/urlkey"
)

// TestRequests reads responses beside the records of their requests. A response to a
// form has the form in its URL, whichever record comes first; other records change
// nothing.
func TestRequests(t *testing.T) {
	const url = "http://a.cn/find"
	answer := func(fields string) string {
		return rec("WARC-Type: response\r\nWARC-Target-URI: "+url+"\r\nWARC-Date: 2008-06-30T22:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"+fields,
			"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
	}
	asks := func(fields, method, body string) string {
		return rec("WARC-Type: request\r\nWARC-Target-URI: "+url+"\r\nContent-Type: application/http; msgtype=request\r\n"+fields,
			method+" /find HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "+fmt.Sprint(len(body))+"\r\n\r\n"+body)
	}
	same := rec("WARC-Type: revisit\r\nWARC-Target-URI: "+url+"\r\nWARC-Date: 2008-07-01T22:00:00Z\r\nWARC-Refers-To-Target-URI: "+url+"\r\nWARC-Refers-To-Date: 2008-06-30T22:00:00Z\r\n",
		"HTTP/1.1 200 OK\r\n\r\n")
	info := rec("WARC-Type: metadata\r\n", "")
	for _, tt := range []struct {
		name    string
		records []string
		want    []string // URLs of the captures
	}{
		{"after", []string{answer(""), asks("", "POST", "q=1")}, []string{"?__wb_method=POST&q=1"}},
		{"before", []string{asks("", "POST", "q=1"), answer("")}, []string{"?__wb_method=POST&q=1"}},
		{"get", []string{asks("", "GET", ""), answer("")}, []string{""}},
		{"head", []string{answer(""), info, asks("", "HEAD", "")}, []string{"?__wb_method=HEAD"}},
		{"many", []string{answer(""), asks("", "POST", "q=1"), answer(""), answer(""), asks("", "POST", "q=2")}, []string{"?__wb_method=POST&q=1", "", "?__wb_method=POST&q=2"}},
		{"named by the request", []string{answer("WARC-Record-ID: <u:1>\r\n"), asks("WARC-Concurrent-To: <u:0>\r\nWARC-Concurrent-To: <u:1>\r\n", "POST", "q=1")}, []string{"?__wb_method=POST&q=1"}},
		{"named by the response", []string{asks("WARC-Record-ID: <u:2>\r\n", "POST", "q=1"), answer("WARC-Concurrent-To: <u:2>\r\n")}, []string{"?__wb_method=POST&q=1"}},
		{"of another response", []string{answer("WARC-Record-ID: <u:1>\r\n"), asks("WARC-Concurrent-To: <u:3>\r\n", "POST", "q=1")}, []string{""}},
		{"revisit", []string{asks("", "POST", "q=1"), same}, []string{"?__wb_method=POST&q=1"}},
		{"too far", []string{answer(""), info, info, info, info, asks("", "POST", "q=1")}, []string{""}},
		{"no request", []string{answer(""), rec("WARC-Type: request\r\nWARC-Target-URI: "+url+"\r\n", "junk")}, []string{""}},
		{"at the end", []string{answer(""), info}, []string{""}},
	} {
		for packing, file := range packings(t, tt.records) {
			items := read(t, []byte(file), Options{})
			checkOrder(t, tt.name+", "+packing, items, len(file))
			var got []string
			for _, it := range items {
				c := it.Capture
				if c == nil {
					continue
				}
				got = append(got, strings.TrimPrefix(c.AskedURL, url))
				if tt.name == "revisit" && c.RefersURL != c.AskedURL {
					t.Errorf("a revisit of the same form refers to %s", c.RefersURL)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) || len(items) != len(tt.records) {
				t.Errorf("%s, %s: got %q in %d records, want %q in %d", tt.name, packing, got, len(items), tt.want, len(tt.records))
			}
		}
	}
}

// TestRequestHeads reads the heads of requests with the captures that answer them.
func TestRequestHeads(t *testing.T) {
	answer := func(n int) string {
		return rec(fmt.Sprintf("WARC-Type: response\r\nWARC-Target-URI: http://a.cn/%d\r\nWARC-Date: 2008-06-30T22:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n", n),
			"HTTP/1.1 200 OK\r\n\r\n")
	}
	const head = "GET /1 HTTP/1.0\nHost: a.cn\nCookie: id=7\n\n"
	asks := rec("WARC-Type: request\r\nWARC-Target-URI: http://a.cn/1\r\nContent-Type: application/http; msgtype=request\r\n", head)
	var got []string
	for _, it := range read(t, []byte(answer(1)+asks+answer(2)), Options{}) {
		if it.Capture != nil {
			got = append(got, string(it.Capture.Request))
		}
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", []string{head, ""}) {
		t.Errorf("the requests are %q", got)
	}
}

// TestRequestSample reads a file with forms that other tools read too. The keys of the
// responses are those that pywb and cdxj-indexer give them.
func TestRequestSample(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(shared(t), "warcio", "test", "data", "post-test.warc.gz"))
	if err != nil {
		t.Skip("the sample is not here: ", err)
	}
	var got []string
	for _, it := range read(t, b, Options{}) {
		if it.Capture == nil {
			continue
		}
		u, err := urlkey.Canonical(it.Capture.AskedURL)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(urlkey.CDX(u)))
	}
	want := []string{"org,httpbin)/post?__wb_method=post&foo=bar&test=abc", "org,httpbin)/post?__wb_method=post&a=1&b=[]&c=3", "org,httpbin)/post?__wb_method=post&data=^&foo=bar"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

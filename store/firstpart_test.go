package store

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/record/task"
)

// warcPage is a record of a WARC file.
func warcPage(url, head string, body []byte) []byte {
	block := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n%s", head, body)
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2008-06-30T22:00:00Z\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, len(block), block)
}

// importPages imports records, and returns the pages by their URLs after it checked
// that their bodies are those of want.
func importPages(t *testing.T, o task.ImportOptions, records [][]byte, want map[string][]byte) map[string]record.Batch {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.warc")
	if err := writeFile(name, bytes.Join(records, nil)); err != nil {
		t.Fatal(err)
	}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	o.Patterns = []string{name}
	if _, err := a.Import(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	pages := make(map[string]record.Batch)
	for rows, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColPage}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows.N {
			pages[rows.URLs()[i]] = record.Batch{
				Title: rows.Title[i : i+1], Charset: rows.Charset[i : i+1], CharsetSource: rows.CharsetSource[i : i+1],
				Unread: rows.Unread[i : i+1], LinkCount: rows.LinkCount[i : i+1],
			}
			p, err := v.Payload(t.Context(), rows.Ref[i])
			if err != nil || want[rows.URLs()[i]] != nil && !bytes.Equal(p.Body, want[rows.URLs()[i]]) {
				t.Errorf("%s: %d bytes, %v; want them as they were sent", rows.URLs()[i], len(p.Body), err)
			}
			if b, ok := divide.Open(p.Body, divide.AsOf(&p), divide.Options{}); ok && b.Unread != rows.Unread[i] && !strings.HasPrefix(rows.Unread[i], "transfer") {
				t.Errorf("%s: read again, %q, want %q", rows.URLs()[i], b.Unread, rows.Unread[i])
			}
		}
	}
	return pages
}

// TestFirstPartIsRead imports pages that are larger than the limit, in memory and
// beside it, and compressed and chunked ones that were cut.
func TestFirstPartIsRead(t *testing.T) {
	var w strings.Builder
	w.WriteString("<html><head><title>large</title></head><body>")
	for i := range 60_000 {
		fmt.Fprintf(&w, "<p>paragraph %d <a href='/%d'>link</a></p>\n", i, i)
	}
	large := []byte(w.String())
	middle := large[:100_000]
	packed := func(body []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(body); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := packed(middle)
	zstdOf := func(body []byte) []byte {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		for len(body) > 0 { // A decoder has nothing of a block that is cut.
			n := min(len(body), 10_000)
			if _, err := z.Write(body[:n]); err != nil {
				t.Fatal(err)
			}
			if err := z.Flush(); err != nil {
				t.Fatal(err)
			}
			body = body[n:]
		}
		return b.Bytes()
	}
	brOf := func(body []byte) (out []byte) { // without any compression
		out, head := []byte{}, uint32(0) // the window's size is one bit
		for shift := 1; len(body) > 0; shift = 0 {
			n := min(len(body), 10_000)
			head = uint32(n-1)<<(3+shift) | 1<<(19+shift)
			out = append(append(out, byte(head), byte(head>>8), byte(head>>16)), body[:n]...)
			body = body[n:]
		}
		return out
	}
	chunked := func(body []byte) (out []byte) {
		for len(body) > 0 {
			n := min(len(body), 1000)
			out = append(append(fmt.Appendf(out, "%x\r\n", n), body[:n]...), "\r\n"...)
			body = body[n:]
		}
		return out
	}
	bodies := map[string][]byte{
		"http://x.cn/zstd": zstdOf(middle[:50_000])[:1_500], "http://x.cn/br": brOf(middle[:50_000])[:35_000],
		"http://x.cn/chunked": chunked(middle[:50_000])[:35_000], "http://x.cn/line": chunked(middle[:5_000]), "http://x.cn/framed": append(chunked(middle[:5_000]), "0\r\n\r\n"...),
		"http://x.cn/large": large, "http://x.cn/middle": middle, "http://x.cn/whole": whole, "http://x.cn/cut": whole[:len(whole)/2], "http://x.cn/small": large[:1000],
	}
	var records [][]byte
	for url, body := range bodies {
		head := ""
		if strings.HasSuffix(url, "whole") || strings.HasSuffix(url, "cut") {
			head = "Content-Encoding: gzip\r\n"
		}
		switch url[len("http://x.cn/"):] {
		case "zstd", "br":
			head = "Content-Encoding: " + url[len("http://x.cn/"):] + "\r\n"
		case "chunked", "line", "framed":
			head = "Transfer-Encoding: chunked\r\n"
		}
		records = append(records, warcPage(url, head, body))
		if strings.HasPrefix(head, "Transfer") {
			delete(bodies, url) // it is stored without the sizes of its chunks
		}
	}
	pages := importPages(t, task.ImportOptions{PageLimit: 64 << 10}, records, bodies)
	for url, unread := range map[string]string{
		"http://x.cn/large":   "larger than page_limit: only the first 65536 bytes are read",
		"http://x.cn/middle":  "larger than page_limit: only the first 65536 bytes are read",
		"http://x.cn/whole":   "larger than page_limit: only the first 65536 bytes are read",
		"http://x.cn/cut":     "content encoding gzip: unexpected EOF: only the first ",
		"http://x.cn/small":   "",
		"http://x.cn/zstd":    "content encoding zstd: unexpected EOF: only the first ",
		"http://x.cn/br":      "content encoding br: unexpected EOF: only the first ",
		"http://x.cn/chunked": "transfer encoding chunked: unexpected EOF: only the first 34",
		"http://x.cn/line":    "transfer encoding chunked: unexpected EOF: only the first 5000 bytes are there",
		"http://x.cn/framed":  "",
	} {
		p := pages[url]
		if len(p.Title) != 1 || p.Title[0] != "large" || p.LinkCount[0] < 10 || !strings.HasPrefix(p.Unread[0], unread) || unread == "" && p.Unread[0] != "" {
			t.Errorf("%s: title %q, %v links, unread %q; want %q", url, p.Title, p.LinkCount, p.Unread, unread)
		}
	}
}

// TestCharsetOfHost imports pages too short to tell their charset, beside pages of
// the same host that do, in either order.
func TestCharsetOfHost(t *testing.T) {
	short := []byte("<title>\xf3\xee\xe7</title>") // СНГ in KOI8-R
	var of [][]byte
	for i := range 3 {
		of = append(of, warcPage(fmt.Sprintf("http://x.ru/%d", i), "", fmt.Appendf(nil, "<meta charset=koi8-r><p>%d \xf7\xc5\xd3\xd8", i)))
	}
	page := warcPage("http://x.ru/short", "", short)
	other := warcPage("http://y.ru/short", "", short)
	for _, records := range [][][]byte{append([][]byte{page, other}, of...), append(of, page, other)} {
		pages := importPages(t, task.ImportOptions{}, records, nil)
		if p := pages["http://x.ru/short"]; p.Charset[0] != "koi8-r" || p.CharsetSource[0] != "host" || p.Title[0] != "СНГ" {
			t.Errorf("beside pages of the host: %s from %s, title %q; want koi8-r from host", p.Charset, p.CharsetSource, p.Title)
		}
		if p := pages["http://y.ru/short"]; p.CharsetSource[0] == "host" {
			t.Errorf("alone on its host: %s from %s", p.Charset, p.CharsetSource)
		}
	}
}

package crawl

import (
	"bytes"
	"testing"
	"time"

	"infomall/crawl/fetch"
	"infomall/crawl/report"
	"infomall/store/page"
	"infomall/store/record"
)

// TestLargeSitemap shows that a sitemap is read although it is larger than what is read of a page.
func TestLargeSitemap(t *testing.T) {
	body := append([]byte("<urlset>"), bytes.Repeat([]byte(" "), page.BytesMax)...)
	body = append(body, "<url><loc>http://a.example/last</loc></url></urlset>"...)
	e := &engine{now: time.Now, o: report.CrawlOptions{TrapsOff: true}}
	c := &record.Capture{Status: 200, Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n"), Body: body}
	x := &fetchTask{u: report.Queued{URL: "http://a.example/sitemap.xml", Sitemap: true}, res: fetch.Response{Capture: c}}
	if e.extract(t.Context(), x); len(x.links) != 1 {
		t.Errorf("%d links, want 1", len(x.links))
	}
}

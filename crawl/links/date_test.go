package links

import (
	"strings"
	"testing"
	"time"
)

// TestNewestFirst reads sitemaps and feeds: what has a date comes first, the newest before
// the others.
func TestNewestFirst(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"months in names", `<sitemapindex><sitemap><loc>/map.xml</loc></sitemap><sitemap><loc>/sitemap-2024-05.xml</loc></sitemap><sitemap><loc>/202407.xml</loc></sitemap>
			<sitemap><loc>/2024/06/s.xml?2030-01</loc></sitemap><sitemap><loc>/a12024055.xml</loc></sitemap></sitemapindex>`,
			"/202407.xml /2024/06/s.xml?2030-01 /sitemap-2024-05.xml /map.xml /a12024055.xml"},
		{"lastmod", `<urlset><url><loc>/a-2030-01</loc></url><url><loc>/b</loc><lastmod>2008-06</lastmod></url><url><loc>/c</loc><lastmod>2008-06-12T08:00:00+08:00</lastmod></url></urlset>`,
			"/c@2008-06-12T00:00:00Z /b@2008-06-01T00:00:00Z..2008-07-01T00:00:00Z /a-2030-01"},
		{"rss", `<rss><channel><link>/</link><pubDate>Thu, 12 Jun 2030 08:00:00 GMT</pubDate><item><link>/old</link><pubDate>Thu, 12 Jun 2008 08:00:00 +0800</pubDate></item>
			<item><pubDate>Fri, 13 Jun 2008 08:00:00 GMT</pubDate><link>/new</link><comments>/new#c</comments><guid>http://a.cn/n</guid></item><item><link>/none</link></item></channel></rss>`,
			"/new@2008-06-13T08:00:00Z /n@2008-06-13T08:00:00Z /old@2008-06-12T00:00:00Z / /none"},
		{"atom", `<feed><updated>2030-01-01T00:00:00Z</updated><link href="/"/><entry><link href="/a"/><published>2008-06-01</published><updated>2008-06-03</updated></entry>
			<entry><link href="/b"/><updated>2008-06-02</updated>`,
			"/a@2008-06-03T00:00:00Z..2008-06-04T00:00:00Z /b@2008-06-02T00:00:00Z..2008-06-03T00:00:00Z /"},
	} {
		var got []string
		for _, l := range Find(Document{URL: "http://a.cn/x", ContentType: "text/xml", Body: []byte(tt.body), Sitemap: strings.Contains(tt.body, "sitemap")}).Links {
			s := strings.TrimPrefix(l.URL, "http://a.cn")
			if !l.Modified.IsZero() {
				s += "@" + l.Modified.Format(time.RFC3339)
			}
			if !l.Until.Equal(l.Modified) {
				s += ".." + l.Until.Format(time.RFC3339)
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, s, tt.want)
		}
	}
}

package crawl

import (
	"strings"

	"infomall/crawl/links"
	"infomall/crawl/robots"
	"infomall/store/page"
	"infomall/store/record"
)

// read finds what a response leads to: the targets of links, and with
// requisites also what the page needs to be shown. A page, or the header it
// comes with, may ask that its links be not followed.
func (e *engine) read(u *record.Queued, c *record.Capture) []links.Link {
	if c.Body == nil {
		return nil // too large to be read, and stored as it is
	}
	text, err := page.Decode(c.Body, record.Header(c.Head, "Content-Encoding"), memoryMax)
	if err != nil {
		return nil // nobody could read it
	}
	found := links.Find(links.Document{
		URL: u.URL, ContentType: record.Header(c.Head, "Content-Type"), Body: text, Sitemap: u.Sitemap,
	})
	nofollow := robots.Header([]string{record.Header(c.Head, "X-Robots-Tag")}, robots.Product(e.client.agent)).NoFollow
	kept := found.Links[:0]
	for _, l := range found.Links {
		if l.Requisite && !e.o.Requisites || !l.Requisite && nofollow && !e.o.IgnoreRobots {
			continue
		}
		l.URL = withoutSession(l.URL)
		kept = append(kept, l)
	}
	return kept
}

// sitemaps queues the sitemaps that a robots.txt names.
func (e *engine) sitemaps(t *task, from string, f *robots.File) error {
	if e.o.Depth == 0 {
		return nil
	}
	for _, s := range f.Sitemaps {
		if !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
			continue // it is to be a whole URL
		}
		if _, err := e.offer(t, record.Queued{URL: s, Via: from, Sitemap: true}, false); err != nil {
			return err
		}
	}
	return nil
}

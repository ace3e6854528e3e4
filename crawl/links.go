package crawl

import (
	"slices"

	"infomall/crawl/links"
	"infomall/crawl/robots"
	"infomall/store/page"
	"infomall/store/record"
)

// extract finds what the response of t leads to: the targets of links, and with
// requisites also what the page needs to be shown. A page, or the header it
// comes with, may ask that its links be not followed. What is as it was leads
// where it led.
func (e *engine) extract(t *task) {
	begun := e.now()
	defer func() { t.took[record.StageExtract] = e.now().Sub(begun) }()
	head, body := t.res.capture.Head, t.res.capture.Body
	if t.known != nil {
		head, body = t.known.Head, t.known.Body
	}
	t.asks = e.asks(head)
	if body == nil {
		return // too large to be read, and stored as it is
	}
	text, err := page.Decode(body, record.Header(head, "Content-Encoding"), memoryMax)
	if err != nil {
		return // nobody could read it
	}
	kind := record.Header(head, "Content-Type")
	if t.res.capture.Via == record.ViaResource {
		kind = t.res.capture.Mime
	}
	found := links.Find(links.Document{
		URL: t.u.URL, ContentType: kind, Body: text, Sitemap: t.u.Sitemap, Anchors: e.o.Focus != nil,
	})
	t.links = found.Links[:0]
	for _, l := range found.Links {
		if l.Requisite && !e.o.Requisites || !l.Requisite && t.asks.NoFollow && !e.o.IgnoreRobots {
			continue
		}
		l.URL = withoutSession(l.URL)
		t.links = append(t.links, l)
	}
	e.judge(t, head, body, record.Mime(kind))
	if record.Mime(kind) == "text/html" && sampled(t.u.URL) {
		t.text = textOf(text)
	}
	t.asks.NoArchive = t.asks.NoArchive || found.Asks.NoArchive
}

// asks is what the head of a response asks of robots.
func (e *engine) asks(head []byte) robots.Directives {
	return robots.Header(slices.Collect(record.Headers(head, "X-Robots-Tag")), robots.Product(e.client.agent))
}

// sitemaps queues the sitemaps that a robots.txt names.
func (e *engine) sitemaps(t *task, from string, f *robots.File) error {
	if e.o.Depth == 0 {
		return nil
	}
	for _, s := range f.Sitemaps {
		if !isHTTP(s) {
			continue // it is to be a whole URL
		}
		if _, err := e.offer(t, record.Queued{URL: s, Via: from, Sitemap: true}, false); err != nil {
			return err
		}
	}
	return nil
}

package crawl

import (
	"slices"

	"infomall/crawl/links"
	"infomall/crawl/robots"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// extract finds what the response of t leads to: the targets of links, and with
// requisites also what the page needs to be shown. A page, or the header it
// comes with, may ask that its links be not followed. What is as it was leads
// where it led.
func (e *engine) extract(t *task) {
	begun := e.now()
	defer func() { t.took[record.StageExtract] = e.now().Sub(begun) }()
	t.missed = t.u.Guessed // unless it is found to be a sitemap
	head, body := t.res.capture.Head, t.res.capture.Body
	if t.known != nil {
		head, body = t.known.Head, t.known.Body
	}
	t.asks = e.asks(head)
	if body == nil {
		return // too large to be read, and stored as it is
	}
	text, err := page.Decode(body, record.Codings(head), memoryMax)
	if err != nil {
		return // nobody could read it
	}
	kind := record.Header(head, "Content-Type")
	if t.res.capture.Via == record.ViaResource {
		kind = t.res.capture.Mime
	}
	found := links.Find(links.Document{
		URL: t.u.URL, ContentType: kind, Body: text, Sitemap: t.u.Sitemap, Anchors: e.o.Focus != nil,
		Refresh: slices.Collect(record.Headers(head, "Refresh")), Link: slices.Collect(record.Headers(head, "Link")),
	})
	t.links = found.Links[:0]
	if t.u.Guessed {
		if t.missed = found.Page || len(found.Links) == 0; t.missed {
			return
		}
	}
	for _, l := range found.Links {
		if l.Requisite && !e.o.Requisites || !l.Requisite && t.asks.NoFollow && !e.o.IgnoreRobots {
			continue
		}
		l.URL = e.withoutVisit(l.URL)
		t.links = append(t.links, l)
	}
	e.judge(t, head, body, record.Mime(kind))
	t.print = e.printOf(t.u.URL, kind, text)
	t.asks.NoArchive = t.asks.NoArchive || found.Asks.NoArchive
}

// asks is what the head of a response asks of robots.
func (e *engine) asks(head []byte) robots.Directives {
	return robots.Header(slices.Collect(record.Headers(head, "X-Robots-Tag")), robots.Product(e.client.agent))
}

// sitemaps queues the sitemaps that a robots.txt names. If it names none, the usual one
// is guessed, once for each host.
func (e *engine) sitemaps(t *task, from string, f *robots.File, h *host) error {
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
	if len(f.Sitemaps) > 0 {
		return nil
	}
	return e.guessSitemap(t, from, h)
}

// guessSitemap queues /sitemap.xml of the host of t, unless a rule or robots.txt, read
// from a URL, leaves it out. Whether there is one shows when it is fetched.
func (e *engine) guessSitemap(t *task, from string, h *host) error {
	u := sitemapOf(t.u.URL)
	if u == "" || !h.group.Decide(u).Allowed {
		return nil
	}
	before, err := e.q.Meet("sitemap:" + u)
	if before || err != nil {
		return err
	}
	_, err = e.offer(t, record.Queued{URL: u, Layer: t.u.Layer, Via: from, Sitemap: true, Guessed: true}, false)
	return err
}

// sitemapOf returns the URL at which the host of a page usually has its sitemap.
func sitemapOf(page string) string {
	u, err := urlkey.Resolve(page, "/sitemap.xml")
	if err != nil {
		return ""
	}
	return u
}

package crawl

import (
	"context"
	"slices"
	"strings"

	"infomall/crawl/links"
	"infomall/crawl/report"
	"infomall/crawl/robots"
	"infomall/store/page"
	"infomall/store/page/coding"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// extract finds the links in the response of t and sets t.links. With the
// option requisites these include what the page needs to be shown. A page or
// its header may ask that its links be not followed; these are then left
// out. If the page is unchanged, extract reads the stored version.
func (e *engine) extract(ctx context.Context, t *fetchTask) {
	begun := e.now()
	defer func() { t.took[report.StageExtract] = e.now().Sub(begun) }()
	t.missed = t.u.Guessed // unless the document turns out to be a sitemap
	head, body, size := t.res.Capture.Head, t.res.Capture.Body, int64(0)
	switch {
	case t.known != nil:
		head, body = t.known.Head, t.known.Body
	case body == nil:
		body, size = t.first, t.size
	}
	t.asks = e.asks(head)
	// Like an import, decode as much of the body as possible.
	text, part, err := coding.DecodePart(body, message.Codings(head), t.bytesMax())
	if err != nil {
		text = nil // the body cannot be decoded
	}
	kind := contentType(t.res.Capture, head)
	found := links.Find(links.Document{
		URL: t.u.Asked(), FormFields: e.fieldNames(), ContentType: kind, Body: text, Sitemap: t.u.Sitemap, Anchors: e.o.Focus != nil,
		LinkHeaders: markup.LinkHeaders(head), Usual: t.usualCharset, Links: e.documentLinks(ctx, t, kind, text, size == 0 && part == nil),
	})
	t.charset = found.Charset
	t.links = found.Links[:0]
	if t.u.Guessed {
		if t.missed = found.Page || len(found.Links) == 0; t.missed {
			if text != nil {
				t.print = e.printOf(t.u.URL, kind, text) // of a page that does not exist
			}
			return
		}
	}
	if t.showing() {
		t.show.note(found.Links, text, found.Charset.Charset)
	}
	if !t.asks.NoFollow || e.o.IgnoreRobots {
		t.forms = found.Forms
	}
	for _, l := range found.Links {
		if l.Requisite && !e.o.Requisites || !l.Requisite && t.asks.NoFollow && !e.o.IgnoreRobots {
			continue
		}
		l.URL = e.withoutVisit(l.URL)
		l.Unchanged = e.o.TrustDates && !e.o.FromArchive && e.past.visitedSince(ctx, l.URL, l.Until)
		t.links = append(t.links, l)
	}
	e.judge(t, head, body, max(size, int64(len(body))), message.Mime(kind))
	if text != nil {
		t.print = e.printOf(t.u.URL, kind, text)
	}
	t.asks.NoArchive = t.asks.NoArchive || found.Asks.NoArchive
}

// contentType returns the value of Content-Type in head, the head of a
// response. For a resource, a capture without an HTTP response, it returns
// the media type of c.
func contentType(c *record.Capture, head []byte) string {
	if c.Via == record.ViaResource {
		return c.Mime
	}
	return message.Header(head, "Content-Type")
}

// keepFirst sets t.first to the first part of a body that is in a file
// because it is too large for memory, if the body may have links. Storing
// the body closes that file, and the links are read later.
func (t *fetchTask) keepFirst() {
	c := t.res.Capture
	if c.Spool == nil {
		return
	}
	if !t.u.Sitemap && !mayLead(message.Mime(contentType(c, c.Head))) {
		return
	}
	first := make([]byte, min(c.Spool.Size, t.bytesMax()+1))
	if n, err := c.Spool.File.ReadAt(first, 0); err == nil || n == len(first) {
		t.first, t.size = first, c.Spool.Size
	} // after an error, storing the body fails too and reports why
}

// bytesMax returns how many bytes of the response of t are read for its links.
func (t *fetchTask) bytesMax() int64 {
	if t.u.Sitemap {
		return links.SitemapBytesMax
	}
	return page.BytesMax
}

// mayLead reports whether documents of the media type mime may have links.
func mayLead(mime string) bool {
	return page.IsMarkup(mime) || mime == page.MimeSheet || strings.HasSuffix(mime, "xml")
}

// asks returns what the X-Robots-Tag lines in head, the head of a response,
// ask of this crawl.
func (e *engine) asks(head []byte) robots.Directives {
	return robots.Header(slices.Collect(message.Headers(head, "X-Robots-Tag")), robots.Product(e.o.Agent))
}

// sitemaps queues the sitemaps that the robots.txt f names. If f names none,
// sitemaps guesses the usual URL, once for each host. The parameter from is the
// URL of f, t the task that fetched it, h its host.
func (e *engine) sitemaps(t *fetchTask, from string, f *robots.File, h *host) error {
	if e.o.Depth == 0 {
		return nil
	}
	for _, s := range f.Sitemaps {
		if !urlkey.IsHTTP(s) {
			continue // the protocol requires an absolute URL
		}
		if _, err := e.offer(t, report.Queued{URL: s, Via: from, Sitemap: true}, false); err != nil {
			return err
		}
	}
	if len(f.Sitemaps) > 0 {
		return nil
	}
	return e.guessSitemap(t, from, h)
}

// guessSitemap queues the URL /sitemap.xml on the host of t, unless a rule of the
// crawl or the rules of h, from robots.txt, forbid it. The parameter from is the
// URL of the robots.txt. Whether there is a sitemap is known only when the URL is
// fetched.
func (e *engine) guessSitemap(t *fetchTask, from string, h *host) error {
	u := sitemapOf(t.u.URL)
	if u == "" || !h.group.Decide(u).Allowed {
		return nil
	}
	before, err := e.q.Meet(report.GuessedKey(u))
	if before || err != nil {
		return err
	}
	_, err = e.offer(t, report.Queued{URL: u, Layer: t.u.Layer, Via: from, Sitemap: true, Guessed: true}, false)
	return err
}

// sitemapOf returns the URL /sitemap.xml on the host of the URL page, or ""
// if that is no URL.
func sitemapOf(page string) string {
	u, err := urlkey.Resolve(page, "/sitemap.xml")
	if err != nil {
		return ""
	}
	return u
}

// Package links finds what a fetched document leads to: the links of HTML, the
// addresses in style sheets, the entries of feeds, and those of sitemaps. It
// consists of pure functions over bytes, which may be hostile: nothing outside
// of them is read, no entity is expanded, and time and memory are linear in
// their length.
package links

import (
	"bytes"
	"strings"
	"time"

	"infomall/crawl/robots"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/page/markup"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// Bounds of what one document may lead to.
const (
	LinksMax        = 10_000   // of a page, style sheet or feed
	SitemapLinksMax = 50_000   // of a sitemap, as the protocol has it
	SitemapBytesMax = 50 << 20 // of a sitemap when it is no longer compressed; what follows is not read
)

// Document is what was fetched.
type Document struct {
	URL         string // canonical
	ContentType string // as its header has it
	Body        []byte // after content decoding; it is not changed
	// Sitemap says that the document was fetched as a sitemap. Only then may
	// plain text be one, and may it be compressed.
	Sitemap bool
	Anchors bool // whether the words of links are wanted, which take time
	// LinkHeaders are the headers that have links, as markup.LinkHeaders returns them.
	LinkHeaders string
	// Usual is the charset of other pages of the host, for a page that does not tell its
	// own; or "".
	Usual string
}

// Link is a URL that a document leads to.
type Link struct {
	URL  string // canonical, of http or https; from a file also of a file
	Kind markup.LinkKind
	// Requisite: the URL is needed to show the document; else it is another
	// document.
	Requisite bool
	Anchor    string // words of the link, if wanted
	// Sitemap: it leads to a further sitemap.
	Sitemap bool
	// What a sitemap says of it.
	Priority float64   // 0 to 1, or -1 if nothing
	Modified time.Time // zero if nothing
}

// Found is what a document leads to.
type Found struct {
	Links   []Link            // each URL once: those of the headers, and the others in the order of the document
	Dropped int               // how many more there were, beyond the bounds
	Page    bool              // the document was read as HTML
	Charset charset.Found     // of a document that was read as HTML
	Asks    robots.Directives // what the document itself asks; its header may ask for more
}

// Find reads a document. One that asks robots not to follow its links has only
// requisites; one that is none of the kinds that lead anywhere has nothing.
func Find(d Document) Found {
	c := &collector{base: d.URL, max: LinksMax, seen: make(map[string]int)}
	c.listed(markup.HeaderLinks(d.LinkHeaders))
	c.read(d)
	return c.found
}

// collector gathers what one document leads to.
type collector struct {
	base  string
	max   int
	found Found
	seen  map[string]int // index of each URL in found.Links
}

// room makes room for n further references if there are none yet.
func (c *collector) room(n int) {
	if n = min(n, c.max); len(c.found.Links) == 0 {
		c.seen, c.found.Links = make(map[string]int, n), make([]Link, 0, n)
	}
}

// listed adds the links that are no part of a page: those of headers and style
// sheets.
func (c *collector) listed(links []markup.Link) {
	for i := range links {
		if l, ok := asLink(&links[i]); ok {
			c.resolve(links[i].Target, l)
		}
	}
}

// read reads a document as what it says it is, or what it looks like if it says
// nothing.
func (c *collector) read(d Document) {
	body := d.Body
	if d.Sitemap && bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		var err error
		if body, err = coding.Decode(body, "gzip", SitemapBytesMax); err != nil {
			return
		}
	}
	if d.Sitemap {
		c.max = SitemapLinksMax
		body = body[:min(len(body), SitemapBytesMax)]
	}
	mime := message.Mime(d.ContentType)
	if page.IsBinary(body) {
		return // whatever it says
	}
	switch {
	case strings.HasSuffix(mime, "xml") && !page.IsMarkup(mime) && mime != "image/svg+xml", d.Sitemap && looksLike(body, "<?xml", "<urlset", "<sitemapindex"),
		!d.Sitemap && mime == "" && looksLike(body, "<?xml", "<rss", "<feed"):
		c.readXML(body, d)
	case page.IsMarkup(mime) && (mime != "" || page.LooksLikeMarkup(body)):
		c.readHTML(body, d)
	case mime == page.MimeSheet:
		cs := charset.Find(body, d.ContentType, d.Usual).Charset
		c.listed(markup.SheetLinks(body, cs))
	case d.Sitemap:
		c.readLines(body)
	}
}

// looksLike reports whether a body begins with one of some words in lower case.
func looksLike(body []byte, words ...string) bool {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	body = bytes.TrimLeft(body, " \t\r\n")
	for _, w := range words {
		if len(body) >= len(w) && strings.EqualFold(string(body[:len(w)]), w) {
			return true
		}
	}
	return false
}

// add adds the URL that a reference leads to, unless the reference is empty or leads
// to nothing to fetch.
func (c *collector) add(reference string, l Link) {
	if reference = strings.TrimSpace(reference); reference != "" {
		c.resolve(reference, l)
	}
}

// resolve is add for a reference that leads to the base if it is empty.
func (c *collector) resolve(reference string, l Link) {
	if otherScheme(reference) {
		return
	}
	u, err := urlkey.Resolve(c.base, reference)
	if err != nil || !fetched(u, c.base) {
		return
	}
	if i, ok := c.seen[u]; ok {
		// What is linked to is a document, even if it is shown here too.
		c.found.Links[i].Requisite = c.found.Links[i].Requisite && l.Requisite
		return
	}
	if len(c.found.Links) >= c.max {
		c.found.Dropped++
		return
	}
	l.URL = u
	c.seen[u] = len(c.found.Links)
	c.found.Links = append(c.found.Links, l)
}

// fetched reports whether a URL is one of the web, or of a file that a file leads
// to.
func fetched(u, base string) bool {
	return strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "file:///") && strings.HasPrefix(base, "file:///")
}

// link and requisite are links that nothing more is known of.
func link(kind markup.LinkKind) Link      { return Link{Kind: kind, Priority: -1} }
func requisite(kind markup.LinkKind) Link { return Link{Kind: kind, Priority: -1, Requisite: true} }

// otherScheme reports whether a reference begins with a scheme that is neither
// http nor https, so that it need not be resolved: mailto, javascript, data.
func otherScheme(reference string) bool {
	i := strings.IndexFunc(reference, func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '+' || r == '-' || r == '.')
	})
	if i <= 0 || reference[i] != ':' || reference[0]|0x20 < 'a' {
		return false
	}
	scheme := reference[:i]
	return !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https")
}

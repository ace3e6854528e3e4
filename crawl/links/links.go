// Package links finds what a fetched document leads to: the links of HTML, the
// addresses in style sheets, the entries of feeds, and those of sitemaps. It
// consists of pure functions over bytes, which may be hostile: nothing outside
// of them is read, no entity is expanded, and time and memory are linear in
// their length. Find is the way in.
package links

import (
	"bytes"
	"strings"
	"time"

	"infomall/crawl/forms"
	"infomall/crawl/robots"
	"infomall/store/document"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/page/markup"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// Bounds on what Find returns for one document.
const (
	linksMax        = 10_000 // URLs of a page, style sheet or feed
	sitemapLinksMax = 50_000 // URLs of a sitemap, by the sitemap protocol
)

// SitemapBytesMax is how many bytes of a sitemap are read, counted after decompression. The sitemap
// protocol allows so many.
const SitemapBytesMax = 50 << 20

// Document is a fetched document, as Find reads it.
type Document struct {
	URL         string // canonical
	ContentType string // value of the header Content-Type
	Body        []byte // after content decoding; Find does not change it
	// Sitemap says that the document was fetched as a sitemap. Only then may it
	// be plain text or compressed and still be read as a sitemap.
	Sitemap bool
	Anchors bool // whether to set Link.Anchor, which takes time
	// LinkHeaders are the headers that have links, as markup.LinkHeaders returns them.
	LinkHeaders string
	// Usual is the charset of most other pages of the host, or "". It is used for a
	// page that does not declare its own.
	Usual string
	// Links are the links of a document that is not a page, such as a PDF file.
	Links []document.Link
	// Shown are targets of links that a browser found on the page, which come after the
	// others. A target that the page asks robots not to follow is left out.
	Shown []string
	// FormFields are the names of fields. Find returns the forms of a page that have one
	// of them.
	FormFields []string
}

// Link is a URL that a document leads to.
type Link struct {
	URL  string // canonical, with scheme http or https; in a file of this machine also file
	Kind markup.LinkKind
	// Requisite says that the URL is needed to show the document, such as an
	// image. Otherwise the URL is another document.
	Requisite bool
	Anchor    string // text of the link, if Document.Anchors is set
	// Sitemap says that the URL is another sitemap.
	Sitemap bool
	// Priority is what a sitemap says about the URL.
	Priority float64 // 0 to 1, or -1 if the sitemap does not say it
	// Modified is when the URL has changed, as a sitemap or feed says. Until is the end of
	// the day, month or year that it names; the same as Modified if it names a moment. Both
	// are zero if it says nothing.
	Modified, Until time.Time
	// Unchanged is not set by Find. A crawl sets it if the archive has visited the URL since
	// Until.
	Unchanged bool
}

// Found is the result of Find: the links, forms and directives for robots of one document.
type Found struct {
	// Links has each URL once: first those in the headers, then those with a date, the
	// newest first, then the others in the order of the document.
	Links   []Link
	Page    bool              // whether the document was read as HTML
	Charset charset.Found     // charset of the document, if Page
	Forms   []*forms.Form     // the forms with one of Document.FormFields; none if the page asks robots not to follow its links
	Asks    robots.Directives // what the document itself asks of robots; its header may ask for more
}

// Find returns what a document and its headers lead to. If an HTML page asks
// robots not to follow its links, only its requisites (what is needed to
// show it) are returned. A document of a kind without links, such as an
// image, gives only the links of its headers.
func Find(d Document) Found {
	c := &collector{base: d.URL, max: linksMax, seen: make(map[string]int)}
	c.addAll(markup.HeaderLinks(d.LinkHeaders))
	for _, l := range d.Links {
		anchor := link(markup.LinkA)
		if d.Anchors {
			anchor.Anchor = l.Anchor
		}
		c.add(l.Target, anchor)
	}
	c.read(d)
	c.addShown(d.Shown)
	return c.found
}

// collector gathers the URLs to which one document leads.
type collector struct {
	base  string
	max   int
	found Found
	seen  map[string]int // index of each URL in found.Links

	refused map[string]bool // URLs that the page asks robots not to follow; nil unless Document.Shown is set
}

// reserve allocates memory for n links if c has none yet.
func (c *collector) reserve(n int) {
	if n = min(n, c.max); len(c.found.Links) == 0 {
		c.seen, c.found.Links = make(map[string]int, n), make([]Link, 0, n)
	}
}

// addShown adds the links that a browser found on the page, unless the page asks robots not
// to follow them.
func (c *collector) addShown(targets []string) {
	if c.found.Asks.NoFollow {
		return
	}
	for _, target := range targets {
		if u, err := urlkey.Resolve(c.base, target); err == nil && !c.refused[u] {
			c.add(target, link(markup.LinkA))
		}
	}
}

// addAll adds the links in a list, such as the links of headers or of a style
// sheet. It leaves out a link that a crawl does not follow.
func (c *collector) addAll(links []markup.Link) {
	for i := range links {
		if l, ok := asLink(&links[i]); ok {
			c.resolve(links[i].Target, l)
		}
	}
}

// read reads a document as the kind that its Content-Type declares. If it
// declares none, read goes by the first bytes of the body.
func (c *collector) read(d Document) {
	body := d.Body
	if d.Sitemap && bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		var err error
		if body, _, err = coding.DecodePart(body, "gzip", SitemapBytesMax); err != nil {
			return
		}
	}
	if d.Sitemap {
		c.max = sitemapLinksMax
		body = body[:min(len(body), SitemapBytesMax)]
	}
	mime := message.Mime(d.ContentType)
	if page.IsBinary(body) {
		return // whatever its Content-Type declares
	}
	switch {
	case strings.HasSuffix(mime, "xml") && !page.IsMarkup(mime) && mime != "image/svg+xml", d.Sitemap && looksLike(body, "<?xml", "<urlset", "<sitemapindex"),
		!d.Sitemap && (mime == "" && looksLike(body, "<?xml") || page.IsMarkup(mime) && page.IsXMLDocument(body)):
		c.readXML(body, d)
	case page.IsMarkup(mime) && (mime != "" || page.LooksLikeMarkup(body)):
		c.readHTML(body, d)
	case mime == page.MimeSheet:
		cs := charset.Find(body, d.ContentType, d.Usual).Charset
		c.addAll(markup.SheetLinks(body, cs))
	case d.Sitemap:
		c.readLines(body)
	}
}

// looksLike reports whether a body begins with one of the words, after a
// byte order mark and blanks. words are in lower case; the case in the body
// does not count.
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

// add adds the link l. Its URL is reference, resolved against the base of
// the document. Nothing is added if reference is empty or leads to nothing
// that can be fetched.
func (c *collector) add(reference string, l Link) {
	if reference = strings.TrimSpace(reference); reference != "" {
		c.resolve(reference, l)
	}
}

// resolve is like add, but an empty reference means the base itself.
func (c *collector) resolve(reference string, l Link) {
	if otherScheme(reference) {
		return
	}
	u, err := urlkey.Resolve(c.base, reference)
	if err != nil || !isFetchable(u, c.base) {
		return
	}
	if i, ok := c.seen[u]; ok {
		// A URL that is linked to is a document, even if this page shows it too.
		c.found.Links[i].Requisite = c.found.Links[i].Requisite && l.Requisite
		return
	}
	if len(c.found.Links) >= c.max {
		return
	}
	l.URL = u
	c.seen[u] = len(c.found.Links)
	c.found.Links = append(c.found.Links, l)
}

// isFetchable reports whether a crawl fetches u: a URL of http or https, or that
// of a file if base is a file too.
func isFetchable(u, base string) bool {
	return urlkey.IsHTTP(u) || strings.HasPrefix(u, "file:///") && strings.HasPrefix(base, "file:///")
}

// link returns a Link of the given kind without a URL, and requisite returns one
// that is needed to show the document.
func link(kind markup.LinkKind) Link      { return Link{Kind: kind, Priority: -1} }
func requisite(kind markup.LinkKind) Link { return Link{Kind: kind, Priority: -1, Requisite: true} }

// otherScheme reports whether a reference begins with a scheme other than
// http and https, such as mailto, javascript or data. Such a reference need
// not be resolved.
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

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
	"infomall/store/record"
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
	// Refresh and Link are the headers of these names that it came with, each line as it
	// was sent.
	Refresh, Link []string
}

// Link is a URL that a document leads to.
type Link struct {
	URL  string // canonical, of http or https; from a file also of a file
	Kind page.LinkKind
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
	Links   []Link            // each URL once, in the order of the document, what its styles need at the end
	Dropped int               // how many more there were, beyond the bounds
	Page    bool              // the document was read as HTML
	Asks    robots.Directives // what the document itself asks; its header may ask for more
}

// Find reads a document. One that asks robots not to follow its links has only
// requisites; one that is none of the kinds that lead anywhere has nothing.
func Find(d Document) Found {
	c := &collector{base: d.URL, max: LinksMax, seen: make(map[string]int)}
	c.headers(d)
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

// room makes room for so many references.
func (c *collector) room(n int) {
	n = min(n, c.max)
	c.seen, c.found.Links = make(map[string]int, n), make([]Link, 0, n)
}

// read reads a document as what it says it is, or what it looks like if it says
// nothing.
func (c *collector) read(d Document) {
	body := d.Body
	if d.Sitemap && bytes.HasPrefix(body, []byte("\x1f\x8b")) {
		var err error
		if body, err = page.Decode(body, "gzip", SitemapBytesMax); err != nil {
			return
		}
	}
	if d.Sitemap {
		c.max = SitemapLinksMax
		body = body[:min(len(body), SitemapBytesMax)]
	}
	mime := record.Mime(d.ContentType)
	if isBinary(body) {
		return // whatever it says
	}
	switch {
	case strings.HasSuffix(mime, "xml") && mime != "application/xhtml+xml" && mime != "image/svg+xml", d.Sitemap && looksLike(body, "<?xml", "<urlset", "<sitemapindex"):
		c.readXML(body, d)
	case mime == "text/html", mime == "application/xhtml+xml", mime == "" && looksLike(body, "<!doctype html", "<html"):
		c.readHTML(body, d)
	case mime == "text/css":
		charset, _ := page.Charset(body, d.ContentType)
		c.styles(page.ToUTF8(body, charset))
	case d.Sitemap:
		c.readLines(body)
	case mime == "" && looksLike(body, "<?xml", "<rss", "<feed"):
		c.readXML(body, d)
	}
}

// binaries are how files begin that servers may call HTML: images, documents, films,
// and archives.
var binaries = []string{
	"\x89PNG\r\n", "GIF87a", "GIF89a", "\xff\xd8\xff", "%PDF-", "PK\x03\x04", "\x1f\x8b\x08", "Rar!\x1a\x07", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
	"II*\x00", "MM\x00*", "\x00\x00\x01\x00", "OggS\x00", "ID3", "FWS", "CWS", "\x7fELF", "7z\xbc\xaf\x27\x1c", "\x1aE\xdf\xa3", "%!PS-Adobe",
}

// isBinary reports whether a body is no text, by how it begins.
func isBinary(body []byte) bool {
	for _, b := range binaries {
		if bytes.HasPrefix(body, []byte(b)) {
			return true
		}
	}
	if len(body) >= 12 && string(body[:4]) == "RIFF" {
		return true
	}
	return len(body) >= 12 && string(body[4:8]) == "ftyp"
}

// headers adds what the header of a document leads to.
func (c *collector) headers(d Document) {
	for _, line := range d.Refresh {
		c.add(page.RefreshTarget(line), link(page.LinkRefresh))
	}
	for _, line := range d.Link {
		for part := range strings.SplitSeq(line, "<") {
			address, parameters, ok := strings.Cut(part, ">")
			if !ok {
				continue
			}
			l := link(page.LinkLink)
			rel := headerRel(parameters)
			if l.Requisite, ok = relation(rel); strings.EqualFold(rel, "stylesheet") {
				l = requisite(page.LinkCSS)
			}
			if ok {
				c.add(address, l)
			}
		}
	}
}

// headerRel is the rel of one link of a header Link.
func headerRel(parameters string) string {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, ok := strings.Cut(p, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "rel") {
			return strings.Trim(value, "\" \t,")
		}
	}
	return ""
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

// add adds what a reference leads to, unless that is nothing to fetch.
func (c *collector) add(reference string, l Link) {
	reference = strings.TrimSpace(reference)
	if reference == "" || otherScheme(reference) {
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
func link(kind page.LinkKind) Link      { return Link{Kind: kind, Priority: -1} }
func requisite(kind page.LinkKind) Link { return Link{Kind: kind, Priority: -1, Requisite: true} }

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

package links

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"

	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/urlkey"
)

// textMax bounds the text of an element, in bytes. No address is so long.
const textMax = 16 << 10

// readXML reads body as a feed (RSS, RDF, Atom) or a sitemap, depending on
// its root element. A document with the root html is read as HTML. Broken
// XML is read up to the first error.
func (c *collector) readXML(body []byte, d Document) {
	cs := charset.Find(body, d.ContentType, "").Charset
	decoder := xml.NewDecoder(bytes.NewReader(charset.ToUTF8(body, cs)))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // It is UTF-8 by now.
	x := xmlReader{c: c, first: len(c.found.Links), item: -1}
	// RawToken needs no memory for open elements, and accepts an end tag without
	// a start tag.
	for {
		token, err := decoder.RawToken()
		if err != nil || len(c.found.Links) >= c.max {
			break
		}
		switch token := token.(type) {
		case xml.StartElement:
			if x.root == "" {
				if x.root = strings.ToLower(token.Name.Local); x.root == "html" {
					c.readHTML(body, d)
					return
				}
				x.entry = newEntry()
			}
			x.start(token)
		case xml.CharData:
			if len(x.text)+len(token) <= textMax {
				x.text = append(x.text, token...)
			}
		case xml.EndElement:
			x.end(token.Name)
		}
	}
	x.flush()
	x.endItem()
	c.newestFirst(x.first)
}

// xmlReader reads the elements of one XML document.
type xmlReader struct {
	c     *collector
	root  string // name of the root, in lower case
	text  []byte // since the last tag
	depth int
	bases []baseAt

	permanent bool // whether the guid element that was opened last is an address

	entry Link   // the entry of a sitemap that is being read
	loc   string // address of entry; "" if not read yet

	first int          // index of the first link of the document
	item  int          // index of the first link of the item of a feed that is being read; -1 outside of items
	dated [2]time.Time // what the item says about its date, like Link.Modified and Link.Until
}

// baseAt notes an open element that has its own base for relative addresses
// (xml:base): its depth, and the base that holds outside of the element.
type baseAt struct {
	depth   int
	outside string
}

// basesMax bounds how many open elements may have their own base.
const basesMax = 100

// newEntry returns an entry of a sitemap about which nothing is known yet.
func newEntry() Link { return link(markup.LinkLink) }

// start handles a start tag.
func (x *xmlReader) start(t xml.StartElement) {
	x.text = x.text[:0]
	x.depth++
	if base := attribute(t, "xml", "base"); base != "" && len(x.bases) < basesMax {
		x.bases = append(x.bases, baseAt{x.depth, x.c.base})
		if u, err := urlkey.Resolve(x.c.base, base); err == nil {
			x.c.base = u
		}
	}
	switch x.root {
	case "urlset", "sitemapindex":
		x.startSitemap(t)
	case "rss", "feed", "rdf":
		x.startFeed(t)
	}
}

// end handles an end tag.
func (x *xmlReader) end(name xml.Name) {
	switch x.root {
	case "urlset", "sitemapindex":
		x.endSitemap(name)
	case "rss", "feed", "rdf":
		x.endFeed(name)
	}
	if n := len(x.bases); n > 0 && x.bases[n-1].depth >= x.depth {
		x.c.base = x.bases[n-1].outside
		x.bases = x.bases[:n-1]
	}
	x.depth--
	x.text = x.text[:0]
}

// startFeed adds the addresses in the attributes of an element of a feed,
// such as Atom's links (which occur in RSS too) and enclosures.
func (x *xmlReader) startFeed(t xml.StartElement) {
	switch strings.ToLower(t.Name.Local) {
	case "item", "entry":
		x.endItem()
		x.item = len(x.c.found.Links)
	case "link":
		href := attribute(t, "", "href")
		switch rel := attribute(t, "", "rel"); rel {
		case "enclosure":
			x.c.add(href, requisite(markup.LinkMedia))
		case "edit", "edit-media", "hub", "service", "pingback":
		default:
			x.c.add(href, link(markup.LinkLink))
		}
	case "enclosure":
		x.c.add(attribute(t, "", "url"), requisite(markup.LinkMedia))
	case "content":
		if t.Name.Space == "media" {
			x.c.add(attribute(t, "", "url"), requisite(markup.LinkMedia))
		} else {
			x.c.add(attribute(t, "", "src"), link(markup.LinkLink))
		}
	case "thumbnail":
		x.c.add(attribute(t, "", "url"), requisite(markup.LinkImg))
	case "guid":
		x.permanent = attribute(t, "", "isPermaLink") != "false"
	}
}

// endFeed adds the address in the text of an element of a feed, such as
// RSS's link.
func (x *xmlReader) endFeed(name xml.Name) {
	text := string(x.text)
	switch strings.ToLower(name.Local) {
	case "item", "entry":
		x.endItem()
	case "pubdate", "date", "published", "updated", "modified", "issued":
		if from, until := date(strings.TrimSpace(text)); x.item >= 0 && from.After(x.dated[0]) {
			x.dated = [2]time.Time{from, until}
		}
	case "link", "comments", "commentrss":
		x.c.add(text, link(markup.LinkLink))
	case "guid":
		if text = strings.TrimSpace(text); x.permanent && urlkey.IsHTTP(text) {
			x.c.add(text, link(markup.LinkLink))
		}
	case "url", "icon", "logo": // url of an RSS channel's image
		x.c.add(text, requisite(markup.LinkImg))
	}
}

// endItem ends the item of a feed that is being read, if there is one: its links get the
// latest date that the item has.
func (x *xmlReader) endItem() {
	if x.item >= 0 {
		for i := x.item; i < len(x.c.found.Links); i++ {
			x.c.found.Links[i].Modified, x.c.found.Links[i].Until = x.dated[0], x.dated[1]
		}
	}
	x.item, x.dated = -1, [2]time.Time{}
}

// startSitemap handles a start tag of a sitemap: it begins an entry, or adds
// the address of an entry's version in another language.
func (x *xmlReader) startSitemap(t xml.StartElement) {
	switch t.Name.Local {
	case "url", "sitemap":
		x.flush()
	case "link":
		if attribute(t, "", "rel") == "alternate" {
			x.c.add(attribute(t, "", "href"), link(markup.LinkLink))
		}
	}
}

// endSitemap handles an end tag of a sitemap: it sets a property of the
// current entry, adds an image or video, or ends the entry.
func (x *xmlReader) endSitemap(name xml.Name) {
	text := strings.TrimSpace(string(x.text))
	switch name.Space {
	case "image":
		if name.Local == "loc" {
			x.c.add(text, requisite(markup.LinkImg))
		}
		return
	case "video":
		if strings.HasSuffix(name.Local, "_loc") {
			x.c.add(text, requisite(markup.LinkMedia))
		}
		return
	case "news":
		return
	}
	switch name.Local {
	case "loc":
		x.loc = text
	case "lastmod":
		x.entry.Modified, x.entry.Until = date(text)
	case "priority":
		if p, err := strconv.ParseFloat(text, 64); err == nil && 0 <= p && p <= 1 {
			x.entry.Priority = p
		}
	case "url", "sitemap":
		x.flush()
	}
}

// flush adds the current entry of a sitemap, if it has an address, and begins
// a new entry. It is also called for an entry whose end tag is missing.
func (x *xmlReader) flush() {
	if x.loc != "" {
		x.entry.Sitemap = x.root == "sitemapindex"
		x.c.add(x.loc, x.entry)
	}
	x.entry, x.loc = newEntry(), ""
}

// attribute returns the value of the attribute of t with this prefix and
// name, or "" if t has none.
func attribute(t xml.StartElement, prefix, name string) string {
	for _, a := range t.Attr {
		if a.Name.Space == prefix && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readLines reads a sitemap of plain text, which has one address per line.
func (c *collector) readLines(body []byte) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	for line := range bytes.Lines(body) {
		if len(c.found.Links) >= c.max {
			return
		}
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("http://")) || bytes.HasPrefix(line, []byte("https://")) {
			c.add(string(line), newEntry())
		}
	}
}

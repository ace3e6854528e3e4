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

// textMax bounds the text of an element, in bytes: no address is longer.
const textMax = 16 << 10

// readXML reads a feed (RSS, RDF, Atom) or a sitemap, as its root says. What is
// broken is read up to there.
func (c *collector) readXML(body []byte, d Document) {
	cs := charset.Find(body, d.ContentType, "").Charset
	decoder := xml.NewDecoder(bytes.NewReader(charset.ToUTF8(body, cs)))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // It is UTF-8 by now.
	x := xmlReader{c: c}
	// Raw tokens need no memory for the depth of the document, and an end tag
	// that ends nothing is no fault.
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
}

// xmlReader reads the elements of one document.
type xmlReader struct {
	c     *collector
	root  string // name of the root, in lower case
	text  []byte // since the last tag
	depth int
	bases []baseAt

	permanent bool // the guid that is open is an address

	entry Link // the url of a sitemap that is open
	loc   string
}

// baseAt is the base of addresses outside an element that has its own.
type baseAt struct {
	depth   int
	outside string
}

// basesMax bounds how many elements with a base are open.
const basesMax = 100

func newEntry() Link { return link(markup.LinkLink) }

// start takes a start tag.
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

// end takes an end tag.
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

// startFeed takes the addresses that stand in attributes: Atom's links, also in
// RSS, and enclosures.
func (x *xmlReader) startFeed(t xml.StartElement) {
	switch strings.ToLower(t.Name.Local) {
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

// endFeed takes the addresses that stand between tags.
func (x *xmlReader) endFeed(name xml.Name) {
	text := string(x.text)
	switch strings.ToLower(name.Local) {
	case "link", "comments", "commentrss":
		x.c.add(text, link(markup.LinkLink))
	case "guid":
		if text = strings.TrimSpace(text); x.permanent && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")) {
			x.c.add(text, link(markup.LinkLink))
		}
	case "url", "icon", "logo": // url of an RSS channel's image
		x.c.add(text, requisite(markup.LinkImg))
	}
}

// startSitemap begins an entry, or takes another language of one.
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

// endSitemap takes what is said of an entry.
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
		x.entry.Modified = date(text)
	case "priority":
		if p, err := strconv.ParseFloat(text, 64); err == nil && 0 <= p && p <= 1 {
			x.entry.Priority = p
		}
	case "url", "sitemap":
		x.flush()
	}
}

// flush adds the entry that is open, also if its end never came.
func (x *xmlReader) flush() {
	if x.loc != "" {
		x.entry.Sitemap = x.root == "sitemapindex"
		x.c.add(x.loc, x.entry)
	}
	x.entry, x.loc = newEntry(), ""
}

// date reads a W3C date, zero if it is none.
func date(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// attribute is the value of an attribute with that prefix and name.
func attribute(t xml.StartElement, prefix, name string) string {
	for _, a := range t.Attr {
		if a.Name.Space == prefix && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readLines reads a sitemap of plain text: an address a line.
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

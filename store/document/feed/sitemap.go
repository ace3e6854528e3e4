package feed

import (
	"strings"

	"infomall/store/document"
	"infomall/store/document/table"
	"infomall/store/document/xmlscan"
)

// sitemapReader reads sitemaps and lists of sitemaps. Each address is a row of a table:
// the address, when it was changed, and the titles and captions of its news, pictures
// and films.
type sitemapReader struct {
	scanned
	rows     *table.Writer
	loc, mod string
	texts    []string
	links    []string // addresses besides loc
}

// entryLinks is the largest number of links, and of texts, that are read for an
// address.
const entryLinks = 1000

func (r *sitemapReader) start(e *element, t *xmlscan.Token) error {
	switch e.name {
	case "url", "sitemap":
		return r.flush()
	case "xhtml:link", "link":
		if t.Attr("rel") == "alternate" {
			r.link(t.Attr("href"))
		}
	}
	return nil
}

func (r *sitemapReader) link(address string) {
	if address = document.Clean(address); address != "" && address != r.loc && len(r.links) < entryLinks {
		r.links = append(r.links, address)
	}
}

func (r *sitemapReader) end(e *element, text string) error {
	switch e.name {
	case "loc":
		r.loc = document.Clean(text)
	case "lastmod":
		r.mod = document.Clean(text)
	case "url", "sitemap":
		return r.flush()
	case "news:title", "news:keywords", "image:title", "image:caption", "video:title", "video:description":
		if text = document.Clean(text); text != "" && len(r.texts) < entryLinks {
			r.texts = append(r.texts, text)
		}
	case "news:language":
		set(&r.b.Doc.Lang, strings.ToLower(text))
	case "news:publication_date":
		if r.mod == "" {
			r.mod = document.Clean(text)
		}
	case "image:loc", "video:content_loc", "video:player_loc", "video:thumbnail_loc":
		r.link(text)
	}
	return nil
}

// flush adds the row of the current address to the table, if there is a current address.
func (r *sitemapReader) flush() error {
	if r.rows == nil {
		r.rows = table.NewWriter(r.b)
	}
	loc := r.loc
	if loc == "" {
		return nil
	}
	anchor := ""
	if len(r.texts) > 0 {
		anchor = r.texts[0]
	}
	r.b.Link(loc, anchor)
	for _, l := range r.links {
		r.b.Link(l, "")
	}
	err := r.rows.Add(append([]string{loc, r.mod}, r.texts...)...)
	r.loc, r.mod, r.texts, r.links = "", "", r.texts[:0], r.links[:0]
	return err
}

func (r *sitemapReader) close() error {
	if err := r.flush(); err != nil {
		return err
	}
	return r.rows.Flush()
}

// outlineReader reads OPML. Each outline element becomes a paragraph.
type outlineReader struct{ scanned }

func (r *outlineReader) start(e *element, t *xmlscan.Token) error {
	if e.name != "outline" {
		return nil
	}
	var text, title, note string
	var links []string
	for a := range t.Attrs {
		switch strings.ToLower(a.Local) {
		case "text":
			text = document.Clean(a.Value)
		case "title":
			title = document.Clean(a.Value)
		case "description", "_note":
			note = a.Value
		case "htmlurl", "xmlurl", "url":
			links = append(links, a.Value)
		}
	}
	if text == "" {
		text = title
	}
	for _, l := range links {
		r.b.Link(l, text)
	}
	if err := r.b.Add(document.Paragraph, text); err != nil {
		return err
	}
	return r.b.Add(document.Paragraph, note)
}

func (r *outlineReader) end(e *element, text string) error {
	if r.parent() != "head" {
		return nil
	}
	d := r.b.Doc
	switch e.name {
	case "title":
		set(&d.Title, text)
		return r.b.Add(document.Heading, text)
	case "ownername":
		set(&d.Author, text)
	case "datecreated":
		setTime(&d.Created, text)
	case "datemodified":
		setTime(&d.Modified, text)
	}
	return nil
}

func (r *outlineReader) close() error { return nil }

package links

import (
	"bytes"
	"slices"
	"strings"

	"infomall/crawl/robots"
	"infomall/store/page"
	"infomall/store/urlkey"
)

// readHTML finds the links of a page, and what it needs.
func (c *collector) readHTML(body []byte, d Document) {
	c.found.Page = true
	c.found.Charset = page.FindCharset(body, d.ContentType, d.Usual)
	charset := c.found.Charset.Charset
	if !page.ASCIISafe(charset) {
		body, charset = page.ToUTF8(body, charset), "utf-8"
	}
	t := page.NewTree(body)
	defer t.Free()
	meta := t.Meta(charset)
	c.found.Asks = robots.Directives{NoIndex: meta.NoIndex, NoFollow: meta.NoFollow, NoArchive: meta.NoArchive}
	c.base = urlkey.Base(c.base, meta.Base)
	var all []page.Link
	if d.Anchors {
		all = t.Links(0, len(body), charset)
	} else {
		all = t.Targets(charset)
	}
	c.room(len(all))
	for i := range all {
		p := &all[i]
		if p.Kind == page.LinkForm && !get(t, p.Offset) {
			continue // a form that sends may change something
		}
		if l, ok := asLink(p); ok && (l.Requisite || !meta.NoFollow) {
			c.resolve(p.Target, l)
		}
	}
}

// asLink returns what a link of a document is to a crawl, and whether it leads
// anywhere.
func asLink(p *page.Link) (l Link, ok bool) {
	l = link(p.Kind)
	switch p.Kind {
	case page.LinkImg, page.LinkCSS, page.LinkScript, page.LinkMedia:
		l.Requisite = true
	case page.LinkLink:
		if l.Requisite, ok = relation(p.Rel); !ok {
			return l, false
		}
	}
	l.Anchor = p.Anchor
	return l, l.Requisite || !p.NoFollow
}

// relation says what a link element leads to by its rel: a requisite, or
// another document, or nothing that is one.
func relation(rel string) (requisite, ok bool) {
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch word {
		case "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "manifest", "preload", "modulepreload", "image_src":
			return true, true
		case "dns-prefetch", "preconnect", "pingback", "edituri", "wlwmanifest", "webmention", "hub", "profile":
			return false, false
		}
	}
	return false, true
}

// get reports whether the form at a place of the body sends its fields as part
// of the URL.
func get(t *page.Tree, offset int) bool {
	i, ok := slices.BinarySearchFunc(t.Nodes[1:], offset, func(n page.Node, offset int) int { return int(n.Start) - offset })
	if !ok || t.Nodes[i+1].Tag != page.TagForm {
		return false // the form is in the attribute srcdoc of an iframe
	}
	method, _ := t.Attr(i+1, "method")
	return !bytes.EqualFold(method, []byte("post")) && !bytes.EqualFold(method, []byte("dialog"))
}

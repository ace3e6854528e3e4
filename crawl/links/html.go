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
	charset, _ := page.Charset(body, d.ContentType)
	if !page.ASCIISafe(charset) {
		body, charset = page.ToUTF8(body, charset), "utf-8"
	}
	t := page.NewTree(body)
	defer t.Free()
	meta := t.Meta(charset)
	c.found.Asks = robots.Directives{NoIndex: meta.NoIndex, NoFollow: meta.NoFollow, NoArchive: meta.NoArchive}
	if meta.Base != "" && !otherScheme(meta.Base) {
		if base, err := urlkey.Resolve(c.base, meta.Base); err == nil {
			c.base = base
		}
	}
	var all []page.Link
	if d.Anchors {
		all = t.Links(0, len(body), charset)
	} else {
		all = t.Targets(charset)
	}
	c.room(len(all))
	for i := range all {
		l, ok := asLink(t, &all[i])
		if ok && (l.Requisite || !meta.NoFollow) {
			c.add(all[i].Target, l)
		}
	}
	c.embedded(t, charset)
}

// asLink says what a link of a page is to a crawl, and whether it is any.
func asLink(t *page.Tree, p *page.Link) (l Link, ok bool) {
	l = link(p.Kind)
	switch p.Kind {
	case page.LinkImg, page.LinkCSS, page.LinkScript, page.LinkMedia:
		l.Requisite = true
	case page.LinkLink:
		if l.Requisite, ok = relation(p.Rel); !ok {
			return l, false
		}
	case page.LinkForm:
		// Only a form that asks; one that sends may change something.
		if !get(t, p.Offset) {
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
	if !ok {
		return false // Unreachable: the link has its offset from a node.
	}
	method, _ := t.Attr(i+1, "method")
	return !bytes.EqualFold(method, []byte("post")) && !bytes.EqualFold(method, []byte("dialog"))
}

// embedded adds the requisites that are no links of their own: what styles name.
func (c *collector) embedded(t *page.Tree, charset string) {
	// Most pages have no address in an attribute style.
	styled := bytes.Contains(t.Body, []byte("url(")) || bytes.Contains(t.Body, []byte("URL("))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != page.Element {
			continue
		}
		if n.Tag == page.TagStyle {
			c.styles(page.ToUTF8(t.Body[n.Inner:n.Outer], charset))
		}
		if styled {
			c.styles([]byte(attr(t, i, "style", charset)))
		}
	}
}

// attr is an attribute's value as text.
func attr(t *page.Tree, i int, name, charset string) string {
	value, _ := t.Attr(i, name)
	return page.Unescape(string(page.ToUTF8(value, charset)))
}

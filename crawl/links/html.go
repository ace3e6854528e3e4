package links

import (
	"bytes"
	"slices"
	"strings"

	"infomall/crawl/forms"
	"infomall/crawl/robots"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/urlkey"
)

// readHTML reads body as an HTML page. It adds the links of the page, and
// its requisites (what is needed to show the page), to c.
func (c *collector) readHTML(body []byte, d Document) {
	c.found.Page = true
	c.found.Charset = charset.Find(body, d.ContentType, d.Usual)
	cs := c.found.Charset.Charset
	if !charset.ASCIISafe(cs) {
		body, cs = charset.ToUTF8(body, cs), "utf-8"
	}
	t := markup.NewTree(body)
	defer t.Free()
	meta := t.Meta(cs)
	c.found.Asks = robots.Directives{NoFollow: meta.NoFollow, NoArchive: meta.NoArchive}
	page := c.base
	c.base = urlkey.Base(c.base, meta.Base)
	if len(d.FormFields) > 0 && !meta.NoFollow {
		c.found.Forms = forms.Find(forms.Page{Tree: t, URL: page, Base: c.base, Charset: cs}, d.FormFields)
	}
	var all []markup.Link
	if d.Anchors {
		all = t.Links(0, len(body), cs)
	} else {
		all = t.Targets(cs)
	}
	c.reserve(len(all))
	for i := range all {
		p := &all[i]
		if p.Kind == markup.LinkForm && !sendsByGet(t, p.Offset) {
			continue // sending a form with POST may change something
		}
		if l, ok := asLink(p); ok && (l.Requisite || !meta.NoFollow) {
			c.resolve(p.Target, l)
		} else if p.NoFollow && d.Shown != nil {
			if u, err := urlkey.Resolve(c.base, p.Target); err == nil {
				c.refuse(u)
			}
		}
	}
}

// refuse notes that the page asks robots not to follow the link to the URL u.
func (c *collector) refuse(u string) {
	if c.refused == nil {
		c.refused = make(map[string]bool)
	}
	c.refused[u] = true
}

// asLink returns a link of a document as a Link without its URL. ok is false
// if a crawl does not follow it: it leads to no document, or the page asks
// not to follow it.
func asLink(p *markup.Link) (l Link, ok bool) {
	l = link(p.Kind)
	switch p.Kind {
	case markup.LinkImg, markup.LinkCSS, markup.LinkScript, markup.LinkMedia:
		l.Requisite = true
	case markup.LinkLink:
		if l.Requisite, ok = relation(p.Rel); !ok {
			return l, false
		}
	}
	l.Anchor = p.Anchor
	return l, l.Requisite || !p.NoFollow
}

// relation reports what a link element leads to, by rel, its attribute:
// requisite means a file that is needed to show the page. ok is false if the
// link leads to nothing that a crawl fetches.
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

// sendsByGet reports whether the form at the byte offset of the body sends its
// fields as part of the URL (method GET).
func sendsByGet(t *markup.Tree, offset int) bool {
	i, ok := slices.BinarySearchFunc(t.Nodes[1:], offset, func(n markup.Node, offset int) int { return int(n.Start) - offset })
	if !ok || t.Nodes[i+1].Tag != markup.TagForm {
		return false // the form is in the attribute srcdoc of an iframe
	}
	method, _ := t.Attr(i+1, "method")
	return !bytes.EqualFold(method, []byte("post")) && !bytes.EqualFold(method, []byte("dialog"))
}

package crawl

import (
	"slices"

	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// linksMax bounds how many links of a page are followed.
const linksMax = 10_000

// link is a URL that a page leads to.
type link struct {
	url       string // canonical
	requisite bool   // needed to show the page
}

// followed are the kinds of links that lead to pages.
var followed = map[page.LinkKind]bool{
	page.LinkA: true, page.LinkArea: true, page.LinkFrame: true, page.LinkIframe: true, page.LinkLink: true, page.LinkForm: true, page.LinkRefresh: true,
}

// linksOf gives what a page leads to, each URL once and in the order of the
// page: the targets of links, and with requisites also what the page needs to
// be shown. A page may ask that its links be not followed.
func linksOf(base string, c *record.Capture, requisites bool) []link {
	mime := record.Mime(record.Header(c.Head, "Content-Type"))
	if c.Body == nil || mime != "text/html" && mime != "application/xhtml+xml" {
		return nil
	}
	text, err := page.Decode(c.Body, record.Header(c.Head, "Content-Encoding"), memoryMax)
	if err != nil {
		return nil // stored as it is; nobody could read it
	}
	charset, _ := page.Charset(text, record.Header(c.Head, "Content-Type"))
	if !page.ASCIISafe(charset) {
		text, charset = page.ToUTF8(text, charset), "utf-8"
	}
	tree := page.NewTree(text)
	meta := tree.Meta(charset)
	if meta.NoFollow {
		return nil
	}
	if meta.Base != "" {
		if b, err := urlkey.Resolve(base, meta.Base); err == nil {
			base = b
		}
	}
	var list []link
	known := make(map[string]bool)
	for _, l := range tree.Links(0, len(text), charset) {
		requisite := !followed[l.Kind]
		if l.NoFollow || requisite && !requisites || known[l.Target] || len(list) == linksMax {
			continue
		}
		known[l.Target] = true
		u, err := urlkey.Resolve(base, l.Target)
		if err != nil || trap(u) == "neither http nor https" {
			continue
		}
		list = append(list, link{withoutSession(u), requisite})
	}
	return slices.CompactFunc(list, func(a, b link) bool { return a == b })
}

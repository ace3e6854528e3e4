package article

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"infomall/store/page/charset"
	"infomall/store/page/markup"
)

// meta holds what a page says of itself outside of its visible text, such as in meta elements.
type meta struct {
	author, source  string
	url             string // value of og:url, or else the canonical link
	title           string // value of og:title, or else the headline of JSON-LD
	site            string // value of og:site_name
	declaresArticle bool   // og:type or JSON-LD says that the page is an article
}

// metaDates maps the names, in lower case, of meta elements that have the day of publication to
// the weight of that date, from 0 to 1.
var metaDates = map[string]float64{
	"article:published_time": .9, "article:published": .9, "og:article:published_time": .9, "og:published_time": .85, "og:pubdate": .85, "published_time": .85, "datepublished": .9,
	"date.published": .85, "pubdate": .85, "publishdate": .85, "publish-date": .85, "publish_date": .85, "published_date": .85, "publication_date": .85, "publication-date": .85,
	"dc.date.issued": .85, "dcterms.issued": .85, "dc.date.published": .85, "dcterms.date": .7, "dc.date": .7, "dc.date.created": .75, "dcterms.created": .75, "dc:date": .7,
	"dc.created": .7, "dc.issued": .8, "sailthru.date": .85, "parsely-pub-date": .9, "article.published": .85, "article_date_original": .85, "articlepubdate": .85,
	"cxenseparse:recs:publishtime": .85, "cxenseparse:publishtime": .85, "bt:pubdate": .85, "iso-8601-publish-date": .85, "rnews:datepublished": .85, "ptime": .8, "pdate": .8,
	"citation_publication_date": .75, "citation_online_date": .8, "citation_date": .7, "prism.publicationdate": .8, "displaydate": .75, "originalpublicationdate": .85,
	"shareaholic:article_published_time": .85, "article:post_date": .85, "article:date": .8, "vr:published_time": .85, "weibo: article:create_at": .85, "weibo:article:create_at": .85,
	"doc.published": .8, "publishedat": .8, "publish_time": .8, "timestamp": .5, "date": .65, "date_published": .85, "datecreated": .7, "created": .65, "creation_date": .65,
	"release_date": .6, "gentime": .7, "firstcreatetime": .8, "apub:time": .8, "analyticsattributes.articledate": .85, "last-publish": .4, "dat": .4, "issued": .7, "lastpublished": .4,
	"dcsext.articlefirstpublished": .85, "article:create_at": .85, "artikel:datum": .7, "publish": .6, "news_date": .7,
}

// metaChanges maps the names, in lower case, of meta elements that have the day
// of the last change to the weight of that date, from 0 to 1.
var metaChanges = map[string]float64{
	"article:modified_time": .9, "article:modified": .9, "og:updated_time": .7, "og:article:modified_time": .9, "datemodified": .9, "modified_time": .85, "last-modified": .6,
	"lastmod": .7, "dc.date.modified": .85, "dcterms.modified": .85, "dc.modified": .8, "revised": .6, "updated_time": .7, "lastmodified": .7, "date.modified": .8,
	"article.updated": .85, "last_updated": .7, "utime": .8, "modificationdate": .7, "dcsext.articlelastupdated": .8,
}

// dateTextMax is how many bytes of a text are searched for a date.
const dateTextMax = 100

// readMeta takes the date, the author or other properties of the page from meta element i.
func (r *reader) readMeta(i int) {
	var name, property, content []byte
	for a := range r.t.Attrs(i) {
		switch {
		case markup.EqualFold(a.Name, "name"), markup.EqualFold(a.Name, "http-equiv"):
			name = a.Value
		case markup.EqualFold(a.Name, "property"), markup.EqualFold(a.Name, "itemprop"):
			property = a.Value
		case markup.EqualFold(a.Name, "content"), markup.EqualFold(a.Name, "datetime"):
			content = a.Value
		}
	}
	if len(content) == 0 {
		return
	}
	for _, key := range [...][]byte{property, name} {
		if len(key) == 0 || len(key) > 48 {
			continue
		}
		var lower [48]byte
		for k, c := range key {
			if c-'A' < 26 {
				c |= 0x20
			}
			lower[k] = c
		}
		r.metaPair(i, string(bytes.TrimSpace(lower[:len(key)])), content)
	}
}

// metaPair handles one property of meta element i: its name, in lower case, and its content.
func (r *reader) metaPair(i int, name string, content []byte) {
	h := &r.heads
	set := func(field *string) {
		if *field == "" && len(content) < 1000 {
			*field = strings.TrimSpace(r.value(content))
		}
	}
	if w, ok := metaDates[name]; ok {
		if strings.HasPrefix(name, "date") && r.beside(int32(i)) {
			w = .3 // of a comment or another article
		}
		r.dated(r.value(content[:min(len(content), dateTextMax)]), FromMeta, w, false)
		return
	}
	if w, ok := metaChanges[name]; ok {
		r.dated(r.value(content[:min(len(content), dateTextMax)]), FromMeta, w, true)
		return
	}
	switch name {
	case "og:url":
		set(&h.url)
	case "og:title":
		set(&h.title)
	case "og:site_name":
		set(&h.site)
	case "og:type":
		h.declaresArticle = h.declaresArticle || bytes.Contains(content, []byte("article"))
	case "author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author", "byl", "citation_author", "article:author_name":
		set(&h.author)
	case "source", "dc.source", "mediaid", "article:source", "contentsource":
		set(&h.source)
	default:
		if dateName(name) {
			r.dated(r.value(content[:min(len(content), dateTextMax)]), FromMeta, unknownMeta, false)
		}
	}
}

// unknownMeta is the weight of the date of a meta element whose name is not in metaDates.
const unknownMeta = .4

// dateName reports whether name, an unknown name of a meta element, seems to name the day of
// publication.
func dateName(name string) bool {
	return (strings.Contains(name, "publ") || strings.Contains(name, "date") || strings.Contains(name, "created")) && !strings.Contains(name, "expir") &&
		!strings.Contains(name, "update") && !strings.Contains(name, "modif") && !strings.Contains(name, "publisher")
}

// readLink takes the URL from link element i if it is the canonical link of the page.
func (r *reader) readLink(i int) {
	if rel, _ := r.t.Attr(i, "rel"); !markup.EqualFold(rel, "canonical") || r.heads.url != "" {
		return
	}
	if href, ok := r.t.Attr(i, "href"); ok && len(href) < 1000 {
		r.heads.url = r.value(href)
	}
}

// value returns the value of an attribute as UTF-8, with character references resolved.
func (r *reader) value(v []byte) string {
	return markup.Unescape(string(charset.ToUTF8(v, r.in.Charset)))
}

// dated adds the date at the beginning of text, an attribute or a field, to
// r.dates. It does nothing if there is no date. change says whether the date is
// the day of the last change.
func (r *reader) dated(text string, from From, weight float64, change bool) {
	e, ok := r.exact(strings.TrimSpace(text))
	if !ok {
		return
	}
	r.add(candidate{expression: e, from: from, weight: weight, change: change, line: -1})
}

// exact returns the date at the beginning of text. The text may also be digits
// without separators, or a number of seconds or milliseconds since 1970. ok is
// false if there is no date with a year.
func (r *reader) exact(text string) (e expression, ok bool) {
	if text == "" {
		return e, false
	}
	digits := 0
	for digits < len(text) && text[digits]-'0' < 10 {
		digits++
	}
	if digits >= 8 && (digits == len(text) || digits == 8) {
		if n, err := strconv.ParseInt(text[:digits], 10, 64); err == nil {
			switch digits {
			case 13:
				n /= 1000
				fallthrough
			case 10:
				at := time.Unix(n, 0).UTC()
				e = expression{year: at.Year(), month: int(at.Month()), day: at.Day(), hour: at.Hour(), minute: at.Minute(), zone: 0}
				return e, e.valid()
			case 8, 12, 14:
				return packed(text[:digits])
			}
		}
	}
	found := r.scan.scan(text[:min(len(text), dateTextMax)])
	if len(found) == 0 || found[0].year == 0 || found[0].start > 40 {
		return e, false
	}
	return found[0], true
}

// packed returns the date that digits without separators mean, such as 20080808
// or 200808082015. ok is false if they mean no date.
func packed(digits string) (e expression, ok bool) {
	n := func(from, to int) int {
		v, _ := strconv.Atoi(digits[from:to])
		return v
	}
	e = expression{year: n(0, 4), month: n(4, 6), day: n(6, 8), hour: -1, zone: zoneNone}
	if len(digits) >= 12 && n(8, 10) < 24 && n(10, 12) < 60 {
		e.hour, e.minute = n(8, 10), n(10, 12)
	}
	return e, e.year > 0 && e.month > 0 && e.day > 0 && e.valid()
}

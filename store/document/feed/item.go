package feed

import (
	"strings"

	"infomall/store/document"
	"infomall/store/document/dates"
	"infomall/store/document/pagetext"
	"infomall/store/document/xmlscan"
	"infomall/store/page/charset"
	"infomall/store/record"
)

// item is one item of a feed.
type item struct {
	title, author    string
	summary, content text
	date             string // date of the item as written
	base             string // base address for relative addresses; "" if none is declared
	page             string // address of the page of the item
	links            []string
}

// text is a piece of text of a feed, which may be HTML.
type text struct {
	body string
	html bool
}

// add adds the item to the document as a section.
func (i *item) add(b *document.Builder) error {
	if err := b.Begin(document.Item, i.title); err != nil {
		return err
	}
	if err := b.Add(document.Heading, i.title); err != nil {
		return err
	}
	if err := b.Add(document.Paragraph, byline(i.date, i.author)); err != nil {
		return err
	}
	b.Link(pagetext.Resolve(i.base, i.page), i.title)
	for _, l := range i.links {
		if l != i.page {
			b.Link(pagetext.Resolve(i.base, l), "")
		}
	}
	base := i.base
	if base == "" && strings.HasPrefix(i.page, "http") {
		base = i.page
	}
	// Many feeds repeat the summary at the start of the content.
	if i.content.body == "" || !strings.Contains(i.content.plain(), strings.TrimRight(i.summary.plain(), ".… ")) {
		if err := i.summary.add(b, base); err != nil {
			return err
		}
	}
	return i.content.add(b, base)
}

// byline returns the line that says when and by whom an item was written.
func byline(date, author string) string {
	if at := dates.Parse(date); at != record.NoTime {
		date = at.Std().Format("2006-01-02 15:04")
		date = strings.TrimSuffix(date, " 00:00")
	}
	if date == "" || author == "" {
		return date + author
	}
	return date + ", " + author
}

// add adds the text to the document as paragraphs. base is the base address of
// its links.
func (t text) add(b *document.Builder, base string) error {
	if t.html && strings.ContainsAny(t.body, "<&") {
		return pagetext.AddHTML(b, []byte(t.body), charset.UTF8, base)
	}
	return pagetext.AddPlain(b, t.body)
}

// plain returns the text without markup, as one line.
func (t text) plain() string {
	if t.html {
		return pagetext.TextOf(t.body)
	}
	return document.Clean(t.body)
}

// feedReader reads RSS and Atom.
type feedReader struct {
	scanned
	item *item // the current item; nil outside of items
	head bool  // addHead has added the title and the description of the feed
}

func (r *feedReader) start(e *element, t *xmlscan.Token) error {
	switch e.name {
	case "item", "entry":
		// An item whose end tag is missing ends here.
		if err := r.endItem(); err != nil {
			return err
		}
		r.item = &item{base: e.base}
	case "link":
		switch rel := t.Attr("rel"); rel {
		case "edit", "edit-media", "hub", "service", "pingback", "self", "http://schemas.google.com/g/2005#post", "http://schemas.google.com/g/2005#feed":
		case "", "alternate":
			r.page(t.Attr("href"))
		default:
			r.link(t.Attr("href"))
		}
	case "enclosure", "media:content", "media:player":
		r.link(t.Attr("url"))
	case "content":
		r.link(t.Attr("src"))
	case "guid":
		e.flag = t.Attr("isPermaLink") != "false"
	case "rss", "channel", "feed":
		if lang := t.Attr("lang"); lang != "" {
			set(&r.b.Doc.Lang, strings.ToLower(lang))
		}
	}
	return nil
}

// page stores address as the address of the current item's page. Before the first item, it is the
// address of the feed's site, and becomes a link of the document.
func (r *feedReader) page(address string) {
	address = document.Clean(address)
	switch {
	case address == "":
	case r.item == nil:
		r.b.Link(r.resolve(address), r.b.Doc.Title)
	case r.item.page == "":
		r.item.page = address
	default:
		r.link(address)
	}
}

// resolve returns an address of the feed itself as an absolute address.
func (r *feedReader) resolve(address string) string {
	if len(r.open) == 0 {
		return address
	}
	return pagetext.Resolve(r.open[len(r.open)-1].base, address)
}

// link stores a further address of the current item. Before the first item, the address becomes a
// link of the document.
func (r *feedReader) link(address string) {
	if address = document.Clean(address); address == "" {
		return
	}
	if r.item == nil {
		r.b.Link(r.resolve(address), "")
		return
	}
	for _, l := range r.item.links {
		if l == address {
			return
		}
	}
	if len(r.item.links) < itemLinks {
		r.item.links = append(r.item.links, address)
	}
}

// itemLinks is the largest number of links of an item besides those in its
// text.
const itemLinks = 100

// textOf returns the text of element e. body is its text, or its markup if it has
// elements inside of it. RSS does not say whether its texts are HTML; most are.
func (r *feedReader) textOf(e *element, body string) text {
	switch {
	case e.kids, e.mode == "escaped", strings.Contains(e.typ, "html"), strings.Contains(e.typ, "xml"):
		return text{body, true}
	case e.mode == "base64", strings.Contains(e.typ, "/") && !strings.HasPrefix(e.typ, "text/"):
		return text{} // a picture or another file
	case e.typ != "":
		return text{body, false}
	}
	root := r.open[0].name
	return text{body, root != "feed" && root != "entry"}
}

func (r *feedReader) end(e *element, body string) error {
	if e.name == "item" || e.name == "entry" {
		return r.endItem()
	}
	if body = strings.TrimSpace(body); body == "" || len(r.open) == 0 {
		return nil
	}
	t := r.textOf(e, body)
	switch parent := r.parent(); {
	case parent == "item" || parent == "entry":
		r.itemField(e, t)
	case parent == "channel" || parent == "feed" || parent == "rss":
		return r.feedField(e, t)
	case (parent == "author" || parent == "dc:creator") && (e.name == "name" || e.name == "foaf:name"):
		r.author(t.plain())
	case parent == "image" && e.name == "url":
		r.b.Link(body, "")
	case parent == "media:group" && r.item != nil:
		r.itemField(e, t)
	}
	return nil
}

// author sets the author of the current item, or of the feed if there is no
// current item.
func (r *feedReader) author(name string) {
	// RSS has "mail@host.example (Name)".
	if address, inner, ok := strings.Cut(name, " ("); ok && strings.Contains(address, "@") {
		name = strings.TrimSuffix(inner, ")")
	}
	if r.item != nil {
		set(&r.item.author, name)
	} else {
		set(&r.b.Doc.Author, name)
	}
}

// itemField stores t, the text of element e, in the field of the current item that e stands for.
func (r *feedReader) itemField(e *element, t text) {
	i := r.item
	if i == nil {
		return
	}
	switch e.name {
	case "title":
		i.title = t.plain()
	case "media:title", "dc:title":
		set(&i.title, t.plain())
	case "link":
		r.page(t.body)
	case "guid":
		if e.flag && i.page == "" && strings.HasPrefix(t.body, "http") {
			i.page = document.Clean(t.body)
		}
	case "comments", "origlink", "feedburner:origlink":
		r.link(t.body)
	case "author", "dc:creator", "itunes:author", "dc:author":
		if !e.kids {
			r.author(t.plain())
		}
	case "pubdate", "dc:date", "published", "issued", "dcterms:issued", "dcterms:created", "created":
		set(&i.date, t.body)
	case "updated", "modified", "dcterms:modified":
		set(&i.date, t.body)
		if len(r.open) == 1 { // the entry is the whole document
			setTime(&r.b.Doc.Modified, t.body)
		}
	case "description", "summary", "abstract", "itunes:summary", "media:description", "itunes:subtitle":
		if len(i.summary.body) < len(t.body) {
			i.summary = t
		}
	case "content:encoded", "content", "body", "xhtml:body", "xhtml:div", "fulltext":
		if len(i.content.body) < len(t.body) {
			i.content = t
			if e.base != "" {
				i.base = e.base
			}
		}
	}
}

// feedField stores t, the text of element e, in the field of the document that e stands for.
func (r *feedReader) feedField(e *element, t text) error {
	d := r.b.Doc
	switch e.name {
	case "title":
		set(&d.Title, t.plain())
	case "description", "subtitle", "tagline", "itunes:summary":
		set(&d.Description, t.plain())
	case "language", "dc:language":
		set(&d.Lang, strings.ToLower(t.body))
	case "link":
		r.page(t.body)
	case "managingeditor", "author", "dc:creator", "itunes:author":
		if !e.kids {
			r.author(t.plain())
		}
	case "generator":
		set(&d.Producer, t.plain())
	case "category", "itunes:keywords":
		if k := t.plain(); d.Keywords == "" {
			d.Keywords = k
		} else if len(d.Keywords) < 1000 {
			d.Keywords += ", " + k
		}
	case "lastbuilddate", "updated", "modified", "dcterms:modified":
		setTime(&d.Modified, t.body)
	case "pubdate", "dc:date":
		setTime(&d.Created, t.body)
	}
	return nil
}

// setTime sets a time of the document to the date in text, unless the time is
// already set.
func setTime(field *record.Time, text string) {
	if *field == record.NoTime {
		*field = dates.Parse(text)
	}
}

// endItem adds the current item, if there is one, to the document. It adds the
// head of the feed before the first item.
func (r *feedReader) endItem() error {
	if r.item == nil {
		return nil
	}
	if err := r.addHead(); err != nil {
		return err
	}
	i := r.item
	r.item = nil
	if len(r.open) == 0 { // the entry is the whole document
		set(&r.b.Doc.Title, i.title)
		set(&r.b.Doc.Author, i.author)
		setTime(&r.b.Doc.Created, i.date)
	}
	return i.add(r.b)
}

// addHead adds the title and the description of the feed to the document, unless it has done so.
func (r *feedReader) addHead() error {
	if r.head {
		return nil
	}
	r.head = true
	if err := r.b.Add(document.Heading, r.b.Doc.Title); err != nil {
		return err
	}
	return r.b.Add(document.Paragraph, r.b.Doc.Description)
}

func (r *feedReader) close() error {
	if err := r.endItem(); err != nil {
		return err
	}
	return r.addHead()
}

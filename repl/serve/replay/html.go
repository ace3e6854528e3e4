package replay

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/urlkey"
)

// HTML writes body, an HTML document, to dst, with its addresses rewritten for p,
// with the first script before all other scripts, and without hints, integrity
// and the policies that the page declares. All other bytes stay as they are. The
// error is that of dst.
func HTML(dst io.Writer, body []byte, p *Page) error {
	r := newRewriter(dst, body, p)
	r.first = true
	return r.document()
}

// document rewrites the whole source and writes it out.
func (r *rewriter) document() error {
	switch {
	case r.first:
		r.script = scriptMarkup(r.page, r.xml)
	case r.still:
		r.script = []byte(stillStyle)
	}
	start := 0
	switch {
	case r.width == 1 && bytes.HasPrefix(r.body, []byte("\ufeff")):
		start = len("\ufeff")
	case r.width == 2 && len(r.view) > 0 && r.view[0] == beyond:
		start = 1 // probably a byte order mark; no markup in any case
	}
	r.markup(start, len(r.view))
	if r.script != nil && !r.xml {
		r.place(len(r.view))
	}
	r.marksTo(len(r.view), len(r.view))
	return r.finish()
}

// stillStyle replaces the first script in a document after load. There scripts are off, and
// without this style sheet a browser would show the noscript elements.
const stillStyle = "<style>noscript { display: none !important }</style>"

// place writes the first script at the offset at of the view, and only once.
func (r *rewriter) place(at int) {
	script := r.script
	r.script = nil
	r.replace(at, at, script)
}

// scriptMarkup returns the markup of the first script for a document of p, after the style sheet
// of its view if it has one. In XML, the elements name their namespace, because the document may
// have another one.
func scriptMarkup(p *Page, xml bool) []byte {
	var b []byte
	if p.View.Name != NoView {
		b = append(b, "<style"...)
		if xml {
			b = append(b, ` xmlns="http://www.w3.org/1999/xhtml"`...)
		}
		b = append(append(append(b, '>'), markStyle()...), "</style>"...)
	}
	b = append(b, "<script"...)
	add := func(name, value string) {
		if value != "" {
			b = append(append(append(b, ' '), name...), `="`...)
			b = append(appendValue(b, []byte(value)), '"')
		}
	}
	if xml {
		add("xmlns", "http://www.w3.org/1999/xhtml")
	}
	add("src", firstScript())
	add("data-url", p.URL)
	if !p.Asked.IsZero() {
		add("data-asked", p.Asked.UTC().Format(timeDigits))
	}
	add("data-captured", p.Captured.UTC().Format(timeDigits))
	add("data-interface", p.InterfaceOrigin)
	b = append(b, "></script>"...)
	if p.Ruffle {
		b = append(b, "<script"...)
		if xml {
			add("xmlns", "http://www.w3.org/1999/xhtml")
		}
		add("src", RuffleFiles+"ruffle.js")
		b = append(b, "></script>"...)
	}
	return b
}

// markup rewrites the markup from i to end-1.
func (r *rewriter) markup(i, end int) {
	text := i // the end of the last tag
	for {
		i = max(i, r.done)
		if i >= end {
			r.marksTo(text, end)
			return
		}
		at := bytes.IndexByte(r.view[i:end], '<')
		if at < 0 || i+at+1 >= end {
			r.marksTo(text, end)
			return
		}
		i += at
		c := r.view[i+1]
		if !isLetter(c) && c != '/' && c != '!' && c != '?' {
			i++ // a part of the text
			continue
		}
		r.marksTo(text, i)
		switch {
		case isLetter(c):
			i = r.tag(i, end)
		case c == '/':
			i = r.endTag(i, end)
		case c == '!':
			i = r.declaration(i, end)
		case c == '?' && r.xml:
			next := r.passed(i, end, "?>")
			r.instruction(i, next)
			i = next
		case c == '?':
			i = r.passed(i, end, ">")
		}
		text = i
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// passed returns the place after the next occurrence of mark at or after i, or end if there is
// none. It handles the text up to there as hidden, because the rewriter does not read it as
// markup, but a browser may.
func (r *rewriter) passed(i, end int, mark string) int {
	next := end
	if at := bytes.Index(r.view[i:end], []byte(mark)); at >= 0 {
		next = i + at + len(mark)
	}
	r.hidden(i+1, next)
	return next
}

// endTag returns the place after the end tag at i.
func (r *rewriter) endTag(i, end int) int {
	if i+2 >= end || !isLetter(r.view[i+2]) {
		return r.passed(i, end, ">")
	}
	if r.script != nil && !r.xml {
		r.place(i)
	}
	close := markup.TagEnd(r.view[:end], markup.NameEnd(r.view[:end], i+2))
	if close < 0 {
		return end
	}
	r.hidden(i+1, close)
	return close + 1
}

// declaration returns the place after the comment, doctype or CDATA section at i.
func (r *rewriter) declaration(i, end int) int {
	rest := r.view[i:end]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")) && r.xml:
		return r.passed(i, end, "-->")
	case bytes.HasPrefix(rest, []byte("<!--")):
		next := i + markup.CommentEnd(rest)
		r.hidden(i+1, next)
		return next
	case r.xml && bytes.HasPrefix(rest, []byte("<![CDATA[")):
		return r.passed(i, end, "]]>")
	case r.xml:
		return r.doctype(i, end)
	}
	return r.passed(i, end, ">")
}

// doctype returns the place after the document type declaration at i of an XML
// document. It may have a subset in brackets, with declarations of its own.
func (r *rewriter) doctype(i, end int) int {
	start, subset := i, false
	for i += len("<!"); i < end; i++ {
		switch c := r.view[i]; {
		case c == '"' || c == '\'':
			at := bytes.IndexByte(r.view[i+1:end], c)
			if at < 0 {
				return end
			}
			i += at + 1
		case c == '[':
			subset = true
		case c == ']':
			subset = false
		case bytes.HasPrefix(r.view[i:end], []byte("<!--")):
			at := bytes.Index(r.view[i+4:end], []byte("-->"))
			if at < 0 {
				return end
			}
			i += at + len("<!---->") - 1
		case bytes.HasPrefix(r.view[i:end], []byte("<?")):
			at := bytes.Index(r.view[i:end], []byte("?>"))
			if at < 0 {
				return end
			}
			i += at + 1
		case c == '>' && !subset:
			r.hidden(start+1, i)
			return i + 1
		}
	}
	return end
}

// hidden removes hints from the places from start to end-1, which the rewriter does not read as
// markup: a comment, a script, the inside of a tag. A browser that reads the page differently
// then finds no hint there either.
func (r *rewriter) hidden(start, end int) {
	limit := 64<<10 + 8*len(r.view)
	for i := max(start, r.done); i < end; {
		at := bytes.IndexByte(r.view[i:end], '<')
		if at < 0 {
			return
		}
		i += at + 1
		name := markup.NameEnd(r.view, i)
		local := r.view[i:name]
		if colon := bytes.IndexByte(local, ':'); colon >= 0 {
			local = local[colon+1:]
		}
		if !markup.EqualFold(local, "link") {
			continue
		}
		for next := name; ; {
			place, after, ok := markup.NextAttr(r.view, next)
			if !ok {
				break
			}
			r.effort += after - next
			if next = after; r.effort > limit {
				r.replace(i, name, []byte("x-link")) // a page that is made to be slow
				break
			}
			if a := (attr{place, useRel}); a.ValueEnd > 0 && markup.EqualFold(r.view[a.Name:a.NameEnd], "rel") {
				if _, hints := withoutHints(string(r.value(a))); hints {
					r.replace(a.Value, a.ValueEnd, nil)
				}
			}
		}
	}
}

// hints are the relations by which a link element makes the browser connect to another site, or
// load a page, before it is asked to. A preload is not a hint: it loads what the page needs,
// from its rewritten address, and many pages wait for it.
var hints = []string{"preconnect", "dns-prefetch", "prefetch", "prerender", "subresource", "pingback", "compression-dictionary"}

// withoutHints returns rel, the relations of a link element, without hints. found
// reports whether there were any. A relation with a reference to an entity of XML
// counts as a hint, because we do not know its text.
func withoutHints(rel string) (rest string, found bool) {
	var keep []string
	for word := range strings.FieldsSeq(rel) {
		if slices.Contains(hints, strings.ToLower(word)) || strings.Contains(word, "&") {
			found = true
		} else {
			keep = append(keep, word)
		}
	}
	return strings.Join(keep, " "), found
}

// tag rewrites the start tag at i. If the element has content that is not markup, such as a
// script, tag rewrites this content too. It returns the place after what it has rewritten.
func (r *rewriter) tag(i, end int) int {
	view := r.view[:end]
	nameEnd := markup.NameEnd(view, i+1)
	name := view[i+1 : nameEnd]
	if r.xml {
		if colon := bytes.IndexByte(name, ':'); colon >= 0 {
			name = name[colon+1:]
		}
	}
	tag := markup.TagOf(name)
	r.attrs = r.attrs[:0]
	next, ok, many := nameEnd, true, false
	var seen attrsSeen
	for ok {
		var place markup.AttrPlace
		if place, next, ok = markup.NextAttr(view, next); ok {
			if use := seen.add(view[place.Name:place.NameEnd]); use != useNothing {
				r.attrs = append(r.attrs, attr{place, use})
			}
			many = true
		}
	}
	if next >= end {
		r.hidden(i+1, end) // The tag does not end, so the browser ignores it.
		return end
	}
	close := next  // the place of ">"
	after := false // the first script comes after the tag
	if r.script != nil {
		switch r.placement(tag, close) {
		case placeBefore:
			r.place(i)
		case placeAfter:
			after = true
		}
	}
	if many {
		tricky := bytes.IndexByte(view[i+1:close], '<') >= 0
		if tricky {
			r.veil = i + 1
		}
		kept := len(r.attrs) == 0 || r.element(tag, name)
		r.veil = 0
		if !kept {
			r.replace(i, close+1, nil)
			return close + 1
		}
		if tricky {
			r.hidden(i+1, close)
		}
	}
	r.markTag(tag, i, close)
	if after {
		r.place(close + 1)
	}
	return r.content(tag, name, close, end)
}

// placement says where the first script goes.
type placement uint8

const (
	placeLater  placement = iota // after a later tag
	placeBefore                  // before this tag
	placeAfter                   // after this tag
)

// placement is called when the rewriter has come to a start tag. It returns where to put the
// first script, which must be the first in the head: before this tag, after it, or after a later
// tag. close is the place of the ">" of the tag.
func (r *rewriter) placement(tag markup.Tag, close int) placement {
	switch root := r.xml && !r.rooted; {
	case root && r.view[close-1] == '/':
		r.script = nil // The document has no content.
		return placeLater
	case root && tag != markup.TagHTML:
		return placeAfter
	case tag == markup.TagHTML:
		r.rooted = true
		return placeLater
	case tag == markup.TagHead:
		return placeAfter
	}
	return placeBefore
}

// content rewrites the content of an element that is not markup, and returns the
// place after it, or after the start tag of another element. close is the place of
// the ">" of its start tag.
func (r *rewriter) content(tag markup.Tag, name []byte, close, end int) int {
	start := close + 1
	view := r.view[start:end]
	if r.xml {
		if r.view[close-1] != '/' {
			r.xmlContent(tag, name, start, end)
		}
		return start
	}
	switch tag {
	case markup.TagPlaintext:
		r.hidden(start, end)
		return end
	case markup.TagNoscript, markup.TagNoframes, markup.TagNoembed:
		if r.alternative {
			return start
		}
	}
	switch tag {
	case markup.TagScript, markup.TagStyle, markup.TagTitle, markup.TagTextarea, markup.TagXmp, markup.TagIframe,
		markup.TagNoembed, markup.TagNoframes, markup.TagNoscript:
	default:
		return start
	}
	n := markup.RawEnd(view, tag)
	if n < 0 {
		n = len(view)
	}
	switch tag {
	case markup.TagStyle:
		r.veil = start
		r.styles(start, start+n, nil)
		r.veil = 0
	case markup.TagScript:
		if r.word(useType) == "importmap" {
			r.veil = start
			r.importMap(start, start+n)
			r.veil = 0
		}
	case markup.TagNoscript, markup.TagNoframes, markup.TagNoembed:
		r.alternative = true
		r.markup(start, start+n) // what browsers without scripts, or frames, show
		r.alternative = false
	}
	r.hidden(start, start+n)
	return start + n
}

// element rewrites the attributes of a start tag. It returns false if the whole
// tag is to be removed. name is the name of the element.
func (r *rewriter) element(tag markup.Tag, name []byte) bool {
	switch tag {
	case markup.TagMeta:
		return r.meta()
	case markup.TagLink:
		if !r.linkTag() {
			return false
		}
	case markup.TagBase:
		r.baseTag()
		return true
	case markup.TagParam:
		r.param()
		return true
	}
	for _, a := range r.attrs {
		if a.ValueEnd == 0 && a.use != useRemoved {
			continue
		}
		switch a.use {
		case useHref:
			r.relink(a, r.hrefModifier(tag, name))
		case useSrc:
			r.relink(a, r.srcModifier(tag))
		case usePage:
			r.relink(a, r.pageModifier())
		case useImage:
			r.relink(a, Image)
		case useData:
			if tag == markup.TagObject || tag == markup.TagApplet {
				r.relink(a, Object)
			}
		case useSet:
			r.relinkSet(a)
		case useStyle:
			r.relinkStyle(a)
		case useSource:
			if tag == markup.TagIframe {
				r.sourceDocument(a)
			}
		case useTarget:
			r.target(a)
		case useRemoved:
			r.remove(a)
		case useManifest:
			if tag == markup.TagHTML {
				r.remove(a)
			}
		case useType:
			// Speculation rules load other pages in advance.
			if tag == markup.TagScript && strings.EqualFold(strings.TrimSpace(string(r.value(a))), "speculationrules") {
				r.setValue(a, []byte("application/json"))
			}
		}
	}
	return true
}

// pageModifier returns the modifier of a page that a link or form leads to.
func (r *rewriter) pageModifier() Modifier {
	if r.page.Frame {
		return PageFrame
	}
	return PageTop
}

// hrefModifier returns the modifier of an element's href.
func (r *rewriter) hrefModifier(tag markup.Tag, name []byte) Modifier {
	switch tag {
	case markup.TagLink:
		rel := r.word(useRel)
		switch {
		case strings.Contains(rel, "stylesheet"):
			return Style
		case strings.Contains(rel, "icon"), strings.Contains(rel, "image_src"):
			return Image
		case strings.Contains(rel, "modulepreload"):
			return Program
		case strings.Contains(rel, "preload"), strings.Contains(rel, "manifest"):
			return Object
		}
	case markup.TagScript:
		return Program
	case markup.TagOther:
		if markup.EqualFold(name, "image") || markup.EqualFold(name, "use") || markup.EqualFold(name, "feimage") {
			return Image
		}
	}
	return r.pageModifier()
}

// srcModifier returns the modifier of an element's src.
func (r *rewriter) srcModifier(tag markup.Tag) Modifier {
	switch tag {
	case markup.TagScript:
		return Program
	case markup.TagFrame, markup.TagIframe, markup.TagLayer:
		return PageFrame
	case markup.TagEmbed, markup.TagVideo, markup.TagAudio, markup.TagSource, markup.TagTrack:
		return Object
	}
	return Image
}

// linkTag removes from the attribute rel of a link element the words in hints, such as prefetch. It
// returns false if rel has no other word.
func (r *rewriter) linkTag() bool {
	for _, a := range r.attrs {
		if a.use == useRel && a.ValueEnd > 0 {
			rest, found := withoutHints(string(r.value(a)))
			if found && rest == "" {
				return false
			}
			if found {
				r.setValue(a, []byte(rest))
			}
		}
	}
	return true
}

// removedMeta are the meta elements that a replayed page must not have: they would
// replace what replay sends in the header.
var removedMeta = map[string]bool{
	"content-security-policy": true, "content-security-policy-report-only": true, "x-content-security-policy": true,
	"x-webkit-csp": true, "x-dns-prefetch-control": true, "origin-trial": true, "set-cookie": true, "accept-ch": true, "delegate-ch": true,
}

// meta rewrites a meta element. It returns false if the element is to be removed.
func (r *rewriter) meta() bool {
	equiv := r.word(useEquiv)
	if removedMeta[equiv] {
		return false
	}
	if equiv != "refresh" {
		return true
	}
	a, ok := r.find(useContent)
	if !ok || a.ValueEnd == 0 {
		return true
	}
	content := string(r.value(a))
	target := markup.RefreshTarget(content)
	if target == "" {
		return true
	}
	if linked := r.link([]byte(target), r.pageModifier()); string(linked) != target {
		before := content[:strings.LastIndex(content, target)]
		r.setValue(a, append([]byte(before), linked...))
	}
	return true
}

// baseTag rewrites a base element. Addresses after it are relative to the URL that
// it names.
func (r *rewriter) baseTag() {
	for _, a := range r.attrs {
		switch {
		case a.ValueEnd == 0:
		case a.use == useHref:
			ref := r.value(a)
			r.relink(a, r.pageModifier())
			if !r.based {
				r.based = true
				r.rebase(urlkey.Base(r.page.URL, string(cleaned(ref))))
			}
		case a.use == useTarget:
			r.target(a)
		}
	}
}

// param rewrites a param element that names the file of its object.
func (r *rewriter) param() {
	switch r.word(useName) {
	case "movie", "src", "url", "filename", "data", "source":
		if a, ok := r.find(useValue); ok && a.ValueEnd > 0 {
			r.relink(a, Object)
		}
	}
}

// target rewrites a, the name of the window in which a link of the page opens: _top and _parent
// become _self. The names would otherwise lead out of the frame in which the page with the bar
// shows the replayed page.
func (r *rewriter) target(a attr) {
	if r.page.Frame {
		return
	}
	switch strings.ToLower(string(r.value(a))) {
	case "_top", "_parent":
		r.setValue(a, []byte("_self"))
	}
}

// sourceDepthMax limits how deep documents may be nested in srcdoc attributes.
const sourceDepthMax = 4

// sourceDocument rewrites a, which holds a whole document.
func (r *rewriter) sourceDocument(a attr) {
	if r.depth >= sourceDepthMax {
		r.setValue(a, nil)
		return
	}
	page := *r.page
	page.Frame, page.Charset, page.Marks = true, charset.UTF8, nil
	var out bytes.Buffer
	inner := newRewriter(&out, r.value(a), &page)
	inner.rebase(r.base)
	inner.depth = r.depth + 1
	inner.first, inner.still = r.first, r.still
	inner.document() // A bytes.Buffer has no errors.
	if doc := out.Bytes(); !bytes.Equal(doc, r.value(a)) {
		r.setValue(a, doc)
	}
}

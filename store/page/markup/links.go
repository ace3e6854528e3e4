package markup

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"
	"unicode/utf8"

	"infomall/store/page/charset"
)

// LinkKind says what the address of a link is for, such as another page or an
// image.
type LinkKind uint8

// The kinds of links.
const (
	LinkA       LinkKind = iota
	LinkArea             // of an image map
	LinkFrame            //
	LinkIframe           //
	LinkImg              // image, also of a background or a button
	LinkLink             // link element that is no style sheet
	LinkForm             // where a form is sent
	LinkCSS              // style sheet
	LinkRefresh          // meta refresh
	LinkScript           //
	LinkMedia            // video, audio, plug-in
)

var linkKinds = [...]string{"a", "area", "frame", "iframe", "img", "link", "form", "css", "meta-refresh", "script", "media"}

// String returns the kind as a query shows it.
func (k LinkKind) String() string { return linkKinds[k] }

// contextBytes is how many bytes of text are kept before and after a link.
const contextBytes = 50

// Link is an address in a page. All text is UTF-8.
type Link struct {
	Kind          LinkKind
	Target        string // as written, character references resolved, white space at the ends off
	Anchor        string // text of the link, or of the image in it
	Rel           string // as written
	NoFollow      bool   // rel says nofollow
	Before, After string // up to 50 bytes of what is shown around it
	Offset        int    // of its element, in bytes of the body
}

// Links returns the links that start between two offsets of the body, in order.
// Before and After do not reach beyond these offsets, so that the links of a
// block depend on its bytes alone.
func (t *Tree) Links(start, end int, cs string) []Link {
	w := t.findLinks(start, end, cs, nil)
	defer w.free()
	if len(w.links) == 0 {
		return nil
	}
	links, text := w.made(), string(w.text.out)
	for i := range links {
		links[i].around(text, w.links[i].from, w.links[i].to)
	}
	return links
}

// findLinks finds the links between two offsets. If keep is not nil, links for
// whose offset keep returns false have only a place in the text.
func (t *Tree) findLinks(start, end int, cs string, keep func(offset int) bool) *linkWriter {
	w := t.newLinkWriter(cs)
	w.keep = keep
	if t.MayLink(start, end) {
		w.walk(start, end)
	}
	return w
}

// MayLink reports whether an element that may have a link starts between two
// offsets of the body. Most parts of a page have none, and this check is cheap.
func (t *Tree) MayLink(start, end int) bool {
	for i := t.firstNode(start); i < len(t.Nodes) && int(t.Nodes[i].Start) < end; i++ {
		n := &t.Nodes[i]
		if n.Kind == Element && int(n.Start) >= start && (linkFrom[n.Tag].attr != "" && t.May(i, AttrAddress) || t.styled(i)) {
			return true
		}
	}
	return false
}

// linkFrom gives, for each element that may have a link, its kind and the
// attribute with the address. For meta it gives the attribute that shows that
// there is an address. Further attributes are in otherLinks.
var linkFrom = [TagCount]struct {
	kind LinkKind
	attr string
}{
	TagA: {LinkA, "href"}, TagArea: {LinkArea, "href"}, TagLink: {LinkLink, "href"}, TagForm: {LinkForm, "action"},
	TagFrame: {LinkFrame, "src"}, TagIframe: {LinkIframe, "src"}, TagImg: {LinkImg, "src"}, TagInput: {LinkImg, "src"}, TagScript: {LinkScript, "src"},
	TagEmbed: {LinkMedia, "src"}, TagVideo: {LinkMedia, "src"}, TagAudio: {LinkMedia, "src"}, TagSource: {LinkMedia, "src"}, TagTrack: {LinkMedia, "src"},
	TagObject: {LinkMedia, "data"}, TagApplet: {LinkMedia, "code"}, TagOther: {LinkImg, "href"},
	TagBlockquote: {LinkLink, "cite"}, TagQ: {LinkLink, "cite"}, TagIns: {LinkLink, "cite"}, TagDel: {LinkLink, "cite"},
	TagBody: {LinkImg, "background"}, TagTable: {LinkImg, "background"}, TagTr: {LinkImg, "background"}, TagTd: {LinkImg, "background"},
	TagTh: {LinkImg, "background"}, TagDiv: {LinkImg, "background"},
	TagMeta: {LinkRefresh, "http-equiv"},
}

// foundLink is a link that was found. Its values are text, often slices of the body.
type foundLink struct {
	target, rel, anchor []byte // anchor where it is not the text at the link
	offset              int    // of its element
	from, to            int    // where its text lies in the text of the page
	kind                LinkKind
}

type linkWriter struct {
	t       *Tree
	charset string
	plain   bool // ASCIISafe of charset
	text    folder
	links   []foundLink
	open    []linkEnd // links whose end has not come
	near    []byte    // text around links under making
	keep    func(offset int) bool
	end     int32 // of what is read of the body
	cut     bool  // a link begins or ends in what may be one letter or reference
	nested  bool  // the page is the value of an attribute of another page
}

// linkWriters holds unused linkWriters.
var linkWriters = sync.Pool{New: func() any { return new(linkWriter) }}

// newLinkWriter returns an empty linkWriter for text in charset.
func (t *Tree) newLinkWriter(cs string) *linkWriter {
	w := linkWriters.Get().(*linkWriter)
	w.t, w.charset, w.plain = t, cs, charset.ASCIISafe(cs)
	return w
}

// free returns w to the pool. The links that it found are not valid after that.
func (w *linkWriter) free() {
	clear(w.links)
	*w = linkWriter{
		text:  folder{out: w.text.out[:0], held: w.text.held[:0]},
		links: w.links[:0], open: w.open[:0], near: w.near[:0],
	}
	linkWriters.Put(w)
}

type linkEnd struct{ link, node int32 }

func (w *linkWriter) walk(start, end int) {
	w.end = int32(end)
	w.text.use(w.charset)
	w.t.walk(start, end, &w.text, func(n int) {
		for len(w.open) > 0 && int(w.open[len(w.open)-1].node) <= n {
			w.close()
		}
		if w.t.Nodes[n].Kind == Element {
			w.element(n)
		}
	})
	for len(w.open) > 0 {
		w.close()
	}
	w.text.settle()
}

// settle folds the text gathered so far and returns its length.
func (w *linkWriter) settle() int {
	w.cut = w.cut || len(w.text.held) > 0
	w.text.settle()
	return len(w.text.out)
}

func (w *linkWriter) close() {
	last := len(w.open) - 1
	w.links[w.open[last].link].to = w.settle()
	w.open = w.open[:last]
}

// element adds the links of element i.
func (w *linkWriter) element(i int) {
	n := &w.t.Nodes[i]
	if linkFrom[n.Tag].attr != "" && w.t.May(i, AttrAddress) {
		w.addressed(i)
	}
	if w.t.styled(i) {
		w.styles(i)
	}
}

// addressed adds the links of element i from all attributes except style.
func (w *linkWriter) addressed(i int) {
	n := &w.t.Nodes[i]
	from := &linkFrom[n.Tag]
	switch n.Tag {
	case TagA:
		if w.add(i, from.kind, from.attr) {
			w.open = append(w.open, linkEnd{int32(len(w.links) - 1), n.Next})
		}
	case TagLink:
		kind := from.kind
		if rel, _ := w.t.Attr(i, "rel"); hasWord(string(rel), "stylesheet") {
			kind = LinkCSS
		}
		w.add(i, kind, from.attr)
	case TagMeta:
		if equiv, _ := w.t.Attr(i, from.attr); EqualFold(equiv, "refresh") {
			w.refresh(i)
		} else {
			w.shared(i)
		}
	case TagOther:
		// These elements of SVG have no Tag constant. They show another document.
		if name := w.t.Name(i); EqualFold(name, "image") || EqualFold(name, "use") || EqualFold(name, "feimage") {
			w.add(i, from.kind, from.attr)
		}
	default:
		w.add(i, from.kind, from.attr)
	}
}

// add adds the link of element i whose address is in attr, and reports whether
// there is one.
func (w *linkWriter) add(i int, kind LinkKind, attr string) bool {
	l := foundLink{kind: kind, offset: int(w.t.Nodes[i].Start)}
	found := false
	var others []otherLink // few have any
	var codebase []byte
	pass := kind == LinkA && w.keep != nil && !w.keep(l.offset)
	b := w.t.Body[:w.t.Nodes[i].Inner]
	for at := w.t.nameEnd(i); ; {
		a, next, ok := nextAttr(b, at)
		if !ok {
			break
		}
		at = next
		switch name := b[a.name:a.nameEnd]; {
		case !found && (EqualFold(name, attr) || attr == "href" && EqualFold(name, "xlink:href")):
			if found = true; !pass {
				l.target = w.address(b[a.value:a.valueEnd])
			}
		case pass:
		case EqualFold(name, "rel"):
			l.rel = w.value(b[a.value:a.valueEnd])
		case EqualFold(name, "alt"):
			l.anchor = w.value(b[a.value:a.valueEnd])
		case EqualFold(name, "codebase"):
			codebase = w.value(b[a.value:a.valueEnd])
		default:
			for _, o := range otherLinks[w.t.Nodes[i].Tag] {
				if EqualFold(name, o.attr) {
					others = append(others, otherLink{o, w.address(b[a.value:a.valueEnd])})
				}
			}
		}
	}
	if kind == LinkImg && len(l.anchor) > 0 {
		w.describe(l.anchor)
	}
	if !found || len(l.target) == 0 && kind != LinkA && kind != LinkForm {
		w.addOthers(&l, others, codebase)
		return false
	}
	if len(codebase) > 0 && len(l.target) > 0 {
		l.target = within(codebase, l.target)
	}
	w.append(l)
	w.addOthers(&l, others, codebase)
	return true
}

func (w *linkWriter) append(l foundLink) {
	l.from = w.settle()
	l.to = l.from
	w.links = append(w.links, l)
}

// made returns the links that were found, without the text around them. Anchor
// is set only if it differs from the text at the link.
func (w *linkWriter) made() []Link {
	links := make([]Link, len(w.links))
	size := 0
	for i := range w.links {
		l := &w.links[i]
		size += len(l.target) + len(l.rel) + len(l.anchor)
	}
	values := make([]byte, 0, size)
	for i := range w.links {
		l := &w.links[i]
		values = append(append(append(values, l.target...), l.rel...), l.anchor...)
	}
	all := string(values)
	take := func(b []byte) string {
		s := all[:len(b)]
		all = all[len(b):]
		return s
	}
	for i := range w.links {
		l := &w.links[i]
		links[i] = Link{Kind: l.kind, Offset: l.offset, Target: take(l.target), Rel: take(l.rel), Anchor: take(l.anchor)}
		links[i].NoFollow = hasWord(links[i].Rel, "nofollow")
	}
	return links
}

// describe sets alt, the description of an image, as the anchor of the
// innermost open link if that link has no text.
func (w *linkWriter) describe(alt []byte) {
	if n := len(w.open); n > 0 {
		if l := &w.links[w.open[n-1].link]; l.from == w.settle() && len(l.anchor) == 0 {
			l.anchor = alt
		}
	}
}

// refresh adds the target of a meta refresh: "5; url=http://…".
func (w *linkWriter) refresh(i int) {
	content, _ := w.t.Attr(i, "content")
	if target := RefreshTarget(string(w.value(content))); target != "" {
		w.append(foundLink{kind: LinkRefresh, target: w.inCharset([]byte(target)), offset: int(w.t.Nodes[i].Start)})
	}
}

// RefreshTarget returns the address in a meta refresh or a Refresh header, such
// as "5; url=http://…", or "" if there is none.
func RefreshTarget(content string) string {
	delay, target, ok := strings.Cut(content, ";")
	if !ok {
		if _, target, ok = strings.Cut(delay, ","); !ok {
			return ""
		}
	}
	target = strings.TrimSpace(target)
	if len(target) < 4 || !strings.EqualFold(target[:3], "url") {
		return ""
	}
	target = strings.TrimSpace(target[3:])
	if !strings.HasPrefix(target, "=") {
		return ""
	}
	return strings.Trim(strings.TrimSpace(target[1:]), `"'`)
}

// value returns an attribute's value as UTF-8 text. Most values are returned
// without a copy.
func (w *linkWriter) value(b []byte) []byte {
	if !w.plain || !standsForItself(b) {
		return []byte(attrText(b, w.charset))
	}
	if len(b) > 0 && b[0] > ' ' && b[len(b)-1] > ' ' {
		return b
	}
	return bytes.TrimSpace(b)
}

// standsForItself reports whether b is ASCII without character references.
func standsForItself(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		x := w ^ '&'*ones
		if (w|(x-ones)&^x)&highs != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf || c == '&' {
			return false
		}
	}
	return true
}

func attrText(b []byte, cs string) string {
	return strings.TrimSpace(Unescape(string(charset.ToUTF8(b, cs))))
}

// hasWord reports whether list, words separated by spaces, contains word. Case
// does not matter.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// lastBytes returns the end of s: at most contextBytes, in whole runes.
func lastBytes(s string) string {
	if n := len(s) - contextBytes; n > 0 {
		for s = s[n:]; len(s) > 0 && !utf8.RuneStart(s[0]); {
			s = s[1:]
		}
	}
	return strings.TrimSpace(s)
}

// firstBytes returns the start of s: at most contextBytes, in whole runes.
func firstBytes(s string) string {
	if n := contextBytes; len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.TrimSpace(s)
}

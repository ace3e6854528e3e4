package markup

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"
	"unicode/utf8"

	"infomall/store/page/charset"
)

// LinkKind says what a link leads to, such as another page or an image, by the
// element that has it.
type LinkKind uint8

// The kinds of links.
const (
	LinkA       LinkKind = iota // a element
	LinkArea                    // area of an image map
	LinkFrame                   // frame of a frameset
	LinkIframe                  // iframe
	LinkImg                     // image, also of a background or a button
	LinkLink                    // link element other than a style sheet; the source of a quotation
	LinkForm                    // the address to which a form is sent
	LinkCSS                     // style sheet
	LinkRefresh                 // meta refresh
	LinkScript                  // script
	LinkMedia                   // video, audio, plug-in
)

var linkKinds = [...]string{"a", "area", "frame", "iframe", "img", "link", "form", "css", "meta-refresh", "script", "media"}

// String returns the kind as a query shows it, such as "meta-refresh".
func (k LinkKind) String() string { return linkKinds[k] }

// contextBytes is the largest number of bytes of text before a link, and after
// it, that are stored with the link.
const contextBytes = 50

// Link is an address in a page. All text is UTF-8.
type Link struct {
	Kind          LinkKind
	Target        string // the address as written, without white space around it, and with character references resolved
	Anchor        string // the text of the link, or the description of the image in the link
	Rel           string // the attribute rel as written
	NoFollow      bool   // rel contains nofollow
	Before, After string // at most contextBytes bytes of the text shown before the link, and after it
	Offset        int    // offset in the body at which the link's element starts
}

// Links returns the links of the elements that start in Body[start:end], in
// order. cs is the charset of the body. Before and After have text of
// Body[start:end] only, so the links of a block depend on the bytes of the
// block alone.
func (t *Tree) Links(start, end int, cs string) []Link {
	w := t.findLinks(start, end, cs, nil)
	defer w.free()
	if len(w.links) == 0 {
		return nil
	}
	links, text := w.result(), string(w.text.out)
	for i := range links {
		links[i].around(text, w.links[i].from, w.links[i].to)
	}
	return links
}

// findLinks finds the links of the elements that start in Body[start:end]. If
// keep is not nil and returns false for the offset of a link, only the place of
// the link in the text is found. The caller must call free on the result.
func (t *Tree) findLinks(start, end int, cs string, keep func(offset int) bool) *linkWriter {
	w := t.newLinkWriter(cs)
	w.keep = keep
	if t.MayLink(start, end) {
		w.walk(start, end)
	}
	return w
}

// MayLink reports whether an element that may have a link starts in
// Body[start:end]. Most parts of a page have no link, and this check takes
// little time.
func (t *Tree) MayLink(start, end int) bool {
	for i := t.firstNode(start); i < len(t.Nodes) && int(t.Nodes[i].Start) < end; i++ {
		n := &t.Nodes[i]
		if n.Kind == Element && int(n.Start) >= start && (linkFrom[n.Tag].attr != "" && t.May(i, AttrAddress) || t.styled(i)) {
			return true
		}
	}
	return false
}

// linkFrom has, for each element that may have a link, the kind of the link and
// the attribute with the address. For meta, attr is the attribute that says
// whether the element has an address. otherLinks has further attributes with
// addresses.
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

// foundLink is a link that a linkWriter has found. Its texts are UTF-8; most of
// them are slices of the body.
type foundLink struct {
	target, rel, anchor []byte // anchor is set only if it differs from the text of the link in the page
	offset              int    // offset in the body at which the link's element starts
	from, to            int    // the text of the link is from:to of the folded text of the page
	kind                LinkKind
}

type linkWriter struct {
	t       *Tree
	charset string
	plain   bool // result of charset.ASCIISafe(charset)
	text    spaceFolder
	links   []foundLink
	open    linkEnd // the link whose text is being read; the zero value if there is none
	near    []byte  // memory in which appendLinks collects the text around links
	keep    func(offset int) bool
	end     int32 // offset in the body at which reading ends
	cut     bool  // a link begins or ends between bytes that may belong to one letter or character reference
	nested  bool  // the page is itself the value of an attribute of another page
}

// linkWriters holds unused linkWriters.
var linkWriters = sync.Pool{New: func() any { return new(linkWriter) }}

// newLinkWriter returns an empty linkWriter for a page in the charset cs.
func (t *Tree) newLinkWriter(cs string) *linkWriter {
	w := linkWriters.Get().(*linkWriter)
	w.t, w.charset, w.plain = t, cs, charset.ASCIISafe(cs)
	return w
}

// free gives the memory of w to later linkWriters. The links of w are not valid
// after that.
func (w *linkWriter) free() {
	clear(w.links)
	*w = linkWriter{
		text:  spaceFolder{out: w.text.out[:0], held: w.text.held[:0]},
		links: w.links[:0], near: w.near[:0],
	}
	linkWriters.Put(w)
}

// linkEnd is the index of a link, and the first node after its element.
type linkEnd struct{ link, node int32 }

func (w *linkWriter) walk(start, end int) {
	w.end = int32(end)
	w.text.use(w.charset)
	w.t.walk(start, end, &w.text, func(n int) {
		if int(w.open.node) <= n {
			w.close()
		}
		if w.t.Nodes[n].Kind == Element {
			w.element(n)
		}
	})
	w.close()
	w.text.settle()
}

// settle folds the white space of the text read so far (see spaceFolder) and returns the length of the
// folded text.
func (w *linkWriter) settle() int {
	w.cut = w.cut || len(w.text.held) > 0
	w.text.settle()
	return len(w.text.out)
}

// close ends the text of the open link, if there is one.
func (w *linkWriter) close() {
	if w.open.node > 0 {
		w.links[w.open.link].to = w.settle()
		w.open = linkEnd{}
	}
}

// element adds all links of element i to w.links.
func (w *linkWriter) element(i int) {
	n := &w.t.Nodes[i]
	if linkFrom[n.Tag].attr != "" && w.t.May(i, AttrAddress) {
		w.addressed(i)
	}
	if w.t.styled(i) {
		w.styles(i)
	}
}

// addressed adds the links of element i to w.links, from all attributes except
// style.
func (w *linkWriter) addressed(i int) {
	n := &w.t.Nodes[i]
	from := &linkFrom[n.Tag]
	switch n.Tag {
	case TagA:
		if w.add(i, from.kind, from.attr) {
			// The text of a link around this one ends here. So the texts of all links together are
			// no longer than the text of the page.
			w.close()
			w.open = linkEnd{int32(len(w.links) - 1), n.Next}
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

// add adds to w.links a link of this kind whose address is in the attribute
// attr of element i. It also adds the links in further attributes of the
// element. It reports whether attr has an address.
func (w *linkWriter) add(i int, kind LinkKind, attr string) bool {
	l := foundLink{kind: kind, offset: int(w.t.Nodes[i].Start)}
	found := false
	var others []otherLink // few elements have further links
	var codebase []byte
	pass := kind == LinkA && w.keep != nil && !w.keep(l.offset)
	b := w.t.Body[:w.t.Nodes[i].Inner]
	for at := w.t.nameEnd(i); ; {
		a, next, ok := NextAttr(b, at)
		if !ok {
			break
		}
		at = next
		switch name := b[a.Name:a.NameEnd]; {
		case !found && (EqualFold(name, attr) || attr == "href" && EqualFold(name, "xlink:href")):
			if found = true; !pass {
				l.target = w.address(b[a.Value:a.ValueEnd])
			}
		case pass:
		case EqualFold(name, "rel"):
			l.rel = w.value(b[a.Value:a.ValueEnd])
		case EqualFold(name, "alt"):
			l.anchor = w.value(b[a.Value:a.ValueEnd])
		case EqualFold(name, "codebase"):
			if codebase = w.value(b[a.Value:a.ValueEnd]); len(codebase) > codebaseMax {
				codebase = nil
			}
		default:
			for _, o := range otherLinks[w.t.Nodes[i].Tag] {
				if EqualFold(name, o.attr) {
					others = append(others, otherLink{o, w.value(b[a.Value:a.ValueEnd])})
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

// result returns the links that w has found, without Before and After. Anchor is set only if it
// differs from the text of the link in the page.
func (w *linkWriter) result() []Link {
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

// describe sets the anchor of the open link to alt, the description of an image
// inside it, if the link has no text before the image.
func (w *linkWriter) describe(alt []byte) {
	if w.open.node == 0 {
		return
	}
	if l := &w.links[w.open.link]; l.from == w.settle() && len(l.anchor) == 0 {
		l.anchor = alt
	}
}

// refresh adds the link of meta element i, whose content is a refresh such as "5;
// url=http://…".
func (w *linkWriter) refresh(i int) {
	content, _ := w.t.Attr(i, "content")
	if target := RefreshTarget(string(w.value(content))); target != "" {
		w.append(foundLink{kind: LinkRefresh, target: w.inCharset([]byte(target)), offset: int(w.t.Nodes[i].Start)})
	}
}

// RefreshTarget returns the address in content, the value of a meta refresh or a
// Refresh header such as "5; url=http://…". It returns "" if there is none.
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

// value returns b, the value of an attribute, as text in UTF-8 without character
// references. Most values are returned without a copy.
func (w *linkWriter) value(b []byte) []byte {
	if !w.plain || !standsForItself(b) {
		return []byte(attrText(b, w.charset))
	}
	if len(b) > 0 && b[0] > ' ' && b[len(b)-1] > ' ' {
		return b
	}
	return bytes.TrimSpace(b)
}

// standsForItself reports whether b is ASCII and has no "&". The value b then needs no decoding.
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

// hasWord reports whether word is one of the words in list, which are separated
// by white space. Upper and lower case are the same.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// lastBytes returns at most contextBytes bytes from the end of s. It cuts no
// rune, and leaves out white space at both ends.
func lastBytes(s string) string {
	if n := len(s) - contextBytes; n > 0 {
		for s = s[n:]; len(s) > 0 && !utf8.RuneStart(s[0]); {
			s = s[1:]
		}
	}
	return strings.TrimSpace(s)
}

// firstBytes returns at most contextBytes bytes from the start of s. It cuts no
// rune, and leaves out white space at both ends.
func firstBytes(s string) string {
	if n := contextBytes; len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.TrimSpace(s)
}

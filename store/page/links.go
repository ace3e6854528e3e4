package page

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// LinkKind says what an address in a page is for.
type LinkKind uint8

// The kinds.
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

// String is the kind as a query shows it.
func (k LinkKind) String() string { return linkKinds[k] }

// contextBytes is how much text around a link is kept on either side.
const contextBytes = 50

// Link is an address in a page. All text is UTF-8.
type Link struct {
	Kind          LinkKind
	Target        string // as written, character references resolved, white space at the ends off
	Anchor        string // text of the link, or of the image in it or in its stead
	Rel           string // as written
	NoFollow      bool   // rel says nofollow
	Before, After string // up to 50 bytes of what is shown around it
	Offset        int    // of its element, in bytes of the body
}

// Links returns the links that start between two places of the body, in
// order. The text around a link ends at those places too, so that the links of
// a block depend on nothing but its bytes.
func (t *Tree) Links(start, end int, charset string) []Link {
	w := t.findLinks(start, end, charset)
	defer w.free()
	if len(w.links) == 0 {
		return nil
	}
	links, text := slices.Clone(w.links), string(w.text.out)
	for i := range links {
		links[i].around(text, w.at[i][0], w.at[i][1])
	}
	return links
}

// findLinks finds links, without the text of and around them; they have an
// Anchor only where that is not the text at the link.
func (t *Tree) findLinks(start, end int, charset string) *linkWriter {
	w := linkWriters.Get().(*linkWriter)
	w.t, w.charset = t, charset
	if t.MayLink(start, end) {
		w.walk(start, end)
	}
	return w
}

// MayLink reports whether an element that may have a link starts between two
// places of the body: most parts of a page have none, and their text need not
// be put together to know it.
func (t *Tree) MayLink(start, end int) bool {
	for i := t.firstNode(start); i < len(t.Nodes) && int(t.Nodes[i].Start) < end; i++ {
		n := &t.Nodes[i]
		if n.Kind != Element || linkFrom[n.Tag].attr == "" || int(n.Start) < start {
			continue
		}
		if _, ok := t.Attr(i, linkFrom[n.Tag].attr); ok {
			return true
		}
	}
	return false
}

// linkFrom says for each element that may have a link what it is for and which
// attribute has it; of meta, which tells that it has one.
var linkFrom = [TagCount]struct {
	kind LinkKind
	attr string
}{
	TagA: {LinkA, "href"}, TagArea: {LinkArea, "href"}, TagLink: {LinkLink, "href"}, TagForm: {LinkForm, "action"},
	TagFrame: {LinkFrame, "src"}, TagIframe: {LinkIframe, "src"}, TagImg: {LinkImg, "src"}, TagInput: {LinkImg, "src"}, TagScript: {LinkScript, "src"},
	TagEmbed: {LinkMedia, "src"}, TagVideo: {LinkMedia, "src"}, TagAudio: {LinkMedia, "src"}, TagSource: {LinkMedia, "src"}, TagTrack: {LinkMedia, "src"},
	TagObject: {LinkMedia, "data"},
	TagBody:   {LinkImg, "background"}, TagTable: {LinkImg, "background"}, TagTr: {LinkImg, "background"}, TagTd: {LinkImg, "background"},
	TagTh: {LinkImg, "background"}, TagDiv: {LinkImg, "background"},
	TagMeta: {LinkRefresh, "http-equiv"},
}

type linkWriter struct {
	t       *Tree
	charset string
	text    folder
	links   []Link
	at      [][2]int  // where each link's text lies in text.out
	open    []linkEnd // links whose end has not come
	values  strings.Builder
	near    []byte // text around links under making
}

// linkWriters are those that nobody uses.
var linkWriters = sync.Pool{New: func() any { return new(linkWriter) }}

// free hands w to a later page. What it found goes with it.
func (w *linkWriter) free() {
	clear(w.links)
	*w = linkWriter{
		text:  folder{out: w.text.out[:0], held: w.text.held[:0]},
		links: w.links[:0], at: w.at[:0], open: w.open[:0], near: w.near[:0],
	}
	linkWriters.Put(w)
}

type linkEnd struct{ link, node int32 }

func (w *linkWriter) walk(start, end int) {
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
	w.settle()
}

// settle folds the text gathered so far and returns its length.
func (w *linkWriter) settle() int {
	w.text.settle()
	return len(w.text.out)
}

func (w *linkWriter) close() {
	last := len(w.open) - 1
	w.at[w.open[last].link][1] = w.settle()
	w.open = w.open[:last]
}

// element adds the links of element i.
func (w *linkWriter) element(i int) {
	n := &w.t.Nodes[i]
	from := linkFrom[n.Tag]
	if from.attr == "" {
		return
	}
	switch n.Tag {
	case TagA:
		if w.add(i, from.kind, from.attr) {
			w.open = append(w.open, linkEnd{int32(len(w.links) - 1), n.Next})
		}
	case TagLink:
		if rel, _ := w.t.Attr(i, "rel"); hasWord(string(rel), "stylesheet") {
			from.kind = LinkCSS
		}
		w.add(i, from.kind, from.attr)
	case TagMeta:
		if equiv, _ := w.t.Attr(i, from.attr); equalFold(equiv, "refresh") {
			w.refresh(i)
		}
	default:
		w.add(i, from.kind, from.attr)
	}
}

// add adds the link of element i whose target is in that attribute, and tells
// whether there is one.
func (w *linkWriter) add(i int, kind LinkKind, attr string) bool {
	l := Link{Kind: kind, Offset: int(w.t.Nodes[i].Start)}
	found := false
	b := w.t.Body[:w.t.Nodes[i].Inner]
	for at := w.t.nameEnd(i); ; {
		a, next, ok := nextAttr(b, at)
		if !ok {
			break
		}
		at = next
		switch name := b[a.name:a.nameEnd]; {
		case !found && equalFold(name, attr):
			found = true
			l.Target = w.value(b[a.value:a.valueEnd])
		case equalFold(name, "rel"):
			l.Rel = w.value(b[a.value:a.valueEnd])
			l.NoFollow = hasWord(l.Rel, "nofollow")
		case equalFold(name, "alt"):
			l.Anchor = w.value(b[a.value:a.valueEnd])
		}
	}
	if kind == LinkImg && l.Anchor != "" {
		w.describe(l.Anchor)
	}
	if !found || l.Target == "" && kind != LinkA && kind != LinkForm {
		return false
	}
	w.append(l)
	return true
}

func (w *linkWriter) append(l Link) {
	at := w.settle()
	w.links = append(w.links, l)
	w.at = append(w.at, [2]int{at, at})
}

// describe gives an open link without words of its own those of its image.
func (w *linkWriter) describe(alt string) {
	if n := len(w.open); n > 0 {
		at := w.settle()
		if l := w.open[n-1].link; w.at[l][0] == at && w.links[l].Anchor == "" {
			w.links[l].Anchor = alt
		}
	}
}

// refresh adds the target of a meta refresh: "5; url=http://…".
func (w *linkWriter) refresh(i int) {
	content, _ := w.t.Attr(i, "content")
	_, target, _ := strings.Cut(w.value(content), ";")
	target = strings.TrimSpace(target)
	if len(target) < 4 || !strings.EqualFold(target[:3], "url") {
		return
	}
	target = strings.TrimSpace(target[3:])
	if !strings.HasPrefix(target, "=") {
		return
	}
	target = strings.Trim(strings.TrimSpace(target[1:]), `"'`)
	if target != "" {
		w.append(Link{Kind: LinkRefresh, Target: target, Offset: int(w.t.Nodes[i].Start)})
	}
}

// value is an attribute's value as text. Most are a part of one string.
func (w *linkWriter) value(b []byte) string {
	if !ASCIISafe(w.charset) || bytes.IndexByte(b, '&') >= 0 || !IsASCII(b) {
		return attrText(b, w.charset)
	}
	at := w.values.Len()
	w.values.Write(bytes.TrimSpace(b))
	return w.values.String()[at:]
}

func attrText(b []byte, charset string) string {
	return strings.TrimSpace(Unescape(string(ToUTF8(b, charset))))
}

// hasWord reports whether list, words between spaces, has word.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// lastBytes is the end of s, at most contextBytes, in whole runes.
func lastBytes(s string) string {
	if n := len(s) - contextBytes; n > 0 {
		for s = s[n:]; len(s) > 0 && !utf8.RuneStart(s[0]); {
			s = s[1:]
		}
	}
	return strings.TrimSpace(s)
}

// firstBytes is the start of s, at most contextBytes, in whole runes.
func firstBytes(s string) string {
	if n := contextBytes; len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.TrimSpace(s)
}

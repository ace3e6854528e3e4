package page

import (
	"bytes"
	"slices"
	"sync"
)

// Tree is the markup of a body as ranges of its bytes. Any input has one:
// there is no error, no recursion, and time and memory are linear in the
// body's length. Markup is told from text as browsers do it; the nesting
// follows their rules where these agree with the order of the bytes, and where
// they would move or copy elements (text inside a table, formatting that
// overlaps) the bytes stay where they are.
//
// The ranges tile: an element's own tags and its children, end to end, are the
// element; the children of the root are the body. Nodes stand in the order of
// their start, so that the descendants of node n are the nodes n+1 to
// Nodes[n].Next-1, and a loop over indices is a walk.
type Tree struct {
	Body  []byte
	Nodes []Node // Nodes[0] is the root
}

// Node is one part of a Tree.
type Node struct {
	Start, End   int32 // the whole range in Body
	Inner, Outer int32 // of an element, what lies between its own tags; else the whole
	Parent       int32 // index of the parent; the root's is 0
	Next         int32 // index of the first node that is no descendant
	Kind         Kind
	Tag          Tag     // of an element
	attrs        AttrSet // that it may have
}

// Kind tells what a node is.
type Kind uint8

// The kinds. Only Root and Element have children.
const (
	Root    Kind = iota
	Element      // start tag, children, and end tag if there is one
	Text         // text with character references
	Raw          // content of script, style, xmp and the like: no references in it
	Comment      // comment, or what browsers take for one
	Markup       // doctype, processing instruction, end tag that ends nothing, tag that never ends
)

// Limits of a tree. What lies beyond is one node of Markup, so that memory
// stays under 60 MB for any body.
const (
	nodesMax     = 1 << 20
	treeBytesMax = 1<<31 - 1 // the range of Node's fields
)

// NewTree reads body, which the tree keeps and nobody may change while it is
// in use. The bytes are taken as they are: where ASCIISafe says no of the
// body's charset, convert to UTF-8 first.
func NewTree(body []byte) *Tree {
	t := &Tree{Nodes: newNodes(min(len(body)/20+16, nodesMax))}
	t.Read(body)
	return t
}

// Read makes t the tree of another body, as NewTree does, in the memory that it
// has.
func (t *Tree) Read(body []byte) {
	t.Body, t.Nodes = body, append(t.Nodes[:0], Node{})
	b := builders.Get().(*builder)
	b.t, b.body = t, body[:min(len(body), treeBytesMax)]
	b.run()
	b.reset()
	builders.Put(b)
}

// Free gives the memory of the tree's nodes to a later tree. The tree has no
// nodes from then on; its body stays. To call it is never necessary.
func (t *Tree) Free() {
	if cap(t.Nodes) > 0 {
		nodes := t.Nodes[:0]
		nodeLists.Put(&nodes)
	}
	t.Nodes = nil
}

// What is kept for later trees the garbage collector takes back in time, here
// and wherever there is a sync.Pool.
var (
	nodeLists sync.Pool // of *[]Node
	builders  = sync.Pool{New: func() any {
		return &builder{open: append(make([]openElement, 0, 64), openElement{})}
	}}
)

// newNodes returns an empty list with room for others; about n are to come.
func newNodes(n int) []Node {
	if l, ok := nodeLists.Get().(*[]Node); ok {
		return *l
	}
	return make([]Node, 0, n)
}

// ASCIISafe reports whether bytes below 0x40 mean ASCII wherever they stand in
// text of that charset, so that markup may be looked for in the bytes as they
// are. That holds for UTF-8, all single-byte sets, the EUC family, GBK and
// GB18030 (second bytes from 0x40, or digits), Big5 and Shift-JIS (second
// bytes from 0x40). It does not for UTF-16 and UTF-32, nor for the 7-bit sets
// that change meaning by escapes.
func ASCIISafe(charset string) bool {
	switch charset {
	case "utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be",
		"iso-2022-jp", "iso-2022-kr", "iso-2022-cn", "hz-gb-2312", "utf-7":
		return false
	}
	return true
}

// openElement is an element whose end has not come yet. The other fields are
// indices into the stack of such elements that make every question about the
// stack a look at its top; 0, the root's place, says there is none.
type openElement struct {
	node  int32
	same  int32 // the next outer one of the same tag
	scope int32 // the innermost element, this one included, with propScope
	block int32 // the innermost with propBlock
	list  int32 // the innermost list
	table int32 // the innermost table
}

type builder struct {
	t    *Tree
	body []byte
	at   int // all before it is in the tree

	open []openElement
	last [TagCount]int32 // the innermost open element of each tag; 0 if none
	seen [TagCount]bool  // of html, head, body: there was one. Of raw elements: no end tag follows
	xml  bool            // <?xml came first
	endC bool            // no "]]>" follows
}

// reset makes b ready for another body.
func (b *builder) reset() {
	*b = builder{open: append(b.open[:0], openElement{})}
}

func (b *builder) run() {
	for b.at < len(b.body) && len(b.t.Nodes) < nodesMax {
		if b.body[b.at] == '<' && b.markup() {
			continue
		}
		b.text()
	}
	if b.at < len(b.t.Body) {
		b.leaf(Markup, len(b.t.Body))
	}
	b.pop(0, b.at, b.at)
}

// text takes what lies before the next markup as a text node.
func (b *builder) text() {
	end := b.at + 1
	for {
		i := bytes.IndexByte(b.body[end:], '<')
		if i < 0 {
			end = len(b.body)
			break
		}
		end += i
		if end+1 < len(b.body) && startsMarkup(b.body[end+1]) {
			break
		}
		end++
	}
	// Text ends a head that was never closed.
	if h := b.last[TagHead]; h != 0 && int(h) == len(b.open)-1 && !blank(b.body[b.at:end]) {
		b.pop(int(h), b.at, b.at)
	}
	b.leaf(Text, end)
}

func startsMarkup(c byte) bool {
	return lower(c)-'a' < 26 || c == '/' || c == '!' || c == '?'
}

// markup takes the tag, comment or declaration that starts here. It returns
// false if the "<" is text.
func (b *builder) markup() bool {
	if b.at+1 >= len(b.body) {
		return false
	}
	switch c := b.body[b.at+1]; {
	case lower(c)-'a' < 26:
		b.startTag()
	case c == '/':
		if b.at+2 >= len(b.body) {
			return false
		}
		if lower(b.body[b.at+2])-'a' < 26 {
			b.endTag()
		} else {
			b.bogus(Comment)
		}
	case c == '!':
		b.declaration()
	case c == '?':
		b.xml = b.xml || len(b.t.Nodes) <= 2 && bytes.HasPrefix(b.body[b.at:], []byte("<?xml"))
		b.bogus(Markup)
	default:
		return false
	}
	return true
}

// bogus takes everything up to the next ">".
func (b *builder) bogus(k Kind) {
	end := bytes.IndexByte(b.body[b.at:], '>')
	if end < 0 {
		b.leaf(k, len(b.body))
		return
	}
	b.leaf(k, b.at+end+1)
}

func (b *builder) declaration() {
	rest := b.body[b.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		b.leaf(Comment, b.at+commentEnd(rest))
	case bytes.HasPrefix(rest, []byte("<![CDATA[")) && (b.xml || b.foreign()) && !b.endC:
		end := bytes.Index(rest, []byte("]]>"))
		if end < 0 {
			b.endC = true
			b.bogus(Comment)
			return
		}
		n := b.leaf(Raw, b.at+end+len("]]>"))
		b.t.Nodes[n].Inner += int32(len("<![CDATA["))
		b.t.Nodes[n].Outer -= int32(len("]]>"))
	case len(rest) > 2 && lower(rest[2]) == 'd':
		b.bogus(Markup)
	default:
		b.bogus(Comment)
	}
}

// commentEnd is the length of the comment that b begins with.
func commentEnd(b []byte) int {
	i := len("<!--")
	if bytes.HasPrefix(b[i:], []byte(">")) {
		return i + 1
	}
	if bytes.HasPrefix(b[i:], []byte("->")) {
		return i + 2
	}
	for {
		j := bytes.Index(b[i:], []byte("--"))
		if j < 0 {
			return len(b)
		}
		i += j + 2
		for i < len(b) && b[i] == '-' {
			i++
		}
		if i < len(b) && b[i] == '>' {
			return i + 1
		}
		if i+1 < len(b) && b[i] == '!' && b[i+1] == '>' {
			return i + 2
		}
	}
}

// foreign reports whether SVG or MathML is open.
func (b *builder) foreign() bool { return b.last[TagSvg] != 0 || b.last[TagMath] != 0 }

func (b *builder) startTag() {
	nameAt := nameEnd(b.body, b.at+1)
	end, slash, attrs := tagEnd(b.body, nameAt)
	if end < 0 {
		b.leaf(Markup, len(b.body))
		return
	}
	end++
	tag := tagAt(b.body, b.at+1, nameAt)
	if tag == TagHTML || tag == TagHead || tag == TagBody {
		if b.seen[tag] || tag == TagHead && b.seen[TagBody] {
			b.leaf(Markup, end)
			return
		}
		b.seen[tag] = true
	}
	b.imply(tag)
	p := tags[tag].props
	if p&propVoid != 0 || slash && (tag == TagOther || b.foreign()) {
		n := &b.t.Nodes[b.leaf(Element, end)]
		n.Tag, n.attrs = tag, attrs
		n.Inner, n.Outer = int32(end), int32(end)
		return
	}
	if tag == TagScript && attrs&AttrType != 0 && holdsMarkup(b.body[nameAt:end]) {
		tag, p = TagMarkupScript, tags[TagMarkupScript].props
	}
	b.push(tag, attrs, end)
	if p&propRaw != 0 {
		b.raw(tag)
	}
}

// markupTypes are parts of the types of script elements that hold markup.
var markupTypes = [][]byte{[]byte("template"), []byte("tmpl"), []byte("handlebars"), []byte("mustache"), []byte("text/html")}

// holdsMarkup reports whether a script element with these attributes holds no
// program but markup. It is read as such: it is what the page's reader saw.
func holdsMarkup(attrs []byte) bool {
	for i := 0; ; {
		a, next, ok := nextAttr(attrs, i)
		if !ok {
			return false
		}
		if i = next; equalFold(attrs[a.name:a.nameEnd], "type") {
			kind := bytes.ToLower(attrs[a.value:a.valueEnd])
			return slices.ContainsFunc(markupTypes, func(m []byte) bool { return bytes.Contains(kind, m) })
		}
	}
}

// imply ends the elements that a start tag of that name ends unsaid.
func (b *builder) imply(tag Tag) {
	p := tags[tag].props
	if h := b.last[TagHead]; h != 0 && p&propHead == 0 {
		b.pop(int(h), b.at, b.at)
	}
	top := b.top()
	if p&propClosesP != 0 && b.last[TagP] > top.scope {
		b.pop(int(b.last[TagP]), b.at, b.at)
		top = b.top()
	}
	if p&propEnds == 0 {
		return
	}
	barrier := int32(0)
	var ends []Tag
	switch tag {
	case TagLi:
		barrier, ends = max(top.list, top.scope), endsLi
	case TagDt, TagDd:
		barrier, ends = max(top.list, top.scope), endsDt
	case TagOption:
		barrier, ends = b.last[TagSelect], endsOption
	case TagOptgroup:
		barrier, ends = b.last[TagSelect], endsOptgroup
	case TagInput, TagTextarea, TagSelect:
		barrier, ends = top.scope, endsSelect
	case TagTr:
		barrier, ends = top.table, endsRow
	case TagTd, TagTh:
		barrier, ends = top.table, endsCell
	case TagTbody, TagThead, TagTfoot, TagColgroup, TagCaption:
		barrier, ends = top.table, endsRows
	case TagA:
		barrier, ends = top.block, endsA
	case TagH1, TagH2, TagH3, TagH4, TagH5, TagH6:
		barrier, ends = int32(len(b.open)-2), endsHeading
	case TagFrame, TagFrameset:
		ends = endsNoframes
	}
	outermost := int32(0)
	for _, e := range ends {
		if at := b.last[e]; at > barrier && (outermost == 0 || at < outermost) {
			outermost = at
		}
	}
	if outermost != 0 {
		b.pop(int(outermost), b.at, b.at)
	}
}

// What each start tag ends.
var (
	endsLi       = []Tag{TagLi}
	endsDt       = []Tag{TagDt, TagDd}
	endsOption   = []Tag{TagOption}
	endsOptgroup = []Tag{TagOption, TagOptgroup}
	endsSelect   = []Tag{TagSelect}
	endsCell     = []Tag{TagTd, TagTh, TagCaption, TagColgroup}
	endsRow      = []Tag{TagTr, TagTd, TagTh, TagCaption, TagColgroup}
	endsRows     = []Tag{TagTbody, TagThead, TagTfoot, TagTr, TagTd, TagTh, TagCaption, TagColgroup}
	endsA        = []Tag{TagA}
	endsHeading  = []Tag{TagH1, TagH2, TagH3, TagH4, TagH5, TagH6}
	endsNoframes = []Tag{TagNoframes}
)

func (b *builder) endTag() {
	nameAt := nameEnd(b.body, b.at+2)
	end, _, _ := tagEnd(b.body, nameAt)
	if end < 0 {
		b.leaf(Markup, len(b.body))
		return
	}
	end++
	tag := tagAt(b.body, b.at+2, nameAt)
	if tag == TagScript && b.last[TagMarkupScript] != 0 {
		tag = TagMarkupScript
	}
	at := b.ended(tag)
	if at == 0 || tag == TagOther && !bytes.EqualFold(b.body[b.at+2:nameAt], b.t.Name(int(b.open[at].node))) {
		b.leaf(Markup, end)
		return
	}
	b.pop(int(at), b.at, end)
	b.at = end
}

// ended finds the open element that an end tag of that name ends, 0 if none.
func (b *builder) ended(tag Tag) int32 {
	at, top := b.last[tag], b.top()
	barrier := top.scope
	switch tag {
	case TagHTML, TagBody:
		return 0 // What follows belongs to the body all the same.
	case TagTable, TagHead:
		barrier = 0
	case TagTd, TagTh, TagTr, TagTbody, TagThead, TagTfoot, TagCaption, TagColgroup:
		barrier = top.table
	case TagH1, TagH2, TagH3, TagH4, TagH5, TagH6:
		for _, h := range endsHeading {
			at = max(at, b.last[h])
		}
	case TagLi, TagDt, TagDd:
		barrier = max(top.scope, top.list)
	default:
		if p := tags[tag].props; p&propScope != 0 {
			barrier = top.table
		} else if p&propBlock == 0 && tag != TagOther {
			barrier = max(top.scope, top.block)
		}
	}
	if at <= barrier {
		return 0
	}
	return at
}

// raw takes the content of a raw element, and its end tag.
func (b *builder) raw(tag Tag) {
	if tag == TagPlaintext {
		b.leafIfAny(Raw, len(b.body))
		return
	}
	if b.seen[tag] {
		return // No end follows: its content is read as markup.
	}
	start := b.at
	end := rawEnd(b.body[start:], tag)
	if end < 0 {
		if tag == TagScript || tag == TagStyle {
			b.leafIfAny(Raw, len(b.body))
			return
		}
		b.seen[tag] = true
		return
	}
	kind := Raw
	if tag == TagTitle || tag == TagTextarea {
		kind = Text
	}
	b.leafIfAny(kind, start+end)
	b.endTag()
}

// rawEnd finds the end tag of a raw element in what follows its start tag, -1
// if there is none. In a script a "<script" inside a comment hides the next
// end tag, as the standard has it.
func rawEnd(b []byte, tag Tag) int {
	name := tags[tag].name
	comment, inner := false, false
	for i := 0; ; {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			return -1
		}
		if comment && bytes.Contains(b[i:i+j], []byte("-->")) {
			comment, inner = false, false
		}
		i += j + 1
		rest := b[i:]
		switch {
		case len(rest) > 0 && rest[0] == '/' && namedTag(rest[1:], name):
			if !inner {
				return i - 1
			}
			inner = false
		case tag == TagScript && bytes.HasPrefix(rest, []byte("!--")):
			comment = true
			i++ // The dashes may also end it: "<!-->".
		case comment && namedTag(rest, name):
			inner = true
		}
	}
}

// namedTag reports whether b begins with name and what ends a tag's name.
func namedTag(b []byte, name string) bool {
	if len(b) <= len(name) || !equalFold(b[:len(name)], name) {
		return false
	}
	c := b[len(name)]
	return class[c]&classSpace != 0 || c == '/' || c == '>'
}

func (b *builder) top() *openElement { return &b.open[len(b.open)-1] }

// leaf appends a node without children that reaches to end.
func (b *builder) leaf(k Kind, end int) int {
	n := len(b.t.Nodes)
	b.t.Nodes = append(b.t.Nodes, Node{
		Start: int32(b.at), End: int32(end), Inner: int32(b.at), Outer: int32(end),
		Parent: b.top().node, Next: int32(n + 1), Kind: k,
	})
	b.at = end
	return n
}

func (b *builder) leafIfAny(k Kind, end int) {
	if end > b.at {
		b.leaf(k, end)
	}
}

// push opens an element whose start tag reaches to end.
func (b *builder) push(tag Tag, attrs AttrSet, end int) {
	n := b.leaf(Element, end)
	at := &b.t.Nodes[n]
	at.Tag, at.attrs, at.Inner = tag, attrs, int32(end)
	i := int32(len(b.open))
	e := *b.top()
	e.node, e.same = int32(n), b.last[tag]
	if tags[tag].props&propScope != 0 {
		e.scope = i
	}
	if tags[tag].props&propBlock != 0 {
		e.block = i
	}
	switch tag {
	case TagUl, TagOl, TagMenu, TagDir, TagDl:
		e.list = i
	case TagTable:
		e.table = i
	}
	b.last[tag] = i
	b.open = append(b.open, e)
}

// pop closes the elements down to the one at place i of the stack. That one's
// end tag lies from outer to end; the others end unsaid at outer.
func (b *builder) pop(i, outer, end int) {
	next := int32(len(b.t.Nodes))
	for j := len(b.open) - 1; j >= i; j-- {
		n := &b.t.Nodes[b.open[j].node]
		n.Outer, n.End, n.Next = int32(outer), int32(outer), next
		b.last[n.Tag] = b.open[j].same
	}
	b.t.Nodes[b.open[i].node].End = int32(end)
	b.open = b.open[:i]
}

// blank reports whether b is white space alone.
func blank(b []byte) bool {
	for _, c := range b {
		if class[c]&classSpace == 0 {
			return false
		}
	}
	return true
}

package markup

import (
	"bytes"
	"slices"
	"sync"
)

// Tree is the parsed markup of a body as ranges of its bytes. Any input has a
// tree: there are no errors and no recursion, and time and memory are linear in
// the length of the body. Markup and nesting are recognized as browsers do, with
// one exception: if a browser would move or copy an element (text inside a table,
// formatting that overlaps), its bytes stay at their place in the tree.
//
// The ranges leave no gaps: an element is its start tag, its children and its end
// tag, and the children of the root are the whole body. Nodes are in order of
// their start, so the descendants of node n are the nodes n+1 to Nodes[n].Next-1,
// and a loop over the indexes visits the whole tree:
//
//	<p>a<b>c</b></p>    0 root  1 p  2 "a"  3 b  4 "c"
//	Nodes[1].Next = 5   Nodes[3].Next = 5
type Tree struct {
	Body  []byte
	Nodes []Node // Nodes[0] is the root
}

// Node is one part of a Tree: a range of the body.
type Node struct {
	Start, End   int32 // the node is Body[Start:End]
	Inner, Outer int32 // for an element, Body[Inner:Outer] is between its tags; for other nodes, it is the whole node
	Parent       int32 // index of the parent; 0 for the root
	Next         int32 // index of the first later node that is no descendant
	Kind         Kind
	Tag          Tag     // name of the element; TagOther if the node is no element
	attrs        AttrSet // groups of attributes that the element may have
}

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes. Only Root and Element have children.
const (
	Root    Kind = iota
	Element      // start tag, children, and end tag if there is one
	Text         // text with character references
	Raw          // content of script, style, xmp and similar elements, which has no character references
	Comment      // comment, or what browsers take for one
	Markup       // doctype, processing instruction, end tag that ends nothing, tag that never ends
)

// Limits of a tree. The bytes of a body beyond them are one node of kind Markup,
// so that the memory of a tree stays under 60 MB.
const (
	nodesMax     = 1 << 20
	treeBytesMax = 1<<31 - 1 // the range of Node's fields
)

// NewTree parses body and returns its tree. body must not change while the tree
// is in use. If charset.ASCIISafe is false for the charset of body, convert body
// to UTF-8 first.
func NewTree(body []byte) *Tree {
	t := &Tree{Nodes: newNodes(min(len(body)/20+16, nodesMax))}
	t.Read(body)
	return t
}

// Read parses body and makes t its tree, as NewTree does. It reuses the memory of
// t.
func (t *Tree) Read(body []byte) {
	t.Body, t.Nodes = body, append(t.Nodes[:0], Node{})
	b := builders.Get().(*builder)
	b.t, b.body = t, body[:min(len(body), treeBytesMax)]
	b.run()
	b.reset()
	builders.Put(b)
}

// Free gives the memory of the nodes to later trees. t has no nodes after that,
// but its Body stays valid. Calling Free is optional.
func (t *Tree) Free() {
	if cap(t.Nodes) > 0 {
		nodes := t.Nodes[:0]
		nodeLists.Put(&nodes)
	}
	t.Nodes = nil
}

// nodeLists and builders are unused memory for later trees. As with every
// sync.Pool, the garbage collector may free it.
var (
	nodeLists sync.Pool // of *[]Node
	builders  = sync.Pool{New: func() any {
		return &builder{open: append(make([]openElement, 0, 64), openElement{})}
	}}
)

// newNodes returns an empty list of nodes with free capacity: that of a list that is no
// longer used, if there is one, otherwise of a new list with capacity n.
func newNodes(n int) []Node {
	if l, ok := nodeLists.Get().(*[]Node); ok {
		return *l
	}
	return make([]Node, 0, n)
}

// openElement is an element whose end tag the builder has not reached. The fields after node are
// indexes into the stack of open elements; 0, the index of the root, means none. With these
// fields, the builder need only look at the top of the stack.
type openElement struct {
	node  int32
	same  int32 // the next outer element with the same tag
	scope int32 // the innermost element with propScope, from this one outwards
	block int32 // the innermost element with propBlock, from this one outwards
	list  int32 // the innermost list, from this element outwards
	table int32 // the innermost table, from this element outwards
}

type builder struct {
	t    *Tree
	body []byte
	at   int // offset in body; all bytes before it are in the tree

	open []openElement
	last [TagCount]int32 // the innermost open element of each tag; 0 if none
	seen [TagCount]bool  // for html, head and body: the element was met; for raw elements: no end tag follows
	xml  bool            // the body begins with <?xml
	endC bool            // no "]]>" follows
}

// reset clears b for another body.
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

// text adds the bytes up to the next markup as a text node.
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

// markup adds the node for the tag, comment or declaration that begins with the "<" at b.at. It
// returns false, and adds nothing, if that "<" is ordinary text.
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

// bogus adds the bytes from b.at to the next ">", or to the end of the body, as a node of kind k.
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

// commentEnd returns the length of the comment at the start of b.
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

// foreign reports whether the builder is inside SVG or MathML.
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

// markupTypes are parts of the value of type by which a script element declares
// that it holds markup.
var markupTypes = [][]byte{[]byte("template"), []byte("tmpl"), []byte("handlebars"), []byte("mustache"), []byte("text/html")}

// holdsMarkup reports whether a script element with these attributes contains
// markup and not a program. Such markup is parsed, because readers of the page
// saw its content.
func holdsMarkup(attrs []byte) bool {
	for i := 0; ; {
		a, next, ok := NextAttr(attrs, i)
		if !ok {
			return false
		}
		if i = next; EqualFold(attrs[a.Name:a.NameEnd], "type") {
			kind := bytes.ToLower(attrs[a.Value:a.ValueEnd])
			return slices.ContainsFunc(markupTypes, func(m []byte) bool { return bytes.Contains(kind, m) })
		}
	}
}

// imply closes the open elements that a start tag with this name ends without
// their end tags. For example, li ends an open li.
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

// The elements that the start tags of certain elements close, see imply.
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

// ended returns the index, in the stack of open elements, of the element that an
// end tag with this name closes, or 0 if there is none.
func (b *builder) ended(tag Tag) int32 {
	at, top := b.last[tag], b.top()
	barrier := top.scope
	switch tag {
	case TagHTML, TagBody:
		return 0 // Later nodes belong to the body although it was closed.
	case TagTable, TagHead, TagNoscript:
		// Browsers do not parse what is in noscript, so elements that are open there end with it.
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

// raw adds the content and the end tag of an element whose content is not markup.
// The start tag is in the tree already.
func (b *builder) raw(tag Tag) {
	if tag == TagPlaintext {
		b.leafIfAny(Raw, len(b.body))
		return
	}
	if b.seen[tag] {
		return // No end tag follows: the content is parsed as markup.
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

// rawEnd returns the offset in b of the end tag of the raw element tag, or -1 if
// there is none. b begins after the start tag. In a script, "<script" inside a
// comment hides the next end tag, as the standard says.
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
			i++ // The dashes may also end the comment: "<!-->".
		case comment && namedTag(rest, name):
			inner = true
		}
	}
}

// namedTag reports whether b begins with the name of a tag, followed by a byte
// that ends the name of a tag. name must be in lower case.
func namedTag(b []byte, name string) bool {
	if len(b) <= len(name) || !EqualFold(b[:len(name)], name) {
		return false
	}
	c := b[len(name)]
	return class[c]&classSpace != 0 || c == '/' || c == '>'
}

func (b *builder) top() *openElement { return &b.open[len(b.open)-1] }

// leaf appends a node without children, from b.at to end in the body. It sets
// b.at to end and returns the index of the node.
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

// push appends an element whose start tag goes from b.at to end, and puts it on
// the stack of open elements.
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

// pop closes all elements of the stack from index i up. The end tag of element i
// goes from outer to end in the body. The other elements have no end tag; they
// end at outer.
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

// blank reports whether b contains nothing but white space.
func blank(b []byte) bool {
	for _, c := range b {
		if class[c]&classSpace == 0 {
			return false
		}
	}
	return true
}

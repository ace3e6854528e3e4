package markup

import (
	"html"
	"strings"
	"unicode/utf8"
)

// NewPlainTree returns the tree of a body that is not markup, such as text/plain.
// It has one Raw node besides the root, or none if body is empty.
func NewPlainTree(body []byte) *Tree {
	t := &Tree{Nodes: make([]Node, 0, 2)}
	t.ReadPlain(body)
	return t
}

// ReadPlain makes t the tree of a body that is not markup, as NewPlainTree does. It reuses
// the memory of t.
func (t *Tree) ReadPlain(body []byte) {
	n := int32(min(len(body), treeBytesMax))
	t.Body, t.Nodes = body, append(t.Nodes[:0], Node{End: n, Outer: n, Next: 1})
	if n > 0 {
		t.Nodes[0].Next = 2
		t.Nodes = append(t.Nodes, Node{End: n, Outer: n, Next: 2, Kind: Raw})
	}
}

// Text returns the text that the whole body shows, as TextRange returns it.
func (t *Tree) Text(charset string) string { return t.TextRange(0, len(t.Body), charset) }

// TextRange returns the text that Body[start:end] shows, in reading order, as
// UTF-8. White space is folded into the following: "\n" ends block elements, line
// breaks and lines of preformatted text; "\t" ends a table cell; one space
// separates words. Text that scripts may show or style sheets may hide counts as
// shown.
func (t *Tree) TextRange(start, end int, charset string) string {
	f := t.textIn(start, end, charset)
	defer f.free()
	return string(f.out)
}

// AppendText appends the text that Text returns to dst.
func (t *Tree) AppendText(dst []byte, charset string) []byte {
	f := t.textIn(0, len(t.Body), charset)
	defer f.free()
	return append(dst, f.out...)
}

// textIn returns a folder with the text that Body[start:end] shows. The caller frees the folder.
func (t *Tree) textIn(start, end int, charset string) *spaceFolder {
	f := folders.Get().(*spaceFolder)
	f.use(charset)
	t.walk(start, end, f, nil)
	f.settle()
	return f
}

// firstNode returns the index of the first node that starts at the offset at of
// the body or later. If that offset is inside a node without children, such as
// a text or comment, it returns that node.
func (t *Tree) firstNode(at int) int {
	lo, hi := 0, len(t.Nodes)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); int(t.Nodes[mid].Start) < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	// The nodes before lo start earlier. The last of them may reach past at.
	if lo > 0 && (t.Nodes[lo-1].Kind != Element && int(t.Nodes[lo-1].End) > at) {
		lo--
	}
	return lo
}

// walk adds the text that Body[start:end] shows to the folder w. If visit is
// not nil, walk calls it for each node, hidden ones included, before it adds
// the text of the node.
func (t *Tree) walk(start, end int, w *spaceFolder, visit func(n int)) {
	var some [32]int32
	blocks := some[:0] // where the open blocks end
	pre, mute := int32(0), int32(0)
	for i := t.firstNode(start); i < len(t.Nodes) && int(t.Nodes[i].Start) < end; i++ {
		n := &t.Nodes[i]
		for len(blocks) > 0 && blocks[len(blocks)-1] <= int32(i) {
			w.brk('\n')
			blocks = blocks[:len(blocks)-1]
		}
		if visit != nil && int(n.Start) >= start {
			visit(i)
		}
		if n.Kind == Element && (n.Tag.Hidden() || n.Tag == TagIframe) {
			mute = max(mute, n.Next)
		}
		if int32(i) < mute {
			if visit == nil {
				i = int(mute) - 1
			}
			continue
		}
		switch n.Kind {
		case Text, Raw:
			lines := int32(i) < pre || n.Parent == 0 && n.Kind == Raw
			from := max(int(n.Inner), start)
			w.text(t.Body[from:max(from, min(int(n.Outer), end))], lines, n.Kind == Raw)
		case Element:
			switch n.Tag {
			case TagBr:
				w.brk('\n')
			case TagTd, TagTh:
				w.brk('\t')
			case TagOption, TagImg, TagInput:
				w.brk(' ')
			case TagPre, TagListing, TagXmp, TagPlaintext:
				pre = max(pre, n.Next)
				fallthrough
			default:
				if n.Tag.Block() {
					w.brk('\n')
					blocks = append(blocks, n.Next)
				}
			}
		}
	}
}

// Unescape returns value, the value of an attribute in UTF-8, with its character
// references resolved. A name without ";" before "=" or a letter is not a
// reference: "?a=1&copy=2" stays unchanged.
func Unescape(value string) string {
	amp := strings.IndexByte(value, '&')
	if amp < 0 {
		return value
	}
	var w strings.Builder
	w.Grow(len(value))
	for amp >= 0 {
		w.WriteString(value[:amp])
		value = value[amp:]
		end := 1
		for end < len(value) && (value[end] == '#' && end == 1 || isAlnum(value[end])) {
			end++
		}
		ref := value[:end]
		switch {
		case end < len(value) && value[end] == ';':
			end++
			if value[:end] == "&amp;" {
				w.WriteByte('&') // the most frequent reference
			} else {
				w.WriteString(html.UnescapeString(value[:end]))
			}
		case end > 1 && ref[1] == '#':
			w.WriteString(html.UnescapeString(ref))
		case end < len(value) && value[end] == '=':
			w.WriteString(ref)
		default:
			if s := html.UnescapeString(ref); utf8.RuneCountInString(s) == 1 {
				ref = s
			}
			w.WriteString(ref)
		}
		value = value[end:]
		amp = strings.IndexByte(value, '&')
	}
	w.WriteString(value)
	return w.String()
}

func isAlnum(c byte) bool { return lower(c)-'a' < 26 || c-'0' < 10 }

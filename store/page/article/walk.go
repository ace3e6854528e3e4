package article

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync"

	"infomall/store/page/markup"
)

// reader holds the state while one page is read. Its memory is reused for other
// pages.
type reader struct {
	in    *Input
	t     *markup.Tree
	lines []line
	dates []candidate
	scan  scanner

	window   int32  // index of the node of the title element; 0 if there is none
	heads    meta   // what the meta elements and JSON-LD say
	times    []int  // indexes of the nodes that may have a date in an attribute
	scripts  []int  // indexes of the script nodes that are programs
	title    int    // index of the line that has the title of the article, or -1
	mainFrom int    // index of the first line of the main text; len(lines) if there is none
	mainTo   int    // index after the last line of the main text
	names    []byte // memory for a class in lower case
	besides  map[int32]bool
	texts    map[int]string

	programs     []candidate // dates found in programs
	programDates int         // number of names of variables that were read in programs
	alone        bool        // a line after the title is only a date
	copyright    int         // the latest year in a copyright line; 0 if there is none
	marked       []int       // indexes in dates of the dates in lines with a word such as "published"
}

var readers = sync.Pool{New: func() any { return &reader{besides: map[int32]bool{}, texts: map[int]string{}} }}

// line is a piece of visible text that stands on a line of its own, or in a cell of its own.
type line struct {
	node       int32 // index of the first text node of the line
	start, end int32 // the line is Body[start:end]
	text       int32 // bytes of text, white space not counted
	linked     int32 // bytes of text that are inside links
	before     int32 // bytes of text in all lines before
	heading    int8  // rank of the innermost heading that contains the line, from 1 to 6; 0 if none does
	single     bool  // the line is one text node
	digit      bool  // the line has a digit
}

// heading is a heading element that walk is inside of.
type heading struct {
	end  int32 // index after its last node
	rank int8  // from 1 to 6
}

// linesMax is how many lines of a page are read.
const linesMax = 1 << 15

// walk visits all nodes of the page once. It reads meta elements and JSON-LD, fills r.lines, and
// notes the elements that may have a date in an attribute.
func (r *reader) walk() {
	t := r.t
	var l line
	var open [64]int32 // where open elements on lines of their own end
	depth := 0
	headEnd, linkEnd := int32(0), int32(0)
	var headings []heading // the open headings, the innermost last
	shown := int32(0)
	flush := func() {
		if l.text > 0 && len(r.lines) < linesMax {
			r.lines = append(r.lines, l)
		}
		l = line{}
	}
	for i := int32(1); i < int32(len(t.Nodes)); i++ {
		n := &t.Nodes[i]
		for depth > 0 && open[depth-1] <= i {
			depth--
			flush()
		}
		for len(headings) > 0 && headings[len(headings)-1].end <= i {
			headings = headings[:len(headings)-1]
		}
		switch n.Kind {
		case markup.Text, markup.Raw:
			if i < headEnd {
				continue
			}
			ink, digit := inked(t.Body[n.Inner:n.Outer])
			if ink == 0 {
				continue
			}
			if l.text == 0 {
				l = line{node: i, start: n.Inner, before: shown, single: true}
				if k := len(headings); k > 0 {
					l.heading = headings[k-1].rank
				}
			} else {
				l.single = false
			}
			l.end = n.Outer
			l.text += ink
			shown += ink
			l.digit = l.digit || digit
			if i < linkEnd {
				l.linked += ink
			}
		case markup.Element:
			switch n.Tag {
			case markup.TagHead:
				headEnd = n.Next
			case markup.TagTitle:
				if r.window == 0 && n.Next > i+1 {
					r.window = i
				}
				i = n.Next - 1
				continue
			case markup.TagMeta:
				r.readMeta(int(i))
			case markup.TagLink:
				r.readLink(int(i))
			case markup.TagScript:
				r.readScript(int(i))
				i = n.Next - 1
				continue
			case markup.TagStyle, markup.TagTemplate, markup.TagNoscript, markup.TagNoframes, markup.TagNoembed, markup.TagIframe, markup.TagSvg,
				markup.TagSelect, markup.TagTextarea, markup.TagMarkupScript:
				i = n.Next - 1
				continue
			case markup.TagTime, markup.TagAbbr:
				r.times = append(r.times, int(i))
			case markup.TagA:
				linkEnd = max(linkEnd, n.Next)
			case markup.TagBr, markup.TagHr:
				flush()
			case markup.TagTd, markup.TagTh, markup.TagLi:
				flush()
			}
			if h := n.Tag.Heading(); h > 0 {
				headings = append(headings, heading{n.Next, int8(h)})
			}
			if n.Tag.Block() && n.Next > i+1 {
				flush()
				if depth < len(open) {
					open[depth] = n.Next
					depth++
				}
			}
		}
	}
	flush()
}

// inked returns how many bytes of b are not white space, and whether b has a digit. For speed it
// looks at eight bytes at a time.
func inked(b []byte) (ink int32, digit bool) {
	const ones, low = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	digits := uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		// The upper bit of a byte of each sum says whether the lower bits are at least 0x21,
		// or at least 10. No byte carries into the next.
		ink += int32(bits.OnesCount64(((x&low + (0x80-0x21)*ones) | x) &^ low))
		x ^= '0' * ones
		digits |= ^((x&low + (0x80-10)*ones) | x) &^ low
	}
	for _, c := range b {
		if c > ' ' {
			ink++
			if c-'0' < 10 {
				digit = true
			}
		}
	}
	return ink, digit || digits != 0
}

// text returns the text of line i, up to lineBytesMax bytes of markup. It caches the result.
func (r *reader) text(i int) string {
	if text, ok := r.texts[i]; ok {
		return text
	}
	l := &r.lines[i]
	text := r.t.TextRange(int(l.start), min(int(l.end), int(l.start)+lineBytesMax), r.in.Charset)
	r.texts[i] = text
	return text
}

// raw returns the bytes of line i as they are in the body, without white space around them.
func (r *reader) raw(i int) []byte {
	l := &r.lines[i]
	return bytes.TrimSpace(r.t.Body[l.start:l.end])
}

// place sets r.mainFrom and r.mainTo to the indexes of the first line of the
// main text, and of the line after its last one.
func (r *reader) place() {
	r.mainFrom, r.mainTo = len(r.lines), len(r.lines)
	if len(r.in.Main) == 0 {
		return
	}
	from, to := int32(r.in.Main[0].Start), int32(r.in.Main[0].End)
	for _, m := range r.in.Main {
		from, to = min(from, int32(m.Start)), max(to, int32(m.End))
	}
	for i := range r.lines {
		if l := &r.lines[i]; l.start >= from && l.start < to {
			r.mainFrom = min(r.mainFrom, i)
			r.mainTo = i + 1
		}
	}
}

// bodyLine is the least length, in bytes of text, of a line of running text.
// Shorter lines before the running text, such as the line with the author, are
// not part of it.
const bodyLine = 80

// placeBody sets r.mainFrom to the first line of running text after the title, if there is one.
// The lines before it are the title, the author and the like.
func (r *reader) placeBody() {
	for i := max(r.mainFrom, r.title+1); i < r.mainTo; i++ {
		if l := &r.lines[i]; l.text >= bodyLine && 2*l.linked < l.text {
			r.mainFrom = i
			return
		}
	}
}

// besideNames are texts in the class or id of elements whose content does not
// belong to the article, such as "comment".
var besideNames = [][]byte{[]byte("comment"), []byte("reply"), []byte("respond"), []byte("sidebar"), []byte("related"), []byte("recommend"), []byte("footer"),
	[]byte("popular"), []byte("teaser"), []byte("widget"), []byte("copyright"), []byte("calendar"), []byte("archive"), []byte("latest"), []byte("newsletter"),
	[]byte("carousel"), []byte("rightcol"), []byte("recent"), []byte("similar"), []byte("mostread"), []byte("trending")}

// besideLevels is how many of the elements around a node the method beside
// looks at.
const besideLevels = 12

// beside reports whether node n is in a part of the page that does not belong
// to the article, such as comments. It looks at the class and id of the
// elements around n. It ignores elements that contain the title or the
// beginning of the main text.
func (r *reader) beside(n int32) bool {
	nodes := r.t.Nodes
	e := nodes[n].Parent
	if beside, ok := r.besides[e]; ok {
		return beside
	}
	first, beside := e, false
	for range besideLevels {
		if e == 0 || r.title >= 0 && r.holds(e, r.title) || r.mainFrom < len(r.lines) && r.holds(e, r.mainFrom) {
			break
		}
		switch nodes[e].Tag {
		case markup.TagAside, markup.TagFooter, markup.TagNav:
			beside = true
		case markup.TagBody, markup.TagHTML:
		default:
			if r.t.May(int(e), markup.AttrNames) {
				beside = r.namedBeside(int(e))
			}
		}
		if beside {
			break
		}
		e = nodes[e].Parent
	}
	r.besides[first] = beside
	return beside
}

// holds reports whether line i begins inside element e.
func (r *reader) holds(e int32, i int) bool {
	n := r.lines[i].node
	return e < n && n < r.t.Nodes[e].Next
}

// namedBeside reports whether the class or id of element e contains one of besideNames.
func (r *reader) namedBeside(e int) bool {
	for a := range r.t.Attrs(e) {
		if !markup.EqualFold(a.Name, "class") && !markup.EqualFold(a.Name, "id") {
			continue
		}
		r.names = append(r.names[:0], a.Value[:min(len(a.Value), 200)]...)
		for i, c := range r.names {
			if c-'A' < 26 {
				r.names[i] = c | 0x20
			}
		}
		for _, name := range besideNames {
			if bytes.Contains(r.names, name) {
				return true
			}
		}
	}
	return false
}

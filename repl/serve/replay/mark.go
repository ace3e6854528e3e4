package replay

import (
	"fmt"
	"sync"
	"unicode/utf8"

	"infomall/store/page/markup"
)

// Mark is a part of a document that a view outlines: one element, or the text and
// inline elements of a range. Marks do not overlap.
type Mark struct {
	// Start and End are the range in the body in bytes. An element begins at Start.
	Start, End int
	Around     bool   // an element of ours is put around the range
	Kind       string // how it is outlined: added, edited, moved or block
	Label      string // text at the corner of the outline; "" shows none
	Old        string // the text before the change, shown under the pointer; "" shows none
}

// oldMax bounds the bytes of the old text that a mark shows.
const oldMax = 4000

// markStyle is the style sheet of the outlines.
var markStyle = sync.OnceValue(func() []byte {
	css, err := files.ReadFile("files/marks.css")
	if err != nil {
		panic(fmt.Sprintf("replay: embedded files: %v", err))
	}
	return css
})

// appendMark appends the attributes of the mark m, with a blank before each.
func appendMark(dst []byte, m *Mark) []byte {
	return appendLabel(appendAttr(dst, "mark", m.Kind), m)
}

// appendLabel appends the attributes with the label and the old text of m.
func appendLabel(dst []byte, m *Mark) []byte {
	return appendAttr(appendAttr(dst, "label", m.Label), "old", clipText(m.Old))
}

// appendAttr appends an attribute of a mark, unless its value is "".
func appendAttr(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, " data-infomall-"...), name...), `="`...)
	return append(appendValue(dst, []byte(value)), '"')
}

// clipText returns text, cut to oldMax bytes.
func clipText(text string) string {
	if len(text) <= oldMax {
		return text
	}
	end := oldMax
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// marksTo opens and closes those marks around ranges whose ends are at the places between the
// parameters from and to. There is no tag between these places. Marks before the parameter from
// are in text that the rewriter does not read as markup, and are left out.
func (r *rewriter) marksTo(from, to int) {
	for len(r.marks) > 0 {
		m := &r.marks[0]
		switch {
		case !m.Around && m.Start >= to, m.Around && !r.open && m.Start > to, r.open && m.End > to:
			return
		case r.open:
			// An end in what is no markup for us is moved behind it.
			at := max(m.End, from, r.done)
			r.replace(at, at, []byte("</infomall-mark>"))
			r.open = false
			r.marks = r.marks[1:]
		case m.Around && m.Start >= max(from, r.done):
			r.replace(m.Start, m.Start, append(appendMark([]byte("<infomall-mark"), m), '>'))
			r.open = true
		default:
			r.marks = r.marks[1:]
		}
	}
}

// markTag adds the attributes of a mark to the start tag at i if the element has a mark. close
// is the place of the ">" of the tag. In a row or table the label goes to the first cell,
// because it would be one more cell there and move the others.
func (r *rewriter) markTag(tag markup.Tag, i, close int) {
	if r.xml && r.view[close-1] == '/' {
		close--
	}
	marked := false
	for len(r.marks) > 0 && !r.open && r.marks[0].Start <= i {
		m := r.marks[0]
		r.marks = r.marks[1:]
		if marked = !m.Around && m.Start == i; !marked {
			continue
		}
		switch tag {
		case markup.TagTable, markup.TagThead, markup.TagTbody, markup.TagTfoot, markup.TagTr:
			r.replace(close, close, appendAttr(nil, "mark", m.Kind))
			r.ofCell = m
		default:
			r.replace(close, close, appendMark(nil, &m))
		}
	}
	if tag != markup.TagTd && tag != markup.TagTh {
		return
	}
	if m := &r.ofCell; !marked && i < m.End && (m.Label != "" || m.Old != "") {
		r.replace(close, close, appendLabel(appendAttr(nil, "of", m.Kind), m))
	}
	r.ofCell = Mark{}
}

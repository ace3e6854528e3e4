package divide

import (
	"bytes"

	"infomall/store/block/flow"
	"infomall/store/page/markup"
)

// A border separates the regions of a page if the page has no elements for its
// regions. It is one of these: a rule, an image that looks like a rule, an
// image that is a heading, a Flash object. A border is alone on its line, and a
// new region begins after it. An image or object is part of the region that
// follows it.

// borderNodes is the largest number of nodes that a border may consist of. Longer
// ranges are not checked.
const borderNodes = 24

// The proportions of a border. An image or object (Flash) is a border if it is
// wide and low. Rules and headings are, and photographs and films are not.
const (
	borderWidth = 100 // pixels
	borderImage = 3   // an image is at least so many times as wide as high
	borderFlash = 2   // an object of known size is at least so many times as wide as high
)

// mayBorder reports whether nodes that show the amount a may be a border: they
// show no text, and one or two media. Two are allowed because an object often
// contains a second object for other browsers.
func mayBorder(a flow.Amount) bool { return a.Text == 0 && a.Media > 0 && a.Media <= 2 }

// border reports whether Nodes[from:to] are a border and nothing else. These
// nodes must show no text.
func (m *atoms) border(from, to int) bool {
	nodes := m.Page.Nodes
	if to-from > borderNodes {
		return false
	}
	found := false
	for i := from; i < to; {
		n := &nodes[i]
		i++
		if n.Kind != markup.Element {
			continue
		}
		switch tag := n.Tag; {
		case tag == markup.TagHr:
			found = true
		case tag == markup.TagImg:
			if m.wide(i-1, borderImage) || m.drawsBorder(i-1) {
				found = true
			} else if m.IsMedia(i - 1) {
				return false
			}
		case tag == markup.TagObject || tag == markup.TagEmbed || tag == markup.TagApplet:
			w, h := m.size(i - 1)
			if w > 0 && h > 0 && w < borderFlash*h {
				return false
			}
			found = true
			i = int(n.Next)
		case flow.MayShowMedia(tag):
			return false
		case tag.Hidden():
			i = int(n.Next)
		}
	}
	return found
}

// wide reports whether element i declares a width of at least borderWidth
// pixels, and a width of at least ratio times its height.
func (m *atoms) wide(i, ratio int) bool {
	w, h := m.size(i)
	return w >= borderWidth && h > 0 && w >= ratio*h
}

// size returns the width and height that element i declares, in pixels. 0 means
// not declared.
func (m *atoms) size(i int) (width, height int) {
	if !m.Page.May(i, markup.AttrSize) {
		return 0, 0
	}
	for a := range m.Page.Attrs(i) {
		switch {
		case len(a.Name) == 5 && markup.EqualFold(a.Name, "width"):
			width = pixels(a.Value)
		case len(a.Name) == 6 && markup.EqualFold(a.Name, "height"):
			height = pixels(a.Value)
		}
	}
	return width, height
}

// pixels returns the number of pixels at the start of b, the value of a width or
// height attribute, or 0 if there is no number. A percentage is converted for a
// screen that is 800 pixels wide.
func pixels(b []byte) (n int) {
	b = bytes.TrimLeft(b, " ")
	for len(b) > 0 && b[0] >= '0' && b[0] <= '9' && n <= 10_000 {
		n = 10*n + int(b[0]-'0')
		b = b[1:]
	}
	if len(b) > 0 && b[0] == '%' {
		return 8 * n
	}
	return n
}

// borderNames are the ends of words in the file names of images that are rules or
// headings, such as "line" in "blueline.gif".
var borderNames = [...]string{"line", "bar", "hr", "rule", "divider", "separator", "title", "heading", "banner"}

// drawsBorder reports whether the file name of image i is that of a rule or a
// heading, such as "blueline.gif" or "title_news.gif". It returns false for an
// image whose size is declared, see wide.
func (m *atoms) drawsBorder(i int) bool {
	if w, h := m.size(i); w > 0 || h > 0 {
		return false
	}
	src, _ := m.Page.Attr(i, "src")
	src = src[bytes.LastIndexByte(src, '/')+1:]
	for at := 0; at < len(src) && src[at] != '.'; {
		from := at
		for at < len(src) && src[at]|0x20-'a' < 26 {
			at++
		}
		for _, name := range borderNames {
			if at-from >= len(name) && markup.EqualFold(src[at-len(name):at], name) {
				return true
			}
		}
		if at == from {
			at++
		}
	}
	return false
}

// endsLine reports whether the current line ends before node i: Nodes[i:end] show
// nothing more on that line.
func (m *atoms) endsLine(i, end int) bool {
	for i < end {
		n := &m.Page.Nodes[i]
		switch {
		case n.Kind == markup.Element && (n.Tag.Block() || n.Tag == markup.TagBr):
			return true
		case !m.Shows(i).Empty():
			return n.Kind == markup.Element && m.Shows(i).Blocks > 0
		}
		i = int(n.Next)
	}
	return true
}

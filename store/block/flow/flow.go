// Package flow measures what the nodes of a page show: text, links, images, and
// elements on lines of their own.
//
// # Words
//
//	amount  how much a range of nodes shows
//	weight  an amount as one number: its bytes of text, and 8 for each image
//	media   an element that may show something other than text
//	spacer  an image that is there for its size only, at most three pixels wide or high
package flow

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync"

	"infomall/store/page/markup"
)

// Amount is how much text, links, images and other elements a range of a page
// shows.
type Amount struct {
	Text   int32 // bytes of visible text, white space not counted
	Link   int32 // bytes of Text that are inside links
	Media  int32 // number of images, frames, objects and controls
	Blocks int32 // number of elements on lines of their own
	Breaks int32 // number of line breaks
}

func (a Amount) minus(b *Amount) Amount {
	return Amount{a.Text - b.Text, a.Link - b.Link, a.Media - b.Media, a.Blocks - b.Blocks, a.Breaks - b.Breaks}
}

// Weight returns one number for the amount: bytes of text, and 8 for each
// image.
func (a Amount) Weight() int32 { return a.Text + 8*a.Media } // as Flow.Weighs

// Empty reports whether the amount has neither text nor media.
func (a Amount) Empty() bool { return a.Text == 0 && a.Media == 0 }

// Flow knows how much each node of a page shows. It stores sums, so that the
// amount of any range of nodes is the difference of two sums.
type Flow struct {
	Page *markup.Tree
	sum  []Amount // sum[i] is the amount that nodes 0 to i-1 show
}

// sums holds unused lists of amounts.
var sums sync.Pool // of *[]Amount

// Free gives the memory of f to later Flows. f must not be used after that.
func (f *Flow) Free() {
	sum := f.sum[:0]
	sums.Put(&sum)
	f.sum = nil
}

// newSum returns a list of n amounts with undefined content.
func newSum(n int) []Amount {
	if l, ok := sums.Get().(*[]Amount); ok && cap(*l) >= n {
		return (*l)[:n]
	}
	return make([]Amount, n)
}

// byteOrderMark is the character that may come before a page in UTF-8. It shows
// nothing.
const byteOrderMark = "\ufeff"

// New measures the nodes of a page and returns its Flow.
func New(t *markup.Tree) *Flow {
	f := &Flow{Page: t, sum: newSum(len(t.Nodes) + 1)}
	var sum Amount
	linkEnd, muteEnd := 0, 0
	for i := range t.Nodes {
		f.sum[i] = sum
		n := &t.Nodes[i]
		if i < muteEnd {
			continue
		}
		switch n.Kind {
		case markup.Text, markup.Raw:
			c := Inked(t.Body[n.Inner:n.Outer])
			if n.Start == 0 && bytes.HasPrefix(t.Body, []byte(byteOrderMark)) {
				c -= int32(len(byteOrderMark))
			}
			sum.Text += c
			if i < linkEnd {
				sum.Link += c
			}
		case markup.Element:
			switch traits := traitsOf[n.Tag]; {
			case traits == traitBlock:
				sum.Blocks++
				continue
			case traits == 0:
				continue
			case traits&traitHidden != 0:
				muteEnd = int(n.Next)
			case n.Tag == markup.TagA:
				linkEnd = max(linkEnd, int(n.Next))
			case n.Tag == markup.TagBr:
				sum.Breaks++
			case traits&traitMedia != 0 && f.IsMedia(i):
				sum.Media++
				if !n.Tag.Void() && n.Tag != markup.TagObject && n.Tag != markup.TagButton && n.Tag != markup.TagSelect {
					muteEnd = int(n.Next)
				}
			}
			if n.Tag.Block() {
				sum.Blocks++
			}
		}
	}
	f.sum[len(t.Nodes)] = sum
	return f
}

// The traits of an element: bits that say what the element counts as in a Flow.
const (
	traitBlock  = 1 << iota // is on lines of its own
	traitHidden             // shows nothing
	traitMedia              // may show something other than text
	traitOther              // link or line break
)

var traitsOf = func() (of [256]uint8) {
	for t := range markup.TagCount {
		if t.Block() {
			of[t] |= traitBlock
		}
		if t.Hidden() {
			of[t] |= traitHidden
		}
	}
	for _, t := range []markup.Tag{markup.TagImg, markup.TagInput, markup.TagEmbed, markup.TagFrame, markup.TagIframe, markup.TagObject, markup.TagApplet,
		markup.TagVideo, markup.TagAudio, markup.TagCanvas, markup.TagSvg, markup.TagSelect, markup.TagTextarea, markup.TagButton} {
		of[t] |= traitMedia
	}
	of[markup.TagA] |= traitOther
	of[markup.TagBr] |= traitOther
	return of
}()

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// Inked returns how many bytes of b are not white space. A reference "&nbsp;"
// counts as no byte. Bytes are counted eight at a time.
func Inked(b []byte) (n int32) {
	all := b
	refs := uint64(0) // not 0 if there is an "&"
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		n += int32(bits.OnesCount64(((w | highs) - 0x21*ones | w) & highs))
		x := w ^ '&'*ones
		refs |= (x - ones) &^ x & highs
	}
	for _, c := range b {
		if c > ' ' {
			n++
		}
		if c == '&' {
			refs = 1
		}
	}
	if refs != 0 {
		n -= int32(len("&nbsp;") * bytes.Count(all, []byte("&nbsp;")))
	}
	return n
}

// MayShowMedia reports whether elements with this tag may show something other than
// text.
func MayShowMedia(t markup.Tag) bool { return traitsOf[t]&traitMedia != 0 }

// IsMedia reports whether node n shows something other than text. n must be an
// element whose tag is media, see MayShowMedia. Spacer images and hidden inputs
// show nothing.
func (f *Flow) IsMedia(n int) bool {
	switch f.Page.Nodes[n].Tag {
	case markup.TagImg:
		return !f.spacer(n)
	case markup.TagInput:
		kind, _ := f.Page.Attr(n, "type")
		return string(kind) != "hidden"
	}
	return true
}

// spacer reports whether image n is declared to be at most three pixels wide or
// high.
func (f *Flow) spacer(n int) bool {
	if !f.Page.May(n, markup.AttrSize) {
		return false
	}
	for a := range f.Page.Attrs(n) {
		if name := string(a.Name); name == "width" || name == "height" || name == "WIDTH" || name == "HEIGHT" {
			if len(a.Value) == 1 && a.Value[0] >= '0' && a.Value[0] <= '3' {
				return true
			}
		}
	}
	return false
}

// Shows returns the amount that node n and its descendants show.
func (f *Flow) Shows(n int) Amount { return f.sum[f.Page.Nodes[n].Next].minus(&f.sum[n]) }

// Between returns the amount that Nodes[from:to] of the page show.
func (f *Flow) Between(from, to int) Amount { return f.sum[to].minus(&f.sum[from]) }

// UpTo returns the amount that all nodes before node n show together.
func (f *Flow) UpTo(n int) *Amount { return &f.sum[n] }

// All returns the amount that the whole page shows.
func (f *Flow) All() *Amount { return &f.sum[len(f.sum)-1] }

// Weighs returns the weight (see Amount.Weight) of what Nodes[from:to] of the
// page show.
func (f *Flow) Weighs(from, to int) int32 {
	a, b := &f.sum[from], &f.sum[to]
	return b.Text - a.Text + 8*(b.Media-a.Media)
}

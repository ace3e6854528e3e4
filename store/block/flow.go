package block

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync"

	"infomall/store/page/markup"
)

// amount is how much a range of a page shows.
type amount struct {
	text   int32 // bytes of visible text, white space not counted
	link   int32 // of these, inside links
	media  int32 // images, frames, objects, controls
	blocks int32 // elements that stand on lines of their own
	breaks int32 // line breaks
}

func (a amount) minus(b *amount) amount {
	return amount{a.text - b.text, a.link - b.link, a.media - b.media, a.blocks - b.blocks, a.breaks - b.breaks}
}

// weight returns one number for the amount: bytes of text, and 8 for each
// image.
func (a amount) weight() int32 { return a.text + 8*a.media } // as flow.weighs

// empty reports whether the amount has neither text nor media.
func (a amount) empty() bool { return a.text == 0 && a.media == 0 }

// flow has the amounts that the nodes of a tree show, in the order in which a
// browser shows them.
type flow struct {
	t   *markup.Tree
	sum []amount // sum[i] is what nodes 0 to i-1 show
}

// sums holds unused lists of amounts.
var sums sync.Pool // of *[]amount

// free returns the memory of f to the pool.
func (f *flow) free() {
	sum := f.sum[:0]
	sums.Put(&sum)
	f.sum = nil
}

// newSum returns a list of n amounts with undefined content.
func newSum(n int) []amount {
	if l, ok := sums.Get().(*[]amount); ok && cap(*l) >= n {
		return (*l)[:n]
	}
	return make([]amount, n)
}

// byteOrderMark may come before a page in UTF-8.
const byteOrderMark = "\ufeff"

// newFlow adds up the amounts that the nodes of t show.
func newFlow(t *markup.Tree) *flow {
	f := &flow{t: t, sum: newSum(len(t.Nodes) + 1)}
	var sum amount
	linkEnd, muteEnd := 0, 0
	for i := range t.Nodes {
		f.sum[i] = sum
		n := &t.Nodes[i]
		if i < muteEnd {
			continue
		}
		switch n.Kind {
		case markup.Text, markup.Raw:
			c := inked(t.Body[n.Inner:n.Outer])
			if n.Start == 0 && bytes.HasPrefix(t.Body, []byte(byteOrderMark)) {
				c -= int32(len(byteOrderMark))
			}
			sum.text += c
			if i < linkEnd {
				sum.link += c
			}
		case markup.Element:
			switch traits := traitsOf[n.Tag]; {
			case traits == traitBlock:
				sum.blocks++
				continue
			case traits == 0:
				continue
			case traits&traitHidden != 0:
				muteEnd = int(n.Next)
			case n.Tag == markup.TagA:
				linkEnd = max(linkEnd, int(n.Next))
			case n.Tag == markup.TagBr:
				sum.breaks++
			case traits&traitMedia != 0 && f.isMedia(i):
				sum.media++
				if !n.Tag.Void() && n.Tag != markup.TagObject && n.Tag != markup.TagButton && n.Tag != markup.TagSelect {
					muteEnd = int(n.Next)
				}
			}
			if n.Tag.Block() {
				sum.blocks++
			}
		}
	}
	f.sum[len(t.Nodes)] = sum
	return f
}

// The properties of an element that a flow needs.
const (
	traitBlock  = 1 << iota // stands on lines of its own
	traitHidden             // shows nothing
	traitMedia              // may show something that is no text
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

// inked counts the bytes of b that are not white space, eight at a time. A
// reference to a space counts as one byte.
func inked(b []byte) (n int32) {
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

// media reports whether elements with this tag may show something other than
// text.
func media(t markup.Tag) bool { return traitsOf[t]&traitMedia != 0 }

// isMedia reports whether node n, an element whose tag is media, shows
// something other than text. Spacer images do not.
func (f *flow) isMedia(n int) bool {
	switch f.t.Nodes[n].Tag {
	case markup.TagImg:
		return !f.spacer(n)
	case markup.TagInput:
		kind, _ := f.t.Attr(n, "type")
		return string(kind) != "hidden"
	}
	return true
}

// spacer reports whether image n is at most three pixels wide or high.
func (f *flow) spacer(n int) bool {
	if !f.t.May(n, markup.AttrSize) {
		return false
	}
	for a := range f.t.Attrs(n) {
		if name := string(a.Name); name == "width" || name == "height" || name == "WIDTH" || name == "HEIGHT" {
			if len(a.Value) == 1 && a.Value[0] >= '0' && a.Value[0] <= '3' {
				return true
			}
		}
	}
	return false
}

// shows returns the amount that node n and its descendants show.
func (f *flow) shows(n int) amount { return f.sum[f.t.Nodes[n].Next].minus(&f.sum[n]) }

// between returns the amount that the nodes from from up to to show.
func (f *flow) between(from, to int) amount { return f.sum[to].minus(&f.sum[from]) }

// upTo returns the amount that the nodes before node n show.
func (f *flow) upTo(n int) *amount { return &f.sum[n] }

// all returns the amount that the page shows.
func (f *flow) all() *amount { return &f.sum[len(f.sum)-1] }

// weighs returns the weight of the amount that the nodes from from up to to
// show.
func (f *flow) weighs(from, to int) int32 {
	a, b := &f.sum[from], &f.sum[to]
	return b.text - a.text + 8*(b.media-a.media)
}

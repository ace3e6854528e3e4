package block

import (
	"bytes"

	"infomall/store/page"
)

// amount is how much a stretch of a page shows.
type amount struct {
	text   int32 // bytes of visible text, white space not counted
	link   int32 // of these, inside links
	media  int32 // images, frames, objects, controls
	blocks int32 // elements that stand on lines of their own
	breaks int32 // line breaks
}

func (a amount) minus(b amount) amount {
	return amount{a.text - b.text, a.link - b.link, a.media - b.media, a.blocks - b.blocks, a.breaks - b.breaks}
}

func (a amount) plus(b amount) amount {
	return amount{a.text + b.text, a.link + b.link, a.media + b.media, a.blocks + b.blocks, a.breaks + b.breaks}
}

// weight compares stretches: an image counts as a word or two.
func (a amount) weight() int32 { return a.text + 8*a.media }

// atom is a stretch of a page that a division may take as one part.
type atom struct {
	start, end int32  // range of the body
	from, to   int32  // the nodes that start in it
	element    int32  // the node that it is, 0 if it is none or several
	shows      amount //
	apart      bool   // a separator stands before it
	pre        bool   // newlines break its lines
	parts      []atom // of a group, what was put together
}

// flow reads a tree as a browser lays it out: parts one after the other.
type flow struct {
	t   *page.Tree
	sum []amount // sum[i] is what nodes 0 to i-1 show
}

// byteOrderMark may stand before a page in UTF-8.
const byteOrderMark = "\ufeff"

// newFlow adds up what the nodes show.
func newFlow(t *page.Tree) *flow {
	f := &flow{t: t, sum: make([]amount, len(t.Nodes)+1)}
	var sum amount
	linkEnd, muteEnd := 0, 0
	for i := range t.Nodes {
		f.sum[i] = sum
		n := &t.Nodes[i]
		if i < muteEnd {
			continue
		}
		switch n.Kind {
		case page.Text, page.Raw:
			c := inked(t.Body[n.Inner:n.Outer])
			if n.Start == 0 && bytes.HasPrefix(t.Body, []byte(byteOrderMark)) {
				c -= int32(len(byteOrderMark))
			}
			sum.text += c
			if i < linkEnd {
				sum.link += c
			}
		case page.Element:
			switch {
			case n.Tag.Hidden():
				muteEnd = int(n.Next)
			case n.Tag == page.TagA:
				linkEnd = max(linkEnd, int(n.Next))
			case n.Tag == page.TagBr:
				sum.breaks++
			case f.isMedia(i):
				sum.media++
				if !n.Tag.Void() && n.Tag != page.TagObject && n.Tag != page.TagButton && n.Tag != page.TagSelect {
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

// inked counts the bytes of b that are no white space.
func inked(b []byte) (n int32) {
	for _, c := range b {
		if c > ' ' {
			n++
		}
	}
	return n - int32(len("&nbsp;")*bytes.Count(b, []byte("&nbsp;")))
}

// isMedia reports whether node n shows something that is no text. Images that
// only keep others apart do not.
func (f *flow) isMedia(n int) bool {
	switch f.t.Nodes[n].Tag {
	case page.TagImg:
		return !f.spacer(n)
	case page.TagInput:
		kind, _ := f.t.Attr(n, "type")
		return string(kind) != "hidden"
	case page.TagEmbed, page.TagFrame, page.TagIframe, page.TagObject, page.TagApplet, page.TagVideo, page.TagAudio,
		page.TagCanvas, page.TagSvg, page.TagSelect, page.TagTextarea, page.TagButton:
		return true
	}
	return false
}

// spacer reports whether an image is at most three pixels wide or high.
func (f *flow) spacer(n int) bool {
	for a := range f.t.Attrs(n) {
		if name := string(a.Name); name == "width" || name == "height" || name == "WIDTH" || name == "HEIGHT" {
			if len(a.Value) == 1 && a.Value[0] >= '0' && a.Value[0] <= '3' {
				return true
			}
		}
	}
	return false
}

// shows is what node n and its descendants show.
func (f *flow) shows(n int) amount { return f.sum[f.t.Nodes[n].Next].minus(f.sum[n]) }

func empty(a amount) bool { return a.text == 0 && a.media == 0 }

// page is the atom that is the whole body.
func (f *flow) page() atom {
	return atom{end: int32(len(f.t.Body)), from: 0, to: int32(len(f.t.Nodes)), shows: f.sum[len(f.t.Nodes)]}
}

func (f *flow) elementAtom(n int) atom {
	e := &f.t.Nodes[n]
	return atom{start: e.Start, end: e.End, from: int32(n), to: e.Next, element: int32(n), shows: f.shows(n)}
}

// group puts atoms that follow one another together.
func group(parts []atom) atom {
	if len(parts) == 1 {
		return parts[0]
	}
	g := atom{start: parts[0].start, end: parts[len(parts)-1].end, from: parts[0].from, to: parts[len(parts)-1].to, apart: parts[0].apart, parts: parts}
	for _, p := range parts {
		g.shows = g.shows.plus(p.shows)
	}
	return g
}

// expand takes an atom apart: into the parts of a group, the children of an
// element, the paragraphs or lines of a run of text. Elements around a single
// part are passed through. It returns nil if there is nothing to take apart.
func (f *flow) expand(a atom) []atom {
	for {
		var parts []atom
		switch {
		case a.parts != nil:
			parts = a.parts
		case a.element != 0 && f.preformatted(a.element):
			e := &f.t.Nodes[a.element]
			return f.lines(atom{start: e.Inner, end: e.Outer, from: a.element + 1, to: a.to, shows: a.shows, pre: true})
		case a.element != 0 || a.from == 0 && a.to == int32(len(f.t.Nodes)):
			parts = f.children(int(a.element))
		default:
			return f.lines(a)
		}
		if len(parts) != 1 {
			return parts
		}
		a = parts[0]
	}
}

func (f *flow) preformatted(n int32) bool {
	switch f.t.Nodes[n].Tag {
	case page.TagPre, page.TagListing, page.TagXmp, page.TagPlaintext:
		return f.shows(int(n)).blocks <= 1
	}
	return false
}

// children are the parts that follow one another inside element n: elements
// that stand on their own lines, and runs of text and inline elements between
// them. An inline element around such elements is passed through. What shows
// nothing belongs to no part.
func (f *flow) children(n int) []atom {
	var out []atom
	run := atom{}
	apart := false
	flush := func() {
		if run.end > 0 {
			out = append(out, run)
			run = atom{}
		}
	}
	take := func(i, to int, shows amount) {
		e := &f.t.Nodes[i]
		if run.end == 0 {
			run.start, run.from, run.apart = e.Start, int32(i), apart
			apart = false
		}
		run.end, run.to = e.End, int32(to)
		run.pre = e.Kind == page.Raw && e.Parent == 0
		run.shows = run.shows.plus(shows)
	}
	for i, end := n+1, int(f.t.Nodes[n].Next); i < end; {
		e := &f.t.Nodes[i]
		shows := f.shows(i)
		switch {
		case e.Kind == page.Element && e.Tag == page.TagHr:
			flush()
			apart = true
		case e.Kind == page.Element && e.Tag == page.TagBr:
			if run.end > 0 {
				run.shows.breaks++
			}
		case empty(shows) && e.Kind == page.Element && e.Tag == page.TagImg:
			flush() // A rule or spacer image.
		case empty(shows):
		case e.Kind == page.Element && e.Tag.Block():
			flush()
			a := f.elementAtom(i)
			a.apart, apart = apart, false
			out = append(out, a)
		case e.Kind == page.Element && shows.blocks > 0:
			i++ // Its first words may end the last one.
			continue
		default:
			take(i, int(e.Next), shows)
		}
		i = int(e.Next)
	}
	flush()
	return out
}

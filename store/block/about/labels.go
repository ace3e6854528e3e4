// Package about says what the blocks of a page are for and what they are about. It
// also says what a page is as a whole: its main text, its type, and the style that
// it shares with other pages of its site.
//
// # Words
//
//	label       the purpose of a block, such as nav or main
//	topic       a few words that say what a block is about
//	phrase      Chinese words that follow each other in a text, such as 毕业典礼
//	sight       the visible properties of a block
//	census      counts of the links, list items, controls and pictures in a range of a page
//	main text   the article of a page, without the menus around it
//	style       the template of a site: what its pages have in common
//	importance  how much a block differs from page to page of a site, from 0 to 1
//	shape       the tags of a page in order; pages of one template have nearly the same
//	stop word   a word that says nothing of what a text is about, such as "the"
package about

import (
	"bytes"
	"math"
	"slices"
	"sync"

	"infomall/store/block/divide"
	"infomall/store/block/flow"
	"infomall/store/block/label"
	"infomall/store/page/markup"
)

// labeller finds the labels (the purposes) of the blocks of one page.
type labeller struct {
	tree   *divide.Tree
	flow   *flow.Flow
	total  float64  // weight of all that the page shows
	census []census // census[i] is of nodes 0 to i-1
	// said has, for each node, the index in evidences of what its element declares.
	// 0 means not computed yet, and 1 means that it declares nothing.
	said      []int32
	evidences []label.Evidence
	memory    label.Memory
	ranges    []nodeRange      // for each block, the nodes that start in it
	claims    []claim          // for each chunk of the body, whether a copyright notice begins there
	inherited []label.Evidence // for each block, the evidence of its names and of its ancestors' names
	// closingAt is the offset of the last closing word between the offsets closingFrom and
	// closingEnd, or -1 if there is none, see closingWord. All are offsets in the body.
	closingAt, closingFrom, closingEnd int
	itemsIn                            map[int32]bool // the results of holdsItems so far, by element
}

var labellers = sync.Pool{New: func() any { return &labeller{itemsIn: map[int32]bool{}} }}

// newLabeller returns a labeller for the blocks of t. The caller must call free.
func newLabeller(t *divide.Tree) *labeller {
	l := labellers.Get().(*labeller)
	l.tree, l.flow = t, t.Flow()
	l.closingEnd = -1
	l.total = float64(max(1, l.flow.All().Weight()))
	l.census = takeCensus(l.census, l.flow)
	n := len(t.Page.Nodes)
	l.said = slices.Grow(l.said[:0], n)[:n]
	clear(l.said)
	l.evidences = append(l.evidences[:0], label.Evidence{}, label.Evidence{})
	chunks := len(t.Page.Body)/claimChunk + 1
	l.claims = slices.Grow(l.claims[:0], chunks)[:chunks]
	clear(l.claims)
	l.ranges = slices.Grow(l.ranges[:0], len(t.Blocks))[:len(t.Blocks)]
	l.inherited = slices.Grow(l.inherited[:0], len(t.Blocks))[:len(t.Blocks)]
	return l
}

func (l *labeller) free() {
	l.tree, l.flow = nil, nil
	clear(l.memory[:])
	clear(l.itemsIn)
	labellers.Put(l)
}

// Labels returns the label of each block of the tree. The page itself is Other. All
// blocks of a document are Main: it has no menus.
func Labels(t *divide.Tree) []label.Label { return labels(t, nil, allLevels) }

// LabelsTo returns the label of each block down to a level, like Labels. The
// labels of deeper blocks in the result are undefined.
func LabelsTo(t *divide.Tree, level int) []label.Label { return labels(t, nil, level) }

// allLevels is a level that is deeper than any block. As an argument of labels it
// means: label all blocks.
const allLevels = math.MaxInt

// SiteLabels returns the label of each block, like Labels, for a page of a site
// whose style s is known. Blocks that all pages of the site share are less likely
// to be Main.
func SiteLabels(b *divide.Body, s *SiteStyle) []label.Label {
	return labels(b.Tree, s.Importances(b), allLevels)
}

// The limits of addImportance. They were chosen on two pages each of 55 sites,
// whose articles people marked. Without importances, labels say correctly for .79 of
// the words whether the word belongs to an article. With importances they do so for
// .85. Both are means of the share for words in articles and the share for other words.
const (
	templateMost = .4 // a block with less importance belongs to the template of its site
	templateCost = 4  // the score that a block of the template loses for Main
	ownGain      = 1  // the score that other blocks gain for Main, per unit of importance above templateMost
)

// addImportance adds to e what the importance i of a block says about its label.
// Importance is how much the block differs from page to page of its site, from 0
// to 1.
func addImportance(e *label.Evidence, i float64) {
	if i < templateMost {
		e[label.Main] -= templateCost
	} else {
		e[label.Main] += ownGain * (i - templateMost)
	}
}

// labels returns the label of each block down to a level. The labels of deeper blocks are
// undefined. importances has the importance of each block, or is nil if the importances are not
// known.
func labels(t *divide.Tree, importances []float64, level int) []label.Label {
	labels := make([]label.Label, len(t.Blocks))
	labels[0] = label.Other
	if t.Document != nil {
		for n := 1; n < len(labels); n++ {
			labels[n] = label.Main
		}
		return labels
	}
	l := newLabeller(t)
	defer l.free()
	l.inherited[0] = label.Evidence{}
	l.find(0, 0)
	before := 0
	for n, next := 1, 0; n < len(t.Blocks); n = next {
		if next = n + 1; t.Blocks[n].Depth >= level {
			next = t.Blocks[n].Next
		}
		l.find(n, before)
		before = n
		e := l.names(n)
		own := e
		p := t.Blocks[n].Parent
		for i := range e {
			if label.Label(i) != label.Main { // An article has other parts than text.
				e[i] += l.inherited[p][i] * .6
			}
		}
		l.inherited[n] = e
		l.looks(n, &e, &own)
		if importances != nil {
			addImportance(&e, importances[n])
		}
		labels[n] = e.Best()
	}
	return labels
}

// nodeRange is the range of the nodes that start in a block: Nodes[from:to].
type nodeRange struct{ from, to int }

// find sets l.ranges[n], the range of the nodes that start in block n. It must be
// called for the blocks in order. before is the block of the previous call.
func (l *labeller) find(n, before int) {
	b := &l.tree.Blocks[n]
	around := nodeRange{0, len(l.flow.Page.Nodes)}
	if n > 0 {
		around = l.ranges[b.Parent]
		around.from = max(around.from, l.ranges[before].from)
	}
	from := l.at(b.Start, around)
	l.ranges[n] = nodeRange{from, l.at(b.End, nodeRange{from, around.to})}
}

// at returns the index of the first node that starts at offset place of the body
// or later. It searches the range of nodes in, and returns the end of that range
// if there is no such node.
func (l *labeller) at(place int, in nodeRange) int {
	nodes := l.flow.Page.Nodes
	lo, hi := in.from, in.to
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); int(nodes[mid].Start) < place {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// names returns the evidence of the names of elements (tag, class, id and role).
// It takes the elements that begin block n and hold most of it, and the elements
// around the block within its parent.
func (l *labeller) names(n int) (e label.Evidence) {
	b := l.tree.Blocks[n]
	outer := l.tree.Blocks[b.Parent]
	nodes := l.flow.Page.Nodes
	from, to := l.ranges[n].from, l.ranges[n].to
	if from >= len(nodes) {
		return e
	}
	// Outwards, as far as the elements lie within the parent.
	weight, shown := 1.0, l.flow.Weighs(from, to)
	for i, steps := int(nodes[from].Parent), 0; i > 0 && steps < 8; i, steps = int(nodes[i].Parent), steps+1 {
		if int(nodes[i].Start) < outer.Start || int(nodes[i].End) > outer.End || int(nodes[i].End) < b.End {
			break
		}
		if l.tree.Blocks[b.Parent].Next-b.Parent > 2 && l.weight(i) > 2*shown {
			weight = .3 // The element also contains siblings of the block.
		}
		e.Add(l.says(i), weight)
	}
	// Inwards, as long as one element holds most of the rest.
	whole := shown
	weight = 1
	for i, steps := from, 0; i < to && steps < 8; {
		if nodes[i].Kind != markup.Element || 2*l.weight(i) < whole {
			i = int(nodes[i].Next)
			weight = .6
			continue
		}
		e.Add(l.says(i), weight)
		whole = l.weight(i)
		weight *= .7
		to = int(nodes[i].Next)
		i++
		steps++
	}
	return e
}

// says returns the evidence of the tag, class, id and role of element i, or nil if they say
// nothing. It is computed once for each element, because nested blocks begin with the same
// elements.
func (l *labeller) says(i int) *label.Evidence {
	if l.said[i] == 0 {
		l.said[i] = 1
		var e label.Evidence
		if e.AddElement(l.flow.Page, i, &l.memory); e != (label.Evidence{}) {
			l.said[i] = int32(len(l.evidences))
			l.evidences = append(l.evidences, e)
		}
	}
	if l.said[i] == 1 {
		return nil
	}
	return &l.evidences[l.said[i]]
}

// weight returns the weight of what node i and its descendants show, see
// flow.Flow.Weighs.
func (l *labeller) weight(i int) int32 { return l.flow.Weighs(i, int(l.flow.Page.Nodes[i].Next)) }

// sight has the visible properties of a block, from which the method looks finds its label.
type sight struct {
	census
	region               bool    // the block is at level 1
	text                 float64 // bytes of text, at least 1
	links                float64 // share of the text that is in links, from 0 to 1
	before, share, after float64 // the shares of the page that come before the block, in it, and after it
	anchor               float64 // bytes of text for each link
	first, last          bool    // the block is at the start or at the end of the page
}

func (l *labeller) sight(n int) sight {
	from, to := l.ranges[n].from, l.ranges[n].to
	shows := l.flow.Between(from, to)
	s := sight{census: l.census[to].minus(l.census[from]), region: l.tree.Blocks[n].Depth == 1}
	s.text = float64(max(1, shows.Text))
	s.links = float64(shows.Link) / s.text
	s.share = float64(shows.Weight()) / l.total
	s.before = float64(l.flow.UpTo(from).Weight()) / l.total
	s.after = 1 - s.before - s.share
	s.anchor = s.text / max(1, float64(s.anchors))
	s.first = s.before < .03 && s.share < .4
	s.last = s.after < .05 && s.before > .5 && s.share < .3
	return s
}

// looks adds to e the evidence of the content of block n and of its place on the page. own is
// the evidence of the block's own tag, class, id and role, without those of its ancestors.
func (l *labeller) looks(n int, e, own *label.Evidence) {
	s := l.sight(n)
	if !s.region && s.anchors >= 3 && s.links > .5 {
		// A list of links in a header or footer is still a list of links.
		header, footer := e[label.Header]-own[label.Header], e[label.Footer]-own[label.Footer]
		e[label.Nav] += .6*header + .4*footer
		e[label.List] += .6 * footer
		e[label.Header], e[label.Footer] = own[label.Header], own[label.Footer]
	}
	named := max(e[label.Nav], e[label.Header], e[label.Footer], e[label.Aside]) >= 1.4
	e[label.Main] += .8 + 1.2*s.share + min(1, s.text*(1-s.links)/400)
	s.addLinks(e)
	copyright := s.after < .15 && s.share < .3 && l.copyright(n)
	if !l.plain() { // A text without markup has no frame around it.
		if (s.first || s.last) && l.item(n) {
			s.first, s.last = false, false
		}
		s.last = s.last && (copyright || own[label.Footer] > 0 || s.closes() || l.closingWord(n)) && own[label.Aside] < own[label.Footer]+1.4
		s.addPlace(e, own)
	}
	s.addContent(e)
	if !named && (s.share > .5 || s.region && s.share > .35) {
		e[label.Main] += 2
		e[label.Nav] /= 2
		e[label.List] /= 2
	}
	if copyright {
		e[label.Footer] += 1.5
	}
	if s.menu() {
		e[label.Nav] = max(e[label.Nav], e[label.Header], e[label.List]) + 1
	}
	if !s.region && s.after < .3 && s.anchors >= 5 && s.links > .5 && !copyright {
		e[label.List] = max(e[label.List], e[label.Footer]) + .5 // The links of a footer are a list.
	}
}

// closes reports whether a block looks like the end of a page: it has little text, or several
// short links. The last paragraph of an article usually has neither.
func (s *sight) closes() bool {
	return s.text < closingText || s.anchors >= 3 && s.links > .2 && s.anchor < 60
}

// closingText is how many bytes of text a block may have, at most, to look like
// the end of a page even if it has no links.
const closingText = 150

// closingWords are words, in lower case, that occur at the end of pages. The
// Chinese words are 联系我们 (contact us), 关于我们 (about us), 友情链接 (links of friends),
// 备案 (registration) and 管理员 (administrator), in UTF-8 and in GBK.
var closingWords = [...]string{
	"rights reserved", "privacy", "terms of", "contact us", "contact:", "mailto:", "webmaster", "last update", "last modified", "disclaimer",
	"sitemap", "site map", "powered by", "designed by", "hosted by", "alle rechte", "impressum", "datenschutz", "droits r", "mentions l",
	"derechos reservados", "aviso legal", "direitos reservados", "diritti riservati", "\u0432\u0441\u0435 \u043f\u0440\u0430\u0432\u0430", "(c) 19", "(c) 20", "icp",
	"联系我们", "\xc1\xaa\xcf\xb5\xce\xd2\xc3\xc7", "聯絡我們", "\xc2\x93\xbd\x6a\xce\xd2\x82\x83", "关于我们", "\xb9\xd8\xd3\xda\xce\xd2\xc3\xc7", "友情链接", "\xd3\xd1\xc7\xe9\xc1\xb4\xbd\xd3", "备案", "\xb1\xb8\xb0\xb8", "管理员", "\xb9\xdc\xc0\xed\xd4\xb1",
}

// closingPairs is a set of pairs of bytes: those with which a word of
// closingWords begins. It has one bit for each pair. The number of the bit is 256
// times the first byte plus the second.
var closingPairs = func() (pairs [1 << 16 / 64]uint64) {
	for _, w := range closingWords {
		p := uint(w[0])<<8 | uint(w[1])
		pairs[p/64] |= 1 << (p % 64)
	}
	return pairs
}()

// closingWord reports whether a word of closingWords is within the last
// copyrightBytes bytes of block n. It remembers its last search, because nested
// blocks end at the same place.
func (l *labeller) closingWord(n int) bool {
	b := &l.tree.Blocks[n]
	from := max(b.Start, b.End-copyrightBytes)
	if l.closingEnd != b.End {
		l.closingEnd, l.closingFrom, l.closingAt = b.End, b.End, -1
	}
	if l.closingAt < 0 && from < l.closingFrom {
		l.closingFrom = from
		if i := lastClosingWord(l.flow.Page.Body[from:b.End]); i >= 0 {
			l.closingAt = from + i
		}
	}
	return l.closingAt >= b.Start
}

// lastClosingWord returns the offset in text of the last occurrence of a word of
// closingWords, or -1 if there is none. ASCII letters match in upper and lower
// case.
func lastClosingWord(text []byte) int {
	pair := uint(0)
	for i := len(text) - 1; i >= 0; i-- {
		c := small(text[i])
		pair = uint(c)<<8 | pair>>8
		if closingPairs[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, w := range closingWords {
			if len(text)-i < len(w) {
				continue
			}
			k := 0
			for k < len(w) && small(text[i+k]) == w[k] {
				k++
			}
			if k == len(w) {
				return i
			}
		}
	}
	return -1
}

// small returns the lower-case letter for an ASCII capital, and any other byte
// unchanged.
func small(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// menu reports whether a block is a menu near the top of the page: its text is
// mostly short links. It returns false for a region (a block at level 1).
func (s *sight) menu() bool {
	return !s.region && s.before < .15 && s.anchors >= 3 && s.links > .5 && s.anchor < 25
}

// addLinks adds to e the evidence of the block's links. Short links are evidence
// of Nav; links that begin lines are headlines, which are evidence of List.
func (s *sight) addLinks(e *label.Evidence) {
	if s.anchors < 3 {
		return
	}
	if s.links > .4 {
		weight := 1 + 2*(s.links-.4)
		if s.anchor < 14 || s.anchor < 25 && s.before < .15 {
			e[label.Nav] += weight
		}
		if s.before >= .05 && (!s.region || s.share < .1) {
			e[label.List] += weight
		}
		e[label.Main] -= weight / 2
	}
	if s.region {
		return
	}
	if s.entries >= 3 && s.links > .1 && s.anchor < 150 && max(e[label.Media], e[label.Ad], e[label.Form]) < 1 {
		e[label.List]++
	}
	if s.links > .15 && 3*s.entries >= s.anchors && s.anchor < 150 {
		e[label.List] += min(1.2, max(0, s.anchor-11)/8)
		e[label.Main] -= .8
	}
	if s.items >= 5 && s.links > .25 {
		e[label.List] += .6
	}
}

// The first region of a page is not a header but the menu of the whole site if it has at least
// the share menuShare of the page, and at least menuLinks links.
const (
	menuShare = .2
	menuLinks = 25
)

// addPlace adds to e the evidence of being first or last on the page. This evidence is stronger
// for a region (a block at level 1). own is the evidence of the block's own tag, class, id and
// role.
func (s *sight) addPlace(e, own *label.Evidence) {
	edge := 1.3
	if s.region {
		edge = 3
	}
	if s.first && (s.region || own[label.Form] < 1.5) {
		e[label.Header] += edge
		if s.region && s.links > .6 && s.anchors >= 4 && s.anchor < 25 && own[label.Header] < 1 {
			e[label.Nav] = max(e[label.Nav], e[label.Header]) + 1 // The block shows little but links, and its names do not declare a header.
		}
	}
	if s.last {
		e[label.Footer] += edge
	}
	if s.region && s.first && s.share >= menuShare && s.anchors >= menuLinks && s.links > 1./3 {
		e[label.Nav] = max(e[label.Nav], e[label.Header]) + 1
	}
	if s.region && s.after < .15 && s.before > .5 && own[label.Footer] >= 1 {
		e[label.Footer]++
		e[label.Nav] /= 2 // The links of a footer are part of the footer.
	}
}

// addContent adds to e the evidence of the form controls and pictures in the
// block.
func (s *sight) addContent(e *label.Evidence) {
	if c := float64(s.controls); c > 0 && s.text < 150*c && s.share < .3 {
		e[label.Form] += .8 + .4*min(3, c)/3
	}
	if s.share > .2 {
		e[label.Form] /= 3 // Some pages are in a form as a whole.
	}
	if s.pictures > 0 && s.text < 60*float64(s.pictures) && s.share < .3 {
		e[label.Media] += 1.1
	}
	if s.region {
		e[label.Media] /= 3
	} else if e[label.Media] >= 2 {
		e[label.List]-- // The links of a gallery.
	}
}

// plain reports whether the body is text without any markup.
func (l *labeller) plain() bool {
	nodes := l.flow.Page.Nodes
	return len(nodes) == 2 && nodes[1].Kind == markup.Raw
}

// copyrightBytes is how many bytes at the end of a block are searched for a
// copyright notice and for closing words.
const copyrightBytes = 2000

// copyrightBegins is the set of the bytes with which copyright notices begin.
var copyrightBegins = [256]bool{'&': true, 'c': true, 'C': true, 0xc2: true, 0xe7: true, 0xb0: true, 0xaa: true} // the last four bytes are the first of © and of 版 in UTF-8, GBK and Big5

// copyrightSigns are copyright notices in Chinese: 版权所有 and 版權所有, in UTF-8, GBK
// and Big5.
var copyrightSigns = [...]string{"版权所有", "版權所有", "\xb0\xe6\xc8\xa8\xcb\xf9\xd3\xd0", "\xaa\xa9\xc5\x76\xa9\xd2\xa6\xb3"}

// claim says whether a copyright notice begins in one chunk of claimChunk bytes
// of the body. It is stored, because nested blocks end at the same place.
type claim uint8

const (
	claimUnknown claim = iota
	claimNone
	claimSome
)

const claimChunk = 512 // bytes

// copyright reports whether a copyright notice begins in the last copyrightBytes
// bytes of block n.
func (l *labeller) copyright(n int) bool {
	body, end := l.flow.Page.Body, l.tree.Blocks[n].End
	at := max(l.tree.Blocks[n].Start, end-copyrightBytes)
	for at < end {
		chunk := at / claimChunk
		next := min(end, (chunk+1)*claimChunk)
		if l.claims[chunk] == claimUnknown {
			l.claims[chunk] = claimNone
			if claims(body[chunk*claimChunk:], claimChunk) {
				l.claims[chunk] = claimSome
			}
		}
		if l.claims[chunk] == claimSome && claims(body[at:end], next-at) {
			return true
		}
		at = next
	}
	return false
}

// claims reports whether a copyright notice begins in the first n bytes of b. The
// notice may end after them.
func claims(b []byte, n int) bool {
	for i, c := range b[:min(n, len(b))] {
		if !copyrightBegins[c] {
			continue
		}
		switch c {
		case '&':
			if len(b)-i >= len("&copy;") && markup.EqualFold(b[i+1:i+5], "copy") && b[i+5] == ';' {
				return true
			}
		case 'c', 'C':
			if len(b)-i >= len("copyright") && markup.EqualFold(b[i:i+len("copyright")], "copyright") {
				return true
			}
		case "©"[0]:
			if bytes.HasPrefix(b[i:], []byte("©")) {
				return true
			}
		default:
			for _, sign := range copyrightSigns {
				if len(b)-i >= len(sign) && string(b[i:i+len(sign)]) == sign {
					return true
				}
			}
		}
	}
	return false
}

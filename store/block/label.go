package block

import (
	_ "embed"
	"strings"
	"unicode"

	"infomall/store/page"
)

// Label says what a block is for.
type Label uint8

// The labels, in the order of the manual.
const (
	Main Label = iota
	Nav
	Header
	Footer
	Aside
	Ad
	Form
	List
	Media
	Other
)

var labelNames = [...]string{"main", "nav", "header", "footer", "aside", "ad", "form", "list", "media", "other"}

// String is the label as a query shows it.
func (l Label) String() string { return labelNames[l] }

//go:embed data/labels.txt
var labelList string

// labelWords are the words of class, id and role; labelSigns those that may
// stand anywhere in them.
var labelWords, labelSigns = func() (words map[string]Label, signs map[string]Label) {
	words, signs = map[string]Label{}, map[string]Label{}
	for line := range strings.Lines(labelList) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || name[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(list) {
			if w[0] < 0x80 {
				words[w] = labelNamed(name)
			} else {
				signs[w] = labelNamed(name)
			}
		}
	}
	return words, signs
}()

func labelNamed(name string) Label {
	for l, n := range labelNames {
		if n == name {
			return Label(l)
		}
	}
	panic("block: labels.txt has no such label: " + name)
}

// evidence adds up what speaks for each label.
type evidence [Other + 1]float64

// labeller labels the blocks of one page.
type labeller struct {
	tree  *Tree
	flow  *flow
	total float64 // what the page shows
}

// Labels says of each block of the tree what it is for; the page itself is
// Other.
func (t *Tree) Labels() []Label {
	l := labeller{tree: t, flow: newFlow(t.Page)}
	l.total = float64(max(1, l.flow.sum[len(l.flow.sum)-1].weight()))
	labels := make([]Label, len(t.Blocks))
	labels[0] = Other
	inherited := make([]evidence, len(t.Blocks))
	for n := 1; n < len(t.Blocks); n++ {
		e := l.names(n)
		p := t.Blocks[n].Parent
		for i := range e {
			if Label(i) != Main { // A text has other parts than text.
				e[i] += inherited[p][i] * .6
			}
		}
		inherited[n] = e
		l.looks(n, &e)
		labels[n] = e.best()
	}
	return labels
}

// best is the label that most speaks for.
func (e *evidence) best() Label {
	best := Other
	for l := range e {
		if e[l] > e[best] {
			best = Label(l)
		}
	}
	return best
}

// nodes are the nodes that start in a block.
func (l *labeller) nodes(n int) (from, to int) {
	b := l.tree.Blocks[n]
	return l.at(b.Start), l.at(b.End)
}

// at is the first node that starts at or after a place of the body.
func (l *labeller) at(place int) int {
	nodes := l.flow.t.Nodes
	lo, hi := 0, len(nodes)
	for lo < hi {
		if mid := (lo + hi) / 2; int(nodes[mid].Start) < place {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// names gathers what the elements say by their names that lie between block n
// and its parent, are n itself, or alone make up most of it.
func (l *labeller) names(n int) (e evidence) {
	b := l.tree.Blocks[n]
	outer := l.tree.Blocks[b.Parent]
	nodes := l.flow.t.Nodes
	from, to := l.nodes(n)
	if from >= len(nodes) {
		return e
	}
	// Outwards, as far as the elements lie within the parent.
	weight := 1.0
	for i, steps := int(nodes[from].Parent), 0; i > 0 && steps < 8; i, steps = int(nodes[i].Parent), steps+1 {
		if int(nodes[i].Start) < outer.Start || int(nodes[i].End) > outer.End || int(nodes[i].End) < b.End {
			break
		}
		if l.tree.Blocks[b.Parent].Next-b.Parent > 2 && l.flow.shows(i).weight() > 2*l.between(from, to).weight() {
			weight = .3 // It is about the siblings too.
		}
		addElement(l.flow.t, i, weight, &e)
	}
	// Inwards, as long as one element holds most of the rest.
	whole := l.between(from, to).weight()
	weight = 1
	for i, steps := from, 0; i < to && steps < 8; {
		if nodes[i].Kind != page.Element || 2*l.flow.shows(i).weight() < whole {
			i = int(nodes[i].Next)
			weight = .6
			continue
		}
		addElement(l.flow.t, i, weight, &e)
		whole = l.flow.shows(i).weight()
		weight *= .7
		to = int(nodes[i].Next)
		i++
		steps++
	}
	return e
}

func (l *labeller) between(from, to int) amount { return l.flow.sum[to].minus(l.flow.sum[from]) }

// addElement adds what one element's name and attributes say.
func addElement(t *page.Tree, i int, weight float64, e *evidence) {
	switch t.Nodes[i].Tag {
	case page.TagNav, page.TagMenu:
		e[Nav] += 3 * weight
	case page.TagHeader:
		e[Header] += 2 * weight
	case page.TagFooter:
		e[Footer] += 3 * weight
	case page.TagAside:
		e[Aside] += 3 * weight
	case page.TagMain, page.TagArticle:
		e[Main] += 3 * weight
	case page.TagForm:
		e[Form] += weight
	case page.TagFigure:
		e[Media] += weight
	}
	for a := range t.Attrs(i) {
		if len(a.Name) < 2 || len(a.Name) > 5 {
			continue
		}
		switch strings.ToLower(string(a.Name)) {
		case "class", "id":
			addNames(string(a.Value), weight, e)
		case "role":
			addNames(string(a.Value), 2*weight, e)
		}
	}
}

// addNames adds what the words of a class or id say. The last word says most:
// "header-search" is a search.
func addNames(value string, weight float64, e *evidence) {
	var found [Other + 1]float64
	for _, name := range strings.Fields(value) {
		words := nameWords(name)
		for i, w := range words {
			if l, ok := labelWords[w]; ok {
				v := weight
				if i == len(words)-1 {
					v *= 1.5
				}
				found[l] = max(found[l], v)
			}
		}
		if strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
			for sign, l := range labelSigns {
				if strings.Contains(name, sign) {
					found[l] = max(found[l], weight)
				}
			}
		}
	}
	for l, v := range found {
		e[l] += v
	}
}

// nameWords splits a name at punctuation, digits and changes of case:
// "leftNav_2" has left and nav.
func nameWords(name string) []string {
	var words []string
	from := 0
	for i := 0; i <= len(name); i++ {
		upper := i < len(name) && i > 0 && name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z'
		if i == len(name) || upper || !letter(name[i]) {
			if i > from {
				words = append(words, strings.ToLower(name[from:i]))
			}
			from = i
			if !upper {
				from++
			}
		}
	}
	return words
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// looks adds what a block's content and place say.
func (l *labeller) looks(n int, e *evidence) {
	b := l.tree.Blocks[n]
	from, to := l.nodes(n)
	shows := l.between(from, to)
	text := float64(max(1, shows.text))
	share := float64(shows.weight()) / l.total
	links := float64(shows.link) / text
	before := float64(l.flow.sum[from].weight()) / l.total
	after := 1 - before - share

	var anchors, items, controls, pictures float64
	for i := from; i < to; i++ {
		switch l.flow.t.Nodes[i].Tag {
		case page.TagA:
			anchors++
		case page.TagLi, page.TagTr, page.TagDd:
			items++
		case page.TagInput, page.TagSelect, page.TagTextarea, page.TagButton:
			controls++
		case page.TagImg, page.TagObject, page.TagEmbed, page.TagVideo, page.TagIframe, page.TagCanvas:
			pictures++
		}
	}
	perAnchor := text / max(1, anchors)

	e[Main] += .8
	e[Main] += 1.2 * share
	e[Main] += min(1, text*(1-links)/400)
	if anchors >= 3 && links > .4 {
		weight := 1 + 2*(links-.4)
		if perAnchor < 14 || perAnchor < 20 && before < .15 {
			e[Nav] += weight
		}
		e[List] += weight
		e[Main] -= weight / 2
	}
	if items >= 5 && anchors >= 3 && links > .25 {
		e[List] += .6
	}
	edge := 1.3 // what standing first or last says; of a region it says more
	switch {
	case l.plain():
		edge = 0 // A text without markup has no frame around it.
	case b.Depth == 1:
		edge = 3
	}
	if before < .03 && share < .4 {
		e[Header] += edge
	}
	if after < .05 && before > .5 && share < .3 {
		e[Footer] += edge
	}
	if controls > 0 && text < 150*controls && share < .3 {
		e[Form] += .8 + .4*min(3, controls)/3
	}
	if pictures > 0 && text < 60*pictures && share < .3 {
		e[Media] += 1.1
	}
	if share > .5 || b.Depth == 1 && share > .35 {
		e[Main] += 2
		e[Nav] /= 2
		e[List] /= 2
	}
	if after < .15 && share < .2 && copyright(l.tree.Bytes(n)) {
		e[Footer] += 1.5
	}
}

// plain reports whether the body is text without any markup.
func (l *labeller) plain() bool {
	nodes := l.flow.t.Nodes
	return len(nodes) == 2 && nodes[1].Kind == page.Raw
}

// copyright reports whether the end of a block claims a copyright.
func copyright(b []byte) bool {
	end := strings.ToLower(string(b[max(0, len(b)-2000):]))
	for _, sign := range []string{"&copy;", "copyright", "©", "版权所有"} {
		if strings.Contains(end, sign) {
			return true
		}
	}
	return false
}

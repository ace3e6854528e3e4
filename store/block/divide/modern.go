package divide

import (
	"bytes"
	"hash/crc32"
	"slices"

	"infomall/store/block/flow"
	"infomall/store/block/label"
	"infomall/store/page/markup"
)

// shares are the limits by which the modern profile finds regions (parts at level
// 1) and modules (parts at level 2). A share is a fraction of the weight of the
// page, from 0 to 1.
type shares struct {
	openRegion  float64 // at level 1, a part with this share or more is a wrapper
	wrapRegion  float64 // at level 1, a part with this share or more is a wrapper if a header or footer is inside
	smallRegion float64 // at level 1, neighbours with less than this share are joined
	openModule  float64 // at level 2, a part with more than this share holds several modules
	moduleText  int32   // at level 2, a part with at most this weight is one module, whatever its share
}

// modernShares are the shares in use. They were chosen by TestMarkedShares, on pages
// that people marked. The test splits the sites into groups. Each value was best, or
// as good as the best, for most of the groups.
var modernShares = shares{openRegion: 0.98, wrapRegion: 0.5, smallRegion: 0.05, openModule: 0.15, moduleText: 600}

// Limits for the weight of parts of a page. The weight of a part is its bytes of text, plus 8 for
// each image.
const (
	smallModule = 24 // the least weight of a part at level 2
	tinyPart    = 4  // the least weight of any part
	paragraph   = 16 // the least weight of a paragraph that may be a leaf
	itemText    = 48 // a list whose items weigh less than this on average is one part
)

// openedMax is the largest number of parts of a page or of a region that are opened,
// that is replaced by their own parts. The limit keeps deeply nested markup from
// costing more time than other markup.
const openedMax = 32

// divider divides a page by the modern profile.
type divider struct {
	*atoms
	shares
	tree  *Tree
	total int32 // weight of the page

	known   *Memory // the memory of parts divided before; may be nil
	charset string  // charset of the page
}

func (t *Tree) divideModern(by shares, known *Memory, charset string) {
	t.flow = flow.New(t.Page)
	d := divider{atoms: newAtoms(t.flow), shares: by, tree: t, known: known, charset: charset}
	if all := d.page(); all.weight != 0 {
		d.total = all.weight
		t.Blocks = append(d.blocks[:0], t.Blocks...)
		d.divide(0, &all)
		d.blocks, t.Blocks = t.Blocks, slices.Clone(t.Blocks)
	}
	d.free()
}

// divide adds the parts of block n to the tree, with all their descendants. a is
// the atom of the block. divide calls itself at most levelsMax deep.
func (d *divider) divide(n int, a *atom) {
	depth := d.tree.Blocks[n].Depth + 1
	if depth <= levelsMax {
		parts := d.parts(a, depth)
		if len(parts) < 2 && depth == 1 {
			parts = []atom{*d.innermost(a)}
		}
		if len(parts) > 1 || depth == 1 {
			for i := range parts {
				p := &parts[i]
				c := len(d.tree.Blocks)
				d.tree.Blocks = append(d.tree.Blocks, Block{
					Start: int(p.start), End: int(p.end), Parent: n, Depth: depth, row: rowOf(d.Page, p.element),
				})
				d.part(c, p, depth)
			}
		}
	}
	d.tree.Blocks[n].Next = len(d.tree.Blocks)
}

// part adds the parts of block c to the tree. It takes them from the memory if
// the memory knows them. a is the atom of the block, and depth its level.
func (d *divider) part(c int, a *atom, depth int) {
	var k partKey
	known := false
	if d.known != nil {
		if k, known = d.known.key(d, a, depth); known && d.recall(c, a, k) {
			return
		}
	}
	d.divide(c, a)
	if d.tree.Leaf(c) {
		core := d.core(a)
		d.tree.Blocks[c].Start, d.tree.Blocks[c].End = int(core.start), int(core.end)
	}
	if known {
		d.learn(c, a, k)
	}
}

// core returns the innermost element that holds all that the leaf a shows and is
// large enough to be a leaf. The markup around that element belongs to the
// layout, just as it would if the leaf had neighbours there.
func (d *divider) core(a *atom) *atom {
	for a.parts == nil && a.element != 0 && !d.preformatted(a.element) {
		parts := d.children(a.element)
		if len(parts) != 1 || parts[0].element == 0 || !d.worthLeaf(&parts[0]) {
			break
		}
		a = &parts[0]
	}
	return a
}

// rowOf returns the node of the table row that contains cell n, or 0 if node n is
// not a cell.
func rowOf(t *markup.Tree, n int32) int32 {
	if tag := t.Nodes[n].Tag; tag == markup.TagTd || tag == markup.TagTh {
		return t.Nodes[n].Parent
	}
	return 0
}

// innermost returns the innermost element that holds all that the page a shows.
func (d *divider) innermost(a *atom) *atom {
	for a.element != 0 || a.from == 0 {
		if d.preformatted(a.element) {
			break
		}
		parts := d.children(a.element)
		if len(parts) != 1 {
			break
		}
		a = &parts[0]
	}
	return a
}

// parts divides atom a for level depth. A page divides into regions, a region
// into modules, and deeper atoms step by step as the markup is nested. If one of
// these ways finds no parts, the next is tried. The result is nil if none finds
// parts.
func (d *divider) parts(a *atom, depth int) []atom {
	if depth <= 1 {
		if p := d.regions(a); len(p) > 1 {
			return p
		}
	}
	if depth <= 2 {
		if p := d.modules(a); len(p) > 1 {
			return p
		}
	}
	return d.steps(a)
}

// regions returns the large parts of a page. It opens wrappers (replaces them by
// their parts) and joins small neighbours. A part is a wrapper if it shows nearly
// all of the page, or if it shows much of the page and has a header or footer
// inside.
func (d *divider) regions(a *atom) []atom {
	parts := d.expand(a)
	for range openedMax {
		big := heaviest(parts)
		if big < 0 {
			break
		}
		share := float64(parts[big].weight) / float64(d.total)
		if share < d.wrapRegion {
			break
		}
		inner := d.expand(&parts[big])
		if len(inner) < 2 || d.items(inner) || share < d.openRegion && !d.framed(inner) && !d.bordered(inner) {
			break
		}
		if len(d.opened) == 0 {
			d.opened = append(d.opened, parts...)
		}
		d.opened = slices.Replace(d.opened, big, big+1, inner...)
		parts = d.opened
	}
	if len(d.opened) > 0 {
		parts = d.take(&d.opened)
	}
	small := int32(d.smallRegion * float64(d.total))
	bordered := d.bordered(parts)
	parts = d.headed(parts)
	d.follow(parts)
	return d.fill(d.join(parts, func(a, b *atom) bool {
		if b.follows {
			return true
		}
		if b.border && d.worthModule(a, b) {
			return false
		}
		if d.textual(a) && d.textual(b) || bordered && d.plain(a) && d.plain(b) {
			return true
		}
		return (!b.apart || !d.worthModule(a, b)) && a.weight < small && b.weight < small
	}), worthPart, anywhere)
}

// follow sets the field follows of the parts after each heading, up to the next heading. These
// headings have the highest rank that occurs twice in parts, so the title of a page is none of
// them. A heading of a higher rank ends the part before it. After the last heading no field is
// set, because the end of the page may be there.
func (d *divider) follow(parts []atom) {
	var ranks [7]int // how many headings have each rank, from 1 to 6
	for i := range parts {
		ranks[d.heading(&parts[i])]++
	}
	rank := 1
	for rank < len(ranks) && ranks[rank] < 2 {
		rank++
	}
	from := -1 // the last heading of this rank, or -1
	for i := range parts {
		h := d.heading(&parts[i])
		if h == 0 || h > rank {
			continue
		}
		for j := from + 1; from >= 0 && j < i; j++ {
			parts[j].follows = true
		}
		from = -1
		if h == rank {
			from = i
		}
	}
}

// headed joins each border that is an image or object with the part after it,
// because such an image is often the heading of that part. It returns the
// resulting list.
func (d *divider) headed(parts []atom) []atom {
	for i := 0; i < len(parts); i++ {
		p := &parts[i]
		if i+1 < len(parts) && p.border && p.text == 0 && !parts[i+1].border {
			d.out = append(d.out, group(parts[i:i+2:i+2]))
			i++
			continue
		}
		d.out = append(d.out, *p)
	}
	return d.take(&d.out)
}

// items reports whether parts are the items of one list or the paragraphs of one
// text: at least three quarters have the same tag, and none shows much more than
// the others.
func (d *divider) items(parts []atom) bool {
	var sum, largest int32
	var sorts [256]int // how many parts have each tag
	most := 0
	for i := range parts {
		p := &parts[i]
		sum += p.weight
		largest = max(largest, p.weight)
		tag := d.Page.Nodes[p.element].Tag // TagOther for runs of text
		sorts[tag]++
		if tag != markup.TagDiv && tag != markup.TagTable {
			most = max(most, sorts[tag])
		}
	}
	return len(parts) > 3 && 4*most >= 3*len(parts) && 5*largest < 2*sum
}

// framed reports whether parts include a frame around the content of a page: the
// first part names itself a header, the last names itself a footer, or a part is
// a sidebar.
func (d *divider) framed(parts []atom) bool {
	for i := range parts {
		if d.sidebar(&parts[i]) {
			return true
		}
	}
	return d.named(&parts[0], label.Header) || d.named(&parts[len(parts)-1], label.Footer)
}

// sidebar reports whether an atom is a sidebar: an element aside, an element
// whose class, id or role contains "sidebar", or a narrow table cell that is full
// of links.
func (d *divider) sidebar(a *atom) bool {
	if a.element == 0 {
		return false
	}
	n := &d.Page.Nodes[a.element]
	if n.Tag == markup.TagAside {
		return true
	}
	if n.Tag == markup.TagTd {
		width, _ := d.size(int(a.element))
		shows := d.Shows(int(a.element))
		return width > 0 && width <= 250 && float64(a.weight) > d.smallRegion*float64(d.total) && 2*shows.Link > shows.Text
	}
	if !d.Page.May(int(a.element), markup.AttrNames) {
		return false
	}
	for attr := range d.Page.Attrs(int(a.element)) {
		if label.IsNaming(attr.Name) && bytes.Contains(bytes.ToLower(attr.Value), []byte("sidebar")) {
			return true
		}
	}
	return false
}

// bordered reports whether parts are text with borders and without other elements that
// begin a new line. There must be at least two borders.
func (d *divider) bordered(parts []atom) bool {
	borders := 0
	for i := range parts {
		p := &parts[i]
		if p.border {
			borders++
		} else if p.weight >= smallModule && !d.plain(p) {
			return false
		}
	}
	return borders >= 2
}

// plain reports whether an atom is running text, or an element that contains no
// other element on lines of its own.
func (d *divider) plain(a *atom) bool {
	a = d.heads(a)
	return d.textual(a) || a.element != 0 && d.Shows(int(a.element)).Blocks <= 1
}

// heads returns the atom with which the group a begins, also if a begins with a group.
// It skips the image of a border at the beginning. If a is no group, heads returns a.
func (d *divider) heads(a *atom) *atom {
	for a.parts != nil {
		if first := &a.parts[0]; first.text == 0 && first.border {
			a = &a.parts[1]
		} else {
			a = first
		}
	}
	return a
}

// named reports whether an atom is an element that declares label l by its tag,
// class, id or role.
func (d *divider) named(a *atom, l label.Label) bool {
	if a.element == 0 {
		return false
	}
	var e label.Evidence
	e.AddElement(d.Page, int(a.element), nil)
	return e[l] >= 1 && e.Best() == l
}

// textual reports whether an atom is running text: a run of text, a paragraph or
// a heading.
func (d *divider) textual(a *atom) bool {
	a = d.heads(a)
	if a.element == 0 {
		return true
	}
	switch tag := d.Page.Nodes[a.element].Tag; tag {
	case markup.TagP, markup.TagPre, markup.TagBlockquote:
		return true
	default:
		return tag.Heading() > 0
	}
}

// worthModule reports whether a and b are both large enough to stay two parts, if a
// separator is between them.
func (d *divider) worthModule(a, b *atom) bool {
	return a.weight >= smallModule && b.weight >= smallModule
}

// modules returns the parts of a region. It opens large parts (replaces them by
// their parts), except those that read as one, such as a list or an article.
func (d *divider) modules(a *atom) []atom {
	limit := max(int32(d.openModule*float64(d.total)), d.moduleText)
	left := openedMax
	var open func(parts []atom)
	open = func(parts []atom) {
		for i := range parts {
			if parts[i].weight > limit && left > 0 {
				inner := d.sections(d.expand(&parts[i]))
				if len(inner) > 1 && !d.uniform(inner) && !d.items(inner) {
					left--
					open(inner)
					continue
				}
			}
			d.opened = append(d.opened, parts[i])
		}
	}
	open(d.sections(d.expand(a)))
	return d.fill(d.join(d.defined(d.take(&d.opened)), func(a, b *atom) bool { return !d.worthModule(a, b) }), worthPart, anywhere)
}

// defined joins the terms of a definition list with the definitions after them, and returns the
// resulting list. Without this, a short term would be joined with the definition of another term,
// which is before it.
func (d *divider) defined(parts []atom) []atom {
	for i := 0; i < len(parts); {
		terms := i
		for terms < len(parts) && d.tag(&parts[terms]) == markup.TagDt {
			terms++
		}
		end := terms
		for end < len(parts) && d.tag(&parts[end]) == markup.TagDd {
			end++
		}
		if terms == i || end == terms {
			end = i + 1
		}
		d.out = append(d.out, group(parts[i:end:end]))
		i = end
	}
	return d.take(&d.out)
}

// tag returns the tag of an atom that is one element, and TagOther for any other atom.
func (d *divider) tag(a *atom) markup.Tag { return d.Page.Nodes[a.element].Tag }

// uniform reports whether there are more than three parts and they read as one
// list: they are short, and none is much longer than the others.
func (d *divider) uniform(parts []atom) bool {
	var sum, largest int32
	for i := range parts {
		sum += parts[i].weight
		largest = max(largest, parts[i].weight)
	}
	return len(parts) > 3 && sum < itemText*int32(len(parts)) && largest < 6*itemText
}

// steps divides an atom as its markup is nested, until the parts are large enough
// to be leaves. It returns nil if the atom does not divide.
func (d *divider) steps(a *atom) []atom {
	parts := d.expand(a)
	if a.end-a.start < 2*leafBytes {
		if len(parts) < 2 || !d.allWorth(parts) {
			return nil
		}
		return parts
	}
	for range 2 * leafBytes {
		if title, whole := d.titled(parts); len(whole) > 1 && len(title)+len(whole) < len(parts) {
			whole = d.fill(whole, d.worthLeaf, d.beside)
			out := d.list(len(title) + len(whole))
			copy(out[copy(out, title):], whole)
			return out
		}
		if p := d.fill(parts, d.worthLeaf, d.beside); len(p) > 1 {
			return p
		}
		// All other parts are too small to remain beside the largest part.
		big := heaviest(parts)
		if big < 0 {
			return nil
		}
		inner := d.expand(&parts[big])
		if len(inner) < 2 {
			return nil
		}
		parts = d.splice(parts, big, inner)
	}
	return nil
}

// fill joins neighbouring parts until the function worth returns true for each.
// The function near says which neighbours may be joined. The result for a part
// depends only on the parts nearby: an item added to a list leaves the other
// items unchanged. For the same reason a short part is not joined with a part
// that divides further.
func (d *divider) fill(parts []atom, worth func(*atom) bool, near func(a, b *atom) bool) []atom {
	first := 0 // the first part for which worth is false
	for first < len(parts) && worth(&parts[first]) {
		first++
	}
	if first == len(parts) {
		return parts
	}
	d.out = append(d.out, parts[:first]...)
	parts = parts[first:]
	for len(parts) > 0 {
		n := 1
		if !worth(&parts[0]) {
			for n < len(parts) && !worth(&parts[n]) && !d.cutAfter(&parts[n-1]) && near(&parts[n-1], &parts[n]) {
				n++
			}
		}
		g := group(parts[:n:n])
		parts = parts[n:]
		if n := len(d.out); n > 0 && !worth(&d.out[n-1]) && near(&d.out[n-1], &g) && !d.keepApart(&d.out[n-1], &g) {
			d.out[n-1] = d.pair(&d.out[n-1], &g)
		} else {
			d.out = append(d.out, g)
		}
	}
	if n := len(d.out); n > 1 {
		a, b := &d.out[n-2], &d.out[n-1]
		if !worth(b) && near(a, b) && !d.keepApart(b, a) {
			*a = d.pair(a, b)
			d.out = d.out[:n-1]
		}
	}
	return d.take(&d.out)
}

// allWorth reports whether each part is large enough to be a leaf of its own.
func (d *divider) allWorth(parts []atom) bool {
	for i := range parts {
		if !d.worthLeaf(&parts[i]) {
			return false
		}
	}
	return true
}

// anywhere always returns true. As the argument near of fill, it allows any
// neighbours to be joined.
func anywhere(a, b *atom) bool { return true }

// beside reports whether fill may join a and b, two parts that follow each other.
// It may if both are in the same element, because then no tag of that element is
// between them, or if one of them shows next to nothing.
func (d *divider) beside(a, b *atom) bool {
	return d.around(a) == d.around(b) || min(a.weight, b.weight) < tinyPart
}

// around returns the node of the element that contains an atom.
func (d *divider) around(a *atom) int32 {
	for a.parts != nil {
		a = &a.parts[0]
	}
	if a.element != 0 {
		return d.Page.Nodes[a.element].Parent
	}
	return d.Page.Nodes[a.from].Parent
}

// keepApart reports whether the atom small must not be joined with its neighbour,
// because the neighbour divides further. Only a piece of the neighbour would be
// joined in the end.
func (d *divider) keepApart(small, neighbour *atom) bool {
	return small.weight >= tinyPart && neighbour.end-neighbour.start >= 4*leafBytes && len(d.expand(neighbour)) > 1
}

// worthLeaf reports whether an atom is large enough to be a leaf, which is stored
// by itself. A short paragraph is large enough: if it were joined with its
// neighbours until an edit makes it longer, the edit would change the neighbours
// too. A heading is large enough, because it may remain when the text below it is
// removed.
func (d *divider) worthLeaf(a *atom) bool {
	if a.end-a.start >= leafBytes {
		return true
	}
	if a.element == 0 {
		return false
	}
	switch tag := d.Page.Nodes[a.element].Tag; tag {
	case markup.TagP, markup.TagBlockquote, markup.TagDd, markup.TagPre:
		return a.weight >= paragraph
	default:
		return tag.Heading() > 0 && a.weight >= tinyPart
	}
}

// worthPart reports whether an atom is large enough to be a part of its own: its weight
// is at least smallModule, or its markup has at least leafBytes bytes.
func worthPart(a *atom) bool { return a.end-a.start >= leafBytes || a.weight >= smallModule }

// cutAfter reports whether a sequence of small parts may be cut after part a. The
// result is true for about one part in four. It depends only on the bytes of the
// part, so that the same parts are joined in each version of a page.
func (d *divider) cutAfter(a *atom) bool {
	return crc32.ChecksumIEEE(d.Page.Body[a.start:a.end])&3 == 0
}

// heaviest returns the index of the part with the greatest weight, or -1 if there
// are no parts.
func heaviest(parts []atom) int {
	big := -1
	for i := range parts {
		if big < 0 || parts[i].weight > parts[big].weight {
			big = i
		}
	}
	return big
}

// splice returns a list like parts, but with the parts in inner in place of
// parts[i].
func (d *divider) splice(parts []atom, i int, inner []atom) []atom {
	out := d.list(len(parts) + len(inner) - 1)
	n := copy(out, parts[:i])
	n += copy(out[n:], inner)
	copy(out[n:], parts[i+1:])
	return out
}

// join joins neighbouring parts for which the function together returns true, and
// returns the resulting list. The first argument of together is the group so far.
func (d *divider) join(parts []atom, together func(a, b *atom) bool) []atom {
	for i := 0; i < len(parts); {
		g := parts[i]
		j := i + 1
		for j < len(parts) && together(&g, &parts[j]) {
			g.text, g.weight, g.end = g.text+parts[j].text, g.weight+parts[j].weight, parts[j].end
			j++
		}
		d.out = append(d.out, group(parts[i:j:j]))
		i = j
	}
	if len(d.out) == len(parts) {
		d.out = d.out[:0] // Nothing was joined.
		return parts
	}
	return d.take(&d.out)
}

// titled divides parts into sections, each of them a heading with the parts after it, and
// returns the sections in whole. If the only heading of the highest rank is the first part, it
// is the title of all the others. title then has this part alone, because the others may change
// places, and whole has the sections of the next rank. Otherwise title is nil.
func (d *divider) titled(parts []atom) (title, whole []atom) {
	whole = d.sections(parts)
	if len(whole) == 1 && len(parts) > 1 && d.heading(&parts[0]) > 0 {
		return parts[:1:1], d.sections(parts[1:])
	}
	return nil, whole
}

// sections joins each heading of the highest rank with the parts after it, up to
// the next such heading, and returns the resulting list. Without headings it
// returns parts unchanged.
func (d *divider) sections(parts []atom) []atom {
	rank := 7
	for i := range parts {
		if h := d.heading(&parts[i]); h > 0 {
			rank = min(rank, h)
		}
	}
	if rank == 7 {
		return parts
	}
	from := 0
	for i := 1; i <= len(parts); i++ {
		if i == len(parts) || d.heading(&parts[i]) == rank {
			d.out = append(d.out, group(parts[from:i:i]))
			from = i
		}
	}
	return d.take(&d.out)
}

// heading returns the rank of an atom that is a heading, from 1 to 6, and 0 for
// any other atom.
func (d *divider) heading(a *atom) int {
	if a.element == 0 {
		return 0
	}
	return d.Page.Nodes[a.element].Tag.Heading()
}

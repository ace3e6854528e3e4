package facts

import (
	"infomall/store/page/markup"
	"infomall/store/record"
)

// Seeker finds certain links in many pages, for example the links to one URL. Most pages of a
// site share leaves. So a Seeker reads each span (leaves stored one after the other) only once,
// and remembers which of its links are sought. It takes up to about 16 MB of memory. The zero
// value is ready for use. Only one goroutine may use a Seeker.
type Seeker struct {
	spans map[seekerGroup]map[record.LeafSpan]*spanLinks
	bytes int // an estimate of the memory that spans takes, in bytes

	// first is the first span of the page that was read last. From there, the field next leads
	// from span to span. The next version of the page has nearly the same spans, so the map is
	// rarely needed.
	first *spanLinks
	group seekerGroup                    // the group of the page that was read last
	of    map[record.LeafSpan]*spanLinks // the remembered spans of the group: spans[group]

	leaves  [][]byte           // memory for the facts of the current span
	targets []markup.Reference // memory for the links of the current leaf
	target  []byte             // memory for the target of the current link
}

const (
	// seekerBytes bounds the memory of a Seeker, which is emptied when it is full. seekerEntry
	// is how many bytes a span takes, and seekerLink how many a sought link takes with its
	// texts.
	seekerBytes = 16 << 20
	seekerEntry = 180
	seekerLink  = 500
)

// seekerGroup is a group of pages in which equal leaves have equal sought links.
type seekerGroup struct {
	site    string
	reading keptReading
}

// spanLinks is what a Seeker remembers of a span of leaves.
type spanLinks struct {
	span   record.LeafSpan
	next   *spanLinks // the span that came after it in the last page that had it, or nil
	before []int32    // before[i] is how many links the leaves before leaf i have; the last element counts all
	sought []siteLink // Leaf and Number are counted from the beginning of the span
}

// siteLink is a link of a span that some page of the site may seek. all is set if every page of
// the site seeks it.
type siteLink struct {
	SoughtLink
	all bool
}

// SoughtLink is one link that a Seeker found. Number is its index among all links of the
// page, in the order of Kept.Links.
type SoughtLink struct {
	Link
	Number int
}

// Sought says which links of one page are sought.
type Sought struct {
	// Site is the site of the page; see urlkey.Links.
	Site string
	// OfPage reports whether a link with this target, as the page writes it, is sought in the
	// page. OfSite reports whether such a link may be sought in a page of the site, and whether
	// it is sought in all pages of the site. Neither function may keep target.
	OfPage func(target []byte) bool
	OfSite func(target []byte) (may, all bool)
	// Read appends to dst the facts of the leaves of one span.
	Read func(dst [][]byte, span record.LeafSpan) ([][]byte, error)
}

// Links returns those links of the page k that q seeks, in the order of the page. spans are the
// leaves of the page. Number counts all links of the page, as Kept.Links orders them.
func (s *Seeker) Links(k *Kept, spans []record.LeafSpan, q *Sought) (links []SoughtLink, err error) {
	if !k.cutFits() {
		return nil, ErrFacts
	}
	ofPage := func(target string) bool {
		s.target = append(s.target[:0], target...)
		return q.OfPage(s.target)
	}
	for i, l := range OutsideLinks(k.outside) {
		if ofPage(l.Target) {
			links = append(links, SoughtLink{l, i})
		}
	}
	if group := (seekerGroup{q.Site, k.keptReading}); s.spans == nil || s.group != group {
		s.group, s.first, s.of = group, nil, s.spans[group]
	}
	passed := 0          // links of the layout that were passed
	leaf, before := 0, 0 // leaves before the current span, and links in these leaves
	part, last := -1, 0  // as in Kept.Links
	// layout passes the links of the layout that come before the given leaf, or before a
	// leaf before it. inSpan has spanLinks.before of the current span.
	layout := func(upTo int, inSpan []int32) {
		for ; passed < len(k.placed) && k.placed[passed].leaf <= upTo; passed++ {
			if l := k.layout[passed]; ofPage(l.Target) {
				n := len(k.outside) + passed + before + int(inSpan[max(k.placed[passed].leaf-leaf, 0)])
				links = append(links, SoughtLink{Link{l, -1, k.placed[passed].part}, n})
			}
		}
	}
	next := &s.first // the span that probably comes next
	for _, span := range spans {
		f := *next
		if f == nil || f.span != span {
			if f = s.of[span]; f == nil {
				if f, err = s.ofSite(k, span, q); err != nil {
					return nil, err
				}
			}
			*next = f
		}
		next = &f.next
		for i := range f.sought {
			if !f.sought[i].all && !ofPage(f.sought[i].Target) {
				continue
			}
			l := f.sought[i].SoughtLink
			l.Leaf += leaf
			layout(l.Leaf, f.before)
			l.Number += len(k.outside) + passed + before
			for l.Leaf >= last && part+1 < len(k.Cut) {
				part++
				last += max(1, k.Cut[part].Leaves)
			}
			l.Part = part
			links = append(links, l)
		}
		end := leaf + int(span.Count)
		if passed < len(k.placed) && k.placed[passed].leaf < end {
			layout(end-1, f.before)
		}
		leaf, before = end, before+int(f.before[span.Count])
	}
	if leaf != k.count {
		return nil, ErrOther
	}
	layout(leaf, []int32{0})
	return links, nil
}

// ofSite reads a span of leaves. The result lists the links in the span that some page of the site
// may seek.
func (s *Seeker) ofSite(k *Kept, span record.LeafSpan, q *Sought) (*spanLinks, error) {
	leaves, err := q.Read(s.leaves[:0], span)
	if err != nil {
		return nil, err
	}
	s.leaves = leaves
	if len(leaves) != int(span.Count) {
		return nil, ErrOther
	}
	f := &spanLinks{span: span, before: make([]int32, 1, len(leaves)+1)}
	n := 0
	for i, src := range leaves {
		leaf, err := k.leaf(src)
		if err != nil {
			return nil, err
		}
		if leaf.links != nil {
			if s.targets, _, err = markup.AppendReferences(s.targets[:0], leaf.links); err != nil {
				return nil, err
			}
			var links []markup.Link // decoded with their texts only if one is sought
			for j, t := range s.targets {
				may, all := q.OfSite(t.Target)
				if !may {
					continue
				}
				if links == nil {
					if links, _, err = markup.TakeLinks(leaf.links); err != nil {
						return nil, err
					}
				}
				f.sought = append(f.sought, siteLink{SoughtLink{Link{links[j], i, -1}, n + j}, all})
			}
			n += len(s.targets)
		}
		f.before = append(f.before, int32(n))
	}
	s.keep(span, f)
	return f, nil
}

// keep remembers f, the links of the span. If the memory is full, it first forgets all other
// spans.
func (s *Seeker) keep(span record.LeafSpan, f *spanLinks) {
	s.bytes += seekerEntry + 4*len(f.before) + seekerLink*len(f.sought)
	if s.spans == nil || s.bytes > seekerBytes {
		s.spans, s.bytes = make(map[seekerGroup]map[record.LeafSpan]*spanLinks), 0
		s.first, s.of = nil, nil
	}
	if s.of == nil {
		s.of = make(map[record.LeafSpan]*spanLinks)
		s.spans[s.group] = s.of
	}
	s.of[span] = f
}

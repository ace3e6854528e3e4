package facts

import (
	"infomall/store/page/markup"
	"infomall/store/record"
)

// Seeker finds a few of the links of many pages, for example the links to one URL. Most
// pages of a site share leaves, so a Seeker reads each span of leaves once and remembers
// which of its links are sought. It takes at most about 16 MB of memory. The zero value is
// ready for use. Only one goroutine may use it.
type Seeker struct {
	spans map[seekerGroup]map[record.LeafSpan]*spanLinks
	bytes int // about how many bytes spans takes

	// first is the first span of the page before, which belongs to group. The next version of that
	// page has nearly the same spans, and other pages share some that follow each other, so that the
	// map is rarely asked.
	first *spanLinks
	group seekerGroup
	of    map[record.LeafSpan]*spanLinks // of group

	leaves  [][]byte           // memory for the facts of the current span
	targets []markup.Reference // memory for the links of the current leaf
	target  []byte             // memory for the target of the current link
}

const (
	// seekerBytes bounds the memory of a Seeker; when it is full, it is emptied.
	// seekerEntry is what a span takes, and seekerLink what a sought link takes with its
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
	before []int32    // how many links the span has before each of its leaves, and in all
	sought []siteLink // their Leaf and Number count from the beginning of the span
}

// siteLink is a link of a span that may be sought. all is set if it is sought in all pages of
// the site.
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

// Sought is a question for the links of one page.
type Sought struct {
	// Site is the site of the page; see urlkey.Links.
	Site string
	// OfPage reports whether a link with the given target, as the page has it, is sought.
	// OfSite reports whether it may be sought in a page of the site, and whether it is sought
	// in all of them. Neither keeps target.
	OfPage func(target []byte) bool
	OfSite func(target []byte) (may, all bool)
	// Read appends to dst the facts of the leaves of one span.
	Read func(dst [][]byte, span record.LeafSpan) ([][]byte, error)
}

// Links returns the links of page k that q asks for, in the order of the page. spans are the
// leaves of the page.
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

// ofSite returns the links of a span that the site of a page does not rule out.
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

// keep remembers f.
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

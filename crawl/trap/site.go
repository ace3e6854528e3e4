package trap

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// limitDefault is the default limit of a kind's debt, the sum of the charges
// for its pages without anything new. A page that only has other numbers
// than earlier ones adds 1. Some good sites have hundreds of these, with
// tables of results or prices.
const limitDefault = 1000

// The charges that a page without anything new adds to the debt of its kind. A
// page that is surely no content adds limit/sure, which is 25 by default. The
// limit is then reached after 40 pages: about the months of three years in a
// calendar, or a print view of each page of a small site.
const (
	chargeNumbers = 1  // for a page with other numbers than earlier ones, or with text that is new to its kind
	chainLength   = 50 // after so many pages in a row without anything new, chargeNumbers is doubled
	sure          = 40 // limit/sure is charged for a page that is surely no content
	arranged      = 50 // limit/arranged is charged for known content in another order or selection
	freeCopies    = 1  // the first freeCopies copies of a page, such as on a second URL, cost chargeNumbers only
)

// kindsMax bounds the number of kinds of one site. Pages of further kinds
// are charged only to the site as a whole.
const kindsMax = 2000

// Site holds what a crawl has learned about the pages of one host: their
// content, their kinds, and which parts of their URLs name visits.
type Site struct {
	known known
	kinds map[string]*tally
	whole tally            // all pages
	limit float64          // maximum debt of a kind; below 0, no URL is kept back
	page  uint16           // number of the last page, the tag of its hashes in known
	slots map[string]*slot // arguments and folders with values, by name
	pages []string         // names of arguments that always identify a page

	Changed bool // whether the Site has changed since it was stored
}

// tally counts the pages of one kind of URLs. Each page that brings nothing new
// adds a charge to Debt, and each page that brings something new pays back a part.
type tally struct {
	Debt  float64
	Pages int
	Fresh int // fresh pages of the kind, and fresh pages of other kinds that they link to
	Run   int // pages since the last fresh one
	Of    int `json:",omitempty"` // N of the last page that says "n of N"
	OfRun int `json:",omitempty"` // number of pages in a row that said the same N
	// Released says that Release was called: the URLs of the kind are fetched in
	// any case.
	Released bool `json:",omitempty"`
}

// NewSite returns a Site without any pages. limit bounds the debt of a kind,
// that is, the charges for its pages without anything new: 0 means
// limitDefault. With a limit below 0 no URL is kept back. pages are names of
// arguments that always identify a page and never a visit.
func NewSite(limit int, pages []string) *Site {
	if limit == 0 {
		limit = limitDefault
	}
	return &Site{kinds: make(map[string]*tally), limit: float64(limit), pages: pages}
}

// Page is a page of a site that a crawl has fetched.
type Page struct {
	URL    string
	Via    string // page of the same site that links to it; or ""
	Barren int    // number of barren pages in a row on the path of links to it
	Print  *Print
}

// Note adds the page p to the Site and changes the debt of the kinds of its
// URL. fresh reports whether the page brings something new to the site.
// urgent reports whether the page has shown which part of URLs names visits;
// the Site should then be stored soon.
func (s *Site) Note(p Page) (fresh, urgent bool) {
	s.Changed = true
	urgent = s.noteVisit(p.URL, p.Print)
	own := s.of(p.URL)
	fresh, charge := s.judge(&p, own[0])
	for _, k := range own {
		k.Pages++
		if !fresh {
			k.owe(charge, s.limit)
			k.Run++
			continue
		}
		k.Fresh++
		k.Run = 0
		k.owe(-s.share(sure), s.limit)
	}
	if fresh && p.Via != "" {
		for _, k := range s.of(p.Via) {
			if !slices.Contains(own, k) {
				k.Fresh++
				k.owe(-s.share(sure), s.limit)
			}
		}
	}
	return fresh, urgent
}

// owe adds charge, which may be negative, to the debt of k. The debt does
// not fall below -limit/4. So many good pages at the start of a kind do not
// pay for a trap later.
func (k *tally) owe(charge, limit float64) { k.Debt = max(k.Debt+charge, -limit/4) }

// of returns the tallies of the kinds to which the URL u belongs, and as the
// last one the tally of the whole site. It creates missing tallies.
func (s *Site) of(u string) []*tally {
	var list []*tally
	for _, name := range kindsOf(u) {
		k := s.kinds[name]
		if k == nil && len(s.kinds) < kindsMax {
			k = new(tally)
			s.kinds[name] = k
		}
		if k != nil {
			list = append(list, k)
		}
	}
	return append(list, &s.whole)
}

// share returns the charge with which n pages reach the limit: limit/n, but
// at least chargeNumbers.
func (s *Site) share(n float64) float64 { return max(s.limit/n, chargeNumbers) }

// judge reports whether the page p is fresh, that is, brings something new
// to the site. If not, charge is what each of its kinds is charged. k is the
// tally of the first kind of its URL.
func (s *Site) judge(p *Page, k *tally) (fresh bool, charge float64) {
	s.page++
	copies := s.copies(p.Print)
	_, said := s.known.meet(uint32(p.Print.words)^uint32(p.Print.words>>32), s.page)
	news := s.news(p, kindsOf(p.URL)[0])
	path, query, asks := pathOf(p.URL)
	switch {
	case !p.Print.page && copies == 0, news.media > 0, news.units >= 2, news.units == 1 && p.Print.cut:
		return true, 0
	case copies > freeCopies || copies > 0 && asks:
		return false, s.share(sure)
	case copies > 0:
		return false, chargeNumbers
	case said && (p.Print.dates >= 7 || isDated(path+"?"+query) || circles(path)):
		return false, s.share(sure)
	case said && s.promised(p.Print, k):
		return false, 0
	case said, news.kind && news.source < .6:
		return false, chargeNumbers * (1 + float64(p.Barren)/chainLength)
	}
	return false, s.share(arranged)
}

// circles reports whether some folder occurs three times in path. Relative
// links that lead in a circle make such paths, but good sites have some too.
func circles(path string) bool {
	_, most := distinct(path)
	return most > 2
}

// copies returns how many earlier pages had the same whole text as the page
// with the print p, at most 3. It counts this page for the next call.
func (s *Site) copies(p *Print) (n int) {
	for n < 3 {
		h := mix(p.same + uint64(n))
		if _, ok := s.known.meet(uint32(h)^uint32(h>>32), s.page); !ok {
			break
		}
		n++
	}
	return n
}

// news says how much of a page is new to its site.
type news struct {
	// units and media count the units (pairs of neighbouring words) and the images
	// of the page that no earlier page had.
	units  int
	media  int
	kind   bool    // whether a quarter or more of its units are new to its kind of URLs
	source float64 // the greatest share of its units that one earlier page had, and no page since
}

// news compares the page p with the earlier pages of the site, and adds its
// units and images to them. name is the first kind of its URL.
func (s *Site) news(p *Page, name string) (n news) {
	sources := make(map[uint16]int, 8)
	best := 0
	for _, u := range p.Print.units {
		tag, ok := s.known.meet(u, s.page)
		if !ok {
			n.units++
			continue
		}
		sources[tag]++
		best = max(best, sources[tag])
	}
	for _, m := range p.Print.media {
		if _, ok := s.known.meet(m, s.page); !ok {
			n.media++
		}
	}
	if len(p.Print.units) > 0 {
		n.source = float64(best) / float64(len(p.Print.units))
	}
	h := uint32(fnvOffset32)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * fnvPrime32
	}
	some := p.Print.units[:min(len(p.Print.units), 16)]
	others := 0
	for _, u := range some {
		if _, ok := s.known.meet(mix32(u^h), s.page); !ok {
			others++
		}
	}
	n.kind = len(some) > 0 && 4*others >= len(some)
	return n
}

// promised reports whether the page with the print p says "n of N", such as
// "page 3 of 20", with the same N as the last three pages of its kind, and
// the kind k has at most N pages so far. Such a kind ends by itself, so it
// is no trap.
func (s *Site) promised(p *Print, k *tally) bool {
	if p.last == 0 || p.last != k.Of {
		k.Of, k.OfRun = p.last, 0
		return false
	}
	k.OfRun++
	return k.OfRun > 2 && k.Pages <= k.Of
}

// closed reports whether the debt of k, the charges for its pages without
// anything new, is so high that k is a trap. The debt may reach the limit,
// and 0.5 more for each page of the site that brought something new. For the
// site as a whole both numbers are doubled.
func (s *Site) closed(k *tally) bool {
	if k == &s.whole {
		return k.Debt > 2*s.limit+float64(k.Fresh)
	}
	return k.Debt > s.limit+float64(s.whole.Fresh)/2
}

// hopeless is a share of fresh pages (pages with something new). If fewer
// pages of a trap are fresh, Refuse keeps back its URLs even if a fresh page
// links to them.
const hopeless = .05

// Refuse returns why the URL u is kept back because it is in a trap, or ""
// if it may be fetched. barren is how many pages in a row, on the path of
// links to u, brought nothing new.
func (s *Site) Refuse(u string, barren int) string {
	if s.limit < 0 {
		return ""
	}
	for _, name := range kindsOf(u) {
		k := s.kinds[name]
		switch {
		case k == nil:
		case k.Released:
			return ""
		case !s.closed(k):
		case barren > 0 || float64(k.Fresh) < hopeless*float64(k.Pages):
			return fmt.Sprintf("a trap: of %d like it, %d brought anything new, and of the last %d none", k.Pages, k.Fresh, k.Run)
		}
	}
	if barren > 0 && s.closed(&s.whole) && !s.whole.Released {
		return fmt.Sprintf("a trap: the %d before it brought nothing new, and most pages of the site bring nothing new", barren)
	}
	return ""
}

// TrapOf returns the name of the kind of URLs that is a trap and contains the URL u.
// The name is "" if only the site as a whole is a trap. ok is false if u is in no
// trap.
func (s *Site) TrapOf(u string) (name string, ok bool) {
	for _, name := range kindsOf(u) {
		if k := s.kinds[name]; k != nil && s.closed(k) {
			return name, true
		}
	}
	return "", s.closed(&s.whole)
}

// Release makes Refuse allow all URLs of a kind from now on, even if their
// pages bring nothing new. kind is a name that TrapOf has returned; "" means
// the site as a whole.
func (s *Site) Release(kind string) {
	s.Changed = true
	k := s.kinds[kind]
	switch {
	case kind == "":
		k = &s.whole
	case k == nil:
		k = new(tally)
		s.kinds[kind] = k
	}
	k.Released = true
}

// Released reports whether Release was called for a kind.
func (s *Site) Released(kind string) bool {
	k := s.kinds[kind]
	if kind == "" {
		k = &s.whole
	}
	return k != nil && k.Released
}

// Bound bounds the memory of the Site: it sets how many hashes each of the
// two generations of known may hold. The number is raised to knownMin or
// lowered to knownMax if necessary.
func (s *Site) Bound(hashes int) { s.known.max = min(max(hashes, knownMin), knownMax) }

// stored is the JSON form of a Site, as a crawl stores it.
type stored struct {
	Known []byte
	Kinds map[string]*tally
	Whole tally
	Page  uint16
	Slots map[string]storedSlot
}

// Append appends the encoded Site to b and returns the result. ReadSite
// decodes it.
func (s *Site) Append(b []byte) ([]byte, error) {
	text, err := json.Marshal(stored{s.known.old.append(s.known.young.append(nil)), s.kinds, s.whole, s.page, s.storedSlots()})
	return append(b, text...), err
}

// ReadSite decodes a Site that Append has encoded. limit and pages are as in
// NewSite; they are not part of the encoding.
func ReadSite(b []byte, limit int, pages []string) (*Site, error) {
	var x stored
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, fmt.Errorf("crawl state: the pages of a site: %w", err)
	}
	s := NewSite(limit, pages)
	s.whole, s.page = x.Whole, x.Page
	maps.Copy(s.kinds, x.Kinds)
	s.readSlots(x.Slots)
	young, rest, ok := readTable(x.Known)
	old, _, ok2 := readTable(rest)
	if !ok || !ok2 {
		return nil, fmt.Errorf("crawl state: the pages of a site are cut off")
	}
	s.known.young, s.known.old = young, old
	return s, nil
}

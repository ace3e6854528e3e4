package trap

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// LimitDefault is the debt that a kind may have: so many pages that differ from
// others in numbers only. Sites of that many numbered pages exist, with tables of
// results or prices.
const LimitDefault = 1000

// The charges of a page to its kind. A fortieth of the limit, by default 25, is charged
// where there is no doubt: the limit is then reached after 40 pages, which are the
// months of three years, or a print view of each page of a small site.
const (
	chargeNumbers = 1 // other numbers, or other blocks that the kind did not have
	chainLength   = 50
	sure          = 40 // the limit over the charge of a page that is surely no content
	arranged      = 50 // the same for a page that puts known content into another order or selection
	freeCopies    = 1  // of a page: a mirror, or a second address, is worth keeping
)

// kindsMax bounds the kinds of a site. Pages of further kinds count for the site
// as a whole only.
const kindsMax = 2000

// Site is what is known of the pages of one host.
type Site struct {
	known known
	kinds map[string]*tally
	whole tally // all pages
	limit float64
	page  uint16 // the tag of the last page
	slots map[string]*slot
	pages []string // names of arguments that name pages, whatever they look like

	Changed bool // since it was stored last
}

// tally is what is known of the pages of a kind.
type tally struct {
	Debt     float64
	Pages    int
	Fresh    int  // pages that brought something new, and pages that these led to which did
	Run      int  // pages since the last one that brought something new
	Of       int  `json:",omitempty"` // the last number N of pages that say "n of N"
	OfRun    int  `json:",omitempty"` // pages in a row that said so
	Released bool `json:",omitempty"`
}

// NewSite returns a site of which nothing is known. The limit is LimitDefault if
// it is 0.
// The arguments named in pages are never taken for names of visits.
func NewSite(limit int, pages []string) *Site {
	if limit == 0 {
		limit = LimitDefault
	}
	return &Site{kinds: make(map[string]*tally), limit: float64(limit), pages: pages}
}

// Page is a page of a site, as the crawl came to it.
type Page struct {
	URL    string
	Via    string // the page of the same site that led here; or ""
	Barren int    // pages without anything new that led here, one to the other
	Print  *Print
}

// Note takes a page into account, and reports whether it brought anything new. Urgent
// reports whether it was found out what names visits, which should be stored soon.
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

// owe changes the debt. What a kind has to its credit is bounded, so that a good
// begin does not pay for a trap behind it.
func (k *tally) owe(charge, limit float64) { k.Debt = max(k.Debt+charge, -limit/4) }

// of gives the kinds of a URL, and last the one of all pages.
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

// share is the charge of which the limit is so many.
func (s *Site) share(n float64) float64 { return max(s.limit/n, chargeNumbers) }

// judge reports whether a page brings anything new, and else what it is charged.
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

// circles reports whether a path seems to come from links that lead in a circle:
// a folder stands in it three times, which happens in good paths too.
func circles(path string) bool {
	_, most := distinct(path)
	return most > 2
}

// copies counts how often the whole text of a page was met before, up to 3.
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

// news is what of a page was not met before.
type news struct {
	units  int
	media  int
	kind   bool    // a quarter of the units was not met on a page of its kind
	source float64 // the share of the units that one other page had, and no later one
}

// news compares a page with those before it.
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
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
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

// promised reports whether a page says that it is one of N, as those of its kind
// before it did, and N are not reached.
func (s *Site) promised(p *Print, k *tally) bool {
	if p.last == 0 || p.last != k.Of {
		k.Of, k.OfRun = p.last, 0
		return false
	}
	k.OfRun++
	return k.OfRun > 2 && k.Pages <= k.Of
}

// closed reports whether so much is owed that a kind is a trap. A site that has
// brought much is trusted for more: for half of a page that differs in numbers
// for each page that brought something.
func (s *Site) closed(k *tally) bool {
	if k == &s.whole {
		return k.Debt > 2*s.limit+float64(k.Fresh)
	}
	return k.Debt > s.limit+float64(s.whole.Fresh)/2
}

// hopeless is the share of the pages of a trap that bring something new, under
// which its URLs are also kept back where a page that is none led to them.
const hopeless = .05

// Refuse says why a URL is kept back; "" if it is fetched. Barren is as in Page.
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
			return fmt.Sprintf("a trap: of %d pages like it %d brought anything new, and of the last %d none", k.Pages, k.Fresh, k.Run)
		}
	}
	if barren > 0 && s.closed(&s.whole) && !s.whole.Released {
		return fmt.Sprintf("a trap: %d pages in a row that led to it brought nothing new, and most pages of the site bring nothing new", barren)
	}
	return ""
}

// Kind returns the name of the trap that u is in; ok is false if it is in none.
// The name is "" where u is in a site that as a whole brings nothing new.
func (s *Site) Kind(u string) (name string, ok bool) {
	for _, name := range kindsOf(u) {
		if k := s.kinds[name]; k != nil && s.closed(k) {
			return name, true
		}
	}
	return "", s.closed(&s.whole)
}

// Release has the URLs of a trap fetched from now on, whatever they bring.
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

// Memory is how many bytes the site takes, nearly.
func (s *Site) Memory() int {
	n := 300 + s.known.memory() + 200*len(s.kinds)
	for _, l := range s.slots {
		n += 200 + 50*len(l.first)
	}
	return n
}

// Bound sets how many hashes the site may remember.
func (s *Site) Bound(hashes int) { s.known.max = min(max(hashes, knownMin), knownMax) }

// stored is a Site as it is stored.
type stored struct {
	Known []byte
	Kinds map[string]*tally
	Whole tally
	Page  uint16
	Slots map[string]storedSlot
}

// Append appends the site as it is stored.
func (s *Site) Append(b []byte) ([]byte, error) {
	text, err := json.Marshal(stored{s.known.old.append(s.known.young.append(nil)), s.kinds, s.whole, s.page, s.storedSlots()})
	return append(b, text...), err
}

// ReadSite reads what Append appended.
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

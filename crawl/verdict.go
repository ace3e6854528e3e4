package crawl

import (
	"encoding/json"
	"fmt"

	"infomall/crawl/trap"
)

// Bounds of the decision which pages a browser shows, if RENDER has no WHEN. A browser
// takes a hundred times the CPU time of a request, and most sites need none.
const (
	barrenShown = 3  // after so many pages of a kind in a row to which a browser added nothing, the kind is not shown any more
	checkEvery  = 20 // of a kind that is not shown, one page in so many is shown all the same, as a check
	kindsMax    = 64 // kinds of a host; the URLs of all further kinds count as one
)

// kindShown is what a crawl knows about one kind of URLs of a host: whether a browser
// adds something to its pages that their responses lack. The state of the crawl stores it.
type kindShown struct {
	Barren  int // pages in a row to which a browser added nothing
	Skipped int // pages that were not shown since a page of the kind was shown
}

// verdict says whether a browser shows the response for a URL if it is a page, and why.
type verdict struct {
	show bool
	why  string
	kind string
}

// verdict reports whether a browser shows the next page of this kind of URLs, and why.
func (k *kindShown) verdict() (show bool, why string) {
	switch {
	case k.Barren < barrenShown:
		return true, "pages like it may need a browser"
	case k.Skipped+1 >= checkEvery:
		return true, fmt.Sprintf("a check: one of %d pages like it", checkEvery)
	}
	return false, fmt.Sprintf("a browser made nothing more of the last %d pages like it", barrenShown)
}

// setVerdict sets t.verdict, if the crawl decides by itself which pages a browser shows. h is the
// host of t.
func (e *engine) setVerdict(t *fetchTask, h *host) error {
	if e.o.Render == nil || e.o.Render.When != nil {
		return nil
	}
	k, kind, err := e.kindShown(t, h)
	if err == nil {
		t.verdict.kind = kind
		t.verdict.show, t.verdict.why = k.verdict()
	}
	return err
}

// shownOf returns the key, such as "shown example.org", under which the state of a crawl
// stores the kindShown of each kind of URLs of a host.
func shownOf(host string) string { return "shown " + host }

// kindShown returns what the crawl knows about the kind of URLs that the URL of t belongs
// to, and the name of this kind. h is the host of t. The first call for a host reads what
// an earlier run stored.
func (e *engine) kindShown(t *fetchTask, h *host) (k *kindShown, kind string, err error) {
	if h.kinds == nil {
		b, err := e.q.Host(shownOf(t.u.Host))
		if err != nil {
			return nil, "", err
		}
		h.kinds = make(map[string]*kindShown)
		if b != nil {
			if err := json.Unmarshal(b, &h.kinds); err != nil {
				return nil, "", fmt.Errorf("crawl state: pages shown of %s: %w", t.u.Host, err)
			}
		}
	}
	kind = trap.KindOf(t.u.URL)
	if h.kinds[kind] == nil && len(h.kinds) >= kindsMax {
		kind = "*"
	}
	if h.kinds[kind] == nil {
		h.kinds[kind] = new(kindShown)
	}
	return h.kinds[kind], kind, nil
}

// learn notes for the kind of the URL of t whether a browser made more of the page than
// its response has, and stores this. h is the host of t.
func (e *engine) learn(t *fetchTask, h *host) error {
	s := t.show
	k := h.kinds[s.kind]
	if s.kind == "" || k == nil {
		return nil
	}
	switch {
	case !s.wanted:
		k.Skipped++
	case s.page == nil:
		return nil // a browser that failed says nothing about the pages
	case s.row.Gained:
		*k = kindShown{}
	default:
		k.Barren, k.Skipped = min(k.Barren+1, barrenShown), 0
	}
	b, err := json.Marshal(h.kinds)
	if err != nil {
		return err
	}
	return e.q.SetHost(shownOf(t.u.Host), b)
}

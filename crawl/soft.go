package crawl

import (
	"fmt"

	"infomall/crawl/report"
	"infomall/crawl/trap"
)

// A soft 404 is an error page that a server sends with status 200. A crawl knows
// two signs of them. The page has the words of the page that the host sent for a
// URL that does not exist; the crawl asks for such a URL when it tries whether a
// host has a sitemap. Or many pages of the host have exactly the same text.

// Bounds of the pages in which a crawl looks for soft 404s.
const (
	softPages = 32   // last pages of a host with status 200 that are compared
	softLeast = 16   // of fewer pages, the share of soft 404s counts as 0
	softHigh  = 0.5  // the share of soft 404s that raises an alert
	softLow   = 0.25 // a share below this lets a later alert be raised
)

// softWatch compares the last pages of one host with each other, to find soft 404s: pages with
// status 200 that only say that there is no page.
type softWatch struct {
	last  []textHashes // of up to softPages pages; the oldest is at index next
	next  int
	none  uint32 // words of the page for a URL that does not exist; 0 if unknown
	alert bool   // an alert has said that there are many soft 404s
}

// textHashes has hashes of the text of a page.
type textHashes struct {
	whole uint32
	words uint32 // of the text without numbers, dates and words of the URL
}

// hashesOf returns the hashes of a print; ok is false if it is not of a page.
func hashesOf(p *trap.Print) (t textHashes, ok bool) {
	whole, words, ok := p.Text()
	return textHashes{uint32(whole), max(1, uint32(words))}, ok
}

// add adds a page, and returns the share of soft 404s among the last pages.
func (s *softWatch) add(t textHashes) float64 {
	if len(s.last) < softPages {
		s.last = append(s.last, t)
	} else {
		s.last[s.next] = t
		s.next = (s.next + 1) % softPages
	}
	if len(s.last) < softLeast {
		return 0
	}
	none, most := 0, 0
	for i, a := range s.last {
		if a.words == s.none {
			none++
		}
		n := 1
		for _, b := range s.last[i+1:] {
			if a.whole == b.whole {
				n++
			}
		}
		most = max(most, n)
	}
	if most == 1 {
		most = 0
	}
	return float64(max(none, most)) / float64(len(s.last))
}

// noteSoft adds the page of t to the last pages of its host, if its status is 200.
// If many of them are soft 404s, an alert says so.
func (e *engine) noteSoft(t *fetchTask) error {
	if t.print == nil || t.u.Host == "" || len(t.fetches) == 0 || t.fetches[0].Status != 200 {
		return nil
	}
	text, ok := hashesOf(t.print)
	if !ok {
		return nil
	}
	h, err := e.host(t.u.Host)
	if err != nil {
		return err
	}
	if t.missed {
		h.soft.none = text.words
		return nil
	}
	share := h.soft.add(text)
	if len(h.soft.last) >= softLeast {
		h.tally.Soft = share
	}
	switch {
	case share >= softHigh && !h.soft.alert:
		h.soft.alert = true
		return e.alert(report.AlertSoft404, t.u.Host, t.u.URL, fmt.Sprintf(
			"%.0f %% of the last %d pages with status 200 have the same text, or the text of a page that does not exist: they may be error pages, or need a browser to be shown", 100*share, len(h.soft.last)))
	case share < softLow:
		h.soft.alert = false
	}
	return nil
}

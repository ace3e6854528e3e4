package crawl

import (
	"bytes"
	"slices"
	"time"

	"infomall/crawl/report"
	"infomall/crawl/trap"
	"infomall/store/page/charset"
	"infomall/store/record/message"
)

// Bounds of the memory for the traps of sites. The sites used last are in
// memory, the others on disk.
const (
	sitesMax   = 4096
	hashesAll  = 4 << 20          // of all sites in memory together, where each has some all the same
	sitesEvery = 10 * time.Second // what a site has of its pages is stored; what it keeps back is stored at once
)

// sites is what a crawl knows about the traps of each host.
type sites struct {
	at    map[string]*site
	saved time.Time
	clock uint64 // counts uses
}

// site is what a crawl knows about the traps of one host. Its trap.Site is
// stored under the name of the host.
type site struct {
	*trap.Site
	used   uint64
	urgent bool // a URL was kept back since it was stored
}

// site returns what is known about the pages of a host, or nil if the crawl has
// TRAPS OFF.
func (e *engine) site(host string) (*site, error) {
	if e.o.TrapsOff {
		return nil, nil
	}
	if host == "" {
		host = ":" // files of this machine; a key is not empty
	}
	e.sites.clock++
	s := e.sites.at[host]
	if s != nil {
		s.used = e.sites.clock
		return s, nil
	}
	if len(e.sites.at) >= sitesMax {
		if err := e.forgetSites(); err != nil {
			return nil, err
		}
	}
	b, err := e.q.Site(host)
	if err != nil {
		return nil, err
	}
	s = &site{Site: trap.NewSite(e.o.TrapLimit, e.o.PageArgs), used: e.sites.clock}
	if b != nil {
		if s.Site, err = trap.ReadSite(b, e.o.TrapLimit, e.o.PageArgs); err != nil {
			return nil, err
		}
	}
	if e.sites.at == nil {
		e.sites.at = make(map[string]*site)
	}
	e.sites.at[host] = s
	s.Bound(hashesAll / len(e.sites.at))
	return s, nil
}

// forgetSites removes the half of the sites that were not used recently from
// memory, after storing them.
func (e *engine) forgetSites() error {
	if err := e.saveSites(true); err != nil {
		return err
	}
	for host, s := range e.sites.at {
		if s.used+sitesMax/2 < e.sites.clock {
			delete(e.sites.at, host)
		}
	}
	if len(e.sites.at) >= sitesMax {
		clear(e.sites.at) // Unreachable: each use is of one site.
	}
	return nil
}

// saveSites stores the sites in which a URL was kept back since the last call.
// Every sitesEvery, or if all is true, it stores all changed sites.
func (e *engine) saveSites(all bool) error {
	all = all || e.now().Sub(e.sites.saved) >= sitesEvery
	for host, s := range e.sites.at {
		if !s.Changed || !all && !s.urgent {
			continue
		}
		b, err := s.Append(nil)
		if err != nil {
			return err
		}
		if err := e.q.SetSite(host, b); err != nil {
			return err
		}
		s.Changed, s.urgent = false, false
	}
	if all {
		e.sites.saved = e.now()
	}
	return nil
}

// printOf returns the print of a response, which package trap compares with
// others of its site. It returns nil if the crawl has TRAPS OFF.
func (e *engine) printOf(url, kind string, body []byte) *trap.Print {
	if e.o.TrapsOff {
		return nil
	}
	if m := message.Mime(kind); m != "text/html" && m != "application/xhtml+xml" {
		return trap.NewFilePrint(body)
	}
	// Only the few charsets whose bytes below 0x80 are not ASCII have these.
	if head := body[:min(len(body), 1024)]; bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(head, 0x1b) >= 0 {
		cs := charset.Find(body, kind, "").Charset
		body = charset.ToUTF8(body, cs)
	}
	return trap.NewPrint(url, body)
}

// refuse returns why a URL is kept back because of a trap, or "" if it is
// fetched. Seeds are always fetched.
func (e *engine) refuse(u *report.Queued) (why string, err error) {
	s, err := e.site(u.Host)
	if s == nil || err != nil || u.Forced || u.Via == "" {
		return "", err
	}
	return s.Refuse(u.URL, u.Barren), nil
}

// noteContent records the content that t brought. barren is how many pages in a
// row on the way to the links of t brought nothing new.
func (e *engine) noteContent(t *fetchTask) (barren int, err error) {
	if t.print == nil {
		return t.u.Barren, nil
	}
	s, err := e.site(t.u.Host)
	if s == nil || err != nil {
		return 0, err
	}
	p := trap.Page{URL: t.u.URL, Barren: t.u.Barren, Print: t.print}
	if hostOf(t.u.Via) == t.u.Host {
		p.Via = t.u.Via
	}
	t.print = nil
	fresh, urgent := s.Note(p)
	s.urgent = s.urgent || urgent
	if fresh {
		return 0, nil
	}
	return t.u.Barren + 1, nil
}

// keep keeps back a URL that is in a trap. why names the trap.
func (e *engine) keep(u *report.Queued, why string) error {
	s, err := e.site(u.Host)
	if err != nil {
		return err
	}
	s.urgent, s.Changed = true, true
	e.crawl.Kept++
	kind, _ := s.Kind(u.URL)
	i := slices.IndexFunc(e.crawl.Traps, e.sameTrap(u.Host, kind))
	switch {
	case i >= 0:
		e.crawl.Traps[i].Kept++
	case len(e.crawl.Traps) < trapsNamed:
		e.crawl.Traps = append(e.crawl.Traps, report.CrawlTrap{URL: u.URL, Kind: kind, Reason: why, Kept: 1})
	}
	return e.f.Keep(u)
}

// trapsNamed is how many traps a crawl names in its summary.
const trapsNamed = 20

func (e *engine) sameTrap(host, kind string) func(report.CrawlTrap) bool {
	return func(t report.CrawlTrap) bool { return t.Kind == kind && hostOf(t.URL) == host }
}

// release lets the crawl continue with the trap that contains u. If most of a
// site brings nothing new, that trap is all URLs of the site that are kept back
// and in no smaller trap.
func (e *engine) release(u string) error {
	host := hostOf(u)
	s, err := e.site(host)
	if s == nil || err != nil {
		return err
	}
	kind, closed := s.Kind(u)
	if !closed {
		return nil
	}
	n, err := e.f.Unkeep(host, func(other string) bool {
		k, closed := s.Kind(other)
		return closed && k == kind
	})
	e.crawl.Waiting += int64(n)
	e.crawl.Kept -= int64(n)
	e.crawl.Traps = slices.DeleteFunc(e.crawl.Traps, e.sameTrap(host, kind))
	s.Release(kind)
	s.urgent = true
	return err
}

// released is a trap that the last run of a crawl found and that contains a URL
// added since then.
type released struct{ host, kind string }

// releases returns the traps that contain the URLs in list.
func (e *engine) releases(list []report.Queued) (traps []released, err error) {
	for _, u := range list {
		s, err := e.site(hostOf(u.URL))
		if s == nil || err != nil {
			return nil, err
		}
		if kind, closed := s.Kind(u.URL); closed {
			traps = append(traps, released{hostOf(u.URL), kind})
		}
	}
	e.sites = sites{}
	return traps, nil
}

// renew makes a crawl that starts again fetch the URLs in the released traps.
func (e *engine) renew(traps []released) error {
	for _, t := range traps {
		s, err := e.site(t.host)
		if err != nil {
			return err
		}
		s.Release(t.kind)
		s.urgent = true
	}
	return e.saveSites(false)
}

// A visit is a session that a URL names. A page is fetched under only one URL
// of this kind, the first: the crawl claims it by its URL without the visit.
const (
	claimFetched = "visit:"
	claimLinked  = "visits:"
)

// namesVisits returns the site of u if its URLs name visits. It returns nil for
// exempt URLs: seeds, forced URLs, and targets of redirects.
func (e *engine) namesVisits(u *report.Queued) (*site, error) {
	if u.Forced || u.Via == "" || u.Hop > 0 {
		return nil, nil
	}
	s, err := e.site(hostOf(u.URL))
	if s == nil || err != nil || !s.Names() {
		return nil, err
	}
	return s, nil
}

// metBefore reports whether u leads to a page that was already linked to under
// a URL that names another visit.
func (e *engine) metBefore(u *report.Queued) (bool, error) {
	s, err := e.namesVisits(u)
	if s == nil || err != nil {
		return false, err
	}
	normal := s.Normal(u.URL)
	if s.Fetched(normal) {
		return true, nil
	}
	return e.q.Meet(claimLinked + normal)
}

// revisits returns a reason if the page of u was already fetched under a URL
// that names another visit, else "".
func (e *engine) revisits(u *report.Queued) (why string, err error) {
	s, err := e.namesVisits(u)
	if s == nil || err != nil {
		return "", err
	}
	normal := s.Normal(u.URL)
	if !s.Fetched(normal) {
		first, err := e.q.Claim(claimFetched+normal, u.Seq)
		if first || err != nil {
			return "", err
		}
	}
	return "it differs only in the name of a visit: the page was fetched before", nil
}

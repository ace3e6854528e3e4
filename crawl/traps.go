package crawl

import (
	"bytes"
	"slices"
	"time"

	"infomall/crawl/trap"
	"infomall/store/page"
	"infomall/store/record"
)

// Bounds of what is in memory of the traps of sites. What was used last stays,
// the rest is on disk.
const (
	sitesMax   = 4096
	hashesAll  = 4 << 20          // of all sites in memory together, where each has some all the same
	sitesEvery = 10 * time.Second // what a site has of its pages is stored; what it keeps back is stored at once
)

// sites is what a crawl knows of the traps of each host.
type sites struct {
	at    map[string]*site
	saved time.Time
	clock uint64 // counts uses
}

// site is one host. It holds a trap.Site that is stored under the name of the host.
type site struct {
	*trap.Site
	used   uint64
	urgent bool // a URL was kept back since it was stored
}

// site returns what is known of the pages of a host, or nil if the crawl has TRAPS
// OFF.
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

// forgetSites takes those sites out of memory that were not used for long: the
// older half.
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

// saveSites stores the sites that keep URLs back. Every sitesEvery, or if all is
// true, it stores all sites that changed.
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

// printOf returns the print of a response for the site it is of.
func (e *engine) printOf(url, kind string, body []byte) *trap.Print {
	if e.o.TrapsOff {
		return nil
	}
	if m := record.Mime(kind); m != "text/html" && m != "application/xhtml+xml" {
		return trap.NewFilePrint(body)
	}
	// Only the few charsets whose bytes below 0x80 are not ASCII have these.
	if head := body[:min(len(body), 1024)]; bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(head, 0x1b) >= 0 {
		charset, _ := page.Charset(body, kind)
		body = page.ToUTF8(body, charset)
	}
	return trap.NewPrint(url, body)
}

// refuse says why a URL is kept back; "" if it is fetched, as seeds always are.
func (e *engine) refuse(u *record.Queued) (why string, err error) {
	s, err := e.site(u.Host)
	if s == nil || err != nil || u.Forced || u.Via == "" {
		return "", err
	}
	return s.Refuse(u.URL, u.Barren), nil
}

// noteContent takes in what t brought, and returns how many pages in a row brought
// nothing new on the way to the links of t.
func (e *engine) noteContent(t *task) (barren int, err error) {
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

// keep keeps a URL back that is in a trap.
func (e *engine) keep(u *record.Queued, why string) error {
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
		e.crawl.Traps = append(e.crawl.Traps, record.CrawlTrap{URL: u.URL, Kind: kind, Reason: why, Kept: 1})
	}
	return e.f.Keep(u)
}

// trapsNamed is how many traps a crawl names in its summary.
const trapsNamed = 20

func (e *engine) sameTrap(host, kind string) func(record.CrawlTrap) bool {
	return func(t record.CrawlTrap) bool { return t.Kind == kind && hostOf(t.URL) == host }
}

// release has the crawl go on with the trap that keeps u back. Where most of a site
// brings nothing new, this is all that is kept back and is in no smaller trap.
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

// released is a trap that the last run of a crawl found, and that a URL which was
// added since is in.
type released struct{ host, kind string }

// releases returns the traps that the URLs in list are in.
func (e *engine) releases(list []record.Queued) (traps []released, err error) {
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

// renew makes a crawl that starts again fetch the traps that were released.
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

// A page whose URL names a visit is fetched once, under the URL that came first:
// the crawl claims it by its URL without the visit.
const (
	claimFetched = "visit:"
	claimLinked  = "visits:"
)

// namesVisits returns the site of u if its URLs name visits, and u is not exempt: a
// seed, a URL that was forced, or one that a redirect leads to.
func (e *engine) namesVisits(u *record.Queued) (*site, error) {
	if u.Forced || u.Via == "" || u.Hop > 0 {
		return nil, nil
	}
	s, err := e.site(hostOf(u.URL))
	if s == nil || err != nil || !s.Names() {
		return nil, err
	}
	return s, nil
}

// metBefore reports whether a link leads to a page that was linked to under the
// name of another visit.
func (e *engine) metBefore(u *record.Queued) (bool, error) {
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

// revisits says so if a page was fetched under the name of another visit.
func (e *engine) revisits(u *record.Queued) (why string, err error) {
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
	return "it only names another visit: the page was fetched before", nil
}

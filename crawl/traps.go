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

// Bounds on the memory for the sites in which a crawl looks for traps. The sites used last are
// in memory; the others are only in the state on disk.
const (
	sitesMax   = 4096
	hashesAll  = 4 << 20          // hashes of all sites in memory together; but each site may have a minimum
	sitesEvery = 10 * time.Second // how often changed sites are stored; a site with a new URL kept back is stored at the next commit
)

// sites holds the pages and traps of each host that a crawl has in memory.
type sites struct {
	at    map[string]*site
	saved time.Time
	clock uint64 // counts uses
}

// site is what a crawl knows about the pages and traps of one host. Its
// trap.Site is stored under the name of the host.
type site struct {
	*trap.Site
	used   uint64 // value of sites.clock at its last use
	urgent bool   // store it at the next commit: a URL was kept back, or visits were found in its URLs
}

// site returns what is known about the pages of a host, or nil if the crawl has
// TRAPS OFF.
func (e *engine) site(host string) (*site, error) {
	if e.o.TrapsOff {
		return nil, nil
	}
	if host == "" {
		host = ":" // for files of this machine, because a key must not be empty
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

// forgetSites stores all changed sites. It then removes the sites that were not
// used recently, about half of them, from memory.
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

// saveSites stores the changed sites that are urgent. Every sitesEvery, or
// if all is true, it stores all changed sites.
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

// printOf returns the print of a page: hashes of its content, which package
// trap compares with those of other pages of the site. kind is the
// Content-Type of the page. printOf returns nil if the crawl has TRAPS OFF.
func (e *engine) printOf(url, kind string, body []byte) *trap.Print {
	if e.o.TrapsOff {
		return nil
	}
	if m := message.Mime(kind); m != "text/html" && m != "application/xhtml+xml" {
		return trap.NewFilePrint(body)
	}
	// Bytes 0 and 0x1b occur only in the few charsets in which bytes below
	// 0x80 do not mean ASCII, such as UTF-16.
	if head := body[:min(len(body), 1024)]; bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(head, 0x1b) >= 0 {
		cs := charset.Find(body, kind, "").Charset
		body = charset.ToUTF8(body, cs)
	}
	return trap.NewPrint(url, body)
}

// inTrap returns why the URL u is kept back, such as "a trap: …", or "" if it is in no trap.
// Seeds, and URLs added with FORCE, are never kept back.
func (e *engine) inTrap(u *report.Queued) (why string, err error) {
	s, err := e.site(u.Host)
	if s == nil || err != nil || u.Forced || u.Via == "" {
		return "", err
	}
	return s.Refuse(u.URL, u.Barren), nil
}

// noteContent adds the content of the page of t to what is known about its
// site. barren is how many pages in a row, on the path to the links of t,
// brought nothing new; 0 if the page of t itself is new.
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

// keep keeps back the URL u, which is in a trap or excluded by an order: it stays
// in the state, but is not fetched. The parameter why says which trap, for the
// summary of the crawl.
func (e *engine) keep(u *report.Queued, why string) error {
	if u.Excluded {
		e.crawl.Excluded++
		return e.f.Keep(u)
	}
	s, err := e.site(u.Host)
	if err != nil {
		return err
	}
	s.urgent, s.Changed = true, true
	e.crawl.Kept++
	kind, _ := s.TrapOf(u.URL)
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

// sameTrap returns a function that reports whether a trap is on this host
// and has this kind of URLs.
func (e *engine) sameTrap(host, kind string) func(report.CrawlTrap) bool {
	return func(t report.CrawlTrap) bool { return t.Kind == kind && hostOf(t.URL) == host }
}

// release lets the crawl fetch the URLs of the trap that contains the URL u.
// If u is in no trap, it does nothing. If a site as a whole counts as a
// trap, release frees all its URLs that are in no smaller trap.
func (e *engine) release(u string) error {
	host := hostOf(u)
	s, err := e.site(host)
	if s == nil || err != nil {
		return err
	}
	kind, closed := s.TrapOf(u)
	if !closed || s.Released(kind) {
		return nil
	}
	n, err := e.f.Unkeep(host, func(other *report.Queued) bool {
		k, closed := s.TrapOf(other.URL)
		return closed && k == kind && !other.Excluded
	})
	e.crawl.Waiting += int64(n)
	e.crawl.Kept -= int64(n)
	e.crawl.Traps = slices.DeleteFunc(e.crawl.Traps, e.sameTrap(host, kind))
	s.Release(kind)
	s.urgent = true
	return err
}

// releasedTrap names a trap that an earlier run of a crawl found. A user has
// added a URL in it since then, so the next run fetches its URLs.
type releasedTrap struct{ host, kind string }

// trapsOf returns the traps that contain the URLs in list, which a user added after the end of
// the last run. It then removes all sites from memory, because the caller then resets the state
// of the crawl.
func (e *engine) trapsOf(list []report.Queued) (traps []releasedTrap, err error) {
	for _, u := range list {
		s, err := e.site(hostOf(u.URL))
		if s == nil || err != nil {
			return nil, err
		}
		if kind, closed := s.TrapOf(u.URL); closed {
			traps = append(traps, releasedTrap{hostOf(u.URL), kind})
		}
	}
	e.sites = sites{}
	return traps, nil
}

// releaseTraps marks traps of the last run as released, so that this run fetches their URLs.
func (e *engine) releaseTraps(traps []releasedTrap) error {
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

// namesVisits returns the site of u if the URLs of that site name visits (sessions such as
// sid=123), otherwise nil. It also returns nil if u is not compared with other URLs: a seed, a
// forced URL, or the target of a redirect.
func (e *engine) namesVisits(u *report.Queued) (*site, error) {
	if u.Forced || u.Via == "" || u.Hop > 0 {
		return nil, nil
	}
	s, err := e.site(hostOf(u.URL))
	if s == nil || err != nil || !s.NamesVisits() {
		return nil, err
	}
	return s, nil
}

// metBefore reports whether the page of u was already fetched, or linked to,
// under a URL that names another visit (a session such as sid=123). It notes
// that the page is linked to now.
func (e *engine) metBefore(u *report.Queued) (bool, error) {
	s, err := e.namesVisits(u)
	if s == nil || err != nil {
		return false, err
	}
	normal := s.Normal(u.URL)
	if s.Fetched(normal) {
		return true, nil
	}
	return e.q.Meet(keyLinked + normal)
}

// revisits returns a reason not to fetch u if its page was already fetched
// under a URL that names another visit (a session such as sid=123),
// otherwise "".
func (e *engine) revisits(u *report.Queued) (why string, err error) {
	s, err := e.namesVisits(u)
	if s == nil || err != nil {
		return "", err
	}
	normal := s.Normal(u.URL)
	if !s.Fetched(normal) {
		first, err := e.q.Claim(keyFetched+normal, u.Seq)
		if first || err != nil {
			return "", err
		}
	}
	return "it differs only in the name of a visit: the page was fetched before", nil
}

package crawl

import (
	"fmt"
	"hash/fnv"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// judge asks the focus of the crawl to judge the page of t and its links. body
// may be only the first part; size is the size of the whole body.
func (e *engine) judge(t *fetchTask, head, body []byte, size int64, mime string) {
	if e.o.Focus == nil || len(t.links) == 0 {
		return
	}
	p := &report.FocusedPage{
		URL: t.u.URL, Layer: t.u.Layer, Status: t.res.Capture.Status, Head: head, Body: body, Size: size, Mime: mime,
		Links: make([]report.FocusedLink, len(t.links)),
	}
	for i, l := range t.links {
		p.Links[i] = report.FocusedLink{URL: l.URL, Anchor: l.Anchor}
	}
	t.focus, t.err = e.o.Focus.Judge(p)
}

// goesOn reports whether link i of t is followed. off is how many pages in a
// row on the way to it are off the topic. Requisites belong to the topic of
// their page.
func (e *engine) goesOn(t *fetchTask, i int) (off int, ok bool) {
	if t.focus.Follow == nil || t.focus.Follow[i] || t.links[i].Requisite {
		return 0, true
	}
	off = t.u.Off + 1
	return off, off <= e.o.Through
}

// leave logs once that a link is not followed. Another page may still lead to
// its URL.
func (e *engine) leave(t *fetchTask, u *report.Queued) error {
	before, err := e.q.Leave(u.URL)
	if before || err != nil {
		return err
	}
	why := "EXPAND WHERE is not true of the links to it"
	if e.o.Through > 0 {
		why += fmt.Sprintf(", for %d pages in a row", t.u.Off+1)
	}
	t.filtered(u, why)
	return nil
}

// filtered logs that a URL is not queued. why is the reason.
func (t *fetchTask) filtered(u *report.Queued, why string) {
	t.fetches = append(t.fetches, report.Fetch{
		URL: u.URL, Time: record.At(t.since), Outcome: report.OutcomeFiltered, Bytes: -1, Hop: u.Hop, Via: u.Via, Reason: why, Layer: u.Layer,
	})
	t.leftOut++
}

// priority returns the place of a URL in the order of the crawl. In the order
// BEST it also sets Terms, the reasons. Before the call, Score is that of the
// page that led to u.
func (e *engine) priority(u *report.Queued) uint64 {
	if u.Hop > 0 {
		// As a browser does: what sets the cookie that a site asks for is then
		// fetched before pages that would be turned away without it.
		return order.First
	}
	switch e.o.Order {
	case report.OrderRandom:
		return order.Random(uint64(e.crawl.ID), u.URL)
	case report.OrderBest:
		u.Terms = &report.Terms{
			Domain: e.domainWeight(u.URL), Parent: u.Score, Depth: float64(urlkey.Depth(u.URL)),
			Other: order.Location(u.URL) + u.Hint,
		}
		e.linked(u.Terms, u)
		u.Score = e.score(u.Terms)
		return order.Best(u.Score, uint64(e.crawl.Fetched+e.crawl.Waiting))
	}
	return order.BFS(u.Layer)
}

func (e *engine) score(t *report.Terms) float64 {
	return order.Weights(e.o.Weights).Priority(order.Terms{Domain: t.Domain, Popularity: t.Popularity, Parent: t.Parent, Depth: t.Depth, Other: t.Other})
}

// domainWeight returns the weight of a URL's domain in the option Domains.
func (e *engine) domainWeight(url string) float64 {
	key := urlkey.Key(url)
	for _, d := range e.o.Domains {
		if d.Scope.Contains(key) {
			return d.Weight
		}
	}
	return 0
}

// hostsMax is how many linking hosts of one URL are distinguished.
const hostsMax = 16

// linked counts the host of the page that led to u among the hosts that link to
// u. It reports whether the host is new.
func (e *engine) linked(t *report.Terms, u *report.Queued) bool {
	from := urlkey.Host(u.Via)
	if from == "" || from == urlkey.Host(u.URL) || len(t.Hosts) == hostsMax {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(from))
	for _, known := range t.Hosts {
		if known == h.Sum32() {
			return false
		}
	}
	t.Hosts = append(t.Hosts, h.Sum32())
	t.Popularity = float64(len(t.Hosts))
	return true
}

// linkedAgain raises the priority of a waiting URL if one more host links to
// it.
func (e *engine) linkedAgain(u *report.Queued) error {
	if e.o.Order != report.OrderBest || u.Via == "" || urlkey.Host(u.Via) == urlkey.Host(u.URL) {
		return nil
	}
	return e.f.Raise(hostOf(u.URL), u.URL, func(known *report.Queued) (uint64, bool) {
		if known.Terms == nil || !e.linked(known.Terms, u) {
			return 0, false
		}
		was := known.Score
		known.Score = e.score(known.Terms)
		return order.Raised(known.Priority, known.Score-was), true
	})
}

package crawl

import (
	"fmt"
	"hash/fnv"

	"infomall/crawl/order"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// judge asks the focus of the crawl about the page of t and the links that it has.
// size is that of the whole body, of which body may be the first part.
func (e *engine) judge(t *task, head, body []byte, size int64, mime string) {
	if e.o.Focus == nil || len(t.links) == 0 {
		return
	}
	p := &record.FocusedPage{
		URL: t.u.URL, Layer: t.u.Layer, Status: t.res.Capture.Status, Head: head, Body: body, Size: size, Mime: mime,
		Links: make([]record.FocusedLink, len(t.links)),
	}
	for i, l := range t.links {
		p.Links[i] = record.FocusedLink{URL: l.URL, Anchor: l.Anchor}
	}
	t.focus, t.err = e.o.Focus.Judge(p)
}

// goesOn tells how many pages off the topic in a row lead along link i of t, and
// whether it is followed. What a page needs to be shown is of its topic.
func (e *engine) goesOn(t *task, i int) (off int, ok bool) {
	if t.focus.Follow == nil || t.focus.Follow[i] || t.links[i].Requisite {
		return 0, true
	}
	off = t.u.Off + 1
	return off, off <= e.o.Through
}

// leave notes once that a link is not followed. Another page may lead to its URL
// yet.
func (e *engine) leave(t *task, u *record.Queued) error {
	before, err := e.q.Leave(u.URL)
	if before || err != nil {
		return err
	}
	why := "EXPAND WHERE does not hold where it is linked to"
	if e.o.Through > 0 {
		why += fmt.Sprintf(", for %d pages in a row", t.u.Off+1)
	}
	t.filtered(u, why)
	return nil
}

// filtered notes that a URL is not queued, and why.
func (t *task) filtered(u *record.Queued, why string) {
	t.fetches = append(t.fetches, record.Fetch{
		URL: u.URL, Time: record.At(t.since), Outcome: record.OutcomeFiltered, Bytes: -1, Hop: u.Hop, Via: u.Via, Reason: why, Layer: u.Layer,
	})
	t.leftOut++
}

// priority is where a URL stands in the order of the crawl. In the order BEST its
// Terms say why; Score is until then that of the page which led here.
func (e *engine) priority(u *record.Queued) uint64 {
	if u.Hop > 0 {
		// As a browser does: what sets the cookie that a site asks for is then
		// fetched before pages that would be turned away without it.
		return order.First
	}
	switch e.o.Order {
	case record.OrderRandom:
		return order.Random(uint64(e.crawl.ID), u.URL)
	case record.OrderBest:
		u.Terms = &record.Terms{
			Domain: e.domainWeight(u.URL), Parent: u.Score, Depth: float64(urlkey.Depth(u.URL)),
			Other: order.Location(u.URL) + u.Hint,
		}
		e.linked(u.Terms, u)
		u.Score = e.score(u.Terms)
		return order.Best(u.Score, uint64(e.crawl.Fetched+e.crawl.Waiting))
	}
	return order.BFS(u.Layer)
}

func (e *engine) score(t *record.Terms) float64 {
	return order.Weights(e.o.Weights).Priority(order.Terms{Domain: t.Domain, Popularity: t.Popularity, Parent: t.Parent, Depth: t.Depth, Other: t.Other})
}

// domainWeight is what a URL is worth by its domain.
func (e *engine) domainWeight(url string) float64 {
	key := urlkey.Key(url)
	for _, d := range e.o.Domains {
		if d.Scope.Contains(key) {
			return d.Weight
		}
	}
	return 0
}

// hostsMax is how many linking hosts are told apart.
const hostsMax = 16

// linked counts the host of the page that led to u among those that link to it,
// and reports whether it is new.
func (e *engine) linked(t *record.Terms, u *record.Queued) bool {
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

// linkedAgain has a URL that waits rise if it is linked to from one more host.
func (e *engine) linkedAgain(u *record.Queued) error {
	if e.o.Order != record.OrderBest || u.Via == "" || urlkey.Host(u.Via) == urlkey.Host(u.URL) {
		return nil
	}
	return e.f.Raise(hostOf(u.URL), u.URL, func(known *record.Queued) (uint64, bool) {
		if known.Terms == nil || !e.linked(known.Terms, u) {
			return 0, false
		}
		was := known.Score
		known.Score = e.score(known.Terms)
		return order.Raised(known.Priority, known.Score-was), true
	})
}

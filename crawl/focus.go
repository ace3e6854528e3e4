package crawl

import (
	"fmt"
	"hash/fnv"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// judge asks the focus of the crawl how well the page of t and its links fit
// the topic, and sets t.focus. Without a focus it does nothing. body may be
// only the first part of the body; size is the size of all of it. mime is
// its media type.
func (e *engine) judge(t *fetchTask, head, body []byte, size int64, mime string) {
	if e.o.Focus == nil || len(t.links) == 0 {
		return
	}
	p := t.focusedPage(head, body, size, mime)
	p.Links = make([]report.FocusedLink, len(t.links))
	for i, l := range t.links {
		p.Links[i] = report.FocusedLink{URL: l.URL, Anchor: l.Anchor}
	}
	t.focus, t.err = e.o.Focus.Judge(p)
}

// focusedPage returns the page of t as a Focus or a Condition gets it, without Links. The
// parameters are as in judge. If the server says that the page is unchanged, the status is that
// of the stored page, not 304.
func (t *fetchTask) focusedPage(head, body []byte, size int64, mime string) *report.FocusedPage {
	c := t.res.Capture
	p := &report.FocusedPage{URL: t.u.URL, Layer: t.u.Layer, Status: c.Status, IP: c.IP, Head: head, Body: body, Size: size, Mime: mime}
	if t.known != nil {
		p.Status = message.Status(t.known.Head)
	}
	return p
}

// follows reports whether the crawl follows link i of t. off is how many
// pages in a row, on the path of links to its target, do not fit the topic.
// A requisite (a file that is needed to show the page) is always followed.
func (e *engine) follows(t *fetchTask, i int) (off int, ok bool) {
	if t.focus.Follow == nil || t.focus.Follow[i] || t.links[i].Requisite {
		return 0, true
	}
	off = t.u.Off + 1
	return off, off <= e.o.Through
}

// logNotFollowed logs that the link to u on the page of t is not followed, unless u
// was logged or met before. Another page may still lead to u.
func (e *engine) logNotFollowed(t *fetchTask, u *report.Queued) error {
	before, err := e.q.Leave(u.URL)
	if before || err != nil {
		return err
	}
	why := "EXPAND WHERE is not true of the links to it"
	if e.o.Through > 0 {
		why += fmt.Sprintf(", page %d in a row", t.u.Off+1)
	}
	t.logFiltered(u, why)
	return nil
}

// logFiltered adds a row to the log of attempts of t: the URL u, which t led to,
// is not queued. The parameter why is the reason.
func (t *fetchTask) logFiltered(u *report.Queued, why string) {
	t.fetches = append(t.fetches, report.Fetch{
		URL: u.URL, Time: record.At(t.since), Outcome: report.OutcomeFiltered, Bytes: -1, Hop: u.Hop, Via: u.Via, Reason: why, Layer: u.Layer,
	})
	t.leftOut++
}

// priority returns the key of u in the order of the crawl: the URL with the
// lowest key is fetched first. In the order BEST it also sets u.Score, and
// u.Terms, of which the score consists. Before the call, u.Score must be the
// score of the page that led to u.
func (e *engine) priority(u *report.Queued) uint64 {
	if u.Hop > 0 {
		// A browser follows redirects at once too. So the page that sets a
		// cookie is fetched before the pages that need the cookie.
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
		e.countHost(u.Terms, u)
		u.Score = e.score(u.Terms)
		return order.Best(u.Score, uint64(e.crawl.Fetched+e.crawl.Waiting))
	}
	return order.BFS(u.Layer)
}

// score returns the priority of a URL in the order BEST.
func (e *engine) score(t *report.Terms) float64 { return order.Priority(&e.o.Weights, t) }

// domainWeight returns the weight that the option Domains gives a URL by its
// domain, or 0 if no entry contains the URL.
func (e *engine) domainWeight(url string) float64 {
	key := urlkey.Key(url)
	for _, d := range e.o.Domains {
		if d.Scope.Contains(key) {
			return d.Weight
		}
	}
	return 0
}

// hostsMax is how many hosts that link to one URL are counted at most.
const hostsMax = 16

// countHost adds the host of u.Via, the page that links to u, to the hosts that
// t counts. It reports whether it did: not if the host is counted already,
// is the host of u itself, or exceeds hostsMax.
func (e *engine) countHost(t *report.Terms, u *report.Queued) bool {
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

// raisePriority raises the priority of the URL of u, which waits in its queue,
// if the page u.Via is on a host that did not link to it before. It does so
// in the order BEST only.
func (e *engine) raisePriority(u *report.Queued) error {
	if e.o.Order != report.OrderBest || u.Via == "" || urlkey.Host(u.Via) == urlkey.Host(u.URL) {
		return nil
	}
	return e.f.Raise(hostOf(u.URL), u.URL, func(known *report.Queued) (uint64, bool) {
		if known.Terms == nil || !e.countHost(known.Terms, u) {
			return 0, false
		}
		was := known.Score
		known.Score = e.score(known.Terms)
		return order.Raised(known.Priority, known.Score-was), true
	})
}

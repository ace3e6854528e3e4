package crawl

import (
	"fmt"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// Bounds of the counts, rates and alerts of a crawl.
const (
	tallyEvery  = 2 * time.Second // how often the tallies of hosts are stored; a crash loses the counts since then
	silentFails = 5               // requests in a row without a response, after which a host counts as silent
	diskEvery   = 5 * time.Second // how often the free space of the disk is read
	raisedMax   = 5               // alerts that the result of a crawl lists
)

// monitor has the counts, rates and alerts of a crawl, which the page /crawls and .top show.
type monitor struct {
	minute, hour meter
	touched      map[string]*host // hosts whose tallies have changed since they were stored
	stored       time.Time        // last time that the tallies were stored

	answers    int64     // responses of all hosts so far
	unanswered int       // requests without a response since the last response of any host
	offline    bool      // an alert has said that no host answers
	diskLow    bool      // the disk has too little room, so the crawl waits
	diskRead   time.Time // last time that the free space was read
	raised     []report.Alert
}

func newMonitor(now time.Time) monitor {
	return monitor{minute: newMeter(now, time.Minute), hour: newMeter(now, time.Hour), touched: make(map[string]*host), stored: now}
}

// alert adds an alert to the log of alerts.
func (e *engine) alert(kind report.AlertKind, host, url, text string) error {
	a := report.Alert{Time: record.At(e.now()), Crawl: e.o.Name, Kind: kind, Host: host, URL: url, Text: text}
	e.crawl.Alerts++
	if len(e.monitor.raised) < raisedMax {
		e.monitor.raised = append(e.monitor.raised, a)
	}
	return e.q.Alert(&a)
}

// tally adds t, which is acknowledged, to the counts of the crawl and of its host.
func (e *engine) tally(t *fetchTask) error {
	for i := range t.fetches {
		e.crawl.Outcomes[t.fetches[i].Outcome]++
	}
	if t.robots || len(t.fetches) == 0 || t.u.Host == "" {
		return nil
	}
	row := &t.fetches[0]
	if row.Bytes < 0 && (row.Outcome == report.OutcomeFiltered || row.Outcome == report.OutcomeRobotsDenied) {
		return nil // the host was not asked
	}
	h, err := e.host(t.u.Host)
	if err != nil {
		return err
	}
	e.monitor.touched[t.u.Host] = h
	x := &h.tally
	x.LastTime, x.LastOutcome, x.LastStatus = row.Time, row.Outcome, row.Status
	switch {
	case t.missed:
	case t.came:
		x.Fetched++
		x.Bytes += row.Bytes
		e.monitor.minute.add(e.now(), row.Bytes)
		e.monitor.hour.add(e.now(), row.Bytes)
	case row.Bytes < 0:
		x.Failed++
	}
	if t.missed || row.Outcome <= report.OutcomeRedirect || row.Outcome == report.OutcomeFiltered || row.Outcome == report.OutcomeTruncated {
		return nil
	}
	if row.Bytes >= 0 {
		x.Errors++
	}
	x.ErrorTime, x.ErrorURL, x.Error = row.Time, row.URL, row.Outcome.String()
	switch {
	case row.Reason != "":
		x.Error += ": " + row.Reason
	case row.Status > 0:
		x.Error += fmt.Sprintf(": status %d", row.Status)
	}
	return nil
}

// saveTallies stores the tallies that have changed, every tallyEvery, or at once
// if all is true or other processes take part in the crawl.
func (e *engine) saveTallies(all bool) error {
	m, now := &e.monitor, e.now()
	if !all && e.shared == nil && now.Sub(m.stored) < tallyEvery {
		return nil
	}
	m.stored = now
	for name, h := range m.touched {
		h.tally.Host, h.tally.Fails, h.tally.Next = name, h.fails, record.NoTime
		if !h.free.IsZero() {
			h.tally.Next = record.At(h.free)
		}
		if err := e.q.SetTally(&h.tally); err != nil {
			return err
		}
	}
	clear(m.touched)
	return nil
}

// noteUnanswered notes that the host h, called name, left a request without a
// response. If that makes the host silent, or no host answers any more, an alert
// says so. A host that never sent a page is never silent: it may be gone for long.
func (e *engine) noteUnanswered(name string, h *host, why string) error {
	m := &e.monitor
	if h.fails == 1 {
		h.failing, h.answersThen = e.now(), m.answers
	}
	m.unanswered++
	if h.fails < silentFails || h.tally.Silent != record.NoTime || h.tally.Fetched == 0 {
		return nil
	}
	since := h.failing.UTC().Format(time.RFC3339)
	switch {
	case m.answers > h.answersThen:
		h.tally.Silent = record.At(h.failing)
		e.monitor.touched[name] = h
		return e.alert(report.AlertSilent, name, "", fmt.Sprintf("no response since %s (requests in a row: %d), while other hosts answer: %s", since, h.fails, why))
	case !m.offline:
		m.offline = true
		return e.alert(report.AlertOffline, "", "", fmt.Sprintf("no host has answered since %s (requests in a row: %d): %s", since, m.unanswered, why))
	}
	return nil
}

// noteAnswered notes that the host h, called name, sent a response, and ends the
// alerts that this proves to be over.
func (e *engine) noteAnswered(name string, h *host) error {
	m := &e.monitor
	m.answers++
	m.unanswered = 0
	if m.offline {
		m.offline = false
		if err := e.alert(report.AlertOnline, name, "", "a host answers again"); err != nil {
			return err
		}
	}
	if h.tally.Silent == record.NoTime {
		return nil
	}
	since := h.tally.Silent
	h.tally.Silent = record.NoTime
	e.monitor.touched[name] = h
	return e.alert(report.AlertAnswers, name, "", "the host answers again; it was silent since "+since.Std().UTC().Format(time.RFC3339))
}

// checkDisk reads, every diskEvery, how much room the disk of the archive has. With
// less than DiskMin the crawl waits: no further fetch begins until there is room
// again.
func (e *engine) checkDisk() error {
	m, now := &e.monitor, e.now()
	if e.o.DiskMin == 0 || e.diskFree == nil || !m.diskRead.IsZero() && now.Sub(m.diskRead) < diskEvery {
		return nil
	}
	m.diskRead = now
	free, err := e.diskFree()
	if err != nil {
		return nil // not every file system says how much room it has
	}
	switch low := free < e.o.DiskMin; {
	case low && !m.diskLow:
		m.diskLow = true
		e.crawl.Error = fmt.Sprintf("the disk of the archive has %s left, less than disk_min, which is %s; the crawl goes on by itself when there is more room", sizeText(free), sizeText(e.o.DiskMin))
		return e.alert(report.AlertDiskLow, "", "", e.crawl.Error)
	case !low && m.diskLow:
		m.diskLow = false
		e.crawl.Error = ""
		return e.alert(report.AlertDiskOK, "", "", fmt.Sprintf("the disk of the archive has %s left: the crawl goes on", sizeText(free)))
	}
	return nil
}

// sizeText returns a size of n bytes for a message, such as "1.5 GB".
func sizeText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

// paused reports whether no fetch may begin at present.
func (e *engine) paused() bool { return e.orders.Pause || e.monitor.diskLow }

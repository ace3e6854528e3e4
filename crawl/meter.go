package crawl

import (
	"time"

	"infomall/crawl/report"
)

// meterSlots is into how many equal parts a meter divides its time.
const meterSlots = 60

// meter measures how many pages and bytes came in the last time: in the present
// part of it, and in the meterSlots-1 parts before.
type meter struct {
	begun time.Time
	slot  time.Duration // length of a part
	at    int64         // number of the present part since begun
	parts [meterSlots]amount
	sum   amount // of all parts
}

// amount is a number of pages and the size of their bodies.
type amount struct{ pages, bytes int64 }

// newMeter returns a meter of the given time, which begins now.
func newMeter(now time.Time, over time.Duration) meter {
	return meter{begun: now, slot: over / meterSlots}
}

// add counts one page that came at the time now.
func (m *meter) add(now time.Time, bytes int64) {
	m.forget(now)
	part := &m.parts[m.at%meterSlots]
	part.pages++
	part.bytes += bytes
	m.sum.pages++
	m.sum.bytes += bytes
}

// forget removes the parts that are too old at the time now.
func (m *meter) forget(now time.Time) {
	at := int64(now.Sub(m.begun) / m.slot)
	for range min(at-m.at, meterSlots) {
		m.at++
		part := &m.parts[m.at%meterSlots]
		m.sum.pages -= part.pages
		m.sum.bytes -= part.bytes
		*part = amount{}
	}
	m.at = max(m.at, at)
}

// rate returns what came per second, in the time that the meter covers. At the
// beginning that is the time since begun, but at least one second.
func (m *meter) rate(now time.Time) report.Rate {
	m.forget(now)
	covered := now.Sub(m.begun) - time.Duration(max(0, m.at-meterSlots+1))*m.slot
	seconds := max(covered, time.Second).Seconds()
	return report.Rate{Pages: float64(m.sum.pages) / seconds, Bytes: float64(m.sum.bytes) / seconds}
}

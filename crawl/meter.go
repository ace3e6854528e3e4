package crawl

import (
	"time"

	"infomall/crawl/report"
)

// meterSlots is the number of equal parts into which a meter divides the time that it covers.
const meterSlots = 60

// meter counts the pages and bytes of the last minute, or of another length of time. It
// divides that time into meterSlots parts, such as seconds, and has one count for each. When a
// new part begins, the count of the oldest part is dropped.
type meter struct {
	begun time.Time
	slot  time.Duration // length of a part
	at    int64         // number of the current part, counted from begun
	parts [meterSlots]amount
	sum   amount // of all parts
}

// amount is a number of pages and the size of their bodies.
type amount struct{ pages, bytes int64 }

// newMeter returns a meter that begins at now and covers the most recent time of this length.
func newMeter(now time.Time, length time.Duration) meter {
	return meter{begun: now, slot: length / meterSlots}
}

// add counts one page of the given size that came at the time now.
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

// rate returns the pages and bytes per second, averaged over the time that the meter
// covers. A meter that began later than that averages over the time since it began, but over
// at least one second.
func (m *meter) rate(now time.Time) report.Rate {
	m.forget(now)
	covered := now.Sub(m.begun) - time.Duration(max(0, m.at-meterSlots+1))*m.slot
	seconds := max(covered, time.Second).Seconds()
	return report.Rate{Pages: float64(m.sum.pages) / seconds, Bytes: float64(m.sum.bytes) / seconds}
}

package value

import (
	"testing"
	"time"

	"infomall/store/record"
)

// TestDaysWithoutMidnight walks through years of zones in which summer time begins or ends at
// midnight, day by day. Each period begins at the first moment that a clock shows its date, ends
// where the next one begins, and contains its own times. The day before such a day had a second
// end otherwise, and a walk through the periods came back to the same one.
func TestDaysWithoutMidnight(t *testing.T) {
	for _, name := range []string{"America/Sao_Paulo", "America/Havana", "America/Santiago", "Asia/Beirut", "Africa/Cairo", "Asia/Tehran", "Atlantic/Azores", "Europe/Berlin", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"day", "week", "month", "year"} {
			from, to := record.At(time.Date(2009, 12, 30, 12, 0, 0, 0, zone)), record.At(time.Date(2018, 12, 31, 12, 0, 0, 0, zone))
			for p := PeriodAt(unit, from, zone); p.From < to; {
				start, before := p.From.Std().In(zone), (p.From - 1).Std().In(zone)
				y, m, d := start.Date()
				if by, bm, bd := before.Date(); y == by && m == bm && d == bd || start.Hour() > 1 {
					t.Fatalf("%s in %s begins at %v, after %v", unit, name, start, before)
				}
				for _, at := range []record.Time{p.From, p.From + 3600_000, p.To - 3600_000, p.To - 1} {
					if q := PeriodAt(unit, at, zone); q != p {
						t.Fatalf("%s in %s: %v lies in %s, want %s", unit, name, at.Std().In(zone), periodText(q), periodText(p))
					}
				}
				if unit == "day" {
					if text, err := parseWhole(start.Format("2006-01-02"), zone); err != nil || periodTextOf(text) != periodText(p) {
						t.Fatalf("%s in %s: the text is %s, want %s: %v", start.Format("2006-01-02"), name, periodTextOf(text), periodText(p), err)
					}
				}
				next := PeriodAt(unit, p.To, zone)
				if next.From != p.To || next.To <= p.To {
					t.Fatalf("%s in %s: after %s comes %s", unit, name, periodText(p), periodText(next))
				}
				p = next
			}
		}
	}
}

// periodTextOf prints the period w in UTC.
func periodTextOf(w whole) string {
	p, _ := w.period()
	return periodText(p)
}

package article

import (
	"testing"
	"time"

	"infomall/store/record"
)

// TestResolveAfterRemoved resolves dates after one that is removed because it is later than the
// first capture. Each of the others counts once, and the removed one does not count.
func TestResolveAfterRemoved(t *testing.T) {
	date := func(year, month, day int, weight float64) candidate {
		return candidate{expression: expression{year: year, month: month, day: day, hour: -1, zone: zoneNone}, weight: weight}
	}
	either := date(2008, 8, 9, .5)
	either.swap = true
	seen := record.At(time.Date(2008, 12, 1, 0, 0, 0, 0, time.UTC))
	r := reader{in: &Input{Lang: "de", Seen: seen}, dates: []candidate{date(2010, 1, 1, .9), date(2008, 8, 9, .3), either, date(2008, 9, 8, .9)}}
	r.resolve()
	if len(r.dates) != 3 || r.dates[1].month != 9 || r.dates[1].day != 8 {
		t.Errorf("8/9/2008 or 9/8/2008: got %+v, want the second of three dates to be 9/8", r.dates)
	}
	r = reader{in: &Input{Lang: "de", Seen: seen}, dates: []candidate{date(2008, 11, 1, .9), date(2010, 8, 8, .9), date(0, 8, 8, .5)}}
	r.resolve()
	if len(r.dates) != 2 || r.dates[1].year != 2008 {
		t.Errorf("8 August, with another date in 2010: got %+v, want the second of two dates to be in 2008", r.dates)
	}
}

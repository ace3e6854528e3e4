package draw

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
)

// on returns a day of 2008 at noon UTC.
func on(month time.Month, day int) record.Time {
	return record.At(time.Date(2008, month, day, 12, 0, 0, 0, time.UTC))
}

// drawnEvents returns two events, the second with a title that looks like markup.
func drawnEvents() *Events {
	flood := Event{
		Name: "news/1", Title: "澜江洪水超过警戒水位", Start: on(7, 14), Peak: on(7, 15), End: on(7, 22), Dated: true, Reports: 3, Sources: 2,
		Keywords: "洪水, 大堤", Places: "Hunan, Nowhere",
		List: []Report{
			{URL: "http://a.example/1", Title: "flood", Source: "a.example", Time: on(7, 14), Published: record.NoTime},
			{URL: "http://b.example/2", Title: "crest", Source: "新华网", Hosts: "a.example, b.example", Time: on(7, 16), Published: on(7, 15), Precision: "minute", Copies: 1},
			{URL: "javascript:alert(1)", Title: "", Source: "b.example", Time: on(7, 22), Published: on(7, 1), Precision: "month"},
		},
	}
	games := Event{Name: "news/2", Title: "<script>alert(2)</script>", Start: on(8, 8), Peak: on(8, 9), End: on(8, 12), Reports: 7, Sources: 4, Keywords: "ceremony", Places: "Beijing, Hunan"}
	return &Events{Events: []Event{flood, games}, Zone: time.UTC, Locate: func(name string) (float64, float64, bool) {
		at, ok := map[string][2]float64{"Hunan": {27.6, 111.8}, "Beijing": {39.9, 116.4}}[name]
		return at[0], at[1], ok
	}}
}

// TestEventsPage shows that events become a page with bars, a map and cards, that bars and
// markers lead to cards, and that no text becomes markup.
func TestEventsPage(t *testing.T) {
	var page, part bytes.Buffer
	d := drawnEvents()
	if err := d.HTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := d.Part(&part); err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv("INFOMALL_DRAWN"); name != "" {
		if err := os.WriteFile(name, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	both := []string{
		`<section class="event c0" id="event-news-1">`, `id="event-news-2"`, "2008-07-14 – 2008-07-22, 3 reports of 2 sources", "2008-08-08 – 2008-08-12, as first seen, 7 reports of 4 sources",
		`<a href="#event-news-1"><rect class="c0"`, `<title>2008-07-15: 1 report, 澜江洪水超过警戒水位</title>`, `<a href="#event-news-2"><text class="peak"`,
		"<title>Hunan: 2 events, 10 reports</title>", "not on the map: Nowhere", `class="land"`, `class="provinces"`,
		"&lt;script&gt;", "and 1 further text: a.example, b.example",
	}
	for _, c := range []struct {
		got  string
		want []string
	}{
		{page.String(), append([]string{"<h1>2 events</h1>", `href="http://b.example/2"`}, both...)},
		{part.String(), append([]string{`href="/20080716120000/http://b.example/2"`}, both...)},
	} {
		for _, w := range c.want {
			if !strings.Contains(c.got, w) {
				t.Errorf("no %q in\n%.3000s", w, c.got)
			}
		}
		for _, bad := range []string{"<script", `href="javascript`, "src=", "url(", "style="} {
			if strings.Contains(c.got, bad) {
				t.Errorf("the drawing has %q", bad)
			}
		}
	}
	if n := page.Len(); n > 150_000 {
		t.Errorf("the page has %d bytes", n)
	}
}

// TestEventsOnTerminal shows the bars of events and of reports on a terminal.
func TestEventsOnTerminal(t *testing.T) {
	d := drawnEvents()
	d.Events[1].Title = "The ceremony"
	for _, c := range []struct {
		d    Drawing
		t    Terminal
		want string
	}{
		{d, Terminal{Width: 70}, `2008-07-14 │███ 1
2008-07-15 │███ 1                         news/1 澜江洪水超过警戒水位
… 6 days without reports
2008-07-22 │███ 1
… 17 days without reports
2008-08-09 │████████████████████████ 7    news/2 The ceremony
(2 events; reports by day)
`},
		{&Reports{List: d.Events[0].List, More: 2, Zone: time.UTC}, Terminal{Printable: strings.ToUpper}, `2008-07-14 │████████████████████████ 1    FLOOD
2008-07-15 │████████████████████████ 1    CREST
… 6 days without reports
2008-07-22 │████████████████████████ 1
(3 reports, 2 more reports not drawn; by day)
`},
		{&Events{Zone: time.UTC}, Terminal{}, "(0 events; reports by day)\n"},
	} {
		var b strings.Builder
		if err := c.d.Text(&b, c.t); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), c.want)
		}
	}
}

// TestSpread shows that bars are days, weeks, months or years, and that there are not too many, except
// of years. The last bar is the period of the last report.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		days int
		unit string
		bars int
	}{{0, "day", 1}, {129, "day", 130}, {130, "week", 19}, {2000, "month", 66}, {20000, "year", 55}, {60000, "year", 165}} {
		from := time.Date(2008, 1, 7, 0, 0, 0, 0, time.UTC)
		list := []Report{{Time: record.At(from), Published: record.NoTime}, {Time: record.At(from.AddDate(0, 0, c.days)), Published: record.NoTime}}
		s := spread((&Reports{List: list}).event(), time.UTC)
		if s.unit != c.unit || len(s.periods) != c.bars {
			t.Errorf("%d days: %d bars by %s, want %d by %s", c.days, len(s.periods), s.unit, c.bars, c.unit)
		}
		total := int64(0)
		for i := range s.periods {
			total += s.periods[i].total
		}
		if last := s.periods[len(s.periods)-1]; last.total == 0 || !last.start.Equal(value.StartOf(c.unit, from.AddDate(0, 0, c.days))) {
			t.Errorf("%d days: the last bar begins at %v and has %d reports", c.days, last.start, last.total)
		}
		if total != 2 {
			t.Errorf("%d days: the bars have %d reports, want 2", c.days, total)
		}
	}
}

// TestSpreadGrid shows that a diagram has at most four lines behind its bars, however many
// reports an event has.
func TestSpreadGrid(t *testing.T) {
	for _, c := range []struct {
		most int64
		want string
	}{{1, "1"}, {3, "1 2 3"}, {4, "1 2 3 4"}, {5, "2 4"}, {1000, "250 500 750 1000"}, {math.MaxInt64 - 3, "2305843009213693951 4611686018427387902 6917529027641081853 9223372036854775804"},
		{math.MaxInt64, "2305843009213693952 4611686018427387904 6917529027641081856"}} {
		var got []string
		for _, line := range spread([]Event{{Peak: on(7, 1), Reports: c.most}}, time.UTC).bars().Grid {
			got = append(got, line.Label)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%d reports: the lines are at %s, want %s", c.most, got, c.want)
		}
	}
}

// TestMapWithoutCoordinates shows that a place without coordinates is missing on the map and
// leaves the other places where they are, and that markers of events without reports have a size.
func TestMapWithoutCoordinates(t *testing.T) {
	for _, nowhere := range [][2]float64{{math.NaN(), math.NaN()}, {math.NaN(), 111.8}, {27.6, math.NaN()}} {
		locate := func(name string) (float64, float64, bool) {
			if name == "Hunan" {
				return 27.6, 111.8, true
			}
			return nowhere[0], nowhere[1], true
		}
		m := newMap([]Event{{Name: "news/1", Places: "Hunan, Lanshan University"}}, locate)
		if m.Missing != "Lanshan University" || len(m.Markers) != 1 || m.Height < 1 || m.Height > mapHeightMax || !(m.Markers[0].R >= markerMin) {
			t.Errorf("a place at %v: the map is %d high and has %d markers, %q are missing", nowhere, m.Height, len(m.Markers), m.Missing)
		}
		if m := newMap([]Event{{Name: "news/1", Places: "Lanshan University"}}, locate); m != nil {
			t.Errorf("a map of places without coordinates has %d markers", len(m.Markers))
		}
	}
}

// TestReadEvents reads events and reports from rows with the columns of the relations, and
// from rows with few of them.
func TestReadEvents(t *testing.T) {
	cols := []value.Column{{Name: "event", Type: value.Text}, {Name: "title", Type: value.Text}, {Name: "start", Type: value.Time}, {Name: "peak", Type: value.Time},
		{Name: "finish", Type: value.Time}, {Name: "reports", Type: value.Int}, {Name: "merged_into", Type: value.Text}}
	traced := []value.Column{{Name: "at", Type: value.Time}, {Name: "title", Type: value.Text}, {Name: "url", Type: value.URL}, {Name: "sources", Type: value.Text}, {Name: "copies", Type: value.Int}}
	if !HasReports(traced) || HasReports(traced[1:]) {
		t.Error("the columns decide whether rows are reports")
	}
	if HasEvents(cols[:5]) || !HasEvents(cols) || HasReports(cols) {
		t.Error("the columns decide whether rows are events")
	}
	b := &value.Batch{N: EventsMax + 3}
	for _, c := range cols {
		b.Cols = append(b.Cols, &value.Vector{Type: c.Type})
	}
	for i := range b.N {
		into := value.Value{}
		if i == 1 {
			into = value.OfText("news/1")
		}
		for k, v := range []value.Value{value.OfText("news/1"), value.OfText("t"), value.OfTime(on(7, 1)), value.OfTime(on(7, 2)), value.OfTime(on(7, 3)), value.OfInt(int64(i)), into} {
			b.Cols[k].AppendValue(v)
		}
	}
	list, more, err := ReadEvents(cols, func(yield func(*value.Batch, error) bool) { yield(b, nil) })
	if err != nil || len(list) != EventsMax || more != 2 || list[1].Reports != 2 || list[0].Peak != on(7, 2) || list[0].Dated {
		t.Errorf("got %d events, %d more, %v", len(list), more, err)
	}
	b.Cols[5].Ints[0], b.Cols[5].Ints[2] = -7, math.MaxInt64
	if list, _, _ = ReadEvents(cols, func(yield func(*value.Batch, error) bool) { yield(b, nil) }); list[0].Reports != 0 || list[1].Reports != reportsMost {
		t.Errorf("numbers of reports that no event has become %d and %d, want 0 and %d", list[0].Reports, list[1].Reports, int64(reportsMost))
	}
}

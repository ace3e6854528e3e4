package rowio

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"infomall/exec/value"
)

// months returns rows of a month and a count.
func months(counts ...int64) ([]value.Column, *value.Batch) {
	cols := []value.Column{{Name: "month", Type: value.Time}, {Name: "n", Type: value.Int}}
	b := &value.Batch{N: len(counts), Cols: []*value.Vector{{Type: value.Time}, {Type: value.Int, Ints: counts}}}
	for i := range counts {
		b.Cols[0].Ints = append(b.Cols[0].Ints, time.Date(2008, time.Month(i+1), 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	}
	return cols, b
}

// TestChart shows bars of the same scale, times in their shortest form, and
// numbers that have no bar.
func TestChart(t *testing.T) {
	cols, b := months(5, 80, 0, -20)
	b.Cols[0].AppendValue(value.Value{})
	b.Cols[1].AppendValue(value.Value{})
	b.N++
	want := `n by month
2008-01 │█▍ 5
2008-02 │█████████████████████ 80
2008-03 │ 0
2008-04 │░░░░░ -20
NULL    │
(5 rows)
`
	if got := write(t, "chart", Options{Header: true, Width: 35}, cols, b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	// If all columns are numbers, the first is the label.
	cols = []value.Column{{Name: "status", Type: value.Int}, {Name: "n", Type: value.Int}, {Name: "标", Type: value.Float}}
	b = &value.Batch{N: 1, Cols: []*value.Vector{{Type: value.Int, Ints: []int64{404}}, {Type: value.Int, Ints: []int64{10}}, {Type: value.Float, Floats: []float64{2.5}}}}
	want = `n, 标 by …
404 n  │██████████ 10
    标 │██▌ 2.5
(1 row)
`
	if got := write(t, "chart", Options{Header: true, Width: 10}, cols, b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestChartLabels shows that a long label keeps its end, and that a number of type float is
// rounded.
func TestChartLabels(t *testing.T) {
	cols := []value.Column{{Name: "url", Type: value.URL}, {Name: "a", Type: value.Float}}
	b := &value.Batch{N: 3, Cols: []*value.Vector{
		{Type: value.URL, Texts: []string{"http://x.cn/a/long/path/one.htm", "http://x.cn/a/long/path/two.htm", "http://x.cn/"}},
		{Type: value.Float, Floats: []float64{1555.1555555, 0.00012345, 2}},
	}}
	want := `a by url
http:…th/one.htm │██████████ 1555.16
http:…th/two.htm │▏ 0.000123
http://x.cn/     │▏ 2
(3 rows)
`
	if got := write(t, "chart", Options{Header: true, Width: 32}, cols, b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestChartWithoutNumbers shows that a chart without numbers is refused.
func TestChartWithoutNumbers(t *testing.T) {
	var out bytes.Buffer
	w, err := New("chart", &out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin([]value.Column{{Name: "url", Type: value.URL}}); err != errNoNumbers || out.Len() > 0 {
		t.Errorf("got error %v and %q, want %v and nothing", err, out.String(), errNoNumbers)
	}
}

// TestChartBounds shows that a chart holds no more rows than it draws.
func TestChartBounds(t *testing.T) {
	cols, b := months(1, 2, 3)
	batches := make([]*value.Batch, chartRowsMax)
	for i := range batches {
		batches[i] = b
	}
	got := write(t, "chart", Options{}, cols, batches...)
	if want := "(10000 rows; 20000 more not drawn)\n"; !strings.HasSuffix(got, want) || strings.Count(got, "\n") != chartRowsMax+1 {
		t.Errorf("ends with %q, want %q", got[len(got)-60:], want)
	}
}

// TestChartGaps shows that months without rows have lines, that a column with
// numbers much smaller than another has a scale of its own, and where a chart says
// it comes from.
func TestChartGaps(t *testing.T) {
	at := func(year int, month time.Month) int64 {
		return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	}
	cols := []value.Column{{Name: "m", Type: value.Time, Unit: "month"}, {Name: "n", Type: value.Int}, {Name: "bytes", Type: value.Int}}
	b := &value.Batch{N: 3, Cols: []*value.Vector{{Type: value.Time, Ints: []int64{at(2008, 1), at(2008, 4), at(2015, 10)}}, {Type: value.Int, Ints: []int64{4, 2, 1}}, {Type: value.Int, Ints: []int64{1000, 500, 0}}}}
	want := `n, bytes by m
2008-01     n     │██████████ 4
            bytes │██████████ 1000
2008-02           │
2008-03           │
2008-04     n     │█████ 2
            bytes │█████ 500
… 89 months       │
2015-10     n     │██▌ 1
            bytes │ 0
(3 rows; each column has a scale of its own)
SELECT 1
archive
`
	if got := write(t, "chart", Options{Header: true, Width: 29, Statement: "SELECT 1", Archive: "archive"}, cols, b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestChartBelow shows that a long statement takes a few lines below a chart.
func TestChartBelow(t *testing.T) {
	cols, b := months(5)
	long := "SELECT " + strings.Repeat("length(url), ", 1000) + "1"
	got := write(t, "chart", Options{Width: 40, Statement: long, Archive: "archive"}, cols, b)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if n := len(lines); n > 7 || !strings.HasSuffix(lines[n-2], "…") || lines[n-1] != "archive" {
		t.Errorf("%d lines, want at most 7, a cut statement and the archive at the end:\n%.600s", n, got)
	}
}

// TestTimeline shows that a report draws each column of numbers, and gives times
// their true places.
func TestTimeline(t *testing.T) {
	cols := []value.Column{{Name: "y", Type: value.Time, Unit: "year"}, {Name: "n", Type: value.Int}, {Name: "share", Type: value.Float}}
	b := &value.Batch{N: 2, Cols: []*value.Vector{{Type: value.Time}, {Type: value.Int, Ints: []int64{4, 2}}, {Type: value.Float, Floats: []float64{0.5, 0.25}}}}
	for _, year := range []int{2001, 2004} {
		b.Cols[0].Ints = append(b.Cols[0].Ints, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	}
	got := write(t, "html", Options{Statement: "SELECT <x>", Archive: "/archive"}, cols, b)
	for _, want := range []string{"<td>2001</td>", "<figcaption>n by y</figcaption>", "<figcaption>share by y</figcaption>", `<rect x="80.99" `, "<title>2004: 2</title>", "SELECT &lt;x&gt;", "/archive", "prefers-color-scheme: dark", "@media print"} {
		if want = strings.Replace(want, "80.99", "81.0", 1); !strings.Contains(got, want) {
			t.Errorf("the report lacks %s:\n%s", want, got)
		}
	}
	// The bars are a fourth of the axis wide, and two years are between them.
	for _, x := range []string{`<rect x="81.0" y="10.0" width="167.9"`, `<rect x="710.6" y="100.0" width="168.3"`} {
		if !strings.Contains(got, x) {
			t.Errorf("the report lacks the bar %s:\n%s", x, got)
		}
	}
	for _, c := range []struct {
		from, to string
		want     string
	}{
		{"1996-03-01", "2024-01-01", "2000 2005 2010 2015 2020"},
		{"2008-01-15", "2008-03-10", "2008-01-15 2008-01-22 2008-01-29 2008-02-05 2008-02-12 2008-02-19 2008-02-26 2008-03-04"},
		{"2008-01-01", "2008-01-09", "2008-01-01 2008-01-02 2008-01-03 2008-01-04 2008-01-05 2008-01-06 2008-01-07 2008-01-08 2008-01-09"},
		{"2008-01-01", "2010-01-01", "2008-01 2008-04 2008-07 2008-10 2009-01 2009-04 2009-07 2009-10 2010-01"},
	} {
		l := timeline{zone: time.UTC}
		for text, at := range map[string]*int64{c.from: &l.from, c.to: &l.to} {
			when, err := time.Parse("2006-01-02", text)
			if err != nil {
				t.Fatal(err)
			}
			*at = when.UnixMilli()
		}
		var labels []string
		for _, tk := range l.ticks(plotLabels) {
			labels = append(labels, tk.label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

// TestDaysWithoutMidnight shows that a chart knows a day that has no midnight, because summer time
// begins, as the day that it is.
func TestDaysWithoutMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	day := func(d int) int64 {
		return value.StartOf("day", time.Date(2008, 10, d, 12, 0, 0, 0, zone)).UnixMilli()
	}
	var labels []string
	for _, tk := range (&timeline{zone: zone, from: day(17), to: day(21)}).ticks(plotLabels) {
		labels = append(labels, tk.label)
	}
	if got, want := strings.Join(labels, " "), "2008-10-17 2008-10-18 2008-10-19 2008-10-20 2008-10-21"; got != want {
		t.Errorf("the labels are %s, want %s", got, want)
	}
	cols := []value.Column{{Name: "d", Type: value.Time, Unit: "day"}, {Name: "n", Type: value.Int}}
	b := &value.Batch{N: 2, Cols: []*value.Vector{{Type: value.Time, Ints: []int64{day(19), day(21)}}, {Type: value.Int, Ints: []int64{1, 1}}}}
	got := write(t, "chart", Options{Zone: zone, Width: 24}, cols, b)
	if want := "2008-10-19 │██████████ 1\n2008-10-20 │\n2008-10-21 │██████████ 1\n"; !strings.Contains(got, want) {
		t.Errorf("the chart is\n%s\nwant\n%s", got, want)
	}
}

// TestReport shows that archived text is escaped in a report, and that there is
// a plot if there are numbers.
func TestReport(t *testing.T) {
	cols, b := months(3, 9)
	got := write(t, "html", Options{}, cols, b)
	for _, want := range []string{`<td>2008-01-01T00:00:00Z</td><td class="n">3</td>`, "<title>2008-02: 9</title>", "n by month</figcaption>", "<h1>n by month</h1>", "2 rows"} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %s:\n%s", want, got)
		}
	}
	cols = []value.Column{{Name: "<b>", Type: value.Text}}
	b = &value.Batch{N: 1, Cols: []*value.Vector{{Type: value.Text, Texts: []string{"<script>alert(1)</script>\x00"}}}}
	got = write(t, "html", Options{}, cols, b)
	if strings.Contains(got, "<script") || strings.Contains(got, "<b>") || strings.Contains(got, "<svg") || !strings.Contains(got, `&lt;/script&gt;\x00`) {
		t.Errorf("the report is\n%s", got)
	}
}

// TestGridStep shows the distances between the lines of plots.
func TestGridStep(t *testing.T) {
	for _, c := range []struct {
		span  float64
		whole bool
		want  float64
	}{{87, true, 20}, {2, true, 1}, {2, false, .5}, {5, true, 1}, {.003, false, .001}, {1e7, true, 2e6}, {101, true, 50}, {math.MaxFloat64, false, 5e307}} {
		if got := gridStep(c.span, c.whole); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("a plot %g high has lines each %g, want %g", c.span, got, c.want)
		}
	}
}

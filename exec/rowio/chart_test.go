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
	want = `404 n  │██████████ 10
    标 │██▌ 2.5
(1 row)
`
	if got := write(t, "chart", Options{Header: true, Width: 10}, cols, b); got != want {
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

// TestReport shows that archived text is escaped in a report, and that there is
// a plot if there are numbers.
func TestReport(t *testing.T) {
	cols, b := months(3, 9)
	got := write(t, "html", Options{}, cols, b)
	for _, want := range []string{`<td>2008-01-01T00:00:00Z</td><td class="n">3</td>`, "<title>2008-02: 9</title>", "n by month</figcaption>", "2 rows"} {
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

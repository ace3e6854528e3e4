package rowio

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/cells"
)

// chartFormat is the format chart: bars for numbers, drawn with characters.
var chartFormat = &Format{Name: "chart", make: newChart}

// chartRowsMax is the greatest number of rows that a chart draws. The chart must hold them
// in memory, because the length of each bar depends on all of them.
const chartRowsMax = 10_000

// chartWidth is the width of a chart if Options.Width is 0. barMin is the least width that
// the bars get. Both are in cells of the terminal.
const (
	chartWidth = 80
	barMin     = 10
)

// belowLines is about how many lines the statement may take below a chart. A longer one is cut, so
// that the chart does not leave the screen.
const belowLines = 3

// chart is a Writer that draws one bar for each number in a row. Beside the bars it writes
// the other values of the row. All bars have the same scale, unless those of a column would
// then be too short to see; see plot.scales. Bars of negative numbers are hatched. If the
// rows are labelled by times, months (or other periods) without rows also get lines.
type chart struct {
	sink
	o    Options
	plot plot
}

// newChart returns a writer of the format chart.
func newChart(w io.Writer, o Options) Writer { return &chart{sink: sink{w: w}, o: o} }

// errNoNumbers is the error of chart.Begin if no column has a numeric type.
var errNoNumbers = errors.New("a chart draws numbers, but no column has any; write a query such as SELECT date_trunc('month', time), count(*) … GROUP BY 1")

// Begin keeps the columns. It returns errNoNumbers if no column has a numeric type.
func (c *chart) Begin(cols []value.Column) error {
	c.plot = newPlot(cols, chartRowsMax, &c.o)
	if len(c.plot.numbers) == 0 {
		return errNoNumbers
	}
	return nil
}

// Write adds the rows of the batch to the chart. Only End writes output.
func (c *chart) Write(b *value.Batch) error {
	c.plot.add(b)
	return nil
}

// End writes the chart.
func (c *chart) End() error {
	p := &c.plot
	series := len(p.numbers) > 1
	labels, gaps := p.labels(), p.gaps()
	labelWidth, valueWidth := 0, 0
	for i := range p.rows {
		for _, label := range gaps[i] {
			labelWidth = max(labelWidth, cells.Width(label))
		}
		labelWidth = max(labelWidth, cells.Width(labels[i]))
		for _, text := range p.rows[i].texts {
			valueWidth = max(valueWidth, cells.Width(text))
		}
	}
	seriesWidth := 0
	if series {
		for _, n := range p.numbers {
			seriesWidth = max(seriesWidth, cells.Width(p.names[n])+1)
		}
	}
	width := c.o.Width
	if width == 0 {
		width = chartWidth
	}
	labelWidth = min(labelWidth, max(columnMin, width/2))
	room := max(barMin, width-labelWidth-seriesWidth-valueWidth-4)
	if c.o.Header {
		title, _ := cells.Clip(p.title(), width)
		c.line(c.dim(title))
	}
	most, same := p.scales()
	for i, r := range p.rows {
		for _, label := range gaps[i] {
			c.line(c.dim(cells.FillRight(label, labelWidth+1+seriesWidth) + "│"))
		}
		label, _ := cells.ClipMiddle(labels[i], labelWidth)
		for k, n := range p.numbers {
			line := cells.FillRight(label, labelWidth) + " "
			if series {
				line += c.dim(cells.FillRight(p.names[n], seriesWidth))
			}
			line += c.dim("│") + bar(r.numbers[k], most[k], room)
			if r.texts[k] != "" {
				line += " " + r.texts[k]
			}
			c.line(line)
			label = ""
		}
		if err := c.full(); err != nil {
			return err
		}
	}
	footer := p.footer()
	if !same {
		footer += "; each column has a scale of its own"
	}
	c.line(c.dim("(" + footer + ")"))
	for _, s := range c.o.below() {
		s, _ := cells.Clip(string(cells.AppendLine(nil, s, nil)), belowLines*width)
		for _, s := range brokenLines(s, width) {
			c.line(c.dim(s))
		}
	}
	return c.flush()
}

// line appends a line with the text s to the output.
func (c *chart) line(s string) {
	c.buf = append(c.buf, s...)
	c.buf = append(c.buf, '\n')
}

// dim returns s in dimmed letters, if the terminal has colours.
func (c *chart) dim(s string) string {
	if !c.o.Color {
		return s
	}
	return dimOn + s + colorOff
}

// eighths are the characters that fill 0 to 7 eighths of a cell, from the left.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// bar returns the bar for the number x as text. Its length is in proportion to x: a bar for
// the number most takes room cells of the terminal. The bar is "" for zero and NaN.
func bar(x, most float64, room int) string {
	if most <= 0 || x == 0 || math.IsNaN(x) {
		return ""
	}
	n := int(math.Round(math.Min(math.Abs(x)/most, 1) * float64(room) * 8))
	n = max(n, 1) // a small number still shows
	if x < 0 {
		return strings.Repeat("░", max(1, n/8))
	}
	return strings.Repeat("█", n/8) + eighths[n%8]
}

// plot holds the rows that a chart or an HTML report draws. For each row it holds the
// numbers to draw, and a label made of the other values.
type plot struct {
	o       *Options
	cols    []value.Column
	names   []string // the names of the columns, with unprintable characters escaped
	numbers []int    // the columns that are drawn, by index
	others  []int    // the columns that label the rows, by index
	max     int      // the most rows that the plot holds
	rows    []plotRow
	total   int64   // how many rows were added, including those that the plot does not hold
	most    float64 // the greatest absolute value of all numbers
}

// plotRow is one row of a plot.
type plotRow struct {
	label   []string  // one text per column in others
	times   []int64   // one per column in others: the time in milliseconds since 1970, or math.MinInt64 if the value is not a time
	numbers []float64 // one per column in numbers; NaN for NULL
	texts   []string  // the numbers as text, those of type float rounded; "" for NULL
}

// newPlot returns an empty plot for rows with the columns cols. It draws the
// columns with numbers, and labels the rows with the other columns. It holds at
// most rowsMax rows.
func newPlot(cols []value.Column, rowsMax int, o *Options) plot {
	p := plot{o: o, cols: cols, max: rowsMax}
	for i, c := range cols {
		p.names = append(p.names, string(cells.AppendLine(nil, c.Name, nil)))
		if numeric(c.Type) {
			p.numbers = append(p.numbers, i)
		} else {
			p.others = append(p.others, i)
		}
	}
	// If all columns are numbers, the first labels the rows, such as years.
	if len(p.others) == 0 && len(p.numbers) > 1 {
		p.others, p.numbers = p.numbers[:1], p.numbers[1:]
	}
	return p
}

// add adds copies of the rows of b to the plot, up to p.max rows in all. Further rows are
// only counted.
func (p *plot) add(b *value.Batch) {
	for i := range b.N {
		p.total++
		if len(p.rows) == p.max {
			continue
		}
		var r plotRow
		for _, k := range p.others {
			v, at := b.Cols[k], int64(math.MinInt64)
			if v.Type == value.Time && !v.IsNull(i) {
				at = v.Ints[i]
			}
			r.times = append(r.times, at)
			r.label = append(r.label, string(appendCell(nil, &p.cols[k], v, i, p.o)))
		}
		for _, k := range p.numbers {
			v := b.Cols[k]
			x, text := math.NaN(), ""
			if !v.IsNull(i) {
				x, text = v.At(i).Number(), string(v.AppendText(nil, i, p.o.Zone))
				if v.Type == value.Float {
					text = rounded(x)
				}
			}
			r.numbers, r.texts = append(r.numbers, x), append(r.texts, text)
			if a := math.Abs(x); a > p.most && !math.IsInf(a, 0) {
				p.most = a
			}
		}
		p.rows = append(p.rows, r)
	}
}

// rounded returns x as text, with at most two decimals, or with three digits if x is between
// -1 and 1. The length of a bar does not show more.
func rounded(x float64) string {
	if math.Abs(x) < 1 || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// labels returns the label of each row: its values in the columns that are not drawn. If all
// times of a column begin a day, a month or a year, they are written as 2008-06-15, 2008-06
// or 2008.
func (p *plot) labels() []string {
	labels := make([]string, len(p.rows))
	for k := range p.others {
		layout := p.layout(k)
		for i, r := range p.rows {
			text := r.label[k]
			if layout != "" && r.times[k] != math.MinInt64 {
				text = time.UnixMilli(r.times[k]).In(p.o.Zone).Format(layout)
			}
			if k > 0 {
				text = " " + text
			}
			labels[i] += text
		}
	}
	return labels
}

// layout returns the shortest layout for time.Time.Format in which the times of label column
// k can be written without loss. It returns "" if some time does not begin a day.
func (p *plot) layout(k int) string {
	layout := "2006"
	for _, r := range p.rows {
		if r.times[k] == math.MinInt64 {
			continue
		}
		t := time.UnixMilli(r.times[k]).In(p.o.Zone)
		switch {
		case !t.Equal(value.StartOf("day", t)):
			return ""
		case t.Day() != 1:
			layout = "2006-01-02"
		case t.Month() != 1 && layout == "2006":
			layout = "2006-01"
		}
	}
	return layout
}

// title returns the title of the plot. It consists of the names of columns, as in "count by
// month".
func (p *plot) title() string {
	var numbers, others []string
	for _, k := range p.numbers {
		numbers = append(numbers, p.names[k])
	}
	for _, k := range p.others {
		others = append(others, p.names[k])
	}
	title := strings.Join(numbers, ", ")
	switch by := strings.Join(others, ", "); {
	case len(numbers) == 0:
		title = by
	case len(others) > 0:
		title += " by " + by
	}
	title, _ = cells.Clip(title, titleMax)
	return title
}

// titleMax is the greatest width of the title of a plot, in cells.
const titleMax = 120

// footer returns a text with the number of rows, such as "400 rows; 12 more not
// drawn".
func (p *plot) footer() string {
	if left := p.total - int64(len(p.rows)); left > 0 {
		return fmt.Sprintf("%s; %d more not drawn", value.Counted(len(p.rows), "row"), left)
	}
	return value.Counted(p.total, "row")
}

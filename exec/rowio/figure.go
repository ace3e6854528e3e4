package rowio

import (
	"fmt"
	"html"
	"math"
	"time"

	"infomall/exec/value"
	"infomall/lang/cells"
)

// The measures of a figure in an HTML report, in pixels.
const (
	plotWidth, plotHeight = 900, 220
	plotLeft, plotBottom  = 60, 30
	plotTop               = 10
	plotGrid              = 5  // the greatest number of horizontal lines, not counting the line at zero
	plotLabels            = 12 // roughly the greatest number of labels below the bars
)

// Figures draws each column of numbers of a result as a bar chart in HTML, like the one in
// an HTML report.
type Figures struct{ r report }

// NewFigures returns a Figures without rows. cols are the columns of the rows that Add will
// add. Times are shown in the time zone zone.
func NewFigures(cols []value.Column, zone *time.Location) *Figures {
	f := &Figures{r: report{o: Options{Zone: zone}, cols: cols}}
	f.r.plot = newPlot(cols, htmlPlotMax, &f.r.o)
	return f
}

// Add adds the rows of the batch b. Only the first 400 rows are drawn.
func (f *Figures) Add(b *value.Batch) { f.r.plot.add(b) }

// HTML returns the drawing as a section of an HTML page, without a style sheet. Archived
// text in it is escaped. It returns "" if there is nothing to draw: less than two rows,
// or no column with a number other than zero.
func (f *Figures) HTML() string {
	f.r.buf = nil
	f.r.section()
	return string(f.r.buf)
}

// section writes one figure for each column of numbers, unless there is nothing to draw.
func (r *report) section() {
	p := &r.plot
	if len(p.numbers) == 0 || len(p.rows) < 2 || p.most <= 0 {
		return
	}
	r.put("<section>\n")
	r.figures(p)
	if p.total > int64(len(p.rows)) {
		r.put("<p class=\"note\">" + html.EscapeString(p.footer()) + "</p>\n")
	}
	r.put("</section>\n")
}

// figures writes one figure for each column of numbers of the plot p.
func (r *report) figures(p *plot) {
	line := p.timeline()
	labels := p.labels()
	for k := range p.numbers {
		r.figure(p, k, line, labels)
	}
}

// figure writes an SVG image with the numbers in column k of the plot p as bars. If line is
// not nil, each bar is at the place of its time on that axis; otherwise the bars are beside
// each other at equal distances.
func (r *report) figure(p *plot, k int, line *timeline, labels []string) {
	low, high, whole := 0.0, 0.0, true
	for _, row := range p.rows {
		if x := row.numbers[k]; !math.IsNaN(x) && !math.IsInf(x, 0) {
			low, high, whole = min(low, x), max(high, x), whole && x == math.Trunc(x)
		}
	}
	if low == high {
		return
	}
	y := func(x float64) float64 {
		return plotTop + (high-x)/(high-low)*(plotHeight-plotTop-plotBottom)
	}
	only := *p
	only.numbers = p.numbers[k : k+1]
	title := html.EscapeString(only.title())
	r.put(fmt.Sprintf("<figure><figcaption>%s</figcaption><svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"%s\">\n", title, plotWidth, plotHeight, plotWidth, title))
	step := gridStep(high-low, whole)
	for i := math.Ceil(low / step); i*step <= high; i++ {
		x := i * step
		r.put(fmt.Sprintf("<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			plotLeft, plotWidth, y(x), y(x), plotLeft-6, y(x)+4, html.EscapeString(short(x))))
	}
	for i, row := range p.rows {
		x := row.numbers[k]
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		left, width := barPlace(p, i, line)
		r.put(fmt.Sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: %s</title></rect>\n",
			left, min(y(x), y(0)), width, math.Abs(y(x)-y(0)), html.EscapeString(labels[i]), html.EscapeString(row.texts[k])))
	}
	r.axis(p, line, labels)
	r.put("</svg></figure>\n")
}

// barPlace returns the x coordinate of the left end of the bar of row i, and its width, in
// pixels.
func barPlace(p *plot, i int, line *timeline) (left, width float64) {
	const room = plotWidth - plotLeft
	if line == nil {
		width = float64(room) / float64(len(p.rows))
		return plotLeft + (float64(i)+0.1)*width, 0.8 * width
	}
	at := p.rows[i].times[0]
	left = plotLeft + line.place(at)*room
	if line.unit == "" {
		return left - 1, 2
	}
	width = (line.place(line.next(at)) - line.place(at)) * room
	return left + 0.1*width, max(0.8*width, 0.5)
}

// axis writes the labels below the bars.
func (r *report) axis(p *plot, line *timeline, labels []string) {
	const room = plotWidth - plotLeft
	put := func(x float64, text string) {
		text, _ = cells.ClipMiddle(text, 12)
		r.put(fmt.Sprintf("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, plotHeight-plotBottom+18, html.EscapeString(text)))
	}
	if line != nil && len(p.rows) > plotLabels {
		for _, t := range line.ticks(plotLabels) {
			x := plotLeft + line.place(t.at)*room
			r.put(fmt.Sprintf("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x, plotHeight-plotBottom, plotHeight-plotBottom+5))
			put(x, t.label)
		}
		return
	}
	every := (len(labels) + plotLabels - 1) / plotLabels
	for i := 0; i < len(labels); i += every {
		left, width := barPlace(p, i, line)
		put(left+width/2, labels[i])
	}
}

package rowio

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"infomall/exec/value"
	"infomall/lang/cells"
)

var htmlFormat = &Format{Name: "html", MediaType: "text/html", Suffixes: []string{".html", ".htm"}, make: newHTML}

// htmlPlotMax is the greatest number of rows that the plot of a report shows. With more
// rows, the bars would be too narrow on a screen.
const htmlPlotMax = 400

// report is the Writer of html. It writes one HTML document that needs no other file, with the
// rows as a table and a plot of each column that has numbers. The document has no scripts.
// Archived text is escaped, so that none of it becomes markup.
type report struct {
	sink
	o    Options
	cols []value.Column
	plot plot
}

func newHTML(w io.Writer, o Options) Writer { return &report{sink: sink{w: w}, o: o} }

// reportHead is the start of an HTML report. The plot comes after the table in
// the file, because it needs all rows; the style sheet shows it before the
// table.
const reportHead = `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%s</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; display: flex; flex-direction: column }
h1 { font-size: 1.2em; order: -2; margin: 0 0 1em }
section { order: -1; margin: 0 0 1.5em }
figure { margin: 0 0 1em; break-inside: avoid }
figcaption, .note, .null { color: #777 }
.note { margin: .5em 0 0; overflow-wrap: anywhere }
svg { max-width: 100%; height: auto }
svg text { font: 11px system-ui, sans-serif; fill: #555 }
svg line { stroke: #ddd }
svg rect { fill: #4a78b5 }
table { border-collapse: collapse; align-self: start }
th { text-align: left; border-bottom: 2px solid #888; position: sticky; top: 0; background: #fff }
td, th { padding: .25em .75em; vertical-align: top }
td { border-bottom: 1px solid #ddd; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
@media screen and (prefers-color-scheme: dark) {
body, th { color: #ddd; background: #1c1c1c } td { border-color: #444 } figcaption, .note, .null { color: #aaa }
svg text { fill: #bbb } svg line { stroke: #444 } svg rect { fill: #7aa5df }
}
@media print { body { margin: 0 } th { position: static } svg rect { print-color-adjust: exact } }
</style></head><body>
<h1>%s</h1>
<table>
`

// Begin writes the start of the document and the header of the table.
func (r *report) Begin(cols []value.Column) error {
	r.cols = cols
	r.plot = newPlot(cols, htmlPlotMax, &r.o)
	title := html.EscapeString(r.plot.title())
	r.put(strings.Replace(reportHead, "%s", title, 2))
	r.put("<thead><tr>")
	for i, c := range cols {
		r.put("<th" + class(c) + ">" + html.EscapeString(r.plot.names[i]) + "</th>")
	}
	r.put("</tr></thead>\n<tbody>\n")
	return r.flush()
}

// class returns the HTML attribute class for the cells of column c, with a space before it.
// It returns "" if the cells need no class.
func class(c value.Column) string {
	if numeric(c.Type) {
		return ` class="n"`
	}
	return ""
}

// put appends s to the output as it is.
func (r *report) put(s string) { r.buf = append(r.buf, s...) }

// Write writes the rows of the batch to the table, and adds them to the plot.
func (r *report) Write(b *value.Batch) error {
	r.plot.add(b)
	for i := range b.N {
		r.put("<tr>")
		for k, v := range b.Cols {
			if v.IsNull(i) {
				r.put(`<td class="null">` + html.EscapeString(nullOf(&r.o)) + "</td>")
				continue
			}
			text := html.EscapeString(r.text(&r.cols[k], v, i))
			if r.cols[k].Marked {
				text = inHTML.Replace(text)
			}
			r.put("<td" + class(r.cols[k]) + ">" + text + "</td>")
		}
		r.put("</tr>\n")
		if err := r.full(); err != nil {
			return err
		}
	}
	return r.flush()
}

// text returns the value in row i of v as text. Its unprintable characters are escaped,
// except line breaks. c describes the column v.
func (r *report) text(c *value.Column, v *value.Vector, i int) string {
	if b, ok := c.AppendStart(nil, v, i, r.o.Zone); ok {
		return string(b)
	}
	if v.Type != value.Text && v.Type != value.URL {
		return string(v.AppendText(nil, i, r.o.Zone))
	}
	var b []byte
	for line := range strings.Lines(v.Texts[i]) {
		line, broken := strings.CutSuffix(line, "\n")
		b = cells.AppendLine(b, strings.TrimSuffix(line, "\r"), nil)
		if broken {
			b = append(b, '\n')
		}
	}
	return string(b)
}

// End writes the end of the table, the plot, and the end of the document.
func (r *report) End() error {
	r.put("</tbody>\n</table>\n<p class=\"note\">" + html.EscapeString(value.Counted(r.plot.total, "row")) + "</p>\n")
	r.section()
	for _, line := range r.o.below() {
		r.put("<p class=\"note\">" + html.EscapeString(string(cells.AppendLine(nil, line, nil))) + "</p>\n")
	}
	r.put("</body></html>\n")
	return r.flush()
}

// gridStep returns the distance between the horizontal lines of a plot whose
// values span the given range: 1, 2 or 5 times a power of ten. If whole is set,
// because all values are whole numbers, the step is at least 1.
func gridStep(span float64, whole bool) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(span/plotGrid)))
	step := 10 * unit
	for _, n := range []float64{5, 2, 1} {
		if span <= n*unit*plotGrid {
			step = n * unit
		}
	}
	if whole {
		step = max(step, 1)
	}
	return step
}

// short returns a number as a short text for the axis of a plot, with G, M or k
// for large numbers, such as "12.5k".
func short(x float64) string {
	if x == 0 {
		return "0" // not "-0"
	}
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(x) >= u.size {
			return fmt.Sprintf("%.4g", x/u.size) + u.name
		}
	}
	return fmt.Sprintf("%.4g", x)
}

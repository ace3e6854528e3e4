package article

import (
	"bytes"
	"strings"

	"infomall/store/page/markup"
)

// readTimes adds to r.dates the dates of time elements, and of abbr elements as
// in the microformat hAtom.
func (r *reader) readTimes() {
	for k, n := range r.times {
		if k == timesMax {
			break
		}
		r.readTime(n)
	}
}

// timesMax is the largest number of time elements of a page that are read.
const timesMax = 100

// readProps adds to r.dates the dates of other elements whose attribute
// itemprop begins with "date", such as datePublished.
func (r *reader) readProps() {
	if !saysPublished(r.t.Body) {
		return
	}
	for i := range r.t.Nodes {
		n := &r.t.Nodes[i]
		if n.Kind != markup.Element || n.Tag == markup.TagMeta || n.Tag == markup.TagTime || !r.t.May(i, markup.AttrDates) {
			continue
		}
		if prop, ok := r.t.Attr(i, "itemprop"); ok && bytes.HasPrefix(prop, []byte("date")) {
			r.readTime(i)
		}
	}
}

// saysPublished reports whether b contains "datePublished". It searches for the P first, which is
// rarer in pages than the d.
func saysPublished(b []byte) bool {
	for {
		n := bytes.Index(b, []byte("Published"))
		if n < 0 || bytes.HasSuffix(b[:n], []byte("date")) {
			return n >= 0
		}
		b = b[n+1:]
	}
}

// readTime adds the date of element n to r.dates.
func (r *reader) readTime(n int) {
	var stamp, prop, class, title, content []byte
	pubdate := false
	for a := range r.t.Attrs(n) {
		switch {
		case markup.EqualFold(a.Name, "datetime"):
			stamp = a.Value
		case markup.EqualFold(a.Name, "itemprop"):
			prop = a.Value
		case markup.EqualFold(a.Name, "class"):
			class = a.Value
		case markup.EqualFold(a.Name, "title"):
			title = a.Value
		case markup.EqualFold(a.Name, "content"):
			content = a.Value
		case markup.EqualFold(a.Name, "pubdate"):
			pubdate = true
		}
	}
	node := &r.t.Nodes[n]
	published := pubdate || bytes.Contains(prop, []byte("datePublished")) || bytes.Contains(class, []byte("published"))
	changed := bytes.Contains(prop, []byte("dateModified")) || bytes.Contains(class, []byte("updated")) && !published
	switch node.Tag {
	case markup.TagTime:
	case markup.TagAbbr:
		if stamp = title; !published && !changed {
			return
		}
	default:
		stamp = content
	}
	text := ""
	if stamp != nil {
		text = r.value(stamp[:min(len(stamp), dateTextMax)])
	}
	if text == "" && int(node.End-node.Start) < lineBytesMax {
		text = r.t.TextRange(int(node.Inner), int(node.Outer), r.in.Charset)
	}
	at := r.lineAt(int32(n))
	weight := r.trust(at, int32(n)+1)
	if published {
		weight = min(.9, weight+.25)
	}
	if weight > 0 {
		weight = min(.9, weight+.05)
	}
	if at >= 0 && !published && !changed {
		before, _, _ := strings.Cut(strings.ToLower(r.lineText(at)), strings.ToLower(text))
		changed = markOf(before[max(0, len(before)-markReach):]) == markChanged
	}
	r.dated(text, FromTime, weight, changed)
}

// readAttributes adds to r.dates the dates in attributes, such as
// data-published or title, and in comments of the markup. Visitors of the page
// do not see these dates. They are used if no other place of the page has its
// day.
func (r *reader) readAttributes() {
	read := 0
	for i := 1; i < len(r.t.Nodes) && read < attributesMax; i++ {
		switch n := &r.t.Nodes[i]; n.Kind {
		case markup.Comment:
			text := r.t.Body[n.Start:n.End]
			if len(text) > commentMax || !bytes.ContainsAny(text, "0123456789") {
				continue
			}
			read++
			low := strings.ToLower(r.value(text))
			for _, e := range r.scan.scan(low) {
				if mark := markOf(low[max(0, e.start-markReach):e.start]); e.day != 0 && e.year != 0 && mark == markPublished {
					r.add(candidate{expression: e, from: FromMeta, weight: trustComment, line: -1})
				}
			}
		case markup.Element:
			if n.Tag == markup.TagMeta || n.Tag == markup.TagLink || n.Tag == markup.TagScript || !r.t.May(i, markup.AttrDates) {
				continue
			}
			for a := range r.t.Attrs(i) {
				if len(a.Value) < 8 || len(a.Value) > dateTextMax || !dateAttribute(a.Name) || !bytes.ContainsAny(a.Value, "0123456789") {
					continue
				}
				read++
				at := r.lineAt(int32(i))
				r.dated(r.value(a.Value), FromTime, .8*r.trust(at, int32(i)), false)
			}
		}
	}
}

// dateAttribute reports whether an attribute with this name may have a date.
func dateAttribute(name []byte) bool {
	return markup.EqualFold(name, "title") || markup.EqualFold(name, "datetime") || len(name) > 5 && markup.EqualFold(name[:5], "data-") &&
		(bytes.Contains(name, []byte("date")) || bytes.Contains(name, []byte("time")) || bytes.Contains(name, []byte("publ")))
}

// The limits of readAttributes.
const (
	attributesMax = 200 // largest number of attributes and comments that are read
	commentMax    = 300 // size in bytes of the longest comment that is read
	trustComment  = .35
)

// trustMarks raises the weight of a date in a line with a word such as "published", wherever the
// line is. It does nothing if several such lines have different days, as in a list of articles.
func (r *reader) trustMarks() {
	at := -1
	for _, k := range r.marked {
		c := &r.dates[k]
		if at >= 0 && (c.day != r.dates[at].day || c.month != r.dates[at].month || c.year != r.dates[at].year) {
			return
		}
		if at < 0 {
			at = k
		}
	}
	if at >= 0 {
		r.dates[at].weight = max(r.dates[at].weight, trustMarked)
	}
}

// near reports whether line i is one of the few lines around the title, or around the begin or the
// end of the main text.
func (r *reader) near(i int) bool {
	return r.title >= 0 && i >= r.title-3 && i <= r.title+nearLines || i >= r.mainFrom-nearLines && i <= r.mainFrom+1 || i >= r.mainTo-2 && i <= r.mainTo+3
}

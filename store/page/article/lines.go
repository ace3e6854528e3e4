package article

import (
	"strings"
	"time"
)

// The limits by which readLines decides which lines to read, and how much weight to give to dates
// in them. Distances are bytes of visible text.
const (
	lineBytesMax  = 3000 // largest size in bytes, markup included, of a line that is read
	lineTextMax   = 300  // largest number of bytes of text of a line that is read, unless the line is near the title or the main text
	linesReadMax  = 250  // largest number of lines of a page that are read
	nearTitle     = 500  // the line with the date of an article is at most this far after its title,
	aboveTitle    = 250  // or at most this far above it,
	nearLines     = 8    // or at most this many lines away from it
	underMain     = 250  // a date is at most this far under the main text
	proseMost     = 100  // a line with this much text besides the date is a sentence
	prosePartMost = 250

	headMost      = 150  // a date with a time of day that is this near the beginning of the main text is no part of a sentence
	yearCopyright = 2040 // the year of a copyright notice must be before it
	bareLines     = 4    // a date without a year must be at most this many lines under the title
	aloneMost     = 12   // a line with at most this much text besides the date is a date alone
	markedLineMax = 300  // a line of at most this length with a word such as "published" says when the article was published
	trustMarked   = .55  // least weight of the date in such a line, wherever the line is, if all such lines agree
	trustAlone    = .45  // weight of a date alone on one of the first lines of the main text
	trustNear     = .5
	trustSingle   = .3 // weight of the only date in the text of a page
	labelMost     = 30 // a line of at most this length may say what the date alone on the next line is
)

// lineText returns the text of line i, or "" if the line is too long for a date line.
func (r *reader) lineText(i int) string {
	if l := &r.lines[i]; l.end-l.start > lineBytesMax || l.text > lineTextMax {
		return ""
	}
	return r.text(i)
}

// lineAt returns the index of the line that contains node n. If no line
// contains the node, it returns the index of the next line, or -1 if there is
// none.
func (r *reader) lineAt(n int32) int {
	lo, hi := 0, len(r.lines)
	for lo < hi {
		if mid := (lo + hi) / 2; r.lines[mid].node < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 0 && (lo == len(r.lines) || r.lines[lo-1].end > r.t.Nodes[n].Start) {
		lo--
	}
	if lo == len(r.lines) {
		return -1
	}
	return lo
}

// trust returns the weight, from 0 to 1, that the place of line i on the page
// gives to a date in the line. The weight is lower in links, and in parts of
// the page such as comments. node is a node in the line.
func (r *reader) trust(i int, node int32) float64 {
	if i < 0 {
		return .2
	}
	w := r.placeTrust(i)
	if 2*r.lines[i].linked > r.lines[i].text {
		w *= .6
	}
	if r.beside(min(node, int32(len(r.t.Nodes)-1))) {
		if i >= r.mainTo && i <= r.mainTo+1 && r.mainFrom < len(r.lines) {
			return w * .7 // the foot of the article
		}
		w *= .15
	}
	return w
}

// placeTrust returns the weight that follows from the distance of line i to the
// title and to the main text. trust lowers it further.
func (r *reader) placeTrust(i int) float64 {
	l := &r.lines[i]
	from := r.mainFrom // the line of the title, or else the begin of the main text
	if r.title >= 0 {
		from = r.title
	}
	if from >= len(r.lines) {
		return .35 // neither a title nor a main text
	}
	f := &r.lines[from]
	if i < from {
		if d := f.before - l.before - l.text; d <= aboveTitle && from-i <= nearLines {
			return .55 - float64(d)/1000
		}
		return .15
	}
	d := l.before - f.before - f.text
	switch {
	case i <= from+nearLines && d <= nearTitle && i < r.mainFrom+2:
		return .65 - float64(max(0, d))/2500
	case i < r.mainFrom:
		return .4
	case i < r.mainFrom+2:
		return .45
	case i < r.mainTo:
		return .2
	}
	last := &r.lines[max(0, min(r.mainTo, len(r.lines))-1)]
	if l.before-last.before-last.text <= underMain {
		return .35
	}
	return .12
}

// readLines adds the dates in the lines of visible text to r.dates. It then
// adjusts their weights.
func (r *reader) readLines() {
	read := 0
	sure := r.sure()
	for i := range r.lines {
		l := &r.lines[i]
		first := i >= r.mainFrom && i < r.mainFrom+2
		near := r.near(i)
		if sure && !near {
			continue
		}
		if !l.digit && !near || l.end-l.start > lineBytesMax && !first || l.text > lineTextMax && !first && !near {
			continue
		}
		if read++; read > linesReadMax && !near {
			continue
		}
		r.readLine(i, r.text(i), near)
	}
	r.doubtLists()
	r.trustMarks()
	r.trustOnly()
}

// trustOnly raises the weight of a date if the visible text has no other day.
// It leaves out the day of the capture above the title, because pages show the
// day on which they are read.
func (r *reader) trustOnly() {
	at := -1
	for k := range r.dates {
		c := &r.dates[k]
		if !c.plain || c.change {
			continue
		}
		if at >= 0 && (c.day != r.dates[at].day || c.month != r.dates[at].month || c.year != r.dates[at].year) {
			return
		}
		if at < 0 || c.weight > r.dates[at].weight {
			at = k
		}
	}
	if at >= 0 && !(r.dates[at].line < r.title && r.today(&r.dates[at].expression)) {
		r.dates[at].weight = max(r.dates[at].weight, trustSingle)
	}
}

// today reports whether e is the day of the capture in any time zone.
func (r *reader) today(e *expression) bool {
	if !known(r.in.Captured) || e.year == 0 {
		return false
	}
	at := time.Date(e.year, time.Month(e.month), e.day, 12, 0, 0, 0, time.UTC)
	return at.Sub(r.in.Captured.Std()).Abs() <= 36*time.Hour
}

// readLine adds the dates in text, the text of line i, to r.dates. near says
// whether the line is near the title or an end of the main text; only then are
// relative dates, such as yesterday, read.
func (r *reader) readLine(i int, text string, near bool) {
	l := &r.lines[i]
	trust := -1.0
	ends := false // the next date is the end of a period
	taken := 0    // words before this offset belong to the date before
	var found []expression
	if !l.digit && ascii(text) {
		r.scan.skipText(text) // a date has a number
	} else {
		found = r.scan.scan(text)
	}
	if strings.Contains(text, "©") || strings.Contains(text, "opyright") {
		for k := range r.scan.tokens {
			if y := r.scan.year(k); y < yearCopyright {
				r.copyright = max(r.copyright, y)
			}
		}
	}
	for k := range found {
		e := &found[k]
		if e.day == 0 {
			continue
		}
		if trust < 0 {
			trust = r.trust(i, l.node)
		}
		w := trust
		c := candidate{expression: *e, from: FromText, line: i}
		before := strings.ToLower(text[max(taken, e.start-markReach):e.start])
		after := strings.ToLower(text[e.end:min(len(text), e.end+markAfter)])
		if k+1 < len(found) {
			if after = text[e.end:max(e.end, found[k+1].start)]; !labelsBefore(after) {
				after = ""
			} else {
				taken = e.end + len(after)
			}
		}
		alone := len(text)-(e.end-e.start) <= aloneMost
		switch rest := len(text) - (e.end - e.start); {
		case e.hour >= 0 && e.year != 0 && e.start < headMost && i >= r.mainFrom && i < r.mainFrom+2: // a date line in one paragraph with the text
		case rest > prosePartMost:
			w *= .25
		case rest > proseMost:
			w *= .6
		}
		mark := markOf(before)
		if mark == markNone {
			mark = markOf(after)
		}
		if ends || period(text[e.end:]) {
			ends, mark = !ends, markOther
		}
		if mark == markNone && alone && i > 0 && r.lines[i-1].text <= labelMost && k == 0 {
			mark = markOf(strings.ToLower(r.text(i - 1)))
		}
		switch {
		case mark == markNone && alone && i >= r.mainFrom && i < r.mainFrom+nearLines && i < r.mainTo && !r.alone && !r.beside(l.node):
			w = max(w, trustAlone)
		case mark == markNone && alone && w > trustNear:
			w += .07
		}
		r.alone = r.alone || alone && i > r.title && !r.beside(l.node)
		switch mark {
		case markPublished:
			w = min(.85, w*1.35)
		case markChanged:
			c.change = true
		case markOther:
			w *= .15
		case markNone:
			if i < r.title-1 && r.today(e) {
				w *= .4 // the head of the page shows the day on which it is read
			}
		}
		if k > 0 && mark == markNone {
			w *= .7
		}
		if e.hour >= 0 {
			w = min(.85, w*1.1)
		}
		if e.year == 0 {
			w *= .6
			if mark != markPublished && !dateline(text, e) && (l.text > 40 || i <= r.title || i > r.title+bareLines) {
				continue
			}
		}
		if e.short {
			w *= .9
		}
		c.weight = w
		c.plain = mark == markNone && len(text)-(e.end-e.start) <= proseMost && e.year != 0
		if mark == markPublished && len(text) <= markedLineMax && e.year != 0 && len(r.dates) < datesMax {
			r.marked = append(r.marked, len(r.dates))
		}
		r.add(c)
	}
	if len(found) == 0 && near {
		r.readRelative(i, text)
	}
}

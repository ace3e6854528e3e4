package article

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"infomall/store/page/markup"
)

// The limits by which readLines decides which lines are read, and how far dates in them are
// trusted. Distances are bytes of visible text.
const (
	lineBytesMax  = 3000 // a line with more bytes in the body is not read
	lineTextMax   = 300  // nor one with more text, except the first ones of the main text
	linesReadMax  = 250  // so many lines of a page are read
	nearTitle     = 500  // the date line of an article is so near after its title
	aboveTitle    = 250  // or so near above it
	nearLines     = 8    // or so few lines away
	underMain     = 250  // or so near under the main text
	proseMost     = 100  // a line with so much text beside the date is a sentence
	prosePartMost = 250

	headMost      = 150  // a date with a time of day so near the begin of the main text is no part of a sentence
	yearCopyright = 2040 // years of copyrights are before it
	bareLines     = 4    // a date without a year is taken from so few lines under the title
	aloneMost     = 12   // a line with so much text beside the date is the date alone
	markedLineMax = 300  // a line of at most so much text says when the article was published, if it says published
	trustMarked   = .55  // such a line is trusted so far, wherever it is, if there is one of them
	trustAlone    = .45  // a date alone on one of the first lines of the main text
	trustNear     = .5
	trustSingle   = .3 // the only date in the text of a page
	labelMost     = 30 // a line of so much text before a date alone may say what the date is
)

// readTimes adds the dates of time elements, and of abbr elements of the microformat hAtom.
func (r *reader) readTimes() {
	for k, n := range r.times {
		if k == timesMax {
			break
		}
		r.readTime(n)
	}
}

// timesMax is how many time elements of a page are read.
const timesMax = 100

// readProps adds the dates of other elements that say datePublished or dateModified as an
// itemprop.
func (r *reader) readProps() {
	if !bytes.Contains(r.t.Body, []byte("datePublished")) {
		return
	}
	for i := range r.t.Nodes {
		n := &r.t.Nodes[i]
		if n.Kind != markup.Element || n.Tag == markup.TagMeta || n.Tag == markup.TagTime {
			continue
		}
		if prop, ok := r.t.Attr(i, "itemprop"); ok && bytes.HasPrefix(prop, []byte("date")) {
			r.readTime(i)
		}
	}
}

// readTime adds the date of element n.
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

// lineText returns the text of line i, or "" if the line is too long for a date line.
func (r *reader) lineText(i int) string {
	if l := &r.lines[i]; l.end-l.start > lineBytesMax || l.text > lineTextMax {
		return ""
	}
	return r.text(i)
}

// lineAt returns the index of the line that has node n or begins after it, or -1.
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

// trust returns how far the place of line i is one for the date of the article, from 0 to 1.
// node is in that line.
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

// placeTrust returns the part of trust that the place among the lines decides.
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

// readLines adds the dates in the text of the page.
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

// trustOnly raises the weight of a date if the text of the page has no other one. A date above
// the title that is the day of the capture is not trusted: pages show the day on which they
// are read.
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

// today reports whether e is the day of the capture, in some zone.
func (r *reader) today(e *expression) bool {
	if !known(r.in.Captured) || e.year == 0 {
		return false
	}
	at := time.Date(e.year, time.Month(e.month), e.day, 12, 0, 0, 0, time.UTC)
	return at.Sub(r.in.Captured.Std()).Abs() <= 36*time.Hour
}

// readAttributes adds dates in attributes that readers of the page do not see, such as
// data-published or title, and in comments of the markup. It is for pages that say their day
// nowhere else.
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
			if n.Tag == markup.TagMeta || n.Tag == markup.TagLink || n.Tag == markup.TagScript {
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
	attributesMax = 200 // so many attributes and comments are read
	commentMax    = 300 // bytes of the longest comment that is read
	trustComment  = .35
)

// trustMarks raises the weight of a date in a line that says published, wherever the line is,
// if no other such line after the title has another day: lists have many.
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

// near reports whether line i is one of the few lines around the title and the begin and the
// end of the main text.
func (r *reader) near(i int) bool {
	return r.title >= 0 && i >= r.title-3 && i <= r.title+nearLines || i >= r.mainFrom-nearLines && i <= r.mainFrom+1 || i >= r.mainTo-2 && i <= r.mainTo+3
}

// readLine adds the dates in the text of line i.
func (r *reader) readLine(i int, text string, near bool) {
	l := &r.lines[i]
	trust := -1.0
	found := r.scan.scan(text)
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
		before := strings.ToLower(text[max(0, e.start-markReach):e.start])
		after := strings.ToLower(text[e.end:min(len(text), e.end+markAfter)])
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
		if period(text[e.end:]) {
			mark = markOther
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

// periodWords are words in lower case after the first day of a period.
var periodWords = []string{"至", "到", "~", "～", "bis ", "to ", "until ", "till ", "through ", "au ", "al ", "до ", "から", "부터"}

// period reports whether the text after a date goes on with the end of a period. Periods are
// those of events that a page announces.
func period(after string) bool {
	after = strings.ToLower(strings.TrimLeft(after, " \u00a0,."))
	for _, w := range periodWords {
		if strings.HasPrefix(after, w) {
			return true
		}
	}
	return false
}

// dateline reports whether e is in a dateline such as 新华网北京8月8日电 at the begin of text.
func dateline(text string, e *expression) bool {
	if e.start > 90 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text[e.end:])
	return r == '电' || r == '電' || r == '讯' || r == '訊'
}

// mark is what the words beside a date say of it.
type mark uint8

const (
	markNone mark = iota
	markPublished
	markChanged
	markOther // the date is about something else, such as a copyright
)

// markReach and markAfter are how many bytes before and after a date are searched for words
// that say what the date is.
const (
	markReach = 48
	markAfter = 40
)

// markWords are words in lower case beside a date, and what they say of it.
var markWords = []struct {
	mark  mark
	words []string
}{
	{markChanged, []string{"updated", "update:", "modified", "last changed", "revised", "edited", "aktualisiert", "aktualisierung", "geändert", "letzte änderung", "überarbeitet", "mis à jour",
		"mise à jour", "màj", "modifié", "actualizado", "actualización", "modificado", "aggiornato", "aggiornamento", "modifica", "atualizado", "bijgewerkt", "gewijzigd",
		"aktualizacja", "zaktualizowano", "обновлено", "изменено", "оновлено", "aktualizováno", "uppdaterad", "opdateret", "oppdatert", "päivitetty", "güncelleme", "güncellendi", "更新",
		"修改", "最終更新", "수정", "ενημέρωση", "frissítve", "actualizat"}},
	{markOther, []string{"©", "(c)", "copyright", "版权", "rights reserved", "expires", "deadline", "valid until", "gültig bis", "born", "geboren", "since ", "seit ", "depuis ",
		"joined", "member since", "registriert", "mitglied", "bis ", "until ", "jusqu'au", "hasta ", "注册", "截止", "登録", "有效期", "ab dem", "anmeldeschluss", "现在时间", "当前时间", "今天是", "今天：", "today is", "heute ist", "current time", "findet ", "finden ", "takes place", "next ", "nächste"}},
	{markPublished, []string{"publish", "posted", "post date", "released", "date:", "datum:", "written", "created", "veröffentlicht", "erschienen", "erstellt", "geschrieben", "verfasst", "veröffentlichung", "eingestellt", "pressemitteilung", "publié", "paru", "mis en ligne", "mise en ligne",
		"publicado", "publicada", "fecha", "pubblicato", "pubblicata", "data:", "gepubliceerd", "geplaatst", "opublikowano", "dodano", "data publikacji", "опубликовано", "дата", "vydáno",
		"publikováno", "publicerad", "publiceret", "publisert", "julkaistu", "yayın", "giriş", "发布", "发表", "發佈", "發布", "發表", "时间", "時間", "日期", "来源", "掲載", "公開", "投稿", "입력",
		"등록", "δημοσίευση", "megjelent", "publikuar", "stand:", "stand ", "online seit", "by "}},
}

// markStarts has the words of markWords by their first byte.
var markStarts = func() (starts [256][]markWord) {
	for _, m := range markWords {
		for _, w := range m.words {
			starts[w[0]] = append(starts[w[0]], markWord{m.mark, w})
		}
	}
	return starts
}()

type markWord struct {
	mark mark
	word string
}

// markOf returns what the words of a text in lower case beside a date say of it. The last
// such word decides.
func markOf(text string) mark {
	for i := len(text) - 1; i >= 0; i-- {
		for _, m := range markStarts[text[i]] {
			if strings.HasPrefix(text[i:], m.word) {
				return m.mark
			}
		}
	}
	return markNone
}

package article

import (
	"bytes"
	"strings"
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
)

// readTimes adds the dates of time elements, of elements with an itemprop, and of abbr
// elements of the microformat hAtom.
func (r *reader) readTimes() {
	for _, n := range r.times {
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
		if bytes.Contains(prop, []byte("author")) && r.heads.author == "" && !r.beside(int32(n)+1) {
			r.credits = append(r.credits, n)
		}
		published := pubdate || bytes.Contains(prop, []byte("datePublished")) || bytes.Contains(class, []byte("published"))
		changed := bytes.Contains(prop, []byte("dateModified")) || bytes.Contains(class, []byte("updated")) && !published
		switch node.Tag {
		case markup.TagTime:
		case markup.TagAbbr:
			if stamp = title; !published && !changed {
				continue
			}
		default:
			if stamp = content; !bytes.Contains(prop, []byte("datePublished")) && !bytes.Contains(prop, []byte("dateModified")) {
				continue
			}
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
		w *= .25
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
	for i := range r.lines {
		l := &r.lines[i]
		first := i >= r.mainFrom && i < r.mainFrom+2
		near := r.near(i)
		if !l.digit && !near || l.end-l.start > lineBytesMax && !first || l.text > lineTextMax && !first && !near {
			continue
		}
		if read++; read > linesReadMax && !near {
			continue
		}
		text := r.t.TextRange(int(l.start), min(int(l.end), int(l.start)+lineBytesMax), r.in.Charset)
		r.readLine(i, text, near)
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
		switch rest := len(text) - (e.end - e.start); {
		case rest > prosePartMost:
			w *= .25
		case rest > proseMost:
			w *= .6
		}
		mark := markOf(before)
		if mark == markNone {
			mark = markOf(after)
		}
		switch mark {
		case markPublished:
			w = min(.85, w*1.35)
		case markChanged:
			c.change = true
		case markOther:
			w *= .15
		}
		if k > 0 && mark == markNone {
			w *= .7
		}
		if e.hour >= 0 {
			w = min(.85, w*1.1)
		}
		if e.year == 0 {
			w *= .6
			if mark == markNone && l.text > 40 && !dateline(text, e) {
				continue
			}
		}
		if e.short {
			w *= .9
		}
		c.weight = w
		r.dates = append(r.dates, c)
	}
	if len(found) == 0 && near {
		r.readRelative(i, text)
	}
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
	markAfter = 24
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
		"joined", "member since", "registriert", "mitglied", "bis ", "until ", "jusqu'au", "hasta ", "注册", "截止", "登録", "有效期", "ab dem", "vom ", "from ", "anmeldeschluss"}},
	{markPublished, []string{"publish", "posted", "post date", "released", "date:", "datum:", "written", "created", "veröffentlicht", "erschienen", "erstellt", "publié", "paru", "mis en ligne",
		"publicado", "publicada", "fecha", "pubblicato", "pubblicata", "data:", "gepubliceerd", "geplaatst", "opublikowano", "dodano", "data publikacji", "опубликовано", "дата", "vydáno",
		"publikováno", "publicerad", "publiceret", "publisert", "julkaistu", "yayın", "giriş", "发布", "发表", "發佈", "發布", "發表", "时间", "時間", "日期", "来源", "掲載", "公開", "投稿", "입력",
		"등록", "δημοσίευση", "megjelent", "publikuar", "stand:", "stand ", "online seit", "by "}},
}

// markOf returns what the words of a text in lower case beside a date say of it. The last
// such word decides.
func markOf(text string) mark {
	best, at := markNone, -1
	for i := range markWords {
		for _, w := range markWords[i].words {
			if k := strings.LastIndex(text, w); k > at {
				best, at = markWords[i].mark, k
			}
		}
	}
	return best
}

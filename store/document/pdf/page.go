package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/structs"

	"infomall/store/document"
)

// page is one page of a file.
type page struct {
	lines   []line
	links   []document.Link // without their section
	picture bool            // it has a picture; set only if it has no lines
}

// line is the text of one row of a page, or of a part of a row. Lengths are in points,
// from the lower left corner of the page.
type line struct {
	text   string
	hyphen bool // the last word goes on in the next line
	extent
	base      float64 // height of the base line
	size      float64 // height of the type
	fromRight bool    // it is read from right to left
}

// anchorsMax is how many links of a page get an Anchor (the text that the link covers). Finding an
// Anchor takes a walk through all text of the page.
const anchorsMax = 500

// objectsMax is how many objects of a page are looked at for a picture.
const objectsMax = 1000

// page reads one page. After an error it returns what it read before.
func (f *file) page(index int) (page, error) {
	var out page
	more := false
	err := f.load(index, func(of requests.Page, text references.FPDF_TEXTPAGE) error {
		chars, err := f.chars(text)
		if err != nil {
			return err
		}
		if out.lines, err = f.lines(text, chars); err != nil {
			return err
		}
		var links int
		if out.links, links, err = f.pageLinks(of, text, f.limits.Links-f.links); err != nil {
			return err
		}
		if more, err = f.flatten(of, links); err != nil || more {
			return err
		}
		if len(out.lines) == 0 {
			out.picture, err = f.hasPicture(of)
		}
		return err
	})
	if err != nil || !more {
		return out, err
	}
	err = f.load(index, func(of requests.Page, text references.FPDF_TEXTPAGE) error {
		chars, err := f.chars(text)
		if err != nil {
			return err
		}
		lines, err := f.lines(text, chars)
		if err != nil {
			return err
		}
		if hasMost(lines, out.lines) {
			out.lines = lines
		}
		if len(out.lines) == 0 {
			out.picture, err = f.hasPicture(of)
		}
		return err
	})
	return out, err
}

// hasMost reports whether flat, the lines of a page after flatten, has at least half of the lines
// before. It does not if fonts of the page and of its form fields have equal names, so that PDFium
// mixes them up.
func hasMost(flat, before []line) bool {
	texts := make(map[string]bool, len(flat))
	for _, l := range flat {
		texts[l.text] = true
	}
	found := 0
	for _, l := range before {
		if texts[l.text] {
			found++
		}
	}
	return 2*found >= len(before)
}

// load loads a page and its text, sets f.shown, calls read, and frees both.
func (f *file) load(index int, read func(of requests.Page, text references.FPDF_TEXTPAGE) error) error {
	loaded, err := f.p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: f.doc, Index: index})
	if err != nil {
		return err
	}
	// Freeing fails only after a trap, which read has reported.
	defer f.p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	of := requests.Page{ByReference: &loaded.Page}
	text, err := f.p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: of})
	if err != nil {
		return err
	}
	defer f.p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	shown, err := f.p.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: of})
	if err != nil {
		return err
	}
	f.shown = shown.Rect
	return read(of, text.TextPage)
}

// flatten makes the fields of a form and the notes of a page part of its content, so
// that their text is read when the page is loaded again. It reports whether the page has
// any. links is how many of its annotations are links.
func (f *file) flatten(of requests.Page, links int) (bool, error) {
	n, err := f.p.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: of})
	if err != nil || n.Count <= links {
		return false, trapOnly(err)
	}
	r, err := f.p.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: of})
	return err == nil && r.Result == responses.FPDFPage_FlattenResultSuccess, trapOnly(err)
}

// hyphen is what PDFium gives for a hyphen at the end of a line, without a line break
// after it.
const hyphen = 0xfffe

// chars returns the characters of a page. Their indexes are those of PDFium.
func (f *file) chars(text references.FPDF_TEXTPAGE) ([]rune, error) {
	n, err := f.p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil || n.Count <= 0 {
		return nil, err
	}
	all, err := f.p.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text, Count: n.Count})
	if err != nil {
		return nil, err
	}
	if chars := []rune(all.Text); len(chars) == n.Count {
		return chars, nil
	}
	// Characters that PDFium does not know are missing in the text: ask for each.
	chars := make([]rune, 0, len(all.Text))
	for i := range n.Count {
		c, err := f.p.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: text, Index: i})
		if err != nil {
			return nil, err
		}
		r := rune(c.Unicode)
		if r == 2 {
			r = hyphen
		}
		chars = append(chars, r)
	}
	return joinSurrogates(chars), nil
}

// joinSurrogates replaces each pair of surrogates with its character and a zero.
func joinSurrogates(chars []rune) []rune {
	for i := 1; i < len(chars); i++ {
		hi, lo := chars[i-1], chars[i]
		if hi >= 0xd800 && hi < 0xdc00 && lo >= 0xdc00 && lo < 0xe000 {
			chars[i-1], chars[i] = 0x10000+(hi-0xd800)<<10+(lo-0xdc00), 0
		}
	}
	return chars
}

// lines divides the characters of a page into lines and asks PDFium for the place of each. It
// leaves out what is not shown, unless that is all the text of the page.
func (f *file) lines(text references.FPDF_TEXTPAGE, chars []rune) ([]line, error) {
	out, err := f.shownLines(text, slices.Clone(chars))
	if err == nil && len(out) == 0 {
		f.shown = everywhere
		out, err = f.shownLines(text, chars)
	}
	return out, err
}

// everywhere is larger than any page.
var everywhere = structs.FPDF_FS_RECTF{Left: -1e9, Bottom: -1e9, Right: 1e9, Top: 1e9}

// shownLines returns the lines of what is shown. A line ends at a line break and at a hyphen.
// Characters that are not shown become zero in chars.
func (f *file) shownLines(text references.FPDF_TEXTPAGE, chars []rune) ([]line, error) {
	var out []line
	for from := 0; from < len(chars); {
		to := from
		for to < len(chars) && chars[to] != '\r' && chars[to] != '\n' && chars[to] != hyphen {
			to++
		}
		l, err := f.shownLine(text, chars, from, to)
		if err != nil {
			return joinLines(out), err
		}
		from = to + 1
		if l.text == "" {
			continue
		}
		l.hyphen = to < len(chars) && chars[to] == hyphen
		out = append(out, l)
	}
	return joinLines(out), nil
}

// Gaps in a row, in heights of the type.
const (
	letterGap = .1 // letters no farther apart are of one word
	wordGap   = .8 // words no farther apart are of one line
)

// joinLines joins the lines that are parts of one row. PDFium ends a line after each letter if it
// takes the direction of the text for vertical.
func joinLines(lines []line) (rows []line) {
	// The text of the last row: what precedes its first line, in reverse order, and the rest.
	var before, after []string
	finish := func() {
		if len(before)+len(after) > 1 {
			slices.Reverse(before)
			rows[len(rows)-1].text = strings.Join(append(before, after...), "")
		}
	}
	for i := range lines {
		next := &lines[i]
		if n := len(rows); n > 0 {
			if precedes, blank, ok := rows[n-1].extend(next); ok && precedes {
				before = append(before, blank, next.text)
				continue
			} else if ok {
				after = append(after, blank, next.text)
				continue
			}
		}
		finish()
		rows, before, after = append(rows, *next), nil, append(after[:0], next.text)
	}
	finish()
	return rows
}

// extend adds the extent of next to l if both are in one row and next follows on l, or precedes it
// in a line from right to left. It does not change l.text. blank is what separates the texts: " " or
// "".
func (l *line) extend(next *line) (precedes bool, blank string, ok bool) {
	size := max(l.size, next.size)
	if l.hyphen || size == 0 || math.Abs(l.base-next.base) > letterGap*size {
		return false, "", false
	}
	near := func(gap float64) bool { return gap >= -letterGap*size && gap <= wordGap*size }
	gap := next.left - l.right
	if l.fromRight && next.fromRight {
		if before := l.left - next.right; near(before) {
			gap = before
		} else {
			precedes = true
		}
	}
	if !near(gap) {
		return false, "", false
	}
	if gap > letterGap*size {
		blank = " "
	}
	l.left, l.right, l.size, l.hyphen = min(l.left, next.left), max(l.right, next.right), size, next.hyphen
	return precedes, blank, true
}

// shownLine is like line, but leaves out characters that begin outside the part of the page that
// is shown, and sets them to zero in chars. It is needed because some programs write the whole
// text of a table cell into each page over which the cell runs.
func (f *file) shownLine(text references.FPDF_TEXTPAGE, chars []rune, from, to int) (line, error) {
	l, err := f.line(text, chars, from, to)
	if err != nil || l.text == "" || f.shows(l.left, l.base) && f.shows(l.right, l.base) {
		return l, err
	}
	for i := from; i < to; i++ {
		if isBlank(chars[i]) {
			continue
		}
		at, err := f.p.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: text, Index: i})
		if isTrap(err) {
			return line{}, err
		}
		if err == nil && !f.shows(at.X, at.Y) {
			chars[i] = 0
		}
	}
	return f.line(text, chars, from, to)
}

// shows reports whether a point is in the part of the page that is shown.
func (f *file) shows(x, y float64) bool {
	const border = .5 // points
	return x >= float64(f.shown.Left)-border && x <= float64(f.shown.Right)+border &&
		y >= float64(f.shown.Bottom)-border && y <= float64(f.shown.Top)+border
}

// line returns the line of the characters from (inclusive) to to (exclusive). Its text
// is empty if these show nothing. It puts accents on their letters in chars.
func (f *file) line(text references.FPDF_TEXTPAGE, chars []rune, from, to int) (line, error) {
	for from < to && isBlank(chars[from]) {
		from++
	}
	for to > from && isBlank(chars[to-1]) {
		to--
	}
	if err := f.composeAccents(text, chars, from, to); err != nil {
		return line{}, err
	}
	read, at, err := f.readRightToLeft(text, chars, from, to)
	if err != nil {
		return line{}, err
	}
	l := line{text: lineText(read)}
	if l.text == "" {
		return l, nil
	}
	first, err := f.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: from})
	if err != nil {
		if isTrap(err) {
			return line{}, err
		}
		return l, nil
	}
	l.left, l.right, l.base = float64(first.Rect.Left), float64(first.Rect.Right), float64(first.Rect.Bottom)
	l.size = float64(first.Rect.Top - first.Rect.Bottom)
	if at, err := f.p.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: text, Index: from}); err == nil {
		l.base = at.Y
	} else if isTrap(err) {
		return line{}, err
	}
	if last, err := f.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: to - 1}); err == nil {
		l.left, l.right = min(l.left, float64(last.Rect.Left)), max(l.right, float64(last.Rect.Right))
		l.size = max(l.size, float64(last.Rect.Top-last.Rect.Bottom))
	} else if isTrap(err) {
		return line{}, err
	}
	if at != nil {
		l.extent, l.fromRight = *at, true
	}
	return l, nil
}

func isBlank(r rune) bool { return r == 0 || unicode.IsSpace(r) || unicode.IsControl(r) }

// lineText returns characters as text, in which ligatures are letters.
func lineText(chars []rune) string {
	var out strings.Builder
	for _, r := range chars {
		switch {
		case r == 0:
		case r >= 0xfb00 && r <= 0xfb06:
			out.WriteString(ligatures[r-0xfb00])
		default:
			out.WriteRune(r)
		}
	}
	return closeUp(document.Clean(out.String()))
}

// closeUp removes the blanks between Chinese or Japanese characters of a line in which
// most of these are apart.
func closeUp(text string) string {
	runes := []rune(text)
	apart, together := 0, 0
	for i := 1; i < len(runes); i++ {
		switch {
		case !isUnspaced(runes[i]):
		case isUnspaced(runes[i-1]):
			together++
		case i > 1 && runes[i-1] == ' ' && isUnspaced(runes[i-2]):
			apart++
		}
	}
	if apart <= 2*together {
		return text
	}
	out := runes[:0:0]
	for i, r := range runes {
		if r == ' ' && i > 0 && i+1 < len(runes) && isUnspaced(runes[i-1]) && isUnspaced(runes[i+1]) {
			continue
		}
		out = append(out, r)
	}
	return string(out)
}

// ligatures are the letters of the characters from U+FB00.
var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// pageLinks returns the links of a page to URLs, at most max, and how many links it has
// together with those to places in the file.
func (f *file) pageLinks(of requests.Page, text references.FPDF_TEXTPAGE, max int) (out []document.Link, all int, err error) {
	anchors := 0 // bytes of the anchors so far
	for at := 0; len(out) < max; all++ {
		found, err := f.p.FPDFLink_Enumerate(&requests.FPDFLink_Enumerate{Page: of, StartPos: at})
		if err != nil {
			return out, all, trapOnly(err)
		}
		if found.Link == nil || found.NextStartPos == nil || *found.NextStartPos <= at {
			return out, all, nil
		}
		at = *found.NextStartPos
		target, err := f.target(*found.Link)
		if err != nil {
			return out, all, err
		}
		if target == "" {
			continue
		}
		l := document.Link{Target: target}
		if len(out) < anchorsMax && anchors <= f.limits.Text {
			if l.Anchor, err = f.anchor(*found.Link, text); err != nil {
				return out, all, err
			}
			anchors += len(l.Anchor)
		}
		out = append(out, l)
	}
	return out, all, nil
}

// target returns the URL of a link, or "" if it has none.
func (f *file) target(l references.FPDF_LINK) (string, error) {
	action, err := f.p.FPDFLink_GetAction(&requests.FPDFLink_GetAction{Link: l})
	if err != nil || action.Action == nil {
		return "", trapOnly(err)
	}
	kind, err := f.p.FPDFAction_GetType(&requests.FPDFAction_GetType{Action: *action.Action})
	if err != nil || kind.Type != enums.FPDF_ACTION_ACTION_URI {
		return "", trapOnly(err)
	}
	uri, err := f.p.FPDFAction_GetURIPath(&requests.FPDFAction_GetURIPath{Document: f.doc, Action: *action.Action})
	if err != nil || uri.URIPath == nil {
		return "", trapOnly(err)
	}
	return *uri.URIPath, nil
}

// anchor returns the text that a link covers.
func (f *file) anchor(l references.FPDF_LINK, text references.FPDF_TEXTPAGE) (string, error) {
	r, err := f.p.FPDFLink_GetAnnotRect(&requests.FPDFLink_GetAnnotRect{Link: l})
	if err != nil || r.Rect == nil {
		return "", trapOnly(err)
	}
	covered, err := f.p.FPDFText_GetBoundedText(&requests.FPDFText_GetBoundedText{
		TextPage: text, Left: float64(r.Rect.Left), Top: float64(r.Rect.Top), Right: float64(r.Rect.Right), Bottom: float64(r.Rect.Bottom),
	})
	if err != nil {
		return "", trapOnly(err)
	}
	return lineText([]rune(covered.Text)), nil
}

// trapOnly returns err if PDFium broke with it, and nil for other errors, such as that
// of a link without an action.
func trapOnly(err error) error {
	if isTrap(err) {
		return err
	}
	return nil
}

// hasPicture reports whether a page has a picture.
func (f *file) hasPicture(of requests.Page) (bool, error) {
	n, err := f.p.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: of})
	if err != nil {
		return false, trapOnly(err)
	}
	for i := range min(n.Count, objectsMax) {
		o, err := f.p.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: of, Index: i})
		if err != nil {
			return false, trapOnly(err)
		}
		kind, err := f.p.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o.PageObject})
		if err != nil {
			return false, trapOnly(err)
		}
		if kind.Type == enums.FPDF_PAGEOBJ_IMAGE || kind.Type == enums.FPDF_PAGEOBJ_FORM {
			return true, nil
		}
	}
	return false, nil
}

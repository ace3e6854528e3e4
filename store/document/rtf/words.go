package rtf

import (
	"infomall/store/document"
	"infomall/store/document/office"
)

// begin handles a control word that says what the current group contains, such as the title. It
// reports whether name is such a word.
func (r *reader) begin(name string) bool {
	d, e := toNothing, plain
	switch name {
	case "fonttbl":
		d = toFonts
	case "stylesheet":
		d = toStyles
	case "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "footnote", "annotation", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "ftncn", "aftncn":
		if len(name) > 5 && (name[:3] == "ftn" || name[:4] == "aftn") || r.now.dest != toText {
			r.leaveOut()
			return true
		}
		r.flush()
		r.flow.BeginNote()
		r.now.end, r.now.inTable, r.now.heading, r.now.hidden = endFrame, false, false, false
		return true
	case "shptxt", "dptxbxtext":
		r.flush()
		if r.flow.Depth() >= r.b.Limits().Nesting {
			r.leaveOut()
			return true
		}
		r.flow.BeginBox()
		r.now.dest, r.now.end, r.now.inTable = toText, endFrame, false
		return true
	case "fldinst":
		if r.now.dest != toText {
			r.leaveOut()
			return true
		}
		r.capture = r.capture[:0]
		d, e = toFieldCode, endFieldCode
	case "fldrslt":
		r.flush()
		if n := len(r.around); n > 0 && r.around[n-1].target != "" && r.now.dest == toText {
			r.flow.BeginLink(r.around[n-1].target)
			r.now.end = endLink
		}
		return true
	case "title":
		d, e = toCapture, endTitle
	case "author":
		d, e = toCapture, endAuthor
	case "subject":
		d, e = toCapture, endSubject
	case "keywords":
		d, e = toCapture, endKeywords
	case "doccomm":
		d, e = toCapture, endComment
	case "generator":
		d, e = toCapture, endProducer
	case "creatim":
		e = endCreated
	case "revtim":
		e = endModified
	case "ud": // the text in Unicode, after the same text without
		if n := len(r.around); n > 1 {
			r.now.dest, r.capture = r.around[n-2].dest, r.capture[:0]
		}
		return true
	case "upr", "info", "colortbl", "listtable", "listoverridetable", "pict", "objdata", "objclass", "objname", "nonshppict",
		"sp", "shprslt", "pn", "pnseclvl", "tc", "tcn", "xe", "rxe", "txe", "bkmkstart", "bkmkend", "filetbl", "revtbl", "rsidtbl",
		"atnid", "atnauthor", "atntime", "atnref", "atnicn", "atndate", "atnparent", "atrfstart", "atrfend", "template", "operator", "manager",
		"company", "category", "hlinkbase", "printim", "buptim", "comment", "nonesttables", "datafield", "formfield", "private", "themedata",
		"colorschememapping", "latentstyles", "datastore", "mmathPr", "userprops", "docvar", "falt", "panose", "fname", "fontemb", "keycode", "fldtype", "linkval", "propname", "staticval", "passwordhash":
	case "shppict", "shpinst", "shp", "shpgrp", "do", "field", "object", "result", "pntext", "listtext", "nesttableprops":
		return true // the group has parts that are text
	default:
		return false
	}
	if r.now.dest == toNothing && e == plain || r.now.dest == toStyles || r.now.dest == toFonts {
		d, e = toNothing, plain
	}
	r.flush()
	if d == toCapture {
		r.capture = r.capture[:0]
	}
	r.now.dest, r.now.end = d, e
	return true
}

// apply handles a control word that changes the properties of text, or that stands for text. n is
// its number, if has is true. It reports whether the word is known.
func (r *reader) apply(name string, n int, has bool) bool {
	off := has && n == 0
	switch name {
	case "par":
		r.paragraph()
	case "sect":
		r.paragraph()
	case "line", "page", "column", "softline", "lbr":
		r.rune('\n')
	case "tab":
		r.rune('\t')
	case "emdash":
		r.rune('—')
	case "endash":
		r.rune('–')
	case "bullet":
		r.rune('•')
	case "lquote":
		r.rune('‘')
	case "rquote":
		r.rune('’')
	case "ldblquote":
		r.rune('“')
	case "rdblquote":
		r.rune('”')
	case "emspace", "enspace", "qmspace":
		r.rune(' ')
	case "pard":
		r.now.inTable, r.now.heading = false, false
	case "plain":
		r.flush()
		r.now.hidden, r.now.deleted, r.now.font, r.now.wide, r.now.wideFont = false, false, -1, false, -1
		r.now.lang, r.now.asian = "", ""
	case "s":
		r.styled = n
		r.now.heading = r.headings[n] && r.now.dest == toText
	case "outlinelevel":
		if heading := n >= 0 && n < 9; r.now.dest == toStyles {
			r.headings[r.styled] = heading && len(r.headings) < tableMax
		} else {
			r.now.heading = heading
		}
	case "intbl":
		r.now.inTable = true
	case "trowd":
		r.inRow = true
	case "cell":
		r.cell()
	case "nestcell":
		r.paragraph()
	case "nestrow":
	case "row":
		r.flush()
		if r.now.dest == toText {
			r.flow.EndRow()
			r.inRow, r.rowEnded = false, true
		}
	case "v":
		r.flush()
		r.now.hidden = !off
	case "deleted":
		r.flush()
		r.now.deleted = !off
	case "uc":
		r.now.unicodeSkip = max(0, min(n, 16))
	case "f":
		r.flush()
		r.now.font, r.defined = n, n
	case "af":
		if r.now.wide {
			r.flush()
			r.now.wideFont = n
		}
	case "dbch":
		r.flush()
		r.now.wide = true
	case "loch", "hich":
		r.flush()
		r.now.wide = false
	case "deff":
		r.deffont = n
	case "fcharset":
		if r.now.dest == toFonts && len(r.fonts) < tableMax {
			r.fonts[r.defined] = fontOf(n)
		}
	case "cpg":
		if f, ok := r.fonts[r.defined]; r.now.dest == toFonts && (ok || len(r.fonts) < tableMax) {
			f.page, f.ansi = n, false
			r.fonts[r.defined] = f
		}
	case "ansi":
		r.page = 1252
	case "mac":
		r.page = 10000
	case "pc":
		r.page = 437
	case "pca":
		r.page = 850
	case "ansicpg":
		if n > 0 {
			r.page = n
		}
	case "deflang":
		r.deflang = office.LanguageOf(n)
	case "lang", "langnp":
		r.flush()
		r.now.lang = office.LanguageOf(n)
	case "langfe", "langfenp":
		r.flush()
		r.now.asian = office.LanguageOf(n)
	case "nofpages":
		if n > 0 {
			r.b.Doc.Pages = int64(n)
		}
	case "yr", "mo", "dy", "hr", "min", "sec":
		r.date[map[string]int{"yr": 0, "mo": 1, "dy": 2, "hr": 3, "min": 4, "sec": 5}[name]] = n
	default:
		return false
	}
	return true
}

// tableMax is how many fonts and styles are kept.
const tableMax = 10_000

// paragraph ends the current paragraph.
func (r *reader) paragraph() {
	r.flush()
	if r.now.dest != toText {
		return
	}
	r.leaveTable()
	if r.now.inTable && !r.flow.InTable() {
		r.flow.BeginTable()
	}
	kind := document.Paragraph
	if r.now.heading {
		kind = document.Heading
	}
	r.flow.EndParagraph(kind)
}

// cell ends a cell of a table.
func (r *reader) cell() {
	r.flush()
	if r.now.dest != toText {
		return
	}
	if !r.flow.InTable() {
		r.flow.BeginTable()
	}
	r.rowEnded = false
	r.flow.EndCell()
}

// leaveTable ends the table if the current paragraph is the first one after it.
func (r *reader) leaveTable() {
	if r.rowEnded && !r.inRow && !r.now.inTable && r.flow.InTable() {
		r.flow.EndTable()
	}
}

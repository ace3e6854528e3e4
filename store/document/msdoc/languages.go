package msdoc

import (
	"infomall/store/document/office"
	"infomall/store/document/ole"
)

// addLanguage sets the language that a property of Word 97 and later gives to a run of
// characters. Other properties change nothing.
func addLanguage(l *office.Languages, code uint16, value []byte) {
	lang := office.LanguageOf(int(ole.U16(value, 0)))
	if lang == "" {
		return
	}
	switch code {
	case 0x486d, 0x4873:
		l.Western = lang
	case 0x486e, 0x4874:
		l.Asian = lang
	case 0x485f:
		l.Complex = lang
	}
}

// languages returns the languages of the first style, Normal, of a document of Word 97 and
// later. Text has them unless it names others. See [MS-DOC] 2.9.271, STSH.
func (w *word) languages() (l office.Languages) {
	if w.old {
		return l
	}
	styles := w.part(0xa2)
	head := int(ole.U16(styles, 0)) // bytes of the header of the table
	at := 2 + head
	size, base := int(ole.U16(styles, at)), int(ole.U16(styles, 4))
	if at += 2; size == 0 || at+size > len(styles) {
		return l
	}
	std := styles[at : at+size]
	at = base + 2 + 2*int(ole.U16(std, base)) + 2 // after the name and its end
	at += 2 + int(ole.U16(std, at))               // after the properties of paragraphs
	at += at % 2
	n := int(ole.U16(std, at))
	if at += 2; at+n > len(std) {
		return l
	}
	for list := std[at : at+n]; len(list) > 0; {
		var code uint16
		var value []byte
		if code, value, list = newSizes(list); len(value) > 0 {
			addLanguage(&l, code, value)
		}
	}
	return l
}

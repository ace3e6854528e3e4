package document

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// SetTitle sets d.Title to the best title that the document offers. lead is the text in
// the largest type of the first page, or "". The candidates are, in this order:
//
//   - the title that the document states, unless a program made it up
//   - lead
//   - the first heading of the first section
//   - the name of the file from which the document was printed, if that is made of words
//   - the first paragraph, if it is short
//
// The title is "" if none of them is a title.
func (d *Document) SetTitle(lead string) {
	stated := Clean(d.Title)
	ofFile, printed := printedName(stated)
	name := isFileName(ofFile)
	// A document without text, such as a song, may have a number as its title.
	code := isAddress(stated) || isCode(stated) && len(d.Sections) > 0
	if stated != "" && !printed && !name && !isDefault(stated) && !code {
		d.Title = stated
		return
	}
	for _, c := range []string{lead, d.firstHeading()} {
		if isTitle(c, headingRunesMax) {
			d.Title = Clean(c)
			return
		}
	}
	if name {
		ofFile = strings.NewReplacer("_", " ").Replace(ofFile[:strings.LastIndexByte(ofFile, '.')])
	}
	for _, c := range []string{ofFile, d.firstParagraph()} {
		if hasWords(c) && isTitle(c, paragraphRunesMax) {
			d.Title = Clean(c)
			return
		}
	}
	d.Title = ""
	if isCode(stated) && isTitle(stated, paragraphRunesMax) {
		d.Title = stated // better than none
	}
}

// How many characters a heading and a paragraph may have that become the title.
const (
	headingRunesMax   = 200
	paragraphRunesMax = 120
)

// firstHeading returns the first heading of the first section that has text, or "".
func (d *Document) firstHeading() string {
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			if p.Kind == Heading && !isDefault(Clean(p.Text)) {
				return p.Text
			}
		}
		if len(s.Parts) > 0 {
			return ""
		}
	}
	return ""
}

// firstParagraph returns the first paragraph. It returns "" if the document has no running text,
// as is the case for a workbook or a feed.
func (d *Document) firstParagraph() string {
	for _, s := range d.Sections {
		if s.Kind != Whole && s.Kind != Page && s.Kind != Slide && s.Kind != Chapter {
			return ""
		}
		for _, p := range s.Parts {
			switch {
			case p.Kind == Table || strings.ContainsAny(p.Text, "{}<>=;\t"):
				return ""
			case p.Kind == Paragraph && letterCount(p.Text) >= lettersMin:
				first, _, _ := strings.Cut(p.Text, "\n")
				return first
			}
		}
	}
	return ""
}

// hasWords reports whether text may consist of several words: it has a space, or a letter of a
// script that needs no spaces between words.
func hasWords(text string) bool {
	return strings.Contains(text, " ") || strings.ContainsFunc(text, isWide)
}

// isWide reports whether r is a Chinese, Japanese or Korean letter.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// lettersMin is how many letters a title has at least. A Chinese or Japanese character
// counts twice.
const lettersMin = 3

// isTitle reports whether text can be a title: it has letters, is not too long, and is not
// what a program or a template writes in place of one.
func isTitle(text string, runesMax int) bool {
	text = Clean(text)
	name, printed := printedName(text)
	return letterCount(text) >= lettersMin && utf8.RuneCountInString(text) <= runesMax &&
		!printed && !isFileName(name) && !isDefault(text) && !isAddress(text)
}

func letterCount(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case isWide(r):
			n += 2
		case unicode.IsLetter(r):
			n++
		}
	}
	return n
}

// printers are the beginnings of titles that printer drivers make from the name of a program and a
// file, such as "Microsoft Word - report.doc". editors are the ends of titles such as "report.txt
// - Notepad".
var (
	printers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(microsoft (office )?(word|excel|powerpoint|publisher|visio|outlook|access|project)|(corel )?wordperfect|quarkxpress(\(tm\))?|adobe (pagemaker|indesign|illustrator|photoshop)|pagemaker|coreldraw|autocad|lotus \S+|star(office|writer)|openoffice(\.org)?|writer|word pro|appleworks|clarisworks|print|printing|druck|full page fax print)( \d[\d.]*)?( document)? ?[-–:] ?`)
	})
	editors = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i) ?[-–] ?(notepad|wordpad|editor|microsoft (word|excel|powerpoint|internet explorer)|mozilla firefox|openoffice(\.org)?( writer)?|libreoffice( \S+)?|textedit|gedit|kate|emacs)$`)
	})
)

// printedName returns title without the name of the program that printed the document. printed
// reports whether title had such a name.
func printedName(title string) (rest string, printed bool) {
	rest = editors().ReplaceAllString(printers().ReplaceAllString(title, ""), "")
	return strings.TrimSpace(rest), len(rest) < len(title)
}

var fileNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\.(docx?|docm|dotx?|xlsx?|xlsm?|xlt|pptx?|pptm|pps|ppsx|pot|pdf|rtf|od[tspg]|sx[wci]|txt|text|html?|xml|tex|ltx|dvi|e?ps|indd|qxd|qxp|fm|p65|pm[56d]|pub|wp[ds]?|wk[134s]|mdb|vsd|cdr|ai|psd|dwg|dxf|jpe?g|tiff?|gif|png|bmp|csv|md|pages|key|numbers|asp|php|cgi|jsp|mp[34]|wav|wma|avi|mov|tmp|prn|out|log|dot|mcw|lwp|sam)$`)
})

// isFileName reports whether a title is the name of a file or the path of one.
func isFileName(title string) bool { return fileNames().MatchString(title) }

var (
	addresses = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^([a-z]:[\\/]|\\\\|/\S+/\S|(https?|ftp|file)://|www\.\S+$)`)
	})
	codes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^ ]*[0-9_][^ ]*$`) })
)

// isAddress reports whether a title is a URL or a path.
func isAddress(title string) bool { return addresses().MatchString(title) }

// isCode reports whether a title looks like an address, the name of a file or a number, such as
// "rpt_2008_v3", or has hardly any letters.
func isCode(title string) bool {
	return isAddress(title) || letterCount(title) < lettersMin || codes().MatchString(title) && letterCount(title) < 2*utf8.RuneCountInString(title)
}

// isDefault reports whether a title is one that programs and templates put in place of a
// title, such as "untitled", "Slide 1" or "Click to add title".
func isDefault(title string) bool {
	t := strings.ToLower(strings.Trim(title, " .…[]()<>«»\"'*-_:"))
	if defaults()[t] || prompts()[t] {
		return true
	}
	// "Document1", "Folie 3", "Untitled-2", "Untitled Document (1)"
	t = strings.TrimRight(t, "0123456789")
	t = strings.TrimRight(t, " -_.(#")
	return defaults()[t]
}

// defaults are the names that programs give to new documents, and the titles of parts of
// a document. A number may follow.
var defaults = wordSet(`
	untitled|untitled document|untitled presentation|untitled spreadsheet|no title|notitle|title unknown|unknown|unnamed|none|null|default|test
	unbenannt|unbenanntes dokument|ohne titel|kein titel|sans titre|sans nom|document sans titre|sin título|sin titulo|sin nombre|senza titolo|senza nome
	sem título|sem titulo|sem nome|naamloos|zonder titel|bez tytułu|bez nazwy|bez názvu|bez názvu dokumentu|utan titel|namnlös|uden titel|ikke navngivet|uten tittel|uten navn
	nimetön|ei otsikkoa|névtelen|cím nélkül|adsız|başlıksız|fără titlu|χωρίς τίτλο|без названия|без имени|без заголовка|без назви|безымянный
	无标题|未命名|無標題|未命名文档|无标题文档|無題|タイトルなし|名称未設定|제목 없음|제목없음|بدون عنوان|ללא כותרת
	document|new document|new microsoft word document|doc|dokument|neues dokument|documento|documento nuevo|novo documento|nuovo documento|documento senza titolo
	nouveau document|dokumentum|документ|новый документ|文档|新建文档|文件|文書|문서|asiakirja|belge
	presentation|präsentation|présentation|presentación|presentazione|apresentação|prezentacja|prezentace|презентация|演示文稿|簡報|プレゼンテーション|프레젠테이션
	powerpoint presentation|powerpoint-präsentation|présentation powerpoint|presentación de powerpoint|presentazione standard di powerpoint|presentazione di powerpoint
	apresentação do powerpoint|презентация powerpoint|powerpoint 演示文稿|powerpoint演示文稿|powerpoint 簡報|powerpoint プレゼンテーション|powerpoint 프레젠테이션
	prezentacja programu powerpoint|prezentace aplikace powerpoint|powerpoint-presentatie|powerpoint-presentation|powerpoint-præsentation|powerpoint-esitys|powerpoint bemutató|powerpoint sunusu
	slide|folie|diapositive|diapositiva|dia|slajd|snímek|слайд|幻灯片|投影片|スライド|슬라이드
	book|workbook|mappe|arbeitsmappe|classeur|libro|cartel|pasta|zeszyt|sešit|книга|工作簿|活頁簿|ブック|통합 문서
	sheet|tabelle|feuil|feuille|hoja|foglio|planilha|arkusz|list|лист|工作表|シート
	page|seite|página|pagina|strona|страница|layout|chart|diagramm|picture|image|bild|scan|scanned document|scanned image|microsoft word|microsoft powerpoint|microsoft excel
	contents|table of contents|inhalt|inhaltsverzeichnis|sommaire|table des matières|índice|indice|contenido|contenuti|spis treści|obsah|содержание|оглавление|目录|目錄|目次|차례
	abstract|summary|draft|confidential|appendix|copyright|preface|foreword|acknowledgements|acknowledgments|vorwort|zusammenfassung|résumé|resumen|摘要|前言`)

// prompts are the texts with which templates ask for a title.
var prompts = wordSet(`
	title|titel|titre|título|titulo|titolo|tytuł|název|název dokumentu|otsikko|заголовок|название|标题|標題|タイトル|제목|subtitle|untertitel|sous-titre|subtítulo
	click to add title|click to add text|click to add subtitle|click to edit master title style|click to edit title|click to edit the title text format|click here to enter text|click here to type title
	document title|type the document title|type document title here|report title|enter title here|enter your title here|insert title here|your title here|title of document|title of report|company name|your company name|presentation title|title of presentation
	titel durch klicken hinzufügen|titelmasterformat durch klicken bearbeiten|mastertitelformat bearbeiten|titel hinzufügen|dokumenttitel|titel des dokuments|geben sie den titel des dokuments ein|klicken sie hier, um text einzugeben
	cliquez pour ajouter un titre|cliquez pour modifier le style du titre|modifiez le style du titre|titre du document|tapez le titre du document
	haga clic para agregar título|haga clic para modificar el estilo de título del patrón|título del documento|escriba el título del documento|pulse para añadir título
	fare clic per inserire il titolo|fare clic per modificare lo stile del titolo|fare clic per modificare lo stile del titolo dello schema|titolo del documento|digitare il titolo del documento
	clique para adicionar um título|clique para editar o estilo do título mestre|título do documento|klik om een titel toe te voegen|klik om de stijl te bewerken|titel van document
	kliknij, aby dodać tytuł|kliknij, aby edytować styl|tytuł dokumentu|klepnutím lze přidat nadpis|kliknutím lze upravit styl|klicka här för att lägga till rubrik|klicka här för att ändra format|klik for at tilføje en titel|klikk for å legge til en tittel
	образец заголовка|заголовок слайда|заголовок документа|введите название документа|название документа
	单击此处添加标题|单击此处编辑母版标题样式|单击此处编辑标题|文档标题|键入文档标题|按一下以新增標題|按一下以編輯母片標題樣式|クリックしてタイトルを入力|マスター タイトルの書式設定|マスタ タイトルの書式設定|文書のタイトル|제목을 입력하십시오|마스터 제목 스타일 편집`)

// wordSet returns a function that returns the set of the entries of a list with "|" or a
// line break between them.
func wordSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := make(map[string]bool)
		for entry := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == '|' || r == '\n' || r == '\t' }) {
			out[entry] = true
		}
		return out
	})
}

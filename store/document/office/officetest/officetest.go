// Package officetest has one text in five languages, from which LibreOffice makes the
// documents that the tests of office formats read. Only tests import it.
//
// The documents lie in the folders testdata of the formats, as en.docx, de.docx and so
// on. To make them again:
//
//	go test ./store/document/office/officetest -run TestMake -make DIR
//
// That needs soffice, of Debian's packages libreoffice-writer, -calc and -impress.
package officetest

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

// Text is the text of a document.
type Text struct {
	Lang, Country string
	Title, Author string
	Heading       string
	Paragraphs    []string
	Table         [][]string
	Note          string // a footnote, a comment or a speaker's note
}

// Texts are the texts by their language.
var Texts = []Text{
	{
		Lang: "en", Country: "GB", Title: "Report on the river crossings", Author: "Mary O’Neill",
		Heading: "Bridges and ferries of the lower valley",
		Paragraphs: []string{
			"The old stone bridge was closed in spring, because the flood of February had washed out two of its piers. Until it is repaired, a ferry carries people and goods across the river.",
			"Counts at both landings show that 1,240 people cross on a working day & fewer than half of them return before evening.",
		},
		Table: [][]string{{"Crossing", "Opened", "State"}, {"Stone bridge", "1784", "closed"}, {"Ferry", "2008", "in service"}},
		Note:  "Counted by the harbour office on three days in June.",
	},
	{
		Lang: "de", Country: "DE", Title: "Bericht über die Flussübergänge", Author: "Jörg Müßig",
		Heading: "Brücken und Fähren im unteren Tal",
		Paragraphs: []string{
			"Die alte Steinbrücke wurde im Frühjahr gesperrt, weil das Hochwasser vom Februar zwei Pfeiler unterspült hatte. Bis zur Ausbesserung setzt eine Fähre Menschen und Güter über den Fluss.",
			"Zählungen an beiden Anlegern zeigen: An Werktagen queren 1.240 Menschen den Fluß, und „weniger als die Hälfte“ kehrt vor dem Abend zurück.",
		},
		Table: [][]string{{"Übergang", "Eröffnet", "Zustand"}, {"Steinbrücke", "1784", "gesperrt"}, {"Fähre", "2008", "in Betrieb"}},
		Note:  "Gezählt vom Hafenamt an drei Tagen im Juni.",
	},
	{
		Lang: "zh", Country: "CN", Title: "过河通道报告", Author: "李伟",
		Heading: "下游河谷的桥梁与渡船",
		Paragraphs: []string{
			"由于二月的洪水冲垮了两座桥墩，古石桥在春天被关闭。修复之前，由渡船运送行人和货物过河。",
			"两岸码头的统计显示，每个工作日有1240人过河，其中不到一半的人在傍晚之前返回。",
		},
		Table: [][]string{{"通道", "启用", "状态"}, {"石桥", "1784", "关闭"}, {"渡船", "2008", "运行"}},
		Note:  "港务局在六月用三天时间统计。",
	},
	{
		Lang: "ru", Country: "RU", Title: "Отчёт о переправах через реку", Author: "Анна Щербакова",
		Heading: "Мосты и паромы нижней долины",
		Paragraphs: []string{
			"Старый каменный мост закрыли весной, потому что февральское наводнение размыло две его опоры. Пока его чинят, людей и грузы перевозит паром.",
			"Подсчёты на обоих причалах показывают, что в рабочий день реку пересекают 1240 человек, и меньше половины возвращается до вечера.",
		},
		Table: [][]string{{"Переправа", "Открыта", "Состояние"}, {"Каменный мост", "1784", "закрыт"}, {"Паром", "2008", "работает"}},
		Note:  "Подсчитано портовой службой за три дня в июне.",
	},
	{
		Lang: "ar", Country: "EG", Title: "تقرير عن معابر النهر", Author: "ليلى حسن",
		Heading: "الجسور والعبارات في الوادي الأسفل",
		Paragraphs: []string{
			"أغلق الجسر الحجري القديم في الربيع لأن فيضان شباط جرف اثنتين من دعاماته. وإلى أن يتم إصلاحه تنقل عبارة الناس والبضائع عبر النهر.",
			"تظهر الإحصاءات في المرسيين أن 1240 شخصا يعبرون في يوم العمل، ويعود أقل من نصفهم قبل المساء.",
		},
		Table: [][]string{{"المعبر", "الافتتاح", "الحالة"}, {"الجسر الحجري", "1784", "مغلق"}, {"العبارة", "2008", "في الخدمة"}},
		Note:  "أحصاها مكتب الميناء في ثلاثة أيام من حزيران.",
	},
}

// Words returns the whole text, with the table's rows on lines.
func (t *Text) Words() string {
	out := []string{t.Heading}
	out = append(out, t.Paragraphs...)
	for _, row := range t.Table {
		out = append(out, strings.Join(row, "\t"))
	}
	return strings.Join(append(out, t.Note), "\n")
}

// Check reads the documents testdata/*.EXT of a format and compares each with the text
// from which it was made, see CheckBody. It returns the bodies.
func Check(t *testing.T, k document.Kind, ext string, pages int64) (bodies [][]byte) {
	t.Helper()
	for i := range Texts {
		file := filepath.Join("testdata", Texts[i].Lang+"."+ext)
		body, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // some formats have documents in a few of the languages only
		}
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
		Texts[i].CheckBody(t, k, file, body, pages)
	}
	if len(bodies) == 0 {
		t.Fatalf("no documents testdata/*.%s", ext)
	}
	return bodies
}

// CheckBody reads a body and compares it with the text from which it was made: words,
// title, author, language and the number of pages, which is -1 if the format has none.
func (t *Text) CheckBody(test *testing.T, k document.Kind, name string, body []byte, pages int64) {
	test.Helper()
	d := documenttest.Read(test, k, document.Input{Body: body})
	if d.Reason != "" {
		test.Errorf("%s: %s", name, d.Reason)
	}
	if f := documenttest.F1(documenttest.Text(d), t.Words()); f < .99 {
		test.Errorf("%s: F1 is %.3f\ngot  %q\nwant %q", name, f, documenttest.Text(d), t.Words())
	}
	if d.Title != t.Title || d.Author != t.Author {
		test.Errorf("%s: title %q, author %q, want %q, %q", name, d.Title, d.Author, t.Title, t.Author)
	}
	// LibreOffice writes no language into workbooks of Excel and files of UOF, and always "en" into books.
	silent := filepath.Ext(name) == ".xlsx" || k.Name == "uof"
	if lang := t.Lang + "-" + t.Country; d.Lang != lang && k.Name != "epub" && (!silent || d.Lang != "") {
		test.Errorf("%s: language %q, want %q", name, d.Lang, lang)
	}
	if d.Pages != pages {
		test.Errorf("%s: document_pages is %d, want %d", name, d.Pages, pages)
	}
}

// The kinds of documents that Flat makes, which are the ends of their files' names.
const (
	Letter       = "fodt"
	Workbook     = "fods"
	Presentation = "fodp"
)

// Flat returns the text as a flat OpenDocument file of the given kind.
func (t *Text) Flat(kind string) string {
	e := html.EscapeString
	mime := map[string]string{Letter: "text", Workbook: "spreadsheet", Presentation: "presentation"}[kind]
	var w strings.Builder
	fmt.Fprintf(&w, `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.%s">
<office:meta><dc:title>%s</dc:title><meta:initial-creator>%s</meta:initial-creator><meta:creation-date>2008-06-12T10:00:00</meta:creation-date><meta:document-statistic meta:page-count="1"/></office:meta>
<office:styles>
`, mime, e(t.Title), e(t.Author))
	for _, family := range []string{"paragraph", "graphic", "table-cell"} {
		fmt.Fprintf(&w, `<style:default-style style:family="%s"><style:text-properties fo:language="%s" fo:country="%s" style:language-asian="%s" style:country-asian="%s" style:language-complex="%s" style:country-complex="%s"/></style:default-style>
`, family, t.Lang, t.Country, t.Lang, t.Country, t.Lang, t.Country)
	}
	w.WriteString("</office:styles>\n")
	body := map[string]func(*strings.Builder){Letter: t.letter, Workbook: t.workbook, Presentation: t.presentation}[kind]
	if kind == Presentation {
		w.WriteString(`<office:automatic-styles><style:page-layout style:name="l"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="m" style:page-layout-name="l"/></office:master-styles>`)
	}
	w.WriteString("<office:body><office:" + mime + ">\n")
	body(&w)
	w.WriteString("</office:" + mime + "></office:body></office:document>\n")
	return w.String()
}

// columns declares the columns of the table.
const columns = `<table:table-column table:number-columns-repeated="3"/>`

// table writes the table's rows.
func (t *Text) table(w *strings.Builder, note string) {
	for i, row := range t.Table {
		w.WriteString("<table:table-row>")
		for j, cell := range row {
			value := `office:value-type="string"`
			if i > 0 && j == 1 {
				value = `office:value-type="float" office:value="` + cell + `"`
			}
			w.WriteString("<table:table-cell " + value + ">")
			if i == 0 && j == 0 && note != "" {
				w.WriteString("<office:annotation><text:p>" + html.EscapeString(note) + "</text:p></office:annotation>")
			}
			w.WriteString("<text:p>" + html.EscapeString(cell) + "</text:p></table:table-cell>")
		}
		w.WriteString("</table:table-row>\n")
	}
}

func (t *Text) letter(w *strings.Builder) {
	e := html.EscapeString
	fmt.Fprintf(w, "<text:h text:outline-level=\"1\">%s</text:h>\n", e(t.Heading))
	for i, p := range t.Paragraphs {
		note := ""
		if i == 1 {
			note = `<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>` + e(t.Note) + `</text:p></text:note-body></text:note>`
		}
		fmt.Fprintf(w, "<text:p>%s%s</text:p>\n", e(p), note)
	}
	w.WriteString(`<table:table table:name="T">` + columns)
	t.table(w, "")
	w.WriteString("</table:table>\n")
}

func (t *Text) workbook(w *strings.Builder) {
	fmt.Fprintf(w, `<table:table table:name="%s">`, html.EscapeString(t.Table[0][0]))
	for _, p := range append([]string{t.Heading}, t.Paragraphs...) {
		fmt.Fprintf(w, "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>%s</text:p></table:table-cell></table:table-row>\n", html.EscapeString(p))
	}
	t.table(w, t.Note)
	w.WriteString("</table:table>\n")
}

func (t *Text) presentation(w *strings.Builder) {
	e := html.EscapeString
	box := func(class string, paragraphs ...string) string {
		var out strings.Builder
		fmt.Fprintf(&out, `<draw:frame presentation:class="%s" svg:width="20cm" svg:height="4cm" svg:x="2cm" svg:y="2cm"><draw:text-box>`, class)
		for _, p := range paragraphs {
			out.WriteString("<text:p>" + e(p) + "</text:p>")
		}
		return out.String() + "</draw:text-box></draw:frame>\n"
	}
	fmt.Fprintf(w, `<draw:page draw:name="1" draw:master-page-name="m">%s%s<presentation:notes>%s</presentation:notes></draw:page>`,
		box("title", t.Heading), box("outline", t.Paragraphs...), box("notes", t.Note))
	w.WriteString(`<draw:page draw:name="2" draw:master-page-name="m"><draw:frame svg:width="20cm" svg:height="4cm" svg:x="2cm" svg:y="2cm"><table:table>` + columns)
	t.table(w, "")
	w.WriteString("</table:table></draw:frame></draw:page>\n")
}

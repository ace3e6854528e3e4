package pdf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/record"
)

// chromium.pdf is chromium.html, printed by Chromium 148 (--headless --print-to-pdf).
// encrypted.pdf and password.pdf are the same file, encrypted by qpdf with AES, with an
// empty password and with the password "secret".
func testFile(t testing.TB, name string) document.Input {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return document.Input{Body: body, Mime: "application/pdf"}
}

// show returns a document as text: a line for each section, part and link.
func show(d *document.Document) string {
	var out strings.Builder
	for i, s := range d.Sections {
		fmt.Fprintf(&out, "%s %s\n", s.Kind, s.Name)
		for _, p := range s.Parts {
			fmt.Fprintf(&out, "\t%s: %s\n", [...]string{"paragraph", "heading", "table", "note", "deleted"}[p.Kind], strings.ReplaceAll(p.Text, "\n", " / "))
		}
		for _, l := range d.Links {
			if l.Section == i {
				fmt.Fprintf(&out, "\tlink: %s (%s)\n", l.Target, l.Anchor)
			}
		}
	}
	return out.String()
}

// TestRead shows what is read of a file with a title, two columns, a list, words that
// are divided at the end of a line, and links. The second page has so few lines that
// PDFium takes them for vertical, which costs the anchor its blank.
func TestRead(t *testing.T) {
	const want = `page 1
	heading: Annual Report of the River Office
	paragraph: The office measured the water level at nineteen stations in this year. The flow at the first weir was higher than in any year since 1954, and the office offered a finer fit of the affected curves.
	paragraph: A second paragraph follows here. It ends early.
	paragraph: First item of the list / Second item of the list
	heading: Two columns
	paragraph: Left alpha begins the first column, which goes on for a while so that the column is full and the reader has to go to the top of the other one. Left omega ends it.
	paragraph: Right alpha begins the second column, which is as long as the first one and has words enough to fill as many lines as it does. Right omega ends it.
	link: http://rivers.example/stations?id=7 (nineteen stations)
page 2
	paragraph: The second page has another link and a mail address a@rivers.example.
	link: http://rivers.example/report.pdf (anotherlink)
	link: mailto:a@rivers.example (a@rivers.example)
`
	for _, name := range []string{"chromium.pdf", "encrypted.pdf"} {
		d := documenttest.Read(t, Kind, testFile(t, name))
		if got := show(d); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
		if d.Title != "Annual Report 2008" || d.Pages != 2 || d.Lang != "en" || d.Scanned || d.Reason != "" || d.Created == record.NoTime || !strings.HasSuffix(d.Producer, "Skia/PDF m148") {
			t.Errorf("%s: got %+v", name, *d)
		}
	}
}

// TestUnreadable shows the reasons of files that cannot be read.
func TestUnreadable(t *testing.T) {
	for _, c := range []struct {
		in     document.Input
		reason string
	}{
		{testFile(t, "password.pdf"), "encrypted: it needs a password"},
		{document.Input{Body: []byte("%PDF-1.4\nnothing\n")}, "damaged: it cannot be opened"},
	} {
		if d := documenttest.Read(t, Kind, c.in); d.Reason != c.reason || d.Sections != nil {
			t.Errorf("got %q and %d sections, want %q", d.Reason, len(d.Sections), c.reason)
		}
	}
}

// TestLimits shows that pages and text beyond the limits are left out.
func TestLimits(t *testing.T) {
	in := testFile(t, "chromium.pdf")
	in.Limits.Pages = 1
	if d := documenttest.Read(t, Kind, in); len(d.Sections) != 1 || d.Pages != 2 || d.Reason != document.ErrLimit.Error() {
		t.Errorf("pages: %d sections, %d pages, %q", len(d.Sections), d.Pages, d.Reason)
	}
	in.Limits = document.Limits{Text: 20}
	if d := documenttest.Read(t, Kind, in); documenttest.Text(d) != "Annual Report of the\n" || !strings.Contains(d.Reason, document.ErrLimit.Error()) {
		t.Errorf("text: %q, %q", documenttest.Text(d), d.Reason)
	}
	in.Limits = document.Limits{Links: 1}
	if d := documenttest.Read(t, Kind, in); len(d.Links) != 1 {
		t.Errorf("links: %d", len(d.Links))
	}
}

// TestIs shows what is taken for a PDF file.
func TestIs(t *testing.T) {
	for _, c := range []struct {
		body, mime string
		want       bool
	}{
		{"%PDF-1.4", "", true},
		{"\xef\xbb\xbf\r\n%PDF-1.4", "text/plain", true},
		{"HTTP/1.0 200 OK\r\n\r\n%PDF-1.4", "application/pdf", true},
		{"A PDF file begins with %PDF-", "text/plain", false},
		{"PDF", "application/pdf", false},
		{strings.Repeat(" ", 2000) + "%PDF-1.4", "application/pdf", false},
	} {
		if got := is(&document.Input{Body: []byte(c.body), Mime: c.mime}); got != c.want {
			t.Errorf("%.20q (%s): got %v", c.body, c.mime, got)
		}
	}
}

// TestScanned shows that a page which is a picture is scanned, and that one with text
// is not.
func TestScanned(t *testing.T) {
	picture := object(4, "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>\nstream\n0\nendstream")
	for _, c := range []struct {
		name, content string
		scanned       bool
	}{
		{"picture", "q 500 0 0 700 0 0 cm /P Do Q", true},
		{"picture and text", "q 500 0 0 700 0 0 cm /P Do Q BT /F 12 Tf 50 50 Td (word) Tj ET", false},
		{"nothing", "", false},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: onePage(c.content, "", picture)})
		if d.Scanned != c.scanned || d.Pages != 1 || d.Reason != "" {
			t.Errorf("%s: scanned %v, %d pages, %q", c.name, d.Scanned, d.Pages, d.Reason)
		}
	}
}

// TestFields shows that the text of a field on a page is read.
func TestFields(t *testing.T) {
	field := object(6, "<</Type/Annot/Subtype/FreeText/Rect[50 600 300 620]/F 4/Contents(typed)/AP<</N 7 0 R>>>>") +
		object(7, "<</Type/XObject/Subtype/Form/BBox[0 0 250 20]/Resources<</Font<</G 8 0 R>>>>/Length 34>>\nstream\nBT /G 12 Tf 2 5 Td (typed) Tj ET   \nendstream") +
		object(8, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	d := documenttest.Read(t, Kind, document.Input{Body: onePage("BT /F 12 Tf 50 700 Td (Name:) Tj ET", "/Annots[6 0 R]", field)})
	if got, want := documenttest.Text(d), "Name:\ntyped\n"; got != want {
		t.Errorf("got %q, want %q (%s)", got, want, d.Reason)
	}
}

// TestRunning shows that a line which all pages have at their top is a note, but not where
// it is the title.
func TestRunning(t *testing.T) {
	body := "%PDF-1.4\n" + object(1, "<</Type/Catalog/Pages 2 0 R>>") + object(2, "<</Type/Pages/Kids[3 0 R 5 0 R 7 0 R 9 0 R]/Count 4>>")
	words := []string{"source", "weir", "bridge", "mouth"}
	for i := range 4 {
		size := 12
		if i == 0 {
			size = 24
		}
		content := fmt.Sprintf("BT /F %d Tf 50 670 Td (River Levels) Tj ET BT /F 12 Tf 50 600 Td (The text of this page, at the %s.) Tj ET BT /F 12 Tf 250 20 Td (%d) Tj ET", size, words[i], i+1)
		body += object(3+2*i, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 700]/Contents %d 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>>>>>>>", 4+2*i)) +
			object(4+2*i, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content))
	}
	in := document.Input{Body: []byte(body + "trailer<</Root 1 0 R>>\n%%EOF\n")}
	b := document.NewBuilder(document.Limits{}, nil)
	if err := Kind.Read(b, &in); err != nil {
		t.Fatal(err)
	}
	want := "page 1\n\theading: River Levels\n\tparagraph: The text of this page, at the source.\n\tnote: 1\n"
	for i := 2; i <= 4; i++ {
		want += fmt.Sprintf("page %d\n\tnote: River Levels\n\tparagraph: The text of this page, at the %s.\n\tnote: %d\n", i, words[i-1], i)
	}
	if got := show(b.Doc); got != want || b.Lead != "River Levels" {
		t.Errorf("lead %q, got\n%swant\n%s", b.Lead, got, want)
	}
}

// TestLead shows that a line is the lead if its type is larger than that of the lines before it,
// not if its letters are only higher.
func TestLead(t *testing.T) {
	for _, c := range []struct {
		size float64 // of the second line, where the first has 12
		want string
	}{{13.5, "one morning"}, {14, "The Gallery"}} {
		if got := lead([]paragraph{{text: "one morning", size: 12}, {text: "The Gallery", size: c.size}}); got != c.want {
			t.Errorf("with a second line of %v: got %q, want %q", c.size, got, c.want)
		}
	}
}

// TestShown shows that text outside of the page is left out: a line whose end or beginning lies
// there, a line beyond the crop box, and a line below it.
func TestShown(t *testing.T) {
	content := `BT /F 12 Tf 420 600 Td (begins here and ends on the next page) Tj ET
		BT /F 12 Tf -60 500 Td (began on the page before) Tj ET
		BT /F 12 Tf 560 400 Td (beyond) Tj ET BT /F 12 Tf 50 5 Td (below) Tj ET BT /F 12 Tf 50 300 Td (within) Tj ET`
	d := documenttest.Read(t, Kind, document.Input{Body: onePage(content, "/CropBox[0 20 500 700]", "")})
	if got, want := show(d), "page 1\n\tparagraph: begins here and e\n\tparagraph: page before\n\tparagraph: within\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	d = documenttest.Read(t, Kind, document.Input{Body: onePage(content, "/CropBox[0 650 500 700]", "")})
	if got := show(d); !strings.Contains(got, "beyond") {
		t.Errorf("a page of which no text is shown: got %s", got)
	}
}

// onePage returns a PDF file of one page with the given content. entries are further
// entries of the page, objects further objects; object 4 is the picture /P.
func onePage(content, entries, objects string) []byte {
	return []byte("%PDF-1.4\n" +
		object(1, "<</Type/Catalog/Pages 2 0 R>>") +
		object(2, "<</Type/Pages/Kids[3 0 R]/Count 1>>") +
		object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 700]/Contents 5 0 R"+entries+
			"/Resources<</XObject<</P 4 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>>>>>>>") +
		object(5, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content)) +
		objects + "trailer<</Root 1 0 R>>\n%%EOF\n")
}

func object(n int, text string) string { return fmt.Sprintf("%d 0 obj\n%s\nendobj\n", n, text) }

// TestMutate shows that damaged files do not break the reader.
func TestMutate(t *testing.T) {
	form := onePage("q 500 0 0 700 0 0 cm /P Do Q BT /F 12 Tf 50 50 Td (word) Tj ET", "/Annots[6 0 R]",
		object(6, "<</Type/Annot/Subtype/FreeText/Rect[50 600 300 620]/F 4/Contents(typed)/AP<</N 7 0 R>>>>"))
	documenttest.Mutate(t, Kind, "application/pdf", testFile(t, "chromium.pdf").Body, testFile(t, "encrypted.pdf").Body, form)
}

// TestDate shows how dates are read.
func TestDate(t *testing.T) {
	for text, want := range map[string]string{
		"D:20080630142501+08'00'": "2008-06-30T06:25:01Z",
		"D:20080630142501-0430":   "2008-06-30T18:55:01Z",
		"D:20080630142501Z":       "2008-06-30T14:25:01Z",
		"D:200806":                "2008-06-01T00:00:00Z",
		"2008":                    "2008-01-01T00:00:00Z",
		"2008-06-30T14:25:01Z":    "2008-06-30T14:25:01Z",
		"2008-06-30":              "2008-06-30T00:00:00Z",
		"D:20081399":              "",
		"yesterday":               "",
		"":                        "",
	} {
		got := ""
		if d := date(text); d != record.NoTime {
			got = d.Std().Format("2006-01-02T15:04:05Z07:00")
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestXMP shows which values of an XMP packet replace those of the information
// dictionary.
func TestXMP(t *testing.T) {
	const packet = `<rdf:RDF xmlns:rdf="r"><rdf:Description xmp:CreateDate="2008-06-30T14:25:01Z" pdf:Producer="Distiller"/>
<rdf:Description><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Report &amp; figures</rdf:li><rdf:li>Bericht</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Li Wei</rdf:li><rdf:li>Anna Berg</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:RDF>`
	const picture = `<rdf:RDF><rdf:Description dc:title="a picture"/></rdf:RDF>`
	d := document.New()
	d.Title, d.Producer = "old", "Writer"
	readXMP(d, []byte("%PDF-1.4 "+packet+" "+picture))
	if d.Title != "Report & figures" || d.Author != "Li Wei, Anna Berg" || d.Producer != "Writer" || d.Created != isoDate("2008-06-30T14:25:01Z") {
		t.Errorf("got %+v", *d)
	}
}

// TestRightToLeft reads Arabic and Hebrew. In the files of cairo, letters come in the order of
// reading; in those of Chromium, in either order. Both have lam and alef as one glyph. In the
// files with marks, PDFium puts blanks into words, and exchanges words and halves of a line.
func TestRightToLeft(t *testing.T) {
	for name, want := range map[string][]string{
		"right-to-left-cairo.pdf":          {"تم افتتاح المكتبة الجديدة في الجامعة يوم الخميس", "החדשה נפתחה", "The new library opened."},
		"right-to-left-chromium.pdf":       {"تم افتتاح المكتبة الجديدة في الجامعة يوم الخميس 12 يونيو", "إنها مفتوحة للجميع»", "הספרייה החדשה נפתחה באוניברסיטה ביום חמישי", "בחדר 5)", "The word שלום means peace, and سلام does too."},
		"right-to-left-marks-cairo.pdf":    {"ويمكن للطلاب استعارة الكتب لمدة أسبوعين.", "حفل الافتتاح في الساعة 10:30 صباحاً بتاريخ 12 يونيو 2008، والدعوة", "لغةٌ سامية، يتحدث بها أكثر من 400 مليون", "بلغت 35٪ من إجمالي"},
		"right-to-left-marks-chromium.pdf": {"سيُقام حفل الافتتاح في الساعة 10:30 صباحاً بتاريخ 12 يونيو 2008، والدعوة عامة للجميع.", "بلغت 35٪ من إجمالي العينة، بينما كانت 27.5٪ في العام الماضي.", "لا إله إلا الله، والأرض والآن والإسلام ولأن."},
	} {
		text := documenttest.Text(documenttest.Read(t, Kind, testFile(t, name)))
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", name, w, text)
			}
		}
	}
}

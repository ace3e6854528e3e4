package ooxml

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/office/officetest"
	"infomall/store/page/pagetest"
)

// made are the formats of the documents that LibreOffice made, with their pages.
var made = map[string]int64{"docx": 1, "xlsx": 1, "pptx": 2}

// TestMade reads the documents that LibreOffice made.
func TestMade(t *testing.T) {
	for ext, pages := range made {
		officetest.Check(t, Kind, ext, pages)
	}
}

// TestMutations reads damaged documents.
func TestMutations(t *testing.T) {
	for ext, pages := range made {
		bodies := officetest.Check(t, Kind, ext, pages)
		for _, body := range bodies {
			bodies = append(bodies, officetest.Stored(t, body))
		}
		documenttest.Mutate(t, Kind, "", bodies...)
	}
}

// TestShared reads the odd and damaged files of the shared test data. Most of them are
// read to their end.
func TestShared(t *testing.T) {
	path := filepath.Join(pagetest.Shared(t), "documents", "office.tar.zst")
	read, texts := 0, 0
	_, bodies := pagetest.Files(t, path, "")
	for _, body := range bodies {
		in := document.Input{Body: body}
		if !Kind.Is(&in) {
			continue
		}
		read++
		if d := documenttest.Read(t, Kind, in); d.Reason == "" && documenttest.Text(d) != "" {
			texts++
		}
	}
	if read < 270 || texts < 230 {
		t.Errorf("%d files are of the kind, and %d of them have text and no fault, want 270 and 230 at least", read, texts)
	}
}

// types returns the part with the content types of the given parts.
func types(parts ...string) string {
	var w strings.Builder
	w.WriteString(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>`)
	for i := 0; i < len(parts); i += 2 {
		fmt.Fprintf(&w, `<Override PartName="/%s" ContentType="%s"/>`, parts[i], parts[i+1])
	}
	return w.String() + `</Types>`
}

// relations returns a part with relationships, each given by ID, kind and target.
func relations(list ...string) string {
	var w strings.Builder
	w.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(list); i += 3 {
		mode := ""
		if strings.Contains(list[i+2], ":") {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&w, `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"%s/>`, list[i], list[i+1], list[i+2], mode)
	}
	return w.String() + `</Relationships>`
}

const (
	wordType  = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
	slideType = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
	wordNS    = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"`
)

// letter returns a document with a body, whose main part has an unusual name.
func letter(t testing.TB, body string) []byte {
	return officetest.Zip(t,
		"[Content_Types].xml", types("x/main.part", wordType),
		"_rels/.rels", relations("r1", "officeDocument", "x/main.part"),
		"x/main.part", `<w:document `+wordNS+`><w:body>`+body+`<w:sectPr><w:headerReference r:id="h"/><w:headerReference r:id="h2"/></w:sectPr></w:body></w:document>`,
		"x/_rels/main.part.rels", relations("s", "styles", "styles.xml", "n", "numbering", "/x/numbering.xml", "f", "footnotes", "notes.xml",
			"h", "header", "h1.xml", "h2", "header", "h2.xml", "l", "hyperlink", "http://a.example/x"),
		"x/styles.xml", `<w:styles `+wordNS+`><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-GB" w:eastAsia="ja-JP"/></w:rPr></w:rPrDefault></w:docDefaults>
			<w:style w:styleId="H"><w:name w:val="heading 1"/></w:style><w:style w:styleId="H2"><w:basedOn w:val="H"/></w:style>
			<w:style w:styleId="V"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style></w:styles>`,
		"x/numbering.xml", `<w:numbering `+wordNS+`><w:abstractNum w:abstractNumId="0">
			<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>
			<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
			<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl></w:abstractNum>
			<w:num w:numId="4"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
		"x/notes.xml", `<w:footnotes `+wordNS+`><w:footnote w:type="separator"><w:p><w:r><w:t>-</w:t></w:r></w:p></w:footnote><w:footnote><w:p><w:r><w:t>a note</w:t></w:r></w:p><w:p><w:r><w:t>its second line</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"x/h1.xml", `<w:hdr `+wordNS+`><w:p><w:r><w:t>page head</w:t></w:r></w:p></w:hdr>`,
		"x/h2.xml", `<w:hdr `+wordNS+`><w:p><w:r><w:t>page head</w:t></w:r></w:p></w:hdr>`,
	)
}

// run returns a run with a text, and par a paragraph with content.
func run(text string) string    { return "<w:r><w:t>" + text + "</w:t></w:r>" }
func par(content string) string { return "<w:p>" + content + "</w:p>" }

// TestWord shows what of a document is text, and as which part.
func TestWord(t *testing.T) {
	notes := []document.Part{{Kind: document.Note, Text: "a note\nits second line"}, {Kind: document.Note, Text: "page head"}}
	field := func(code, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + code + `</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + result + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	item := func(level int, text string) string {
		return par(fmt.Sprintf(`<w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="4"/></w:numPr></w:pPr>`, level) + run(text))
	}
	box := `<w:txbxContent>` + par(run("in a box")) + `</w:txbxContent>`
	for _, c := range []struct {
		name, body string
		want       []document.Part
	}{
		{"breaks", par(`<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t xml:space="preserve"> d</w:t></w:r>`), []document.Part{{Text: "a\tb\nc- d"}}},
		{"headings", par(`<w:pPr><w:pStyle w:val="H2"/></w:pPr>`+run("by style")) + par(`<w:pPr><w:outlineLvl w:val="2"/></w:pPr>`+run("by level")) +
			par(`<w:pPr><w:pStyle w:val="H"/><w:outlineLvl w:val="9"/></w:pPr>`+run("none")) + par(`<w:pPr><w:pStyle w:val="Loop"/></w:pPr>`+run("loop")),
			[]document.Part{{Kind: document.Heading, Text: "by style"}, {Kind: document.Heading, Text: "by level"}, {Text: "none"}, {Text: "loop"}}},
		{"table", `<w:tbl><w:tr><w:tc>` + par(run("a")) + par(run("b")) + `</w:tc><w:tc>` + par(run("c")) + `</w:tc></w:tr><w:tr><w:tc>` + par("") + `</w:tc><w:tc><w:tbl><w:tr><w:tc>` + par(run("d")) + `</w:tc><w:tc>` + par(run("e")) + `</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>`,
			[]document.Part{{Kind: document.Table, Text: "a b\tc\n\td e"}}},
		{"layout table", `<w:tbl><w:tr><w:tc>` + par(`<w:pPr><w:pStyle w:val="H"/></w:pPr>`+run("a")) + par(run("b")) + `</w:tc></w:tr></w:tbl>`, []document.Part{{Kind: document.Heading, Text: "a"}, {Text: "b"}}},
		{"tracked changes", par(run("a ") + `<w:ins>` + run("new ") + `</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom>` + run(" moved") + `</w:moveFrom>` + run("b")),
			[]document.Part{{Text: "a new b"}, {Kind: document.Deleted, Text: "old moved"}}},
		{"hidden", par(`<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r><w:r><w:rPr><w:rStyle w:val="V"/></w:rPr><w:t>x</w:t></w:r><w:r><w:rPr><w:rStyle w:val="V"/><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r>`), []document.Part{{Text: "shown"}}},
		{"fields", par(field("IF "+field("PAGE", run("9"))+" &gt; 1", run("result"))+" "+field(`HYPERLINK "http://b.example/"`, run(" there"))) + par(`<w:hyperlink r:id="l">`+run("here")+`</w:hyperlink>`),
			[]document.Part{{Text: "result there"}, {Text: "here"}}},
		{"box once", par(run("before") + `<mc:AlternateContent><mc:Choice>` + box + `</mc:Choice><mc:Fallback>` + box + `</mc:Fallback></mc:AlternateContent>` + run(" after")), []document.Part{{Text: "before after"}, {Text: "in a box"}}},
		{"ruby", par(`<w:ruby><w:rt>` + run("とうきょう") + `</w:rt><w:rubyBase>` + run("東京") + `</w:rubyBase></w:ruby>`), []document.Part{{Text: "東京(とうきょう)"}}},
		{"lists", item(0, "one") + item(1, "first") + item(1, "second") + item(2, "dot") + item(0, "two") + item(1, "first again"),
			[]document.Part{{Text: "I. one"}, {Text: "I.a) first"}, {Text: "I.b) second"}, {Text: "dot"}, {Text: "II. two"}, {Text: "II.a) first again"}}},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: letter(t, c.body)})
		if want := []document.Section{{Parts: append(c.want, notes...)}}; d.Reason != "" || !reflect.DeepEqual(d.Sections, want) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", c.name, d.Reason, d.Sections, want)
		}
		if c.name == "fields" {
			if want := []document.Link{{Target: "http://b.example/", Anchor: "there"}, {Target: "http://a.example/x", Anchor: "here"}}; !reflect.DeepEqual(d.Links, want) {
				t.Errorf("links: got %v, want %v", d.Links, want)
			}
		}
		if c.name != "ruby" && d.Lang != "en-GB" {
			t.Errorf("%s: language %q, want en-GB", c.name, d.Lang)
		}
	}
}

// TestSheets shows that cells are read as they are shown, and that hidden sheets are
// left out.
func TestSheets(t *testing.T) {
	const ns = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	body := officetest.Zip(t,
		"[Content_Types].xml", types("xl/workbook.xml", sheetType),
		"xl/workbook.xml", `<workbook `+ns+`><sheets><sheet name="Umsatz 2008" r:id="a"/><sheet name="secret" state="hidden" r:id="b"/><sheet name="empty" r:id="c"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations("a", "worksheet", "s1.xml", "b", "worksheet", "s1.xml", "c", "worksheet", "s2.xml", "d", "sharedStrings", "strings.xml", "e", "styles", "styles.xml"),
		"xl/strings.xml", `<sst `+ns+`><si><t>plain_x000D_</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>reading</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet `+ns+`><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="10"/></cellXfs></styleSheet>`,
		"xl/s1.xml", `<worksheet `+ns+`><sheetData>
			<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
			<row r="2"><c r="A2" s="1"><v>39611</v></c><c r="B2" s="2"><v>0.125</v></c><c r="C2"><f>1/3</f><v>0.33333333333333331</v></c></row>
			<row r="5"><c r="A5" t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c t="inlineStr"><is><t>inline</t></is></c><c r="XFD5" t="str"><v>far</v></c><c t="s"><v>99</v></c></row>
			</sheetData><hyperlinks><hyperlink ref="A1" r:id="l" display="shown"/></hyperlinks></worksheet>`,
		"xl/_rels/s1.xml.rels", relations("c", "comments", "comments.xml", "l", "hyperlink", "http://a.example/"),
		"xl/comments.xml", `<comments `+ns+`><commentList><comment><text><r><t>a </t></r><r><t>comment</t></r></text></comment></commentList></comments>`,
		"xl/s2.xml", `<worksheet `+ns+`><sheetData/></worksheet>`,
	)
	d := documenttest.Read(t, Kind, document.Input{Body: body})
	want := []document.Section{
		{Kind: document.Sheet, Name: "Umsatz 2008", Parts: []document.Part{
			{Kind: document.Table, Text: "plain\t\trich text\n12/06/2008\t12.50%\t0.3333333333"},
			{Kind: document.Table, Text: "TRUE\t#REF!\tinline" + strings.Repeat("\t", gapMax) + "far"},
			{Kind: document.Note, Text: "a comment"},
		}},
		{Kind: document.Sheet, Name: "empty"},
	}
	if d.Reason != "" || !reflect.DeepEqual(d.Sections, want) {
		t.Errorf("%s\ngot  %q\nwant %q", d.Reason, d.Sections, want)
	}
	if want := []document.Link{{Target: "http://a.example/", Anchor: "shown"}}; !reflect.DeepEqual(d.Links, want) || d.Pages != 2 {
		t.Errorf("links %v, %d pages, want %v and 2", d.Links, d.Pages, want)
	}
}

// TestWideRow has one row whose cells all refer to one long text. The memory that it takes is bounded by
// the limit of text.
func TestWideRow(t *testing.T) {
	const ns = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	body := officetest.Zip(t,
		"[Content_Types].xml", types("xl/workbook.xml", sheetType),
		"xl/workbook.xml", `<workbook `+ns+`><sheets><sheet name="a" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations("a", "worksheet", "s1.xml", "d", "sharedStrings", "strings.xml"),
		"xl/strings.xml", `<sst `+ns+`><si><t>`+strings.Repeat("x", 100_000)+`</t></si></sst>`,
		"xl/s1.xml", `<worksheet `+ns+`><sheetData><row>`+strings.Repeat(`<c t="s"><v>0</v></c>`, 1000)+`</row></sheetData></worksheet>`,
	)
	documenttest.CheckLimit(t, Kind, body)
}

// TestSlides shows the order of slides and what is read of them.
func TestSlides(t *testing.T) {
	const ns = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`
	shape := func(kind, text string) string {
		return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="` + kind + `"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:rPr lang="de-DE"/><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
	}
	body := officetest.Zip(t,
		"[Content_Types].xml", types("ppt/presentation.xml", slideType),
		"ppt/presentation.xml", `<p:presentation `+ns+`><p:sldIdLst><p:sldId r:id="z"/><p:sldId r:id="h"/><p:sldId r:id="a"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", relations("a", "slide", "s1.xml", "h", "slide", "s2.xml", "z", "slide", "s3.xml"),
		"ppt/s1.xml", `<p:sld `+ns+`><p:cSld><dgm:relIds r:dm="d"/><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>y</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:cSld></p:sld>`,
		"ppt/_rels/s1.xml.rels", relations("d", "diagramData", "d.xml"),
		"ppt/d.xml", `<dgm:dataModel `+ns+`><dgm:pt><dgm:t><a:p><a:r><a:t>node</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt type="pres"><dgm:t><a:p><a:r><a:t>again</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>`,
		"ppt/s2.xml", `<p:sld show="0" `+ns+`>`+shape("body", "hidden")+`</p:sld>`,
		"ppt/s3.xml", `<p:sld `+ns+`>`+shape("ctrTitle", "Titel")+shape("body", "Text")+shape("sldNum", "1")+shape("ftr", "foot")+`</p:sld>`,
		"ppt/_rels/s3.xml.rels", relations("n", "notesSlide", "n.xml"),
		"ppt/n.xml", `<p:notes `+ns+`>`+shape("body", "to say")+shape("sldNum", "1")+`</p:notes>`,
	)
	d := documenttest.Read(t, Kind, document.Input{Body: body})
	want := []document.Section{
		{Kind: document.Slide, Name: "1", Parts: []document.Part{{Kind: document.Heading, Text: "Titel"}, {Text: "Text"}, {Kind: document.Note, Text: "foot"}, {Kind: document.Note, Text: "to say"}}},
		{Kind: document.Slide, Name: "3", Parts: []document.Part{{Text: "node"}, {Kind: document.Table, Text: "x\ty"}}},
	}
	if d.Reason != "" || !reflect.DeepEqual(d.Sections, want) || d.Pages != 2 || d.Lang != "de-DE" {
		t.Errorf("%s, %d pages, language %q\ngot  %q\nwant %q", d.Reason, d.Pages, d.Lang, d.Sections, want)
	}
}

// TestUnread shows what is said of files that are not read.
func TestUnread(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: officetest.Zip(t,
		"[Content_Types].xml", types("xl/workbook.bin", "application/vnd.ms-excel.sheet.binary.macroEnabled.main"), "xl/workbook.bin", "x")})
	if d.Reason != errBinary.Error() {
		t.Errorf("a binary workbook: %q", d.Reason)
	}
	if Kind.Is(&document.Input{Body: officetest.Zip(t, "[Content_Types].xml", types("a.xml", "application/xml"), "a.xml", "<a/>")}) {
		t.Error("a file without a main part is of the kind")
	}
	full := documenttest.Read(t, Kind, document.Input{Body: letter(t, strings.Repeat(par(run("word")), 100)), Limits: document.Limits{Text: 40}})
	if full.Reason != document.ErrLimit.Error() || len(documenttest.Text(full)) > 60 {
		t.Errorf("a document beyond the limit: %q, %d bytes", full.Reason, len(documenttest.Text(full)))
	}
	long := documenttest.Read(t, Kind, document.Input{Body: letter(t, par(run(strings.Repeat("word ", 300)))), Limits: document.Limits{Unpacked: 5000}})
	if !strings.Contains(long.Reason, document.ErrLimit.Error()) {
		t.Errorf("a file that unpacks to more than the limit: %q", long.Reason)
	}
	deep := documenttest.Read(t, Kind, document.Input{Body: letter(t, par(run("first"))+strings.Repeat("<w:tbl>", 1000)), Limits: document.Limits{}})
	if !strings.Contains(deep.Reason, "nested") || !strings.Contains(documenttest.Text(deep), "first") {
		t.Errorf("a document nested too deep: %q, %q", deep.Reason, documenttest.Text(deep))
	}
}

// BenchmarkWord, BenchmarkSheet and BenchmarkSlides measure how fast XML is read.
func BenchmarkWord(b *testing.B) {
	var body strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&body, `<w:p w:rsidR="00AB12CD"><w:pPr><w:pStyle w:val="H2"/><w:spacing w:before="120" w:after="60"/></w:pPr><w:r><w:rPr><w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="22"/><w:lang w:val="en-GB"/></w:rPr><w:t xml:space="preserve">The paragraph %d has a few words </w:t></w:r><w:r><w:t>and some more of them.</w:t></w:r></w:p>`, i)
	}
	benchmark(b, letter(b, body.String()), body.Len())
}

func BenchmarkSheet(b *testing.B) {
	var rows strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rows, `<row r="%d" spans="1:4"><c r="A%d" s="1" t="s"><v>0</v></c><c r="B%d" s="0"><v>%d</v></c><c r="C%d" s="1"><v>%d.25</v></c><c r="D%d" t="str"><f>A1&amp;B1</f><v>text %d</v></c></row>`, i+1, i+1, i+1, i, i+1, 39000+i, i+1, i)
	}
	const ns = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	body := officetest.Zip(b,
		"[Content_Types].xml", types("xl/workbook.xml", sheetType),
		"xl/workbook.xml", `<workbook `+ns+`><sheets><sheet name="a" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations("a", "worksheet", "s1.xml", "d", "sharedStrings", "strings.xml", "e", "styles", "styles.xml"),
		"xl/strings.xml", `<sst `+ns+`><si><t>a shared string</t></si></sst>`,
		"xl/styles.xml", `<styleSheet `+ns+`><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
		"xl/s1.xml", `<worksheet `+ns+`><sheetData>`+rows.String()+`</sheetData></worksheet>`)
	benchmark(b, body, rows.Len())
}

func BenchmarkSlides(b *testing.B) {
	const ns = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	var ids strings.Builder
	var list []string
	size := 0
	members := []string{"[Content_Types].xml", types("ppt/presentation.xml", slideType)}
	for i := range 400 {
		shape := fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="Content"/><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="457200" y="1600200"/><a:ext cx="8229600" cy="4525963"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:pPr lvl="1"/><a:r><a:rPr lang="en-GB" sz="1800" dirty="0"/><a:t>The slide %d has a few words</a:t></a:r></a:p></p:txBody></p:sp>`, i, i)
		slide := `<p:sld ` + ns + `><p:cSld><p:spTree>` + strings.Repeat(shape, 20) + `</p:spTree></p:cSld></p:sld>`
		fmt.Fprintf(&ids, `<p:sldId r:id="s%d"/>`, i)
		list = append(list, fmt.Sprintf("s%d", i), "slide", fmt.Sprintf("s%d.xml", i))
		members = append(members, fmt.Sprintf("ppt/s%d.xml", i), slide)
		size += len(slide)
	}
	members = append(members,
		"ppt/presentation.xml", `<p:presentation `+ns+`><p:sldIdLst>`+ids.String()+`</p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", relations(list...))
	benchmark(b, officetest.Zip(b, members...), size)
}

func benchmark(b *testing.B, body []byte, size int) {
	if dir := os.Getenv("BENCHMARK_FILES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, b.Name()), body, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if d := documenttest.Read(b, Kind, document.Input{Body: body}); d.Reason != "" {
			b.Fatal(d.Reason)
		}
	}
}

package msxml

import (
	"fmt"
	"reflect"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

const letter = `<?xml version="1.0"?><?mso-application progid="Word.Document"?>
<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint"
 xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:aml="http://schemas.microsoft.com/aml/2001/core" xmlns:v="urn:schemas-microsoft-com:vml">
<o:DocumentProperties><o:Title>A letter</o:Title><o:Author>Ann</o:Author><o:Created>2008-06-12T10:00:00Z</o:Created><o:Pages>2</o:Pages></o:DocumentProperties>
<w:fonts><w:font w:name="Arial"/></w:fonts>
<w:styles><w:style w:type="paragraph" w:default="on" w:styleId="n"><w:name w:val="Normal"/><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="h"><w:name w:val="heading 1"/><w:basedOn w:val="n"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="hh"><w:name w:val="Own"/><w:basedOn w:val="h"/></w:style></w:styles>
<w:docPr><w:footnotePr><w:footnote w:type="separator"><w:p><w:r><w:t>no text</w:t></w:r></w:p></w:footnote></w:footnotePr></w:docPr>
<w:body><wx:sect>
<w:p><w:pPr><w:pStyle w:val="hh"/></w:pPr><w:r><w:t>Über Brücken</w:t></w:r></w:p>
<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs><w:listPr><w:ilvl w:val="0"/><wx:t wx:val="1."/><wx:tab wx:wTabBefore="360"/></w:listPr></w:pPr><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t></w:r>
<w:r><w:footnote><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:footnote></w:r><w:r><w:t>, three</w:t></w:r></w:p>
<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:delText>old</w:delText></w:r></aml:content></aml:annotation>
<aml:annotation w:type="Word.Insertion"><aml:content><w:r><w:t>new</w:t></w:r></aml:content></aml:annotation>
<aml:annotation w:type="Word.Comment" aml:author="Bo"><aml:content><w:p><w:r><w:t>a comment</w:t></w:r></w:p></aml:content></aml:annotation></w:p>
<w:p><w:hlink w:dest="http://a.example/"><w:r><w:t>a link</w:t></w:r></w:hlink><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t> 7</w:t><w:fldChar w:fldCharType="end"/></w:r>
<w:r><w:pict><w:binData w:name="x">AAAA</w:binData><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>
<w:tbl><w:tblPr/><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:sectPr><w:hdr w:type="odd"><w:p><w:r><w:t>a header</w:t></w:r></w:p></w:hdr></w:sectPr></wx:sect></w:body></w:wordDocument>`

const book = `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:html="http://www.w3.org/TR/REC-html40">
<DocumentProperties xmlns="urn:schemas-microsoft-com:office:office"><Title>A book</Title><Author>Bo</Author><LastSaved>2008-06-13T10:00:00Z</LastSaved></DocumentProperties>
<Styles><Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style><Style ss:ID="f"><Font ss:FontName="Arial"/><NumberFormat ss:Format="#,##0.0"/></Style></Styles>
<Worksheet ss:Name="Income"><Table>
<Row><Cell><Data ss:Type="String">tickets</Data></Cell><Cell ss:Index="3" ss:StyleID="p"><Data ss:Type="Number">0.25</Data></Cell><Cell ss:StyleID="f"><Data ss:Type="Number">1234</Data></Cell></Row>
<Row><Cell ss:MergeAcross="1" ss:HRef="http://a.example/"><ss:Data ss:Type="String"><html:B>bold</html:B> text</ss:Data><Comment ss:Author="Bo"><ss:Data>a comment</ss:Data></Comment></Cell><Cell><Data ss:Type="DateTime">2008-06-12T00:00:00.000</Data></Cell><Cell><Data ss:Type="Boolean">1</Data></Cell></Row>
</Table><WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Selected/></WorksheetOptions></Worksheet>
<Worksheet ss:Name="Hidden"><Table><Row ss:Index="5"><Cell><Data ss:Type="Number">12</Data></Cell></Row></Table><WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet>
</Workbook>`

// parts returns the sections and parts of d, one string each.
func parts(d *document.Document) (got []string) {
	for _, s := range d.Sections {
		if s.Kind != document.Whole {
			got = append(got, s.String())
		}
		for _, p := range s.Parts {
			got = append(got, fmt.Sprint(p.Kind, " ", p.Text))
		}
	}
	return got
}

// TestWord reads a document of Word 2003: headings, lists, notes, tracked changes, links,
// fields, boxes and tables.
func TestWord(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(letter), Mime: "text/xml"})
	want := []string{"1 Über Brücken", "0 1. one\ttwo, three", "0 new", "4 old", "0 a link 7", "0 in a box", "2 a\tb", "3 a note", "3 a comment", "3 a header"}
	if got := parts(d); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if d.Title != "A letter" || d.Author != "Ann" || d.Lang != "de-DE" || d.Pages != 2 || d.Created.Std().Format("20060102") != "20080612" || d.Reason != "" {
		t.Errorf("got %+v", d)
	}
	if want := []document.Link{{Target: "http://a.example/", Anchor: "a link"}}; !reflect.DeepEqual(d.Links, want) {
		t.Errorf("got links %v, want %v", d.Links, want)
	}
}

// TestWorkbook reads a workbook of Excel 2003: cells with gaps, number formats, dates,
// comments, links and a hidden sheet.
func TestWorkbook(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(book), Mime: "application/vnd.ms-excel"})
	want := []string{"sheet Income", "2 tickets\t\t25.00%\t1,234.0\nbold text\t\t2008-06-12\tTRUE", "3 a comment", "sheet Hidden", "2 12"}
	if got := parts(d); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if d.Title != "A book" || d.Author != "Bo" || d.Pages != 1 || d.Modified.Std().Format("20060102") != "20080613" || d.Reason != "" {
		t.Errorf("got %+v", d)
	}
	if want := []document.Link{{Target: "http://a.example/", Anchor: "bold text"}}; !reflect.DeepEqual(d.Links, want) {
		t.Errorf("got links %v, want %v", d.Links, want)
	}
}

// TestIs shows that other XML, and text that only names the formats, is not of this kind.
func TestIs(t *testing.T) {
	for body, want := range map[string]bool{
		letter: true, book: true, letter[:800]: true,
		`<wordDocument/>`:                              false,
		`<Workbook xmlns="urn:other"/>`:                false,
		`<?xml version="1.0"?><article/>`:              false,
		"urn:schemas-microsoft-com:office:spreadsheet": false,
	} {
		if got := Kind.Is(&document.Input{Body: []byte(body)}); got != want {
			t.Errorf("Is is %v for %.80q", got, body)
		}
	}
}

// TestMutations damages both documents in many ways.
func TestMutations(t *testing.T) {
	documenttest.Mutate(t, Kind, "text/xml", []byte(letter), []byte(book))
}

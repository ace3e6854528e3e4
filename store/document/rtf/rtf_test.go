package rtf

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/office/officetest"
	"infomall/store/record"
)

// TestMade reads the documents that LibreOffice made.
func TestMade(t *testing.T) { officetest.Check(t, Kind, "rtf", -1) }

// TestMutations reads damaged documents.
func TestMutations(t *testing.T) {
	bodies := officetest.Check(t, Kind, "rtf", -1)
	bodies = append(bodies, []byte(`{\rtf1\ansi{\fonttbl{\f0\fcharset134 SimSun;}}\trowd{\field{\*\fldinst HYPERLINK "x"}{\fldrslt \f0\'b1\'b1}}\cell\u-10179?\u-8704?\row\pard{\footnote a}\v b\par}`))
	documenttest.Mutate(t, Kind, "", bodies...)
}

// TestText shows what of a document is text, and as which part.
func TestText(t *testing.T) {
	const fonts = `{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset134 SimSun;}{\f2\fcharset204 Arial Cyr;}{\f3\fcharset2 Symbol;}{\f4\fcharset2 Wingdings;}{\f5\fcharset136 MingLiU;}{\f6\cpg1250 X;}}`
	for _, c := range []struct {
		name, body string
		want       []document.Part
	}{
		{"code page", `\ansicpg1252 caf\'e9 \'80`, []document.Part{{Text: "café €"}}},
		{"code page 936", `\ansicpg936 \'b1\'b1\'be\'a9 \f0 \'93x\'94`, []document.Part{{Text: "北京 “x”"}}},
		{"code page 950", `\f5\'a5\'5f\'a8\'ca`, []document.Part{{Text: "北京"}}},
		{"raw bytes of two", "\\f1 \xb1\xb1\xbe\xa9", []document.Part{{Text: "北京"}}},
		{"charset of a font", `\f2\'cc\'e8\'f0{\f6\'9a}\f0\'e9`, []document.Part{{Text: "Мирšé"}}},
		{"code page of the file for western fonts", `\ansicpg1251\f0\'cc\'e8\'f0`, []document.Part{{Text: "Мир"}}},
		{"font of Asian characters", `\loch\af0\hich\af0\dbch\af1 \'b1\'b1\loch\f0 x`, []document.Part{{Text: "北x"}}},
		{"unicode", `\uc1\u21271?\u20140\'3f \uc2\u8364\'a1\'e3x{\uc0\u233}y\uc1\u-10179?a\u-8704?b`, []document.Part{{Text: "北京 €xéyab"}}},
		{"surrogate pair", `\uc1\u-10179?\u-8704?!`, []document.Part{{Text: "😀!"}}},
		{"symbols", `{\f3 a\'b7}{\f4 abc}{\f3\u-3999?}`, []document.Part{{Text: "α•α"}}},
		{"special characters", `a\~b\_c\-d\emdash\lquote x\rquote\tab y\line z\{\}\\`, []document.Part{{Text: "a b-cd—‘x’\ty\nz{}\\"}}},
		{"hidden and binary", `a{\v hidden \v0 b}{\*\unknown x}{\pict\bin3 }}}c}\bin2 {{d`, []document.Part{{Text: "abd"}}},
		{"tracked changes", `a {\deleted old}{\revised new}\par`, []document.Part{{Text: "a new"}, {Kind: document.Deleted, Text: "old"}}},
		{"headings", `\s1 by style\par\pard\outlinelevel0 by level\par\pard none\par`, []document.Part{{Kind: document.Heading, Text: "by style"}, {Kind: document.Heading, Text: "by level"}, {Text: "none"}}},
		{"field", `see {\field{\*\fldinst {HYPERLINK "http://a.example/"}}{\fldrslt {\ul here}}}, page {\field{\*\fldinst PAGE}{\fldrslt 3}}`, []document.Part{{Text: "see here, page 3"}}},
		{"note", `a{\footnote\pard\intbl the note\par its end} b\par{\header\pard head\par}`, []document.Part{{Text: "a b"}, {Kind: document.Note, Text: "the note\nits end"}, {Kind: document.Note, Text: "head"}}},
		{"table", `before\par\trowd\cellx1\cellx2\pard\intbl a\par b\cell c\cell\row\trowd\pard\intbl d\cell\cell\row\pard after\par`,
			[]document.Part{{Text: "before"}, {Kind: document.Table, Text: "a b\tc\nd"}, {Text: "after"}}},
		{"table without intbl", `\trowd\cellx1\cellx2 a\cell b\cell\row\trowd c\cell d\cell\row\pard e`, []document.Part{{Kind: document.Table, Text: "a\tb\nc\td"}, {Text: "e"}}},
		{"list", `{\listtext 1.\tab}one\par{\pntext 2.\tab}two\par`, []document.Part{{Text: "1.\tone"}, {Text: "2.\ttwo"}}},
		{"both alphabets", `{\upr{plain}{\*\ud{\u21271?}}}`, []document.Part{{Text: "北"}}},
		{"shape", `a{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt in a box\par}}{\shprslt in a box\par}}b`, []document.Part{{Text: "ab"}, {Text: "in a box"}}},
	} {
		body := `{\rtf1\ansi` + fonts + `{\stylesheet{\s1 heading 1;}}` + c.body + `}rest`
		d := documenttest.Read(t, Kind, document.Input{Body: []byte(body)})
		if want := []document.Section{{Parts: c.want}}; d.Reason != "" || !reflect.DeepEqual(d.Sections, want) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", c.name, d.Reason, d.Sections, want)
		}
		if want := []document.Link{{Target: "http://a.example/", Anchor: "here"}}; c.name == "field" && !reflect.DeepEqual(d.Links, want) {
			t.Errorf("links: got %v, want %v", d.Links, want)
		}
	}
}

// TestProperties shows the properties, and what is said of a document that is cut or
// nested too deep.
func TestProperties(t *testing.T) {
	body := `{\rtf1\ansi\deflang1031{\*\generator Word 9;}{\info{\title A \'e9}{\author Li}{\subject s}{\keywords k, l}{\doccomm c}{\creatim\yr2008\mo6\dy12\hr10\min30}{\revtim\yr2008\mo7\dy1}{\nofpages3}}Text\par}`
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(body)})
	created := record.At(time.Date(2008, 6, 12, 10, 30, 0, 0, time.UTC))
	modified := record.At(time.Date(2008, 7, 1, 0, 0, 0, 0, time.UTC))
	if d.Title != "A é" || d.Author != "Li" || d.Description != "c" || d.Keywords != "k, l" || d.Producer != "Word 9" || d.Lang != "de-DE" || d.Pages != 3 || d.Created != created || d.Modified != modified {
		t.Errorf("got %+v", d)
	}
	for body, want := range map[string]string{
		`{\rtf1 a`: errCut.Error(),
		`{\rtf1 a` + strings.Repeat("{", 1000) + "b": "nested",
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: []byte(body)})
		if !strings.Contains(d.Reason, want) || documenttest.Text(d) != "a\n" {
			t.Errorf("%.20s: %q, text %q, want %q", body, d.Reason, documenttest.Text(d), want)
		}
	}
}

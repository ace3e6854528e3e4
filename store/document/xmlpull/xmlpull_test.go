package xmlpull

import (
	"fmt"
	"strings"
	"testing"
)

// events returns what a Scanner finds in a body, such as "<w:p a>text</w:p>".
func events(body string, nesting int) (string, error) {
	s := New([]byte(body), Namespaces{"urn:word": "w", "urn:none": ""}, nesting)
	var out strings.Builder
	for s.Next() {
		switch s.Kind {
		case Start:
			fmt.Fprintf(&out, "<%s %s>", s.Name, s.Attr("w:val"))
		case End:
			fmt.Fprintf(&out, "</%s>", s.Name)
		case Text:
			out.Write(s.AppendText(nil))
		}
	}
	return out.String(), s.Err()
}

// TestScan shows names with the prefixes of the table, references, CDATA sections, and
// what becomes of XML that is not well-formed.
func TestScan(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"prefix", `<x:p xmlns:x="urn:word" x:val="1" val="2">a</x:p>`, `<w:p 1>a</w:p>`},
		{"default namespace", `<p xmlns="urn:word"><q xmlns="urn:none"/></p>`, `<w:p ><q ></q></w:p>`},
		{"namespace of an element ends with it", `<p xmlns="urn:word"><q xmlns="urn:other"/><r/></p>`, `<w:p ><?:q ></?:q><w:r ></w:r></w:p>`},
		{"references", `<a>&lt;&amp;&#65;&#x42;&nbsp;&#xfffffff;&</a>`, `<a ><&AB&nbsp;&#xfffffff;&</a>`},
		{"cdata", `<a>1<![CDATA[<b>&amp;]]>2</a>`, `<a >1<b>&amp;2</a>`},
		{"comment and instruction", `<?xml version="1.0"?><!-- <b> --><a><?x <c>?></a>`, `<a ></a>`},
		{"document type", `<!DOCTYPE a [<!ENTITY e "x>y">]><a>&e;</a>`, `<a >&e;</a>`},
		{"greater in attribute", `<a val=">" w:val='x"y'>b</a>`, `<a x"y>b</a>`},
		{"end tags in the wrong order", `<a><b><c>x</a></b>y`, `<a ><b ><c >x</c></b></a>y`},
		{"end tag with blanks", `<a><b></a  ></b >`, `<a ><b ></b></a>`},
		{"cut short", `<a><b>x`, `<a ><b >x</b></a>`},
		{"cut short in a tag", `<a><b>x</`, `<a ><b >x</b></a>`},
		{"utf-16", "\xff\xfe<\x00a\x00>\x00\x2d\x4e<\x00/\x00a\x00>\x00", `<a >中</a>`},
		{"declared charset", "<?xml version='1.0' encoding='windows-1251'?><a>\xcc\xe8\xf0 \xe8 \xec\xe8\xf0, \xe4\xe0 \xec\xe8\xf0</a>", `<a >Мир и мир, да мир</a>`},
	} {
		if got, err := events(c.body, 10); strings.TrimSpace(got) != c.want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	if got, err := events(strings.Repeat("<a>", 11), 10); err == nil || !strings.HasPrefix(got, "<a ><a >") {
		t.Errorf("11 elements inside of each other were read: %s", got)
	}
}

// TestHostile reads bodies that are made to be slow. With a scanner that takes quadratic
// time the test does not end within minutes.
func TestHostile(t *testing.T) {
	const n = 50_000
	for name, body := range map[string]string{
		"declarations":    strings.Repeat("<!a>", n),
		"quotes":          strings.Repeat(`<a b=">`, n),
		"unknown ends":    strings.Repeat("<a>", 200) + strings.Repeat("</b>", n),
		"new namespaces":  `<a>` + strings.Repeat(`<b xmlns="u"/>`, n) + `</a>`,
		"many namespaces": "<a " + strings.Repeat(`xmlns:b="u" `, n) + ">" + strings.Repeat("<c:d/>", n) + "</a>",
		"references":      strings.Repeat("&", n),
		"sections":        strings.Repeat("<![CDATA[", n),
	} {
		s := New([]byte(body), Namespaces{}, 256)
		steps := 0
		for s.Next() {
			s.Attr("w:val")
			steps++
		}
		if steps > 4*n {
			t.Errorf("%s: %d steps", name, steps)
		}
	}
}

// BenchmarkScan measures the scanner on a document of many small elements.
func BenchmarkScan(b *testing.B) {
	body := []byte(`<w:document xmlns:w="urn:word">` + strings.Repeat(`<w:p w:rsid="00AB"><w:pPr><w:pStyle w:val="Body"/></w:pPr><w:r><w:t>some words of text</w:t></w:r></w:p>`, 10_000) + `</w:document>`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		s := New(body, Namespaces{"urn:word": "w"}, 256)
		for s.Next() {
			if s.Kind == Start {
				s.Attr("w:val")
			}
		}
	}
}

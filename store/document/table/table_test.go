package table

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

// TestForms shows that delimiter, quote and charset are found.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"comma":      {"name,sum\r\n\"Li, Wei\",1\r\n\"a \"\"b\"\"\",2\r\n", "name\tsum\nLi, Wei\t1\na \"b\"\t2\n"},
		"semicolon":  {"Name;Umsatz\nM\xfcller;1,5\nJ\xe4ger;2,25\nGro\xdf;3,5\n", "Name\tUmsatz\nMüller\t1,5\nJäger\t2,25\nGroß\t3,5\n"},
		"tab":        {"a\tb c\nd\te\n", "a\tb c\nd\te\n"},
		"bar":        {"a|b|c\nd|e|f", "a\tb\tc\nd\te\tf\n"},
		"named":      {"sep=,\na,b;c;d\ne,f;g;h\n", "a\tb;c;d\ne\tf;g;h\n"},
		"apostrophe": {"'a','b, c'\n'd','e'\n", "a\tb, c\nd\te\n"},
		"old Mac":    {"a,b\rc,d\r", "a\tb\nc\td\n"},
		"lines":      {"a,b\n\"c\nd\",e\n", "a\tb\nc d\te\n"},
		"open quote": {"a,\"b\nc,d\n", "a\t\"b\nc\td\n"},
		"one column": {"word\nother word\n", "word\nother word\n"},
		"empty":      {"a,,\n,,\n,b,\n", "a\n\tb\n"},
		"utf-16":     {"\xff\xfea\x00\t\x00b\x00\n\x00", "a\tb\n"},
		"chinese":    {"\xd0\xd5\xc3\xfb,\xb5\xd8\xd6\xb7\n\xc0\xee\xce\xb0,\xb1\xb1\xbe\xa9\xca\xd0\xba\xa3\xb5\xed\xc7\xf8\xd6\xd0\xb9\xd8\xb4\xe5\n", "姓名\t地址\n李伟\t北京市海淀区中关村\n"},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: []byte(c.body), Mime: "text/csv"})
		if got := documenttest.Text(d); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestParts shows that the parts of a long table are short, and that a row that is
// inserted at the start changes few of them.
func TestParts(t *testing.T) {
	var body strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&body, "row %d,%d\n", i, i*i)
	}
	parts := func(body string) (texts []string) {
		for _, p := range documenttest.Read(t, Kind, document.Input{Body: []byte(body), Mime: "text/csv"}).Sections[0].Parts {
			if n := strings.Count(p.Text, "\n") + 1; n > rowsMax {
				t.Fatalf("a part has %d rows", n)
			}
			texts = append(texts, p.Text)
		}
		return texts
	}
	before, after := parts(body.String()), parts("new,0\n"+body.String())
	changed := 0
	for _, p := range after {
		if !slices.Contains(before, p) {
			changed++
		}
	}
	if changed == 0 || changed > 5 {
		t.Errorf("%d of %d parts changed, want 1 to 5", changed, len(after))
	}
}

// TestIs shows that the bytes decide against what is declared.
func TestIs(t *testing.T) {
	for body, want := range map[string]bool{
		"a,b": true, "": false, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": false, "PK\x03\x04": false, "<html>": false, "a\x00b": false,
	} {
		if got := Kind.Is(&document.Input{Body: []byte(body), Mime: "application/vnd.ms-excel"}); got != want {
			t.Errorf("%q: got %v", body, got)
		}
	}
	if Kind.Is(&document.Input{Body: []byte("a,b"), Mime: "text/plain"}) {
		t.Error("plain text was taken")
	}
}

// TestOpenQuotes shows that quotes that do not end cost little time: without a bound
// this test takes minutes.
func TestOpenQuotes(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(strings.Repeat("\"x,", 500_000)), Mime: "text/csv"})
	if got := len(d.Sections[0].Parts[0].Text); got < 1_000_000 {
		t.Errorf("got %d bytes of text", got)
	}
}

// TestDamaged shows that damaged tables do not break the reader.
// TestQuotesInside reads a cell that begins with a quote and has very many others, none of which ends
// it. The memory that this takes does not grow with the square of their number.
func TestQuotesInside(t *testing.T) {
	text := `"""` + strings.Repeat(`a"`, 20_000)
	f := form{delimiter: ',', quote: '"'}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cell, rest, _ := f.cutCell(text + "b")
	runtime.ReadMemStats(&after)
	if cell != text+"b" || rest != "" {
		t.Errorf("got a cell of %d bytes and a rest of %d bytes, want all in the cell", len(cell), len(rest))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("a cell of %d bytes took %d bytes of memory", len(text), used)
	}
}

func TestDamaged(t *testing.T) {
	documenttest.Mutate(t, Kind, "text/csv", []byte("a,b\n\"c\"\"d\",e\n"), []byte("a;'b';c\r\nsep=;\n"))
}

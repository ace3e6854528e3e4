package interchange

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

const dif = "TABLE\r\n0,1\r\n\"Bridges\"\r\nVECTORS\r\n0,3\r\n\"\"\r\nTUPLES\r\n0,3\r\n\"\"\r\nDATA\r\n0,0\r\n\"\"\r\n" +
	"-1,0\r\nBOT\r\n1,0\r\n\"Name\"\r\n1,0\r\n\"Opened\"\r\n" +
	"-1,0\r\nBOT\r\n1,0\r\n\"The \"\"old\"\" one\"\r\n0,1784\r\nV\r\n0,1\r\nTRUE\r\n" +
	"-1,0\r\nBOT\r\n1,0\r\n\"two\r\nlines\"\r\n0,0\r\nNA\r\n" +
	"-1,0\r\nEOD\r\n"

const sylk = "ID;PWXL;N;E\r\nP;PGeneral\r\nF;P0;DG0G8;M255\r\nB;Y3;X3\r\nC;Y1;X1;K\"Name\"\r\nC;X2;K\"Opened\"\r\n" +
	"C;Y2;X1;K\"Br\x1bNHucke;; stra\x1bN{e\"\r\nF;X2;P1\r\nC;K1784;EA1+1\r\nC;X3;AA comment\r\nC;Y4;X3;K-2.5\r\nE\r\n"

// parts returns the sections and parts of d, one string each.
func parts(d *document.Document) (got []string) {
	for _, s := range d.Sections {
		got = append(got, s.String())
		for _, p := range s.Parts {
			got = append(got, fmt.Sprint(p.Kind, " ", p.Text))
		}
	}
	return got
}

// TestTables reads both formats, whole and cut off, with the line ends of each system. The media
// types are those that servers declare.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		name, body, mime string
		want             []string
		reason           string
	}{
		{"DIF", dif, "video/dv", []string{"sheet Bridges", "2 Name\tOpened\nThe \"old\" one\t1784\tTRUE\ntwo lines\tNA"}, ""},
		{"DIF of a Mac", strings.ReplaceAll(dif, "\r\n", "\r"), "", []string{"sheet Bridges", "2 Name\tOpened\nThe \"old\" one\t1784\tTRUE\ntwo lines\tNA"}, ""},
		{"DIF cut off", dif[:strings.Index(dif, "0,1784")], "", []string{"sheet Bridges", "2 Name\tOpened\nThe \"old\" one"}, "the DIF has no end"},
		{"DIF damaged", strings.Replace(dif, "0,1784", "7,1784", 1), "", []string{"sheet Bridges", "2 Name\tOpened\nThe \"old\" one"}, "the DIF is damaged: a value has the type 7"},
		{"SYLK", sylk, "application/octet-stream", []string{"", "2 Name\tOpened\nBrücke; straße\t1784\n\t\t-2.5", "3 A comment"}, ""},
		{"SYLK of Unix", strings.ReplaceAll(sylk, "\r\n", "\n"), "", []string{"", "2 Name\tOpened\nBrücke; straße\t1784\n\t\t-2.5", "3 A comment"}, ""},
		{"SYLK cut off", sylk[:strings.Index(sylk, "C;Y4")], "", []string{"", "2 Name\tOpened\nBrücke; straße\t1784", "3 A comment"}, "the SYLK has no end"},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: []byte(c.body), Mime: c.mime})
		if got := parts(d); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if d.Reason != c.reason {
			t.Errorf("%s: reason is %q, want %q", c.name, d.Reason, c.reason)
		}
	}
}

// TestManyLines reads a text of very many lines. The memory that it takes does not grow with the square of
// their number.
func TestManyLines(t *testing.T) {
	body := []byte("TABLE\n0,1\n\"\"\nDATA\n0,0\n\"\"\n-1,0\nBOT\n1,0\n\"" + strings.Repeat("x\n", 10_000) + "\"\n-1,0\nEOD\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	documenttest.Read(t, Kind, document.Input{Body: body})
	runtime.ReadMemStats(&after)
	// A copy of the text so far for each line would take 100 MB.
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("10000 lines take %d bytes", used)
	}
}

// TestIs shows that text that begins like the formats is not of this kind.
func TestIs(t *testing.T) {
	for body, want := range map[string]bool{
		dif: true, sylk: true, "ID;P\nE\n": true,
		"TABLE\nof contents\n":         false,
		"ID;Price;Name\n1;2;3\n":       false,
		"ID;P":                         false,
		"a text with TABLE\n0,1\n\"\"": false,
	} {
		if got := Kind.Is(&document.Input{Body: []byte(body)}); got != want {
			t.Errorf("Is is %v for %q", got, body)
		}
	}
}

// TestMutations damages both tables in many ways.
func TestMutations(t *testing.T) {
	documenttest.Mutate(t, Kind, "", []byte(dif), []byte(sylk))
}

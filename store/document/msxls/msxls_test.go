package msxls

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/ole/oletest"
)

var le = binary.LittleEndian

// rec returns a record: its code and its data, which are strings or numbers of 16 bits.
func rec(code uint16, data ...any) []byte {
	out := le.AppendUint16(le.AppendUint16(nil, code), 0)
	for _, d := range data {
		switch d := d.(type) {
		case string:
			out = append(out, d...)
		case int:
			out = le.AppendUint16(out, uint16(d))
		case float64:
			out = le.AppendUint64(out, math.Float64bits(d))
		}
	}
	le.PutUint16(out[2:], uint16(len(out)-4))
	return out
}

func join(records ...[]byte) (out []byte) {
	for _, r := range records {
		out = append(out, r...)
	}
	return out
}

var end = rec(recEOF)

// workbook returns a workbook of version 0x500 or 0x600 with one sheet.
func workbook(version int, globals, sheet []byte) []byte {
	stream := func(at int) []byte {
		entry := "\x05\x00Sheet"
		if version == 0x500 {
			entry = "\x05Sheet"
		}
		return join(rec(0x809, version, kindGlobals, 0, 0), rec(recBoundSheet, at&0xffff, at>>16, 0, entry), globals, end)
	}
	at := len(stream(0))
	return join(stream(at), rec(0x809, version, kindSheet, 0, 0), sheet, end)
}

func inContainer(name string, stream []byte) []byte {
	return oletest.Build(oletest.Stream{Name: name, Data: stream})
}

// partsOf returns what a workbook has after its properties.
func partsOf(t *testing.T, body []byte) string {
	t.Helper()
	out := oletest.Outline(documenttest.Read(t, Kind, document.Input{Body: body}))
	_, parts, _ := strings.Cut(out, "== ")
	return parts
}

func TestFive(t *testing.T) { oletest.File(t, Kind, "testdata/five.xls", "testdata/five.txt") }

// TestCodePages reads Excel 5 and 95 with texts in several code pages.
func TestCodePages(t *testing.T) {
	for _, c := range []struct {
		page int
		text string
		want string
	}{
		{1252, "Gr\xfc\xdfe \x80", "Grüße €"},
		{936, "\xb5\xc6\xcb\xfe\xa1\xa3", "灯塔。"},
		{950, "\xbfO\xb6\xf0\xa1C", "燈塔。"},
		{932, "\x93\x94\x91\xe4", "灯台"},
		{1251, "\xcc\xe0\xff\xea", "Маяк"},
		{0x8000, "l\xd5\x8et\x8e", "l’été"},
		{0x8001, "\x93x\x94", "“x”"},
	} {
		sheet := join(rec(recLabel, 0, 0, 0, len(c.text), c.text), rec(recRString, 0, 1, 0, len(c.text), c.text, "\x01\x00\x00"),
			rec(recFormula, 1, 0, 0, "\x00\x00\x00\x00\x00\x00\xff\xff", 0), rec(recString, len(c.text), c.text),
			rec(recNote, 0, 0, len(c.text), c.text))
		body := inContainer("Book", workbook(0x500, rec(recCodePage, c.page), sheet))
		want := "sheet \"Sheet\"\ntable: \"" + c.want + "\\t" + c.want + "\\n" + c.want + "\"\nnote: \"" + c.want + "\"\n"
		if got := partsOf(t, body); got != want {
			t.Errorf("code page %d: got\n%s\nwant\n%s", c.page, got, want)
		}
	}
}

// TestSharedTexts reads texts that go on in another record, with another width, and
// with the runs of formats and the readings of characters after them.
func TestSharedTexts(t *testing.T) {
	sst := join(
		rec(recSST, 5, 0, 5, 0,
			"\x04\x00\x00word",
			"\x02\x00\x01\x6f\x70\x54\x58",
			"\x03\x00\x0d", 1, 4, 0, "\x6f\x70\x54\x58\x00\x4e", "runs", "more",
			"\x06\x00\x00Gr\xfc"),
		rec(recContinue, "\x01\xdf\x00e\x00!\x00", "\x03\x00\x00a"),
		rec(recContinue, "\x00bc"))
	var sheet []byte
	for i := range 6 { // there is no text 5
		sheet = append(sheet, rec(recLabelSST, i, 0, 0, i, 0)...)
	}
	const want = "sheet \"Sheet\"\ntable: \"word\\n灯塔\\n灯塔一\\nGrüße!\\nabc\"\n"
	if got := partsOf(t, inContainer("Workbook", workbook(0x600, sst, sheet))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestValues reads numbers, dates, truth values, errors and the values of formulas.
func TestValues(t *testing.T) {
	globals := join(
		rec(recFormat, 164, "\x0b\x00\x00dd.mm.yyyy "), rec(recFormat, 165, "\x05\x00\x000.0 t"),
		rec(recXF, 0, 0), rec(recXF, 0, 164), rec(recXF, 0, 4), rec(recXF, 0, 14))
	sheet := join(
		rec(recNumber, 0, 0, 0, 1.5), rec(recNumber, 0, 1, 1, 39521.0), rec(recNumber, 0, 2, 2, 1234.5), rec(recNumber, 0, 3, 3, 39521.0),
		rec(recRK, 1, 0, 0, "\x06\x00\x00\x00"), // the integer 1
		rec(recRK, 1, 1, 0, "\x97\x01\x00\x00"), // the integer 101 in hundredths
		rec(recRK, 1, 2, 0, "\x00\x00\xf8\x3f"), // 1.5
		rec(recRK, 1, 3, 0, "\xfe\xff\xff\xff"), // the integer -1
		rec(recMulRK, 2, 0, 0, "\x0a\x00\x00\x00", 0, "\x0e\x00\x00\x00", 1),
		rec(recBoolErr, 3, 0, 0, "\x01\x00"), rec(recBoolErr, 3, 1, 0, "\x00\x00"), rec(recBoolErr, 3, 2, 0, "\x07\x01"),
		rec(recFormula, 4, 0, 0, 2.5, 0), rec(recFormula, 4, 1, 0, "\x01\x00\x01\x00\x00\x00\xff\xff", 0), rec(recFormula, 4, 2, 0, "\x02\x00\x2a\x00\x00\x00\xff\xff", 0),
		rec(recFormula, 4, 3, 0, "\x00\x00\x00\x00\x00\x00\xff\xff", 0), rec(recString, "\x04\x00\x00text"),
		rec(recNumber, 6, 5, 0, 7.0), rec(recNumber, 6, 3, 0, 6.0), rec(recNumber, 7, 5, 0, 8.0))
	const want = "sheet \"Sheet\"\ntable: \"1.5\\t14.03.2008\\t1,234.50\\t2008-03-14\\n" +
		"1\\t1.01\\t1.5\\t-1\\n2\\t3\\nTRUE\\tFALSE\\t#DIV/0!\\n2.5\\tTRUE\\t#N/A\\ttext\"\n" +
		"table: \"6\\t7\\n\\t8\"\n"
	if got := partsOf(t, inContainer("Workbook", workbook(0x600, globals, sheet))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBesideCells reads comments, text boxes, margins and links.
func TestBesideCells(t *testing.T) {
	text := func(kind int, s string) []byte {
		return join(rec(recObject, 0x15, 0x12, kind), rec(recText, 0, 0, 0, 0, 0, len(s), 0, 0, 0), rec(recContinue, "\x00"+s), rec(recContinue, "runs"))
	}
	link := join(rec(recLink, 0, 0, 0, 0, "0123456789abcdef", 2, 0, 3, 0, urlMoniker, 16, 0, "h\x00t\x00t\x00p\x00:\x00/\x00x\x00\x00\x00"),
		rec(recLink, 3, 3, 3, 3, "0123456789abcdef", 2, 0, 8, 0, 3, 0, "A\x001\x00\x00\x00"))
	sheet := join(rec(recHeader, "\x16\x00\x00&L&\"Arial\"&10Draft&R&P"), rec(recLabel, 0, 0, 0, "\x04\x00\x00here"),
		text(objectNote, "a comment"), text(6, "a box"), link,
		rec(0x809, 0x600, kindChart, 0, 0), rec(recLabel, 0, 0, 0, "\x05\x00\x00chart"), end,
		rec(recLabel, 1, 0, 0, "\x05\x00\x00after"))
	const want = "sheet \"Sheet\"\ntable: \"here\\nafter\"\nnote: \"Draft\"\nnote: \"a comment\"\nparagraph: \"a box\"\n" +
		"link of section 0: http:/x \"here\"\nlink of section 0: #A1 \"\"\n"
	if got := partsOf(t, inContainer("Workbook", workbook(0x600, nil, sheet))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBare reads the worksheets of Excel 2 to 4, which are in no container.
func TestBare(t *testing.T) {
	two := join(rec(0x09, 2, kindSheet), rec(recFormat2, "\x07General"), rec(recFormat2, "\x040.00"),
		rec(recLabel2, 0, 0, "\x00\x00\x00\x05caf\xe9s"), rec(recNumber2, 0, 1, "\x00\x01\x00", 1.5), rec(recInteger2, 1, 0, "\x00\x00\x00", 12),
		rec(recFormula, 1, 1, "\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\xff\xff", "\x00"), rec(recString2, "\x03sum"), end)
	four := join(rec(0x409, 4, kindSheet, 0), rec(recFormat, 0, "\x07General"), rec(recFormat, 0, "\x040.00"), rec(recXF4, 0x0000, 0), rec(recXF4, 0x0100, 0),
		rec(recLabel, 0, 0, 0, 5, "caf\xe9s"), rec(recNumber, 0, 1, 1, 1.5), rec(recNumber, 1, 0, 0, 12.0),
		rec(recFormula4, 1, 1, 0, "\x00\x00\x00\x00\x00\x00\xff\xff"), rec(recString, 3, "sum"), end)
	const want = "sheet \"\"\ntable: \"cafés\\t1.50\\n12\\tsum\"\n"
	for name, body := range map[string][]byte{"Excel 2": two, "Excel 4": four} {
		if got := partsOf(t, body); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestEncrypted(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: inContainer("Workbook", workbook(0x600, rec(recFilePass, 1), nil))})
	if d.Reason != errEncrypted.Error() {
		t.Errorf("reason %q", d.Reason)
	}
}

// TestOverlap reads a workbook whose sheets are all the same substream.
func TestOverlap(t *testing.T) {
	var cells []byte
	for i := range 1000 {
		cells = append(cells, rec(recNumber, i, 0, 0, 1.0)...)
	}
	sheet := join(rec(0x809, 0x600, kindSheet, 0, 0), cells, end)
	var globals []byte
	const sheets = 2000
	at := len(rec(0x809, 0x600, kindGlobals, 0, 0)) + sheets*len(rec(recBoundSheet, 0, 0, 0, "\x01\x00s")) + len(end)
	for range sheets {
		globals = append(globals, rec(recBoundSheet, at&0xffff, at>>16, 0, "\x01\x00s")...)
	}
	d := documenttest.Read(t, Kind, document.Input{Body: inContainer("Workbook", join(rec(0x809, 0x600, kindGlobals, 0, 0), globals, end, sheet))})
	if n := len(documenttest.Text(d)); n < 2000 || n > 30_000 || d.Reason != document.ErrLimit.Error() {
		t.Errorf("%d bytes of text, reason %q", n, d.Reason)
	}
}

// TestLimit stops at the limit of text, also if many cells refer to one long text.
func TestLimit(t *testing.T) {
	long := strings.Repeat("x", 8000)
	var sheet []byte
	for i := range 60_000 {
		sheet = append(sheet, rec(recLabelSST, i, 0, 0, 0, 0)...)
	}
	body := inContainer("Workbook", workbook(0x600, rec(recSST, 1, 0, 1, 0, len(long), "\x00"+long), sheet))
	d := documenttest.Read(t, Kind, document.Input{Body: body, Limits: document.Limits{Text: 100_000}})
	if n := len(documenttest.Text(d)); d.Reason != document.ErrLimit.Error() || n > 100_001 {
		t.Errorf("reason %q, %d bytes", d.Reason, n)
	}
}

// TestBlankText has many cells that refer to one long text that shows nothing. The text is cleaned
// once, and not for each cell.
func TestBlankText(t *testing.T) {
	used := func(cells int) uint64 {
		long := strings.Repeat("\x01", 8000)
		var sheet []byte
		for i := range cells {
			sheet = append(sheet, rec(recLabelSST, i, 0, 0, 0, 0)...)
		}
		body := inContainer("Workbook", workbook(0x600, rec(recSST, 1, 0, 1, 0, len(long), "\x00"+long), sheet))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		documenttest.Read(t, Kind, document.Input{Body: body})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	// To clean the text for each cell would take 40 MB.
	if used := used(5000); used > 20<<20 {
		t.Errorf("5000 cells without text take %d bytes of memory", used)
	}
}

// TestLongNote reads a comment that continues in very many records. The memory that this takes does
// not grow with the square of their number, and the text is bounded.
func TestLongNote(t *testing.T) {
	const more = 5000
	line := strings.Repeat("x", 100)
	notes := rec(recNote, 0, 0, len(line), line)
	for range more {
		notes = append(notes, rec(recNote, notesMore, 0, len(line), line)...)
	}
	in := document.Input{Body: inContainer("Book", workbook(0x500, nil, notes))}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := documenttest.Read(t, Kind, in)
	runtime.ReadMemStats(&after)
	if got, want := documenttest.Text(d), strings.Repeat(line, more+1)+"\n"; got != want {
		t.Errorf("got %d bytes of text, want %d: %.60q", len(got), len(want), got)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
		t.Errorf("a note of %d bytes took %d bytes of memory", more*len(line), used)
	}
	in.Limits = document.Limits{Text: 10_000}
	if d := documenttest.Read(t, Kind, in); d.Reason != document.ErrLimit.Error() {
		t.Errorf("beyond the limit of text: reason %q", d.Reason)
	}
}

func TestDamaged(t *testing.T) {
	five, err := os.ReadFile("testdata/five.xls")
	if err != nil {
		t.Fatal(err)
	}
	small := workbook(0x600, rec(recSST, 1, 0, 1, 0, "\x04\x00\x0dwide", 1, 4, 0), join(rec(recLabelSST, 0, 0, 0, 0, 0), rec(recMulRK, 2, 0, 0, "\x0a\x00\x00\x00", 1),
		rec(recLink, 0, 0, 0, 0, "0123456789abcdef", 2, 0, 3, 0, urlMoniker, 4, 0, "h\x00\x00\x00")))
	old := workbook(0x500, rec(recCodePage, 936), rec(recLabel, 0, 0, 0, 2, "\xb5\xc6"))
	bare := join(rec(0x09, 2, kindSheet), rec(recLabel2, 0, 0, "\x00\x00\x00\x04caf\xe9"), end)
	documenttest.Mutate(t, Kind, "", five, inContainer("Workbook", small), inContainer("Book", old), bare)
}

// TestShared reads the workbooks among the shared test data.
func TestShared(t *testing.T) {
	documenttest.Office(t, Kind, "", 208, map[string]string{
		"testEXCEL_3.xls":            "", // Excel 3 and 4: no container
		"testEXCEL_4.xls":            "",
		"testEXCEL_95.xls":           "",
		"SimpleWithComments.xls":     "Yegor Kozlov",
		"WORKBOOK_in_capitals.xls":   "Inventarliste für GALIPLAN",
		"ContinueRecordProblem.xls":  "",
		"HyperlinksOnManySheets.xls": "",
	})
}

// TestOverlappingBegins reads a workbook whose sheets all point at one record that very many records
// continue. The records are counted against the budget, and are not collected for each sheet.
func TestOverlappingBegins(t *testing.T) {
	const sheets, more = 200, 20_000
	var globals []byte
	at := len(rec(0x809, 0x600, kindGlobals, 0, 0)) + sheets*len(rec(recBoundSheet, 0, 0, 0, "\x01\x00s")) + len(end)
	for range sheets {
		globals = append(globals, rec(recBoundSheet, at&0xffff, at>>16, 0, "\x01\x00s")...)
	}
	for _, code := range []uint16{0x809, recNumber} {
		stream := join(rec(0x809, 0x600, kindGlobals, 0, 0), globals, end, rec(code, 0x600, kindSheet, 0, 0), bytes.Repeat(rec(recContinue), more))
		body := inContainer("Workbook", stream)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d := documenttest.Read(t, Kind, document.Input{Body: body})
		runtime.ReadMemStats(&after)
		// To collect them for each sheet takes more than 400 MB.
		if used := after.TotalAlloc - before.TotalAlloc; used > 40<<20 || d.Reason != document.ErrLimit.Error() {
			t.Errorf("%x: %d bytes of memory, reason %q", code, used, d.Reason)
		}
	}
}

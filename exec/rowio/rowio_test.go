package rowio

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"infomall/exec/value"
	"infomall/lang/cells"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// columns and hard are rows with values that are hard to write.
var columns = []value.Column{
	{Name: "text", Type: value.Text}, {Name: "n", Type: value.Int}, {Name: "x", Type: value.Float},
	{Name: "when", Type: value.Time}, {Name: "took", Type: value.Duration}, {Name: "ok", Type: value.Bool},
	{Name: "网址|\x1b", Type: value.URL}, {Name: "nothing", Type: value.Null},
}

func hard() *value.Batch {
	texts := []string{
		"plain", "", "comma, \"quote\"", "two\nlines\r\n", "tab\there \\n", "北京大学，概况", "e\u0301 combining", "👨‍👩‍👧 family 🇨🇳",
		"\x1b[2J\x07\x7f\u0085", "\u202eevil\u2066\u200f", "bad \xff\xfe utf-8", "<script>|`a`|</script>", "=1+2", "\ufeff\u2028", "NULL", strings.Repeat("很长 ", 40),
	}
	b := &value.Batch{N: len(texts) + 1}
	for _, c := range columns {
		b.Cols = append(b.Cols, value.NewVector(c.Type, 0))
	}
	floats := []float64{0, 1.5, -0.1, 1e21, 1e-9, math.NaN(), math.Inf(1), math.Copysign(0, -1)}
	for i, s := range texts {
		k := int64(i)
		for c, v := range []value.Value{
			value.OfText(s), value.OfInt(k * k * k * -12345), value.OfFloat(floats[i%len(floats)]),
			value.OfTime(1213525800000), value.OfDuration(k * k * 43210987), value.OfBool(i%2 == 0), value.OfURL("http://x.cn/" + strings.Repeat("a", i)), {},
		} {
			b.Cols[c].AppendValue(v)
		}
	}
	b.Cols[3].Ints[1]++ // milliseconds
	for _, v := range b.Cols {
		v.AppendValue(value.Value{})
	}
	return b
}

// write returns the output of a writer for some batches.
func write(t testing.TB, format string, o Options, cols []value.Column, batches ...*value.Batch) string {
	t.Helper()
	var out bytes.Buffer
	w, err := New(format, &out, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(cols); err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestGolden writes hard values in each format and compares with the files in
// testdata. go test -update rewrites these.
func TestGolden(t *testing.T) {
	china := time.FixedZone("CST", 8*3600)
	for name, o := range map[string]Options{
		"table":          {Header: true},
		"table.width":    {Header: true, Width: 100, Zone: china},
		"table.narrow":   {Header: true, Width: 30, Color: true},
		"table.noheader": {NullValue: "∅"},
		"csv":            {Header: true},
		"csv.safe":       {Safe: true, NullValue: "\\N", Zone: china},
		"tsv":            {Header: true},
		"json":           {},
		"jsonl":          {Zone: china},
		"markdown":       {NullValue: "–"},
		"vertical":       {},
		"vertical.color": {Color: true, NullValue: "-"},
		"table.vertical": {Header: true, Width: 60, Vertical: true},
		"html":           {Zone: china},
		"chart":          {Width: 100, Header: true},
	} {
		format, _, _ := strings.Cut(name, ".")
		got := write(t, format, o, columns, hard())
		file := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s; got\n%s", name, file, got)
		}
		if format != "csv" && format != "tsv" && !o.Color {
			if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && cells.Unprintable(r) }); i >= 0 {
				t.Errorf("%s writes the control character %q", name, got[i:i+1])
			}
		}
		if !utf8.ValidString(got) {
			t.Errorf("%s is not UTF-8", name)
		}
	}
}

// TestEmpty writes results without rows.
func TestEmpty(t *testing.T) {
	cols := []value.Column{{Name: "a", Type: value.Int}, {Name: "b c", Type: value.Text}}
	for _, c := range [][2]string{
		{"table", "┌───┬─────┐\n│ a │ b c │\n├───┼─────┤\n└───┴─────┘\n(0 rows)\n"},
		{"csv", "a,b c\n"},
		{"tsv", "a\tb c\n"},
		{"json", "[]\n"},
		{"jsonl", ""},
		{"markdown", "| a | b c |\n| ---: | --- |\n"},
		{"vertical", "(0 rows)\n"},
	} {
		if got := write(t, c[0], Options{Header: true}, cols); got != c[1] {
			t.Errorf("%s: got %q, want %q", c[0], got, c[1])
		}
	}
}

// TestUnknownFormat shows that the error suggests the nearest format, or lists
// all.
func TestUnknownFormat(t *testing.T) {
	for _, c := range [][2]string{
		{"cvs", `no format "cvs"; did you mean csv?`},
		{"xml", `no format "xml"; there are table, csv, tsv, json, jsonl, markdown, vertical, html, chart`},
	} {
		if _, err := New(c[0], io.Discard, Options{}); err == nil || err.Error() != c[1] {
			t.Errorf("%s: got the error %v, want %s", c[0], err, c[1])
		}
	}
}

// TestBatches shows that the output does not depend on how rows are divided
// into batches.
func TestBatches(t *testing.T) {
	b := hard()
	for _, format := range Formats() {
		o := Options{Header: true, Width: 60}
		whole := write(t, format, o, columns, b)
		parts := write(t, format, o, columns, b.Slice(0, 1), b.Slice(1, 1), b.Slice(1, 9), b.Slice(9, b.N))
		if parts != whole {
			t.Errorf("%s in batches\n got %s\nwant %s", format, parts, whole)
		}
	}
}

// failing is an io.Writer that always fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestWriteError shows that an error of the io.Writer is returned unchanged.
func TestWriteError(t *testing.T) {
	gone := errors.New("gone")
	for _, format := range Formats() {
		w, err := New(format, failing{gone}, Options{Header: true})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Begin(columns)
		if err == nil {
			err = w.Write(hard())
		}
		if err == nil {
			err = w.End()
		}
		if err != gone {
			t.Errorf("%s: got the error %v, want %v", format, err, gone)
		}
	}
}

// TestJSONValid reads the objects with encoding/json.
func TestJSONValid(t *testing.T) {
	b := hard()
	var rows []map[string]any
	if err := json.Unmarshal([]byte(write(t, "json", Options{}, columns, b)), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != b.N {
		t.Fatalf("got %d objects, want %d", len(rows), b.N)
	}
	for i, row := range rows {
		want := any(strings.ToValidUTF8(b.Cols[0].At(i).Text, "\uFFFD"))
		if b.Cols[0].IsNull(i) {
			want = nil
		}
		if strings.Contains(b.Cols[0].At(i).Text, "\xff") {
			want = "bad \uFFFD\uFFFD utf-8" // one for each byte, as package json does
		}
		if row["text"] != want {
			t.Errorf("row %d: got %q, want %q", i, row["text"], want)
		}
	}
	for i, line := range strings.Split(strings.TrimSuffix(write(t, "jsonl", Options{}, columns, b), "\n"), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %d is no JSON: %s", i+1, line)
		}
	}
}

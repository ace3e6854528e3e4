package rowio

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/value"
)

// readTable writes a file with the text and returns its names and rows as text,
// with fields between bars and NULL as -.
func readTable(t testing.TB, name, text string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if strings.HasSuffix(name, ".gz") {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write([]byte(text))
		w.Close()
		text = z.String()
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := OpenTable(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var names []string
	for _, c := range table.Columns() {
		names = append(names, c.Name)
	}
	b.WriteString(strings.Join(names, "|") + "\n")
	for batch, err := range table.Rows(context.Background()) {
		if err != nil {
			return b.String(), err
		}
		for i := range batch.N {
			for k, c := range batch.Cols {
				if k > 0 {
					b.WriteByte('|')
				}
				if c.IsNull(i) {
					b.WriteByte('-')
				} else {
					b.WriteString(c.Texts[i])
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String(), nil
}

func TestReadTable(t *testing.T) {
	for _, c := range []struct{ name, text, want, fault string }{
		{"a.csv", "url,note\nhttp://a.cn/,\"x, \"\"y\"\"\"\nb\n,n\n", "url|note\nhttp://a.cn/|x, \"y\"\nb|-\n-|n\n", ""},
		{"a.CSV", "\ufeffurl\r\n北京\r\n", "url\n北京\n", ""},
		{"a.csv.gz", "url\na\n", "url\na\n", ""},
		{"a.csv", "url", "url\n", ""},
		{"a.tsv", "url\tnote\na\\tb\t\\\\t\nc\n", "url|note\na\tb|\\t\nc|-\n", ""},
		{"a.jsonl", "{\"url\":\"a\",\"n\":1.50}\n{\"m\":[1, 2],\"url\":null}", "url|n|m\na|1.50|-\n-|-|[1, 2]\n", ""},
		{"a.csv", "", "", "has no columns"},
		{"a.csv", "a\nb,c\n", "a\n", "row 2 has 2 fields, but the first line names 1"},
		{"a.csv", "a\n\"b\n", "a\n", "extraneous or missing"},
		{"a.jsonl", "{\"a\":1}\n[2]\n", "", "object 2: it is no object"},
		{"a.jsonl", "{\"a\":", "", "object 1: unexpected EOF"},
		{"a.txt", "a\n", "", "FILE reads .parquet, and .csv, .tsv and .jsonl"},
	} {
		got, err := readTable(t, c.name, c.text)
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s %q: got\n%s%v\nwant\n%s%s", c.name, c.text, got, err, c.want, c.fault)
		}
	}
}

// TestReadWritten shows that texts survive writing and reading, except that
// empty texts become NULL.
func TestReadWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringN(1, 10, -1).Filter(func(s string) bool { return !strings.Contains(s, "\r\n") }), 1, 5).Draw(rt, "texts")
		for _, format := range tableFormats {
			col := &value.Vector{Type: value.Text}
			for _, s := range texts {
				col.AppendValue(value.OfText(s))
			}
			var out bytes.Buffer
			w, err := New(format, &out, Options{Header: true})
			if err == nil {
				err = w.Begin([]value.Column{{Name: "x", Type: value.Text}})
			}
			if err == nil {
				err = w.Write(&value.Batch{N: len(texts), Cols: []*value.Vector{col}})
			}
			if err == nil {
				err = w.End()
			}
			if err != nil {
				rt.Fatal(err)
			}
			want := "x\n" + strings.Join(texts, "\n") + "\n"
			if got, err := readTable(t, "a."+format, out.String()); got != want || err != nil {
				rt.Fatalf("%s: wrote %q, read %q, %v", format, want, got, err)
			}
		}
	})
}

func FuzzReadTable(f *testing.F) {
	f.Add("a,b\n1,\"2\n", byte(0))
	f.Add("a\tb\n1\\t\t2\n", byte(1))
	f.Add("{\"a\":1}\n", byte(2))
	f.Fuzz(func(t *testing.T, text string, format byte) {
		readTable(t, "a."+tableFormats[int(format)%len(tableFormats)], text)
	})
}

package rowio

import (
	"encoding/csv"
	"io"
	"strings"
	"testing"

	"infomall/exec/value"
)

// FuzzCSV writes three texts and reads them back with encoding/csv, which drops
// a carriage return before a line feed.
func FuzzCSV(f *testing.F) {
	f.Add("a", "", "c\"d")
	f.Add("a,b", "c\r\nd", "\re")
	f.Add(" x", "\xff", "\u2028")
	f.Add("\\.", "#", "\x00")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		fields := []string{a, b, c}
		batch := &value.Batch{N: 1}
		cols := make([]value.Column, len(fields))
		for i, s := range fields {
			cols[i] = value.Column{Name: s, Type: value.Text}
			batch.Cols = append(batch.Cols, &value.Vector{Type: value.Text, Texts: []string{s}})
		}
		out := write(t, "csv", Options{Header: true}, cols, batch)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if len(rows) != 2 {
			t.Fatalf("%q: got %d lines, want 2", out, len(rows))
		}
		for _, row := range rows {
			for i, s := range fields {
				want := strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
				if row[i] != want {
					t.Errorf("field %d: got %q, want %q", i, row[i], want)
				}
			}
		}
	})
}

// TestCSVNull shows that NULL and the empty text differ.
func TestCSVNull(t *testing.T) {
	v := value.NewVector(value.Text, 2)
	v.SetNull(1)
	b := &value.Batch{N: 2, Cols: []*value.Vector{v, v}}
	if got, want := write(t, "csv", Options{}, nil, b), "\"\",\"\"\n,\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// rows returns n rows like those of a query for captures.
func rows(n int) (cols []value.Column, b *value.Batch) {
	cols = []value.Column{{Name: "url", Type: value.URL}, {Name: "time", Type: value.Time}, {Name: "status", Type: value.Int}, {Name: "kind", Type: value.Text}}
	b = &value.Batch{N: n}
	for _, c := range cols {
		b.Cols = append(b.Cols, value.NewVector(c.Type, n))
	}
	for i := range n {
		b.Cols[0].Texts[i] = "http://www.pku.edu.cn/news/2008/index.htm"
		b.Cols[1].Ints[i] = 1213525800000 + int64(i)*1000
		b.Cols[2].Ints[i] = 200
		b.Cols[3].Texts[i] = "page"
	}
	return cols, b
}

// BenchmarkWrite writes batches of rows in each format.
func BenchmarkWrite(b *testing.B) {
	cols, batch := rows(1024)
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			w, err := New(format, io.Discard, Options{Header: true, Width: 120})
			if err != nil {
				b.Fatal(err)
			}
			if err := w.Begin(cols); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Write(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(batch.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

package rowio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"infomall/exec/value"
)

// everyType returns two rows with a column of each type. The second row is NULL only.
func everyType() ([]value.Column, *value.Batch) {
	cols := []value.Column{
		{Name: "url", Type: value.URL}, {Name: "changed", Type: value.Bool}, {Name: "n", Type: value.Int}, {Name: "count(*)", Type: value.Float},
		{Name: "time", Type: value.Time}, {Name: "age", Type: value.Duration}, {Name: "a, b", Type: value.Text}, {Name: "n", Type: value.Null},
	}
	b := &value.Batch{N: 2}
	for _, c := range cols {
		v := value.NewVector(c.Type, 2)
		switch c.Type {
		case value.Null:
		case value.Bool:
			v.Bools[0] = true
		case value.Float:
			v.Floats[0] = 1.5
		case value.Text, value.URL:
			v.Texts[0] = "text\xff"
		default:
			v.Ints[0] = 1500
		}
		if c.Type != value.Null {
			v.Nulls = []bool{false, true}
		}
		b.Cols = append(b.Cols, v)
	}
	return cols, b
}

// TestParquet writes each type, with and without NULL, and reads it back.
func TestParquet(t *testing.T) {
	cols, b := everyType()
	var file bytes.Buffer
	w := parquetFormat.New(&file, Options{})
	if err := w.Begin(cols); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range f.Schema().Fields() {
		names = append(names, fmt.Sprintf("%s %s", c.Name(), c.Type()))
	}
	if got, want := fmt.Sprint(names), "[url STRING changed BOOLEAN n INT(64,true) count(*) DOUBLE time TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS) age DOUBLE a, b STRING n_1 STRING]"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	rows := make([]parquet.Row, 5)
	r := f.RowGroups()[0].Rows()
	defer r.Close()
	n, err := r.ReadRows(rows)
	if n != 4 || err != nil && err != io.EOF {
		t.Fatalf("%d rows, %v; want 4", n, err)
	}
	if got, want := fmt.Sprint(rows[2]), "[text\uFFFD true 1500 1.5 1500 1.5 text\uFFFD <null>]"; got != want {
		t.Errorf("row %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(rows[3]), "[<null> <null> <null> <null> <null> <null> <null> <null>]"; got != want {
		t.Errorf("row %s, want %s", got, want)
	}
}

// TestParquetGroups shows that long texts are written out before the end.
func TestParquetGroups(t *testing.T) {
	var file bytes.Buffer
	w := parquetFormat.New(&file, Options{})
	if err := w.Begin([]value.Column{{Name: "text", Type: value.Text}}); err != nil {
		t.Fatal(err)
	}
	v := value.NewVector(value.Text, 1)
	v.Texts[0] = string(bytes.Repeat([]byte("text "), 2<<20))
	for range 8 {
		if err := w.Write(&value.Batch{N: 1, Cols: []*value.Vector{v}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.RowGroups()); n != 2 || f.NumRows() != 8 {
		t.Errorf("%d row groups, %d rows; want 2 and 8", n, f.NumRows())
	}
}

// TestReadParquet shows that FILE reads what EXPORT writes, with its types.
func TestReadParquet(t *testing.T) {
	cols := []value.Column{
		{Name: "url", Type: value.URL}, {Name: "changed", Type: value.Bool}, {Name: "n", Type: value.Int},
		{Name: "share", Type: value.Float}, {Name: "time", Type: value.Time},
	}
	b := &value.Batch{N: 2}
	for _, c := range cols {
		v := value.NewVector(c.Type, 0)
		v.AppendValue(map[value.Type]value.Value{
			value.URL: {Type: value.URL, Text: "http://a.cn/"}, value.Bool: value.OfBool(true), value.Int: value.OfInt(-7), value.Float: value.OfFloat(0.5), value.Time: value.OfTime(-1500),
		}[c.Type])
		v.AppendValue(value.Value{})
		b.Cols = append(b.Cols, v)
	}
	path := filepath.Join(t.TempDir(), "Rows.PARQUET")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquetFormat.New(file, Options{})
	if err := errors.Join(w.Begin(cols), w.Write(b), w.Write(b), w.End(), file.Close()); err != nil {
		t.Fatal(err)
	}
	table, err := OpenTable(path)
	if err != nil {
		t.Fatal(err)
	}
	cols[0].Type = value.Text // a Parquet file has no URLs
	if got, want := fmt.Sprint(table.Columns()), fmt.Sprint(cols); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	for range 2 {
		rows := ""
		for batch, err := range table.Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch.N {
				for _, c := range batch.Cols {
					rows += fmt.Sprint(c.At(i), " ")
				}
			}
		}
		if want := strings.Repeat("'http://a.cn/' TRUE -7 0.5 1969-12-31T23:59:58.500Z NULL NULL NULL NULL NULL ", 2); rows != want {
			t.Errorf("got  %s\nwant %s", rows, want)
		}
	}
}

// TestReadParquetUnsigned shows that FILE reads numbers without a sign as what they are. A number
// that is too large for the query language is NULL.
func TestReadParquetUnsigned(t *testing.T) {
	type row struct {
		A uint8
		B uint32
		C uint64
	}
	path := filepath.Join(t.TempDir(), "rows.parquet")
	if err := parquet.WriteFile(path, []row{{200, 3_000_000_000, math.MaxInt64}, {1, 2, math.MaxInt64 + 1}}); err != nil {
		t.Fatal(err)
	}
	table, err := OpenTable(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := ""
	for batch, err := range table.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.N {
			for _, c := range batch.Cols {
				rows += fmt.Sprint(c.At(i), " ")
			}
		}
	}
	if want := "200 3000000000 9223372036854775807 1 2 NULL "; rows != want {
		t.Errorf("got %s, want %s", rows, want)
	}
}

// TestReadParquetFaults shows what is said about files that FILE does not read.
func TestReadParquetFaults(t *testing.T) {
	type inner struct{ A, B int }
	for _, c := range []struct {
		write func(io.Writer) error
		want  string
	}{
		{func(w io.Writer) error { return parquet.Write(w, []struct{ L []int }{{[]int{1}}}) }, `column "L" is a list, which FILE does not read`},
		{func(w io.Writer) error { return parquet.Write(w, []struct{ R inner }{{}}) }, `column "R" is a list or record, which FILE does not read`},
		{func(w io.Writer) error { _, err := w.Write([]byte("url,time\n")); return err }, "no Parquet file"},
		{func(w io.Writer) error { return nil }, "no Parquet file"},
	} {
		path := filepath.Join(t.TempDir(), "x.parquet")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.write(file), file.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTable(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

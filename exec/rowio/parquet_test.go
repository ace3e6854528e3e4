package rowio

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/parquet-go/parquet-go"

	"infomall/exec/value"
)

// TestParquet writes each type, with and without NULL, and reads it back.
func TestParquet(t *testing.T) {
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
	var file bytes.Buffer
	w := NewParquet(&file, map[string]string{"url": "page"})
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
	if got, want := fmt.Sprint(names), "[page STRING changed BOOLEAN n INT(64,true) count(*) DOUBLE time TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS) age DOUBLE a, b STRING n_1 STRING]"; got != want {
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
	w := NewParquet(&file, nil)
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

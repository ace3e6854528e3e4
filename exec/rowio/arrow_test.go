package rowio

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"infomall/exec/value"
)

// TestArrow writes each type, with and without NULL, and reads it back.
func TestArrow(t *testing.T) {
	cols, b := everyType()
	var stream bytes.Buffer
	w := arrowFormat.New(&stream, Options{})
	if err := errors.Join(w.Begin(cols), w.Write(b), w.Write(b), w.End()); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&stream)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	batches := 0
	for r.Next() {
		batches++
		rows := r.RecordBatch()
		var got []string
		for i, c := range rows.Columns() {
			got = append(got, fmt.Sprintf("%s %s: %v", rows.ColumnName(i), c.DataType(), c))
		}
		want := `[url utf8: ["text�" (null)] changed bool: [true (null)] n int64: [1500 (null)] count(*) float64: [1.5 (null)]` +
			` time timestamp[ms, tz=UTC]: [1500 (null)] age float64: [1.5 (null)] a, b utf8: ["text�" (null)] n utf8: [(null) (null)]]`
		if fmt.Sprint(got) != want {
			t.Errorf("rows %v,\nwant %s", got, want)
		}
	}
	if r.Err() != nil || batches != 2 {
		t.Errorf("%d record batches, error %v; want 2", batches, r.Err())
	}
}

// TestArrowEmpty shows that a stream without rows has its columns.
func TestArrowEmpty(t *testing.T) {
	var stream bytes.Buffer
	w := arrowFormat.New(&stream, Options{})
	if err := errors.Join(w.Begin([]value.Column{{Name: "url", Type: value.URL}}), w.End()); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&stream)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if r.Next() || r.Err() != nil || r.Schema().Field(0).Name != "url" {
		t.Errorf("columns %v, error %v", r.Schema(), r.Err())
	}
}

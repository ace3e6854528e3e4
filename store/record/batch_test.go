package record_test

import (
	"reflect"
	"testing"

	"infomall/store/record"
)

// TestCopyRow copies a row that has a value in every column. Reset then empties
// every column.
func TestCopyRow(t *testing.T) {
	var from, to record.Batch
	columns := reflect.ValueOf(&from).Elem()
	for i := range columns.NumField() {
		if f := columns.Field(i); f.Kind() == reflect.Slice && f.CanSet() {
			f.Set(reflect.MakeSlice(f.Type(), 2, 2))
		}
	}
	to.CopyRow(0, &from, 1)
	to.CopyRow(1, &from, 0)
	if !reflect.DeepEqual(from, to) {
		t.Errorf("got  %+v\nwant %+v", to, from)
	}
	to.Reset()
	columns = reflect.ValueOf(to)
	for i := range columns.NumField() {
		if f := columns.Field(i); f.Kind() == reflect.Slice && f.Len() > 0 {
			t.Errorf("Reset leaves the column %s", columns.Type().Field(i).Name)
		}
	}
}

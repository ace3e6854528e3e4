package rowio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"infomall/exec/value"
	"infomall/store/record"
)

// parquetTable is a Parquet file that a query reads. Rows may be called more than
// once.
type parquetTable struct {
	path string
	cols []parquetColumn
}

// parquetColumn is one column of a Parquet file. read converts a value of the column that is
// not NULL.
type parquetColumn struct {
	value.Column
	read func(parquet.Value) value.Value
}

// openParquet returns the rows of a Parquet file, after reading its schema. A
// column with lists or records in it is an error.
func openParquet(path string) (value.Table, error) {
	t := &parquetTable{path: path}
	err := t.open(func(f *parquet.File) error {
		for _, field := range f.Schema().Fields() {
			c, err := columnOf(field)
			if err != nil {
				return fmt.Errorf("%s: column %q is %w, which FILE does not read", path, field.Name(), err)
			}
			t.cols = append(t.cols, c)
		}
		return nil
	})
	if err == nil && len(t.cols) == 0 {
		err = fmt.Errorf("%s has no columns", path)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// columnOf returns the column for a field of a Parquet file. If no type of the query
// language can hold the values of the field, the error names the field's type.
func columnOf(field parquet.Field) (parquetColumn, error) {
	c := parquetColumn{Column: value.Column{Name: field.Name()}}
	switch {
	case field.Repeated():
		return c, errors.New("a list")
	case !field.Leaf():
		return c, errors.New("a list or record")
	}
	if l := field.Type().LogicalType(); l != nil {
		switch l := l.Value.(type) {
		case *format.TimestampType:
			unit := l.Unit.Value.Duration()
			return c.times(func(v parquet.Value) int64 {
				if unit == time.Millisecond {
					return v.Int64()
				}
				return floorDiv(v.Int64(), int64(time.Millisecond/unit))
			}), nil
		case *format.DateType:
			return c.times(func(v parquet.Value) int64 { return int64(v.Int32()) * 24 * 3600 * 1000 }), nil
		case *format.DecimalType, *format.TimeType, *format.UUIDType:
			return c, fmt.Errorf("%s", field.Type())
		case *format.IntType:
			if !l.IsSigned {
				return c.unsigned(field.Type().Kind()), nil
			}
		}
	}
	switch field.Type().Kind() {
	case parquet.Boolean:
		c.Type, c.read = value.Bool, func(v parquet.Value) value.Value { return value.OfBool(v.Boolean()) }
	case parquet.Int32:
		c.Type, c.read = value.Int, func(v parquet.Value) value.Value { return value.OfInt(int64(v.Int32())) }
	case parquet.Int64:
		c.Type, c.read = value.Int, func(v parquet.Value) value.Value { return value.OfInt(v.Int64()) }
	case parquet.Float:
		c.Type, c.read = value.Float, func(v parquet.Value) value.Value { return value.OfFloat(float64(v.Float())) }
	case parquet.Double:
		c.Type, c.read = value.Float, func(v parquet.Value) value.Value { return value.OfFloat(v.Double()) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		c.Type, c.read = value.Text, func(v parquet.Value) value.Value { return value.OfText(string(v.ByteArray())) }
	default:
		return c, fmt.Errorf("%s", field.Type())
	}
	return c, nil
}

// times returns c changed to a column of times. ms converts a value in the file to
// milliseconds since 1970.
func (c parquetColumn) times(ms func(parquet.Value) int64) parquetColumn {
	c.Type = value.Time
	c.read = func(v parquet.Value) value.Value { return value.OfTime(record.Time(ms(v))) }
	return c
}

// unsigned returns c changed to a column of numbers without a sign, which the file stores as
// integers of this kind. A number that is too large for an integer of the query language is NULL.
func (c parquetColumn) unsigned(stored parquet.Kind) parquetColumn {
	c.Type = value.Int
	c.read = func(v parquet.Value) value.Value {
		if stored == parquet.Int32 {
			return value.OfInt(int64(v.Uint32()))
		}
		if v.Int64() < 0 {
			return value.Value{}
		}
		return value.OfInt(v.Int64())
	}
	return c
}

// floorDiv returns a divided by b, rounded down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// open opens the file, calls f, and closes the file when f returns. It returns
// the error of f. A file that is no Parquet file is an error.
func (t *parquetTable) open(f func(*parquet.File) error) error {
	file, err := os.Open(t.path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return fmt.Errorf("%s: no Parquet file: %w", t.path, err)
	}
	return f(p)
}

// Columns returns the columns of the file.
func (t *parquetTable) Columns() []value.Column {
	cols := make([]value.Column, len(t.cols))
	for i, c := range t.cols {
		cols[i] = c.Column
	}
	return cols
}

// Rows yields the rows of the file in batches. A batch is valid until the
// iteration moves on.
func (t *parquetTable) Rows(ctx context.Context) iter.Seq2[*value.Batch, error] {
	return func(yield func(*value.Batch, error) bool) {
		stopped := false
		err := t.open(func(f *parquet.File) error {
			for _, group := range f.RowGroups() {
				var err error
				if stopped, err = t.group(ctx, group, yield); stopped || err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// group yields the rows of one row group. stopped reports that yield returned false, because
// the consumer wants no more rows.
func (t *parquetTable) group(ctx context.Context, group parquet.RowGroup, yield func(*value.Batch, error) bool) (stopped bool, err error) {
	rows := group.Rows()
	defer rows.Close()
	out := value.NewBatch(t.Columns())
	buffer := make([]parquet.Row, record.BatchRows)
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, err := rows.ReadRows(buffer)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("%s: %w", t.path, err)
		}
		out.Clear()
		for _, row := range buffer[:n] {
			for _, v := range row {
				x := value.Value{}
				if !v.IsNull() {
					x = t.cols[v.Column()].read(v)
				}
				out.Cols[v.Column()].AppendValue(x)
			}
		}
		if out.N = n; n > 0 && !yield(out, nil) {
			return true, nil
		}
		if err != nil || n == 0 {
			return false, nil
		}
	}
}

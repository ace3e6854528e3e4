package rowio

import (
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"infomall/exec/value"
)

var arrowFormat = &Format{Name: "arrow", MediaType: "application/vnd.apache.arrow.stream", Suffixes: []string{".arrows"}, make: newArrow}

// newArrow returns a writer of an Arrow IPC stream to w, one record batch for each
// batch of rows. The columns keep their names and may have NULL. Times are timestamps
// in milliseconds, UTC. Durations are seconds, as in the other formats for programs.
// Bytes of texts that are not UTF-8 become U+FFFD.
func newArrow(w io.Writer, _ Options) Writer { return &arrowWriter{to: w} }

// arrowWriter is the Writer that newArrow returns.
type arrowWriter struct {
	to      io.Writer
	w       *ipc.Writer
	columns *array.RecordBuilder
}

// Begin keeps the columns for the head of the stream. The first Write writes this head, or
// End if there is no batch.
func (a *arrowWriter) Begin(cols []value.Column) error {
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols {
		fields[i] = arrow.Field{Name: strings.ToValidUTF8(c.Name, "\uFFFD"), Type: arrowType(c.Type), Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	a.w = ipc.NewWriter(a.to, ipc.WithSchema(schema))
	a.columns = array.NewRecordBuilder(memory.DefaultAllocator, schema)
	return nil
}

// arrowType returns the type that a column of type t has in the stream.
func arrowType(t value.Type) arrow.DataType {
	switch t {
	case value.Bool:
		return arrow.FixedWidthTypes.Boolean
	case value.Int:
		return arrow.PrimitiveTypes.Int64
	case value.Float, value.Duration:
		return arrow.PrimitiveTypes.Float64
	case value.Time:
		return arrow.FixedWidthTypes.Timestamp_ms
	default: // Text, URL, and Null, a column of NULL only
		return arrow.BinaryTypes.String
	}
}

// Write writes the rows of the batch as one record batch.
func (a *arrowWriter) Write(b *value.Batch) error {
	for n, v := range b.Cols {
		appendArrow(a.columns.Field(n), v, b.N)
	}
	rows := a.columns.NewRecordBatch()
	defer rows.Release()
	if err := a.w.Write(rows); err != nil {
		return fmt.Errorf("write an Arrow stream: %w", err)
	}
	return nil
}

// appendArrow appends the n rows of v to column, which has the type arrowType(v.Type).
func appendArrow(column array.Builder, v *value.Vector, n int) {
	column.Reserve(n)
	for i := range n {
		if v.IsNull(i) {
			column.AppendNull()
			continue
		}
		switch column := column.(type) {
		case *array.BooleanBuilder:
			column.Append(v.Bools[i])
		case *array.Int64Builder:
			column.Append(v.Ints[i])
		case *array.TimestampBuilder:
			column.Append(arrow.Timestamp(v.Ints[i]))
		case *array.Float64Builder:
			if v.Type == value.Duration {
				column.Append(float64(v.Ints[i]) / 1000)
			} else {
				column.Append(v.Floats[i])
			}
		case *array.StringBuilder:
			column.Append(strings.ToValidUTF8(v.Texts[i], "\uFFFD"))
		}
	}
}

// End writes the end of the stream.
func (a *arrowWriter) End() error {
	a.columns.Release()
	return a.w.Close()
}

package rowio

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"infomall/exec/value"
)

// groupRowsMax and groupBytesMax are the greatest numbers of rows and bytes in a row group
// of a Parquet file. A row group is held in memory until it is written. It ends at the bound
// that is reached first.
const (
	groupRowsMax  = 128 << 10
	groupBytesMax = 32 << 20 // bytes of texts
)

const (
	// dictionaryBytesMax is the largest dictionary of a column in a row group. A column
	// with more different texts is written without one from there on.
	dictionaryBytesMax = 512 << 10
	// boundBytesMax is how many bytes of the least and greatest text of a page its index
	// keeps. URLs of one host often begin with the same 30 to 60 bytes.
	boundBytesMax = 128
	// filterBits is the size of a bloom filter for each row, in bits. About 1 of 100 values
	// that a row group lacks then seems to be in it.
	filterBits = 10
)

// ParquetOptions say what a Parquet file has besides the rows. The zero value means only the
// rows.
type ParquetOptions struct {
	// Filtered are the names of text columns that get a bloom filter in each row group. With
	// it, a reader that looks for one value can skip the row groups without that value.
	Filtered []string
	// Sorted are the names of the columns by which the caller has sorted the rows, ascending
	// with NULL at the end. The file records this order.
	Sorted []string
}

// NewParquet returns a writer of a Parquet file to w.
func NewParquet(w io.Writer, o ParquetOptions) Writer { return &parquetWriter{to: w, options: o} }

var parquetFormat = &Format{Name: "parquet", MediaType: "application/vnd.apache.parquet", Suffixes: []string{".parquet"}, Packed: true, make: newParquet}

// newParquet returns a writer of a Parquet file to w. The columns keep their
// order, may have NULL, and are compressed with zstd. Times are timestamps in
// milliseconds, UTC. Durations are seconds, as in the other formats for
// programs. Bytes of texts that are not UTF-8 become U+FFFD.
func newParquet(w io.Writer, _ Options) Writer { return NewParquet(w, ParquetOptions{}) }

// parquetWriter is the Writer that newParquet returns.
type parquetWriter struct {
	to      io.Writer
	options ParquetOptions
	w       *parquet.GenericWriter[any]
	row     parquet.Row
	rows    int // how many rows the current row group has
	bytes   int // how many bytes the texts in the current row group have
}

// columnsInOrder is a Parquet schema whose columns keep their order in the
// result. parquet.Group would sort them by name.
type columnsInOrder struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in their order. It implements parquet.Node.
func (c columnsInOrder) Fields() []parquet.Field { return c.fields }

// Begin makes the schema of the file from the columns. If two columns would
// have the same name in the file, the second gets a number after its name.
func (p *parquetWriter) Begin(cols []value.Column) error {
	group := make(parquet.Group, len(cols))
	place := make(map[string]int, len(cols))
	for i, c := range cols {
		name := strings.ToValidUTF8(c.Name, "\uFFFD")
		first := name
		for n := 1; group[name] != nil || name == ""; n++ {
			name = fmt.Sprintf("%s_%d", first, n)
		}
		place[name] = i
		node := nodeOf(c.Type)
		if c.Type == value.Text && !slices.Contains(p.options.Filtered, name) {
			node = parquet.Encoded(node, &parquet.RLEDictionary)
		}
		group[name] = parquet.Compressed(parquet.Optional(node), &parquet.Zstd)
	}
	fields := group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	options := []parquet.WriterOption{
		parquet.NewSchema("rows", columnsInOrder{group, fields}),
		parquet.CreatedBy("infomall", "", ""),
		parquet.DictionaryMaxBytes(dictionaryBytesMax),
		parquet.ColumnIndexSizeLimit(func([]string) int { return boundBytesMax }),
	}
	var filters []parquet.BloomFilterColumn
	for _, name := range p.options.Filtered {
		if group[name] != nil {
			filters = append(filters, parquet.SplitBlockFilter(filterBits, name))
		}
	}
	if len(filters) > 0 {
		options = append(options, parquet.BloomFilters(filters...))
	}
	var sorted []parquet.SortingColumn
	for _, name := range p.options.Sorted {
		sorted = append(sorted, parquet.Ascending(name))
	}
	if len(sorted) > 0 {
		options = append(options, parquet.SortingWriterConfig(parquet.SortingColumns(sorted...)))
	}
	config, err := parquet.NewWriterConfig(options...)
	if err != nil {
		return fmt.Errorf("make the schema of a Parquet file: %w", err)
	}
	p.w = parquet.NewGenericWriter[any](p.to, config)
	return nil
}

// nodeOf returns the type that a column of type t has in the Parquet file.
func nodeOf(t value.Type) parquet.Node {
	switch t {
	case value.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case value.Int:
		return parquet.Int(64)
	case value.Float, value.Duration:
		return parquet.Leaf(parquet.DoubleType)
	case value.Time:
		return parquet.Timestamp(parquet.Millisecond)
	default: // Text, URL, and Null, a column of NULL only
		return parquet.String()
	}
}

// Write adds the rows of the batch to the current row group. It writes each row group that
// becomes full.
func (p *parquetWriter) Write(b *value.Batch) error {
	for i := range b.N {
		p.row = p.row[:0]
		for n, v := range b.Cols {
			p.row = append(p.row, p.cell(v, i, n))
		}
		if _, err := p.w.WriteRows([]parquet.Row{p.row}); err != nil {
			return err
		}
		if p.rows++; p.rows >= groupRowsMax || p.bytes >= groupBytesMax {
			if err := p.w.Flush(); err != nil {
				return err
			}
			p.rows, p.bytes = 0, 0
		}
	}
	return nil
}

// cell returns the value in row i of v as a value of the Parquet file. n is the index of the
// column v.
func (p *parquetWriter) cell(v *value.Vector, i, n int) parquet.Value {
	if v.IsNull(i) {
		return parquet.NullValue().Level(0, 0, n)
	}
	var x parquet.Value
	switch v.Type {
	case value.Bool:
		x = parquet.BooleanValue(v.Bools[i])
	case value.Int, value.Time:
		x = parquet.Int64Value(v.Ints[i])
	case value.Float:
		x = parquet.DoubleValue(v.Floats[i])
	case value.Duration:
		x = parquet.DoubleValue(float64(v.Ints[i]) / 1000)
	default:
		text := strings.ToValidUTF8(v.Texts[i], "\uFFFD")
		p.bytes += len(text)
		x = parquet.ByteArrayValue([]byte(text))
	}
	return x.Level(0, 1, n)
}

// End writes the last row group and the end of the file.
func (p *parquetWriter) End() error { return p.w.Close() }

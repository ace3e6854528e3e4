package rowio

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"infomall/exec/value"
	"infomall/store/record"
)

// textTable is a file of rows that a query reads, in the format csv, tsv or jsonl. A csv or
// tsv file names the columns in its first line; a jsonl file has one object per line. Every
// column has the type Text. An empty field is NULL, and so is a key that an object lacks.
// Rows may be called more than once.
type textTable struct {
	path   string
	format string
	gzip   bool
	names  []string
	index  map[string]int // of jsonl: the place of each name in names
}

// tableFormats are the formats of files that a textTable reads. Each is also the ending of
// the names of its files.
var tableFormats = []string{"csv", "tsv", "jsonl"}

// namesFrom is how many objects of a jsonl file OpenTable reads to find the names of the
// columns, which are the keys of these objects.
const namesFrom = 10_000

// Readable reports whether OpenTable reads files with the ending of name.
func Readable(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return endingOf(name) == "parquet" || slices.Contains(tableFormats, endingOf(name))
}

// endingOf returns the text after the last point in name.
func endingOf(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// OpenTable returns the rows of a file, after reading the names of the columns
// from it. It does not keep the file open. The columns of a jsonl file are the
// keys of its first namesFrom objects. A key that first occurs in a later
// object is an error when the rows are read. The columns of a Parquet file have
// types; those of the other formats are texts.
func OpenTable(path string) (value.Table, error) {
	t := &textTable{path: path}
	name := strings.ToLower(path)
	if strings.HasSuffix(name, ".parquet") {
		return openParquet(path)
	}
	if cut, ok := strings.CutSuffix(name, ".gz"); ok {
		t.gzip, name = true, cut
	}
	t.format = endingOf(name)
	if !slices.Contains(tableFormats, t.format) {
		return nil, fmt.Errorf("%s: FILE reads .parquet, and .csv, .tsv and .jsonl, also with .gz at the end", path)
	}
	err := t.open(t.readNames)
	if err == nil && len(t.names) == 0 {
		err = fmt.Errorf("%s has no columns", path)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Columns returns the columns, all of type Text.
func (t *textTable) Columns() []value.Column {
	cols := make([]value.Column, len(t.names))
	for i, name := range t.names {
		cols[i] = value.Column{Name: name, Type: value.Text}
	}
	return cols
}

// open opens the file, calls f with its decompressed text without byte order
// mark, and closes the file when f returns. It returns the error of f.
func (t *textTable) open(f func(*bufio.Reader) error) error {
	file, err := os.Open(t.path)
	if err != nil {
		return err
	}
	defer file.Close()
	var in io.Reader = file
	if t.gzip {
		if in, err = gzip.NewReader(file); err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
	}
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		text.Discard(3) // the byte order mark has three bytes
	}
	return f(text)
}

// readNames reads the names of the columns from the text of the file and sets
// t.names.
func (t *textTable) readNames(in *bufio.Reader) error {
	if t.format == "jsonl" {
		n := 0
		t.index = make(map[string]int)
		for row, err := range readObjects(t.path, in) {
			if err != nil {
				return err
			}
			if n++; n > namesFrom {
				break
			}
			for _, name := range row.names {
				if _, ok := t.index[name]; !ok {
					t.index[name] = len(t.names)
					t.names = append(t.names, name)
				}
			}
		}
		return nil
	}
	names, err := t.fields(in)()
	if err != nil && err != io.EOF {
		return err
	}
	t.names = slices.Clone(names)
	return nil
}

// Rows yields the rows of the file in batches. A batch is valid until the
// iteration moves on.
func (t *textTable) Rows(ctx context.Context) iter.Seq2[*value.Batch, error] {
	return func(yield func(*value.Batch, error) bool) {
		out := &value.Batch{}
		for range t.names {
			out.Cols = append(out.Cols, &value.Vector{Type: value.Text})
		}
		stopped := false
		flush := func() bool {
			if out.N == 0 {
				return true
			}
			stopped = !yield(out, nil)
			out.N = 0
			for _, c := range out.Cols {
				c.Resize(value.Text, 0)
			}
			return !stopped
		}
		add := func(row []value.Value) (bool, error) {
			for i, c := range out.Cols {
				c.AppendValue(row[i])
			}
			if out.N++; out.N < record.BatchRows {
				return true, nil
			}
			return flush(), ctx.Err()
		}
		err := t.open(func(in *bufio.Reader) error {
			if t.format == "jsonl" {
				return t.eachObject(in, add)
			}
			return t.eachLine(in, add)
		})
		switch {
		case stopped:
		case err != nil:
			yield(nil, err)
		default:
			flush()
		}
	}
}

// eachLine calls add for each row of a csv or tsv file. It stops when add returns false or
// an error. A row with more fields than the first line is an error.
func (t *textTable) eachLine(in *bufio.Reader, add func([]value.Value) (bool, error)) error {
	next := t.fields(in)
	if _, err := next(); err != nil { // the names of the columns
		return err
	}
	row := make([]value.Value, len(t.names))
	for n := 2; ; n++ {
		fields, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(fields) > len(row) {
			return fmt.Errorf("%s: row %d has %s, but the first line names %d", t.path, n, value.Counted(len(fields), "field"), len(row))
		}
		clear(row)
		for i, f := range fields {
			if f != "" {
				row[i] = value.OfText(strings.ToValidUTF8(f, "\uFFFD"))
			}
		}
		if more, err := add(row); !more || err != nil {
			return err
		}
	}
}

// fields returns a function that returns the fields of the next line of a csv
// or tsv file, and io.EOF after the last line. The fields are valid until the
// next call of that function.
func (t *textTable) fields(in *bufio.Reader) func() ([]string, error) {
	if t.format == "tsv" {
		return func() ([]string, error) {
			line, err := in.ReadString('\n')
			if line == "" && err != nil {
				return nil, err
			}
			fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
			for i, f := range fields {
				fields[i] = tsvEscapes.Replace(f)
			}
			return fields, nil
		}
	}
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	return func() ([]string, error) {
		fields, err := r.Read()
		if err != nil && err != io.EOF {
			err = fmt.Errorf("%s: %w", t.path, err)
		}
		return fields, err
	}
}

// tsvEscapes replaces the escape sequences that appendTSV writes, such as \t, by the
// characters they mean.
var tsvEscapes = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

// eachObject calls add for each row of a jsonl file. It stops when add returns false or an
// error. A key that is not in t.index is an error.
func (t *textTable) eachObject(in *bufio.Reader, add func([]value.Value) (bool, error)) error {
	row := make([]value.Value, len(t.names))
	for o, err := range readObjects(t.path, in) {
		if err != nil {
			return err
		}
		clear(row)
		for i, name := range o.names {
			k, ok := t.index[name]
			if !ok {
				return fmt.Errorf("%s: key %q is in none of the first %d objects", t.path, name, namesFrom)
			}
			row[k] = o.values[i]
		}
		if more, err := add(row); !more || err != nil {
			return err
		}
	}
	return nil
}

// object is one line of a jsonl file: the keys in their order, and their values
// as texts.
type object struct {
	names  []string
	values []value.Value
}

// readObjects yields the objects of a jsonl file. path is the file's name for
// error messages.
func readObjects(path string, in *bufio.Reader) iter.Seq2[object, error] {
	return func(yield func(object, error) bool) {
		d := json.NewDecoder(in)
		d.UseNumber()
		for n := 1; ; n++ {
			o, err := readObject(d)
			if err == io.EOF {
				return
			}
			if err != nil {
				err = fmt.Errorf("%s: object %d: %w", path, n, err)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// readObject reads one JSON object from d. It returns io.EOF at the end of the
// file.
func readObject(d *json.Decoder) (o object, err error) {
	open, err := d.Token()
	if err != nil {
		return o, err
	}
	if open != json.Delim('{') {
		return o, errors.New("it is no object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return o, unexpectedEnd(err)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return o, unexpectedEnd(err)
		}
		o.names = append(o.names, name.(string)) // a key is a string
		o.values = append(o.values, jsonText(raw))
	}
	_, err = d.Token()
	return o, unexpectedEnd(err)
}

// unexpectedEnd returns io.ErrUnexpectedEOF if err is io.EOF, to distinguish an
// end within an object from the end of the file. It returns other errors
// unchanged.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// jsonText returns a JSON value as a Text: a string without its quotes, null as
// NULL, and any other value as the file has it.
func jsonText(raw json.RawMessage) value.Value {
	if bytes.Equal(raw, []byte("null")) {
		return value.Value{}
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return value.OfText(s)
	}
	return value.OfText(string(raw))
}

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

// Table is a file of rows that a query reads: csv or tsv, of which the first
// line has the names of the columns, or jsonl, an object a line. All columns are
// texts; an empty field is NULL, and so is a key that an object does not have.
// It may be read any number of times.
type Table struct {
	path   string
	format string
	gzip   bool
	names  []string
}

// tableFormats are the formats by the ends of the names of files.
var tableFormats = []string{"csv", "tsv", "jsonl"}

// namesFrom is how many objects of jsonl are read to learn the columns.
const namesFrom = 10_000

// OpenTable reads which columns a file has. A jsonl file has the keys of its
// first objects, of which namesFrom are read; a key that comes later is an
// error then.
func OpenTable(path string) (*Table, error) {
	t := &Table{path: path}
	name := strings.ToLower(path)
	if cut, ok := strings.CutSuffix(name, ".gz"); ok {
		t.gzip, name = true, cut
	}
	t.format = name[strings.LastIndexByte(name, '.')+1:]
	if !slices.Contains(tableFormats, t.format) {
		return nil, fmt.Errorf("%s: FILE reads .csv, .tsv and .jsonl, also with .gz behind", path)
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

// Names are the columns' names.
func (t *Table) Names() []string { return t.names }

// open gives f the file's text.
func (t *Table) open(f func(*bufio.Reader) error) error {
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
		text.Discard(3) // it has three bytes
	}
	return f(text)
}

func (t *Table) readNames(in *bufio.Reader) error {
	if t.format == "jsonl" {
		n := 0
		for row, err := range readObjects(t.path, in) {
			if err != nil {
				return err
			}
			if n++; n > namesFrom {
				break
			}
			for _, name := range row.names {
				if !slices.Contains(t.names, name) {
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

// Rows yields the file's rows. A batch is valid until the iteration moves on.
func (t *Table) Rows(ctx context.Context) iter.Seq2[*value.Batch, error] {
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

// eachLine gives the rows of csv or tsv to add until it has enough.
func (t *Table) eachLine(in *bufio.Reader, add func([]value.Value) (bool, error)) error {
	next := t.fields(in)
	if _, err := next(); err != nil { // the names
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
			return fmt.Errorf("%s: row %d has %d fields, and the first line names %d", t.path, n, len(fields), len(row))
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

// fields gives what reads the fields of one row after the other; io.EOF after
// the last.
func (t *Table) fields(in *bufio.Reader) func() ([]string, error) {
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

// tsvEscapes reads what appendTSV writes.
var tsvEscapes = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r")

func (t *Table) eachObject(in *bufio.Reader, add func([]value.Value) (bool, error)) error {
	row := make([]value.Value, len(t.names))
	for o, err := range readObjects(t.path, in) {
		if err != nil {
			return err
		}
		clear(row)
		for i, name := range o.names {
			k := slices.Index(t.names, name)
			if k < 0 {
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

// object is one line of jsonl: its keys in their order, and their values as
// texts.
type object struct {
	names  []string
	values []value.Value
}

// readObjects yields the objects of a jsonl file.
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

// unexpectedEnd tells an end within an object from that of the file.
func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// jsonText is a value as text: a string as it is, null as NULL, others as
// written.
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

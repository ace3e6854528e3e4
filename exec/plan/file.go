package plan

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/lang/ast"
)

// File reads a file of rows, all of them texts.
type File struct {
	Path  string
	Table value.Table
}

// Below is empty: a file is read.
func (*File) Below() []Node { return nil }

// Columns are those that the file names.
func (n *File) Columns() []value.Column {
	var cols []value.Column
	for _, name := range n.Table.Names() {
		cols = append(cols, value.Column{Name: name, Type: value.Text})
	}
	return cols
}

// Rows yields the file's rows.
func (n *File) Rows(ctx context.Context) iter.Seq2[*value.Batch, error] { return n.Table.Rows(ctx) }

// String is the node's line of EXPLAIN.
func (n *File) String() string { return "file " + quote(n.Path) }

// file plans FILE 'name'.
func (b *builder) file(from *ast.Source) (*input, error) {
	path, err := ConstantText(from.File, b.env)
	if err != nil {
		return nil, err
	}
	if b.env.Table == nil {
		return nil, ast.Errorf(from.File, "no files are read here")
	}
	table, err := b.env.Table(path)
	if err != nil {
		return nil, ast.Errorf(from.File, "%v", err)
	}
	return derivedInput("file "+quote(path), &File{Path: path, Table: table}), nil
}

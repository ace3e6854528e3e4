package plan

import (
	"context"
	"iter"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// File is a node that yields the rows of a file that FROM names.
type File struct {
	Path  string
	Table value.Table
}

// Below returns nil, because a File reads no other node.
func (*File) Below() []Node { return nil }

// Columns returns the columns of the file.
func (n *File) Columns() []value.Column { return n.Table.Columns() }

// Rows yields the rows of the file.
func (n *File) Rows(ctx context.Context) iter.Seq2[*value.Batch, error] { return n.Table.Rows(ctx) }

// String returns the line of EXPLAIN for n.
func (n *File) String() string { return "file " + quote(n.Path) }

// file returns an input that reads the file in a source of the form FILE
// 'name'.
func (b *builder) file(from *ast.Source) (*input, error) {
	path, err := expr.ConstantText(from.File, b.env)
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

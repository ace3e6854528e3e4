package value

import (
	"context"
	"iter"
	"time"

	"infomall/lang/ast"
	"infomall/store/record"
)

// Env is what is fixed for the whole of a statement.
type Env struct {
	Now    record.Time
	Zone   *time.Location // of literals without an offset, and of printing; nil is UTC
	Params map[string]string
	// Level is that of the cut in which blocks and changes are shown; 0 stands
	// for the leaves. Profile is how pages are divided: modern, which "" is
	// too, or classic.
	Level   int
	Profile string
	// Plain leaves queries as they are written: nothing is read by other ways
	// than the plain one. Tests compare with it.
	Plain bool
	// Table opens a file of rows. Nil: queries read none.
	Table func(path string) (Table, error)
	// Defined gives what the archive defines by name. It is asked where a
	// statement names what is not known otherwise. Nil: nothing is defined.
	Defined func() (*Defined, error)
}

// Defined is what an archive defines by name.
type Defined struct {
	Views    []View
	Metadata []Metadata
}

// View is a query with a name.
type View struct {
	Name  string
	Query *ast.Query
}

// Metadata is a column that pages, versions or blocks have beside their own.
type Metadata struct {
	Name string
	On   ast.MetadataOn
	Expr ast.Expr // over the columns of the relation
}

// Table is a file of rows, whose columns are texts. It may be read several
// times.
type Table interface {
	Names() []string
	// Rows yields the rows; a batch is valid until the iteration moves on.
	Rows(ctx context.Context) iter.Seq2[*Batch, error]
}

// Location is the zone, never nil.
func (e *Env) Location() *time.Location {
	if e.Zone == nil {
		return time.UTC
	}
	return e.Zone
}

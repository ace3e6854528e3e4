package value

import (
	"context"
	"iter"
	"time"

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
	// Table opens a file of rows. Nil: queries read none.
	Table func(path string) (Table, error)
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

package value

import (
	"context"
	"iter"
	"time"

	"infomall/exec/regions"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/words/match"
)

// Env holds the settings and values that stay the same while a statement runs,
// such as the time zone and the value of NOW.
type Env struct {
	Now record.Time // when the statement began; the value of NOW
	// Zone is the time zone of time literals without an offset, and of printed
	// times. Nil means UTC.
	Zone   *time.Location
	Params map[string]string // values by parameter name, without the $
	// Level says how finely queries divide a page into blocks; 0 means as
	// finely as possible. Profile is the algorithm that divides pages:
	// "modern", which "" also means, or "classic".
	Level   int
	Profile string
	// Collapse says that the relation findings joins the findings of near-copies and of
	// the forms of a URL.
	Collapse bool
	// Known is the time of the KNOWN AT that is around a query: the query reads only what
	// was added by then. 0 means all.
	Known record.Time
	// Plain turns off all rewriting of plans: a query reads the archive in the
	// most direct way. Tests compare its rows with those of the rewritten plan.
	Plain bool
	// Traced makes each row say from which captures it was made: the plan adds hidden
	// columns for that to each relation of captures.
	Traced bool
	// Table opens a file of rows, for a FROM that names a file. If Table is
	// nil, queries cannot read files.
	Table func(path string) (Table, error)
	// Watched returns the columns that the relation watched has of the query of the
	// watch with this name, or if there is none, of the queries of all watches. If
	// Watched is nil, there are no watches.
	Watched func(name string) ([]Column, error)
	// Stored returns the newest result of a kind and name that the archive stores, such as
	// a classifier, and its rows. If there is none, ok is false. Functions whose code needs
	// such a result call Stored when they compute the first row, not before: the statement
	// before may still have to make the result. If Stored is nil, the archive has none.
	Stored func(kind, name string) (r task.Result, rows []task.ResultRow, ok bool, err error)
	// StoredNames returns the names of the results of a kind, sorted, for errors about a name
	// that Stored does not find. If it is nil, there are none.
	StoredNames func(kind string) []string
	// Synonyms is a list of words that mean the same. A word of a question of MATCH or SEARCH
	// stands for all words of its line. Nil means that words stand for themselves.
	Synonyms *match.Synonyms
	// Also, if not nil, is called for each constant question to which Synonyms adds words,
	// with these words.
	Also func(words []string)
	// Regions is the file in which ip_region finds the place of an address. Nil means none.
	Regions *regions.File
	// Defined returns the archive's views and metadata columns. It is called
	// only when a statement uses a name that is not built in. If Defined is
	// nil, the archive has none.
	Defined func() (*Defined, error)
}

// Defined holds what users have defined by name in an archive: views and
// metadata columns.
type Defined struct {
	Views    []View
	Metadata []Metadata
}

// View is a query that was given a name with CREATE VIEW.
type View struct {
	Name  string
	Query *ast.Query
}

// Metadata is a metadata column: a column that a user has added to the relation
// pages, versions or blocks.
type Metadata struct {
	Name string
	On   ast.MetadataOn // which of these relations
	Expr ast.Expr       // its value, computed from the other columns of the relation
}

// Table is an open file of rows, such as a CSV file. All its columns are of
// type Text. Rows may be called more than once.
type Table interface {
	// Columns returns the names and the types of the columns.
	Columns() []Column
	// Rows yields the rows of the file. A batch is valid until the iteration
	// moves on.
	Rows(ctx context.Context) iter.Seq2[*Batch, error]
}

// Location returns the time zone e.Zone, or UTC if e.Zone is nil.
func (e *Env) Location() *time.Location {
	if e.Zone == nil {
		return time.UTC
	}
	return e.Zone
}

// Question parses a question of MATCH or SEARCH with the synonyms of e, which may be nil. The
// error is a *match.Error.
func (e *Env) Question(question string) (*match.Query, error) {
	if e == nil || e.Synonyms == nil {
		return match.Parse(question)
	}
	return e.Synonyms.Parse(question)
}

// Note calls e.Also with the words that the synonyms have added to a question. It does
// nothing if they added none, or if e is nil.
func (e *Env) Note(q *match.Query) {
	if e != nil && e.Also != nil && q.Added() != nil {
		e.Also(q.Added())
	}
}

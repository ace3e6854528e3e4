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
	Run    string            // the RUN without its parameters, such as "RUN ngram", if the statement is one of a script that RUN runs
	// Level says how finely queries divide a page into blocks; 0 means as
	// finely as possible. Profile is the algorithm that divides pages:
	// "modern", which "" also means, or "classic".
	Level   int
	Profile string
	// Collapse makes the relation findings join the findings of near-copies and of the forms of a
	// URL (such as with and without www).
	Collapse bool
	// Known is the time of the KNOWN AT that applies to a query: the query sees only what had been
	// added to the archive by then. 0 means that it sees everything.
	Known record.Time
	// Plain turns off all rewriting of plans: a query reads the archive in the
	// most direct way. Tests compare its rows with those of the rewritten plan.
	Plain bool
	// Traced makes each row name the captures from which it was made. The plan adds hidden columns
	// for that to each relation of captures.
	Traced bool
	// Table opens a file of rows, for a FROM that names a file. If Table is
	// nil, queries cannot read files.
	Table func(path string) (Table, error)
	// Watched returns the columns that the relation watched takes from the query of the watch with
	// this name. If there is no such watch, it returns those from the queries of all watches. If
	// Watched is nil, there are no watches.
	Watched func(name string) ([]Column, error)
	// Stored returns the newest result of a kind and name that the archive stores, such as a
	// classifier, and its rows. ok is false if there is none. Functions that need a result call
	// Stored when they compute the first row, and not before, because an earlier statement of the
	// script may still have to make the result. If Stored is nil, the archive has no results.
	Stored func(kind, name string) (r task.Result, rows []task.ResultRow, ok bool, err error)
	// StoredNames returns the sorted names of the stored results of a kind, for errors about a name
	// that Stored does not find. If StoredNames is nil, there are none.
	StoredNames func(kind string) []string
	// Synonyms is a list of lines of words that mean the same. In a search query of MATCH or
	// SEARCH, a word stands for all words of its line. Nil means that each word stands only for
	// itself.
	Synonyms *match.Synonyms
	// Also, if not nil, is called for each constant search query to which Synonyms adds words, with
	// the added words.
	Also func(words []string)
	// Regions is the file in which the function ip_region looks up the region of an IP address. Nil
	// means that there is no file.
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

// Question parses a search query of MATCH or SEARCH with the synonyms of e, which may be nil. The
// error is a *match.Error.
func (e *Env) Question(question string) (*match.Query, error) {
	if e == nil || e.Synonyms == nil {
		return match.Parse(question)
	}
	return e.Synonyms.Parse(question)
}

// Note calls e.Also with the words that synonyms have added to the search query q. It does nothing
// if they added none, or if e is nil.
func (e *Env) Note(q *match.Query) {
	if e != nil && e.Also != nil && q.Added() != nil {
		e.Also(q.Added())
	}
}

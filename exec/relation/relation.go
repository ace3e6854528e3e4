package relation

import (
	"context"
	"slices"
	"strings"

	"infomall/exec/value"
)

// Relation declares a table that a query can read, such as versions: its columns, which clauses a
// query of the relation may have, and how its rows are read. DESCRIBE, SHOW COLUMNS, SELECT *, the
// resolution of names, and the suggestions in errors all use this declaration.
type Relation struct {
	Name    string
	Doc     string // what one row is
	Columns []Column

	// The next fields say which clauses a query of the relation may have.

	Scoped bool // accepts a scope (which URLs) and a time clause
	// OwnTime names the column to which a time range applies, if that is not
	// the capture time; otherwise it is "". A relation with OwnTime accepts no
	// choice such as AT.
	OwnTime string
	// Ranged reports that the relation accepts ranges of time, but no choice such as AT.
	Ranged bool
	ByUnit bool // takes a unit, as in periods(month)
	Asked  bool // takes words, as in findings('kafka')
	Shown  bool // SHOW with the name of the relation lists all rows

	// The next fields say what a row is made of.

	// OfVisits reports that a row is a visit and not a state, so EACH does not
	// accept the relation.
	OfVisits bool
	// OfVersions reports that a row is a version or a part of a version. A row
	// is in a time range if its version began in the range.
	OfVersions bool
	// Cut reports that the rows depend on the level down to which pages are
	// divided into blocks.
	Cut bool
	// OfStored reports that each row needs the facts that are stored about its page, so reading the
	// index of captures is not enough.
	OfStored bool
	// History reports that a row depends on all earlier versions of its URL.
	History bool
	// OfURL reports that a row depends only on the captures of its own URL, and that the rows are
	// sorted by the keys of URLs. The relation can then be read in several ranges of keys, and the
	// results put together. A column with OneTime is an exception.
	OfURL bool
	// OfSession reports that the rows come from the session or from its jobs,
	// and not from captures.
	OfSession bool
	// OfNoArchive reports that the rows can be read without an archive.
	OfNoArchive bool
	// Results is the kind of stored results that the rows come from, such as
	// rankings, or "". NoResults is a note for a query on an archive that has no
	// such result.
	Results, NoResults string
	// Order names the columns by which the rows come sorted, each ascending. It
	// is nil if no order is known.
	Order []string
	// RefColumns is how many hidden columns say from which capture a row was
	// made, for Payload and DELETE. It is 0 if neither reads the relation.
	RefColumns int

	// stands says on which captures of its URL each row depends, besides the capture of the row.
	stands Evidence

	// read returns the rows that a request asks for.
	read func(*Reader, context.Context, *Request) value.Rows
}

// Column returns the column of r with this name, or nil if there is none. Case
// is ignored.
func (r *Relation) Column(name string) *Column {
	for i := range r.Columns {
		if strings.EqualFold(r.Columns[i].Name, name) {
			return &r.Columns[i]
		}
	}
	return nil
}

// SortedBy reports whether the rows of r always come sorted by these columns,
// the first column first.
func (r *Relation) SortedBy(columns ...string) bool {
	return len(columns) <= len(r.Order) && slices.Equal(r.Order[:len(columns)], columns)
}

// ColumnNames returns the names of r's columns, in their order.
func (r *Relation) ColumnNames() []string {
	names := make([]string, len(r.Columns))
	for i := range r.Columns {
		names[i] = r.Columns[i].Name
	}
	return names
}

// These constants are how many hidden columns say from what a row was made. A
// row made from one capture has refColumns: the capture's ref. A row made from
// a part of a capture, such as a link, has partRefColumns: the ref and the
// number of the part. A row of versions has senseRefColumns: the ref and the Sense of
// the version. A row of changes has pairRefColumns: the refs of two
// captures, their two kinds, and the number of the change.
const (
	refColumns      = 2
	partRefColumns  = refColumns + 1
	senseRefColumns = refColumns + 1
	pairRefColumns  = 2*refColumns + 3
)

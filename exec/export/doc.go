// Package export has the statements EXPORT and EXPORT PROVENANCE. EXPORT writes the rows
// of a query, or the captures that the rows name, to a file. EXPORT PROVENANCE writes
// the rows with the captures on which they stand.
//
// # Words
//
// A format of rows, such as csv, has the values of the rows. A format of captures, such
// as warc, has the records and bodies of the captures that the rows name by the columns
// url and time.
//
// The evidence of an answer is the captures on which its rows stand: those from which a
// row was made, and its context, the captures with which these were compared. A trail is
// the column of a plan that names the captures from which a row was made.
package export

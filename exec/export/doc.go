// Package export has the statement EXPORT, which writes the rows of a query, or the
// captures that the rows name, to a file.
//
// # Words
//
// A format of rows, such as csv, has the values of the rows. A format of captures, such
// as warc, has the records and bodies of the captures that the rows name by the columns
// url and time.
package export

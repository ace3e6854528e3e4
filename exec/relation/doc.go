// Package relation has the relations: the tables that a query can read, such as
// versions. A Request says what a query reads of a relation. A Reader reads it.
//
// # One file per relation
//
// A file such as hosts.go declares a relation whole: what a row is, its columns
// with the code that computes them, and how the rows are read. The relations of
// captures and pages are here. Package work has those of the archive itself and of the
// work on it, such as pools and jobs. Package result has those of stored results, such as
// duplicates. The list in package all names all relations; nothing else does. A new
// relation is one file and a name in the list.
//
// A column is computed in one of two ways. Most columns are computed for a batch
// of rows at a time, by code that fills a vector. Late columns, such as the text
// of a page, need the stored response of a capture. Reading a relation leaves
// them NULL, and adds refs: hidden columns that say from which capture a row was
// made. A LateRow then computes late columns for the rows that are left.
//
// # From captures to rows
//
// Rows of captures are read in three steps. A scan of the archive yields captures,
// sorted by URL and time. Consecutive captures with the same content become a
// span: a version, as the query sees it. The columns that the query reads are
// then computed from the spans.
//
//	captures   url a: 1 Jan, 1 Feb (same), 1 Mar (changed)   url b: …
//	spans      url a: 1 Jan to 1 Feb, from 1 Mar on          url b: …
//	rows       time, last_seen, visits, …
//
// # What is stored about pages
//
// For most versions the archive stores facts: what was read from the page when
// it came in, such as its links and the labels of its blocks. It also stores a
// fold: how the blocks of the version relate to those of earlier versions of
// the URL. A fold is valid only if the program that made it knew all earlier
// captures of the URL. If facts or a fold are missing or not valid, the
// bodies are read instead; the answer is the same.
package relation

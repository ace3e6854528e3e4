// Package result has the relations of stored results: rows that a statement such as
// DEDUP has computed, or that IMPORT FORMAT graph has read. Each
// file declares one relation: its columns, and how its rows are read. Package relation defines what
// a relation is, and package all lists the relations.
package result

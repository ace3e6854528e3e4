// Package result has the relations of stored results: rows that a statement such as
// DEDUP has computed, or that IMPORT FORMAT graph has read.
package result

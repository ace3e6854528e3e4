// Package query has the statements that ask, and those that change only the session:
// SELECT, SHOW with a list, DESCRIBE, EXPLAIN, HELP, SET and RESET.
package query

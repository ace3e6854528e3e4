// Package query has the statements SELECT, SHOW with a list, DESCRIBE, EXPLAIN and HELP,
// which change nothing, and SET and RESET, which change only the session. A file
// per statement declares it; package exec lists all statements.
package query

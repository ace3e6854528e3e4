package repl

import (
	"os"
	"strings"
	"testing"
)

// difference is a line of the manual's table "Where DuckDB and PostgreSQL differ", as
// the comparison with another database applies it.
type difference struct {
	line  string // the first cell of the line
	here  string // a statement that shows the difference
	means string // a statement that has the same rows in every database; "" if the statement fails here
	same  bool   // DuckDB does the same, and others do not
}

// The lines by which the generator of statements writes two forms of an expression.
const (
	lineSubstr = "`substr(s, 0)`, `substr(s, -2)`"
	lineNulls  = "NULLs in ORDER BY"
	lineZero   = "`1 / 0`, `1 % 0`, `sqrt(-1)`, `ln(0)`"
)

// differences are the lines of the table, in its order. r is a table of TestGenerated.
var differences = []difference{
	{line: "a text in FROM", here: "SELECT count(*) AS n FROM 'r.parquet'", means: "SELECT 0 AS n"},
	{line: lineZero, here: "SELECT 1 / 0 AS a, 1 % 0 AS b, sqrt(-1) AS c, ln(0) AS d", means: "SELECT NULL AS a, NULL AS b, NULL AS c, NULL AS d"},
	{line: "`7 / 2`, `7 // 2`", here: "SELECT 7 / 2 AS a, 7 // 2 AS b", means: "SELECT 3.5 AS a, 3 AS b", same: true},
	{line: lineSubstr, here: "SELECT substr('abc', 0, 2) AS a, substr('abc', -2) AS b", means: "SELECT 'a' AS a, 'abc' AS b"},
	{line: "type of `sum` of whole numbers", here: "SELECT sum(n) AS n FROM (SELECT 9223372036854775807 AS n UNION ALL SELECT 1) AS x"},
	{line: lineNulls, here: "SELECT * FROM (SELECT 1 AS a UNION ALL SELECT NULL) ORDER BY 1 DESC", means: "SELECT 1 AS a UNION ALL SELECT NULL", same: true},
	{line: "order of texts, upper and lower case", here: "SELECT 'a' < 'B' AS a, 'a' LIKE 'A' AS b, 'a' = 'A' AS c", means: "SELECT 0 AS a, 0 AS b, 0 AS c", same: true},
	{line: "`date - date`, `time - time`", here: "SELECT 2008-07-02 - 2008-07-01 AS d", means: "SELECT 86400 AS d"},
	{line: "`2008-06`", here: "SELECT CAST('2008-06-15T12:00:00Z' AS time) = 2008-06 AS a", means: "SELECT 1 AS a"},
	{line: "double quotes", here: `SELECT "abc" AS a`, same: true},
	{line: "`INTERSECT`, `EXCEPT`", here: "SELECT id FROM r EXCEPT ALL SELECT id FROM r"},
	{line: "windows", here: "SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS n FROM r"},
	{line: "FULL JOIN, lists, structs, recursion", here: "SELECT r.id FROM r FULL JOIN s ON r.id = s.id"},
}

// manualDifferences returns the first cells of the manual's table of differences.
func manualDifferences(t *testing.T) (lines []string) {
	t.Helper()
	b, err := os.ReadFile("../lang/LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "### Where DuckDB and PostgreSQL differ\n")
	section, _, _ = strings.Cut(section, "\n#")
	for line := range strings.Lines(section) {
		cell, ok := strings.CutPrefix(line, "| ")
		if !ok || strings.HasPrefix(cell, "| ") {
			continue
		}
		cell, _, _ = strings.Cut(cell, " | ")
		lines = append(lines, cell)
	}
	return lines
}

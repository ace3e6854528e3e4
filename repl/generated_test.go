package repl

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// generated is how many statements TestGenerated compares, and generatedSeed
// makes them others.
var (
	generated     = flag.Int("generated", 300, "how many statements TestGenerated makes")
	generatedSeed = flag.Uint64("generated.seed", 1, "the seed of these statements")
)

// TestGenerated runs random statements with this program, and with DuckDB over
// the same rows, or with sqlite3 if there is no program duckdb. The rows must be
// the same, in the same order if the statement has one.
//
// The manual has a table of what is different by intent. Where the statements use
// something of it, the other database gets an expression that means the same there,
// and only because the table says so. A statement for each line of the table shows
// that the difference is there.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	other, err := exec.LookPath("duckdb")
	duck := err == nil
	if !duck {
		if other, err = exec.LookPath("sqlite3"); err != nil {
			t.Skip("there is neither duckdb nor sqlite3 to compare with")
		}
	}
	dir := t.TempDir()
	g := &maker{Rand: rand.New(rand.NewPCG(*generatedSeed, 0)), duck: duck, differs: manualDifferences(t)}
	var ours, theirs strings.Builder
	if duck {
		theirs.WriteString(".mode json\n")
	} else {
		theirs.WriteString(".mode json\nPRAGMA case_sensitive_like = ON;\n")
	}
	for _, name := range makerTables {
		file := filepath.Join(dir, name+".parquet")
		var rows, values []string
		for id := range 4 + g.IntN(12) {
			i, j, s := g.of("NULL", "0", "1", "2", "3", "-4"), g.of("NULL", "1", "2", "2", "7"), g.of("NULL", "''", "'a'", "'b'", "'Ab'", "'北京'", "'b_%'")
			rows = append(rows, fmt.Sprintf("SELECT %d AS id, %s AS i, %s AS j, %s AS s", id, i, j, s))
			values = append(values, fmt.Sprintf("(%d, %s, %s, %s)", id, i, j, s))
		}
		// The first row gives the columns types.
		fmt.Fprintf(&ours, "EXPORT (SELECT -1 AS id, 0 AS i, 0 AS j, '' AS s UNION ALL %s) TO '%s';\nCREATE VIEW %s AS SELECT * FROM FILE '%s' WHERE id >= 0;\n",
			strings.Join(rows, " UNION ALL "), file, name, file)
		fmt.Fprintf(&theirs, "CREATE TABLE %s (id INTEGER, i INTEGER, j INTEGER, s TEXT);\nINSERT INTO %s VALUES %s;\n", name, name, strings.Join(values, ", "))
	}
	tables := theirs.String()
	var list []string
	for n := range *generated {
		here, there := forms(g.statement())
		list = append(list, here)
		fmt.Fprintf(&theirs, ".once '%s'\n%s;\n", filepath.Join(dir, fmt.Sprint("theirs-", n)), there)
	}
	try := func(name, input string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Stdin = strings.NewReader(input)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%.3000s", name, err, out)
		}
		return nil
	}
	run := func(name, input string, args ...string) {
		t.Helper()
		if err := try(name, input, args...); err != nil {
			t.Fatal(err)
		}
	}
	readOf := func(src, name string) [][]string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("%s\n%v", src, err)
		}
		if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[{]")) { // so DuckDB writes no rows
			return nil
		}
		rows := answer(t, b)
		if !strings.Contains(src, ") ORDER BY 1") { // it has no order
			slices.SortFunc(rows, slices.Compare)
		}
		return rows
	}
	run("infomall", ours.String(), "-a", "archive", "-")

	var lines []string
	for _, d := range differences {
		lines = append(lines, d.line)
		here := try("infomall", d.here+";\n", "-a", "archive", "--format", "json", "-o", "here", "-")
		if d.means == "" != (here != nil) {
			t.Errorf("%s\n%s fails: %v", d.line, d.here, here)
			continue
		}
		if d.means != "" {
			run(other, tables+".once 'means'\n"+d.means+";\n", ":memory:")
			if got, want := readOf(d.here, "here"), readOf(d.here, "means"); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s\n%s: %q, want %q", d.line, d.here, got, want)
			}
		}
		if !duck {
			continue
		}
		there := try(other, tables+".once 'there'\n"+d.here+";\n", ":memory:")
		same := there != nil && here != nil
		if there == nil && here == nil {
			same = slices.EqualFunc(readOf(d.here, "here"), readOf(d.here, "there"), slices.Equal)
		}
		if same != d.same {
			t.Errorf("%s\n%s: DuckDB does the same: %v, want %v", d.line, d.here, same, d.same)
		}
	}
	if !slices.Equal(lines, g.differs) {
		t.Errorf("the manual's table of differences has the lines\n%q\nwant\n%q", g.differs, lines)
	}

	run("infomall", strings.Join(list, ";\n")+";\n", "-a", "archive", "--format", "json", "-o", "ours-%d", "-")
	run(other, theirs.String(), ":memory:")
	for n, src := range list {
		read := func(name string) [][]string { return readOf(src, name) }
		if got, want := read(fmt.Sprint("ours-", n+1)), read(fmt.Sprint("theirs-", n)); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s\nours    %.600q\ntheirs  %.600q", src, got, want)
		}
	}
}

// makerTables are the tables of TestGenerated. All have the columns id, i, j and
// s, a text. Only id is unique and never NULL.
var makerTables = []string{"r", "s", "t"}

// maker makes random statements.
type maker struct {
	*rand.Rand
	names   int      // aliases that were given
	duck    bool     // the other database is DuckDB, not sqlite3
	differs []string // the lines of the manual's table of differences
}

// different returns an expression in two forms if the manual has the line of a
// difference: here for this program, and there for the other database. Otherwise
// both get the form here. The function forms takes the two forms apart.
func (g *maker) different(line, here, there string) string {
	if !slices.Contains(g.differs, line) {
		return here
	}
	return twoForms(here, there)
}

// twoForms returns a text that has the forms here and there of an expression. They
// may have such texts in them.
func twoForms(here, there string) string { return "\x01" + here + "\x02" + there + "\x03" }

// forms returns the statement src, which may have expressions in two forms, as
// this program gets it, and as the other database gets it.
func forms(src string) (here, there string) {
	before, rest, some := strings.Cut(src, "\x01")
	if !some {
		return src, src
	}
	deep, middle, end := 0, -1, -1
	for i := 0; end < 0; i++ {
		switch {
		case rest[i] == '\x01':
			deep++
		case rest[i] == '\x03' && deep > 0:
			deep--
		case rest[i] == '\x03':
			end = i
		case rest[i] == '\x02' && deep == 0:
			middle = i
		}
	}
	first, _ := forms(rest[:middle])
	_, second := forms(rest[middle+1 : end])
	afterHere, afterThere := forms(rest[end+1:])
	return before + first + afterHere, before + second + afterThere
}

func (g *maker) of(list ...string) string { return list[g.IntN(len(list))] }

func (g *maker) alias() string {
	g.names++
	return fmt.Sprint("q", g.names)
}

// statement returns a query of one to three SELECTs.
func (g *maker) statement() string {
	columns := 1 + g.IntN(3)
	kinds := make([]bool, columns) // whether the column is a text
	for i := range kinds {
		kinds[i] = g.IntN(3) == 0
	}
	src := g.sets(kinds)
	if g.IntN(3) > 0 {
		return src
	}
	var keys []string
	for i := range columns {
		direction := g.of("", " DESC")
		nulls := " NULLS " + g.of("FIRST", "LAST")
		if g.IntN(3) == 0 {
			nulls = g.different(lineNulls, "", " NULLS LAST")
		}
		keys = append(keys, fmt.Sprint(i+1, direction, nulls))
	}
	limit := g.of("", fmt.Sprint(" LIMIT ", g.IntN(6)), fmt.Sprintf(" LIMIT %d OFFSET %d", g.IntN(6), g.IntN(3)))
	return "SELECT * FROM (" + src + ") ORDER BY " + strings.Join(keys, ", ") + limit
}

// sets returns one to four SELECTs with set operations between them. INTERSECT binds
// tighter than the others, except in sqlite3, which therefore gets brackets.
func (g *maker) sets(kinds []bool) string {
	src := g.intersection(kinds)
	for range max(0, g.IntN(5)-2) {
		src += " " + g.of("UNION", "UNION ALL", "EXCEPT") + " " + g.intersection(kinds)
	}
	return src
}

// intersection returns a SELECT, or two of which the rows are taken that both have.
func (g *maker) intersection(kinds []bool) string {
	src := g.selects(nil, kinds)
	if g.IntN(4) > 0 {
		return src
	}
	if g.IntN(3) == 0 { // otherwise few would have rows
		src += " UNION ALL " + g.selects(nil, kinds)
		src = "SELECT * FROM (" + src + ") AS " + g.alias()
	}
	src += " INTERSECT " + g.selects(nil, kinds)
	if g.duck {
		return src
	}
	return twoForms(src, "SELECT * FROM ("+src+") AS "+g.alias())
}

// selects returns a SELECT with columns of the given kinds. It may read columns
// of the queries around it, whose aliases are outer.
func (g *maker) selects(outer []string, kinds []bool) string {
	from, own := g.from()
	all := slices.Concat(own, outer)
	var where string
	if g.IntN(3) > 0 {
		where = " WHERE " + g.condition(all, 2)
	}
	var items []string
	switch g.IntN(5) {
	case 0: // groups
		key := g.number(own, 1)
		for i, text := range kinds {
			item := key
			switch {
			case text:
				item = fmt.Sprintf("%s(%s)", g.of("min", "max"), g.text(own, 1))
			case i > 0 || g.IntN(2) == 0:
				item = g.aggregate(own)
			}
			items = append(items, item)
		}
		return "SELECT " + strings.Join(items, ", ") + " FROM " + from + where + " GROUP BY " + key + g.of("", " HAVING count(*) > 1", " HAVING "+g.aggregate(own)+" IS NOT NULL")
	case 1: // windows, which are ordered by all keys of the sources
		if outer == nil {
			over := "OVER (" + g.of("", "PARTITION BY "+g.number(own, 1)+" ") + "ORDER BY " + g.number(own, 1) + g.of("", " DESC") + " NULLS LAST"
			for _, a := range own {
				over += ", " + a + ".id NULLS LAST"
			}
			over += ")"
			for _, text := range kinds {
				call := g.of("row_number()", "rank()", "sum("+g.number(own, 0)+")", "count(*)", "max("+g.number(own, 1)+")", "lag("+g.number(own, 0)+")", "lead("+g.number(own, 0)+", 2)", "first_value("+g.number(own, 0)+")")
				if text {
					call = g.of("min", "last_value", "lag") + "(" + g.text(own, 0) + ")"
				}
				items = append(items, call+" "+over)
			}
			return "SELECT " + strings.Join(items, ", ") + " FROM " + from + where
		}
	}
	for _, text := range kinds {
		if text {
			items = append(items, g.text(all, 2))
		} else {
			items = append(items, g.number(all, 2))
		}
	}
	return "SELECT " + g.of("", "DISTINCT ") + strings.Join(items, ", ") + " FROM " + from + where
}

// from returns one to three sources that are joined, and their aliases.
func (g *maker) from() (src string, names []string) {
	for n := range 1 + g.IntN(8)/3 {
		a := g.alias()
		table := g.of(makerTables...) + g.of(" ", " AS ") + a
		join := g.of("INNER JOIN", "JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "CROSS JOIN", ",")
		if n > 0 && strings.Contains(src, ",") {
			join = "," // a comma binds looser than JOIN in other databases
		}
		if n > 1 && !strings.Contains(src, ",") && join == "," {
			join = "JOIN"
		}
		names = append(names, a)
		switch {
		case n == 0:
			src = table
		case join == ",":
			src += ", " + table
		case join == "CROSS JOIN":
			src += " CROSS JOIN " + table
		default:
			on := fmt.Sprintf("%s.%s = %s.%s", a, g.of("i", "j", "id"), names[0], g.of("i", "j", "id"))
			src += " " + join + " " + table + " ON " + g.of(on, on+" AND "+g.condition(names, 1), g.condition(names, 1))
		}
	}
	return src, names
}

// condition returns a condition over the columns of the sources names. depth
// bounds it.
func (g *maker) condition(names []string, depth int) string {
	if depth > 0 {
		switch g.IntN(8) {
		case 0:
			return "(" + g.condition(names, depth-1) + " " + g.of("AND", "OR") + " " + g.condition(names, depth-1) + ")"
		case 1:
			return "NOT " + "(" + g.condition(names, depth-1) + ")"
		case 2:
			if depth > 1 {
				return g.of("", "NOT ") + "EXISTS (" + g.inner(names, g.of("1", "*")) + ")"
			}
		case 3:
			if depth > 1 {
				return g.number(names, 0) + g.of("", " NOT") + " IN (" + g.inner(names, "") + ")"
			}
		case 4:
			if depth > 1 {
				return g.number(names, 0) + " " + g.of("=", "<", ">=", "<>") + " (" + g.inner(names, g.of("max", "count", "sum")) + ")"
			}
		}
	}
	switch g.IntN(6) {
	case 0:
		n := g.number(names, 0)
		if by := g.number(names, 0); g.IntN(3) == 0 {
			n = g.different(lineZero, n+" / "+by, "CASE WHEN "+by+" <> 0 THEN "+n+" / "+by+" END")
		}
		return n + " IS " + g.of("", "NOT ") + "NULL"
	case 1:
		return g.number(names, 0) + g.of("", " NOT") + " BETWEEN " + g.number(names, 0) + " AND " + g.of("2", "7")
	case 2:
		return g.number(names, 0) + g.of("", " NOT") + " IN (1, 2, " + g.of("NULL", "-4") + ")"
	case 3:
		return g.text(names, 1) + g.of("", " NOT") + " LIKE " + g.of("'a%'", "'%b%'", "'_'", "''")
	case 4:
		return g.text(names, 1) + " " + g.of("=", "<", ">", "<>") + " " + g.text(names, 1)
	}
	return g.number(names, 1) + " " + g.of("=", "<", "<=", ">", "<>") + " " + g.number(names, 1)
}

// inner returns a query in an expression, which compares its columns with those
// of the sources outer. item is 1 or * for EXISTS, the name of an aggregate for
// one value, and "" for one column.
func (g *maker) inner(outer []string, item string) string {
	a := g.alias()
	switch item {
	case "1", "*":
	case "":
		item = a + "." + g.of("i", "j")
	default:
		item += "(" + a + "." + g.of("i", "j") + ")"
	}
	own := a + "." + g.of("i", "j", "id")
	theirs := outer[g.IntN(len(outer))] + "." + g.of("i", "j", "id")
	where := g.of(own+" = "+theirs, own+" < "+theirs, own+" <> "+theirs, own+" = "+theirs+" AND "+g.condition([]string{a, outer[0]}, 0), g.condition([]string{a}, 0))
	return "SELECT " + item + " FROM " + g.of(makerTables...) + " " + a + " WHERE " + where
}

// aggregate returns an aggregate that is a number.
func (g *maker) aggregate(names []string) string {
	return g.of("count(*)", "count(DISTINCT "+g.number(names, 0)+")", "sum("+g.number(names, 1)+")", "min("+g.number(names, 1)+")", "max("+g.number(names, 0)+")",
		"count("+g.text(names, 0)+")", "sum("+g.number(names, 0)+") FILTER (WHERE "+g.condition(names, 0)+")")
}

// number returns an expression that is a whole number.
func (g *maker) number(names []string, depth int) string {
	column := names[g.IntN(len(names))] + "." + g.of("id", "i", "j")
	if depth == 0 {
		return column
	}
	switch g.IntN(7) {
	case 0:
		return "(" + g.number(names, depth-1) + " " + g.of("+", "-", "*") + " " + g.number(names, depth-1) + ")"
	case 1:
		return "coalesce(" + g.number(names, depth-1) + ", " + g.of("0", "9") + ")"
	case 2:
		return "CASE WHEN " + g.condition(names, 0) + " THEN " + g.number(names, depth-1) + g.of("", " ELSE 5") + " END"
	case 3:
		return "abs(" + g.number(names, depth-1) + ")"
	case 4:
		return "length(" + g.text(names, depth-1) + ")"
	case 5:
		return "CAST(CAST(" + column + " AS text) AS integer)"
	}
	return column
}

// text returns an expression that is a text.
func (g *maker) text(names []string, depth int) string {
	column := names[g.IntN(len(names))] + ".s"
	if depth == 0 {
		return column
	}
	switch g.IntN(6) {
	case 0:
		return "(" + g.text(names, depth-1) + " || " + g.of("'x'", column) + ")"
	case 1:
		return g.of("lower", "upper") + "(" + g.text(names, depth-1) + ")"
	case 2:
		return "coalesce(" + g.text(names, depth-1) + ", 'none')"
	case 3:
		return "substr(" + g.text(names, depth-1) + ", " + g.of("1", "2") + g.of("", ", 1") + ")"
	case 4:
		s, from := g.text(names, depth-1), g.IntN(4)-3
		return g.different(lineSubstr, fmt.Sprintf("substr(%s, %d, 4)", s, from), fmt.Sprintf("substr(%s, 1, %d)", s, max(0, from+3)))
	}
	return column
}

package repl

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"infomall/exec/expr"
	"infomall/exec/query"
	"infomall/exec/relation/all"
	"infomall/lang"
)

// manualRule separates the part of the manual that is written by hand from the
// part that is generated, which follows to the end.
const manualRule = "<!-- From here on: go test ./repl -run TestManualTables -update -->\n"

// TestManualTables shows that the end of the manual has the syntax of every
// statement as HELP prints it, which is held against the parser, and the columns
// and functions that there are.
func TestManualTables(t *testing.T) {
	const name = "../lang/LANGUAGE.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	written, got, ok := strings.Cut(string(text), manualRule)
	if !ok {
		t.Fatalf("%s has no line %s", name, manualRule)
	}
	want := manualSyntax() + manualColumns() + manualFunctions()
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(name, []byte(written+manualRule+want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the tables at the end of %s are not those of the program: run go test ./repl -run TestManualTables -update", name)
	}
}

func manualSyntax() string {
	var b strings.Builder
	b.WriteString("\n## Syntax\n\nWords in upper case are typed as they stand; `[ ]` may be left out, `( | )` is a choice, `…` is more of the same. A line that\n" +
		"begins with a blank goes on with the one before.\n")
	for _, topic := range lang.Topics() {
		b.WriteString("\n")
		for line := range strings.Lines(query.Syntax(topic)) {
			b.WriteString("    " + line)
		}
	}
	return b.String()
}

func manualColumns() string {
	var b strings.Builder
	b.WriteString("\n## Columns\n\n`SELECT *` returns the columns above the line. The columns below it cost more, and are read only if the query names them.\n")
	for _, r := range all.Relations() {
		fmt.Fprintf(&b, "\n### %s\n\nA row is %s.\n\n| column | type | |\n|---|---|---|\n", r.Name, r.Doc)
		payload := false
		for i := range r.Columns {
			c := &r.Columns[i]
			if (c.Payload || c.Aside) && !payload {
				payload = true
				b.WriteString("| — | | |\n")
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, c.Type, cellText(c.Doc))
		}
	}
	return b.String()
}

func manualFunctions() string {
	var b strings.Builder
	b.WriteString("\n## Functions\n\n| function | | example |\n|---|---|---|\n")
	for _, f := range expr.Functions() {
		_, result := query.Example(f, &expr.Env{Now: 1_230_768_000_000})
		if result != "" {
			result = " → `" + result + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s`%s |\n", f.Signature(), cellText(f.Doc), f.Example, cellText(result))
	}
	return b.String()
}

// cellText escapes a text for a cell of a table in the manual.
func cellText(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// TestManualNamesRelations shows that the table of sources in the manual has every relation.
func TestManualNamesRelations(t *testing.T) {
	text, err := os.ReadFile("../lang/LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| relation | one row per |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var names []string
	for line := range strings.Lines(table) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		names = append(names, first)
	}
	first := strings.Join(names, "")
	for _, r := range all.Relations() {
		if !strings.Contains(first, "`"+r.Name+"`") && !strings.Contains(first, "`"+r.Name+"(") {
			t.Errorf("the table of sources lacks %s", r.Name)
		}
	}
}

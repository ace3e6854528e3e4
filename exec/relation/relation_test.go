package relation

import (
	"slices"
	"strings"
	"testing"

	"infomall/lang/ast"
)

// TestColumnNames shows that no column has a name that would need quotes, or
// the name of another column of its relation, and that payload columns come
// last.
func TestColumnNames(t *testing.T) {
	for _, r := range All() {
		seen := map[string]bool{}
		payload := false
		for _, c := range r.Columns {
			if slices.Contains(ast.Reserved, strings.ToUpper(c.Name)) {
				t.Errorf("%s.%s is a reserved word", r.Name, c.Name)
			}
			if seen[c.Name] {
				t.Errorf("%s.%s stands twice", r.Name, c.Name)
			}
			if payload && !c.Payload && !c.Aside {
				t.Errorf("%s.%s comes after a payload column", r.Name, c.Name)
			}
			if c.Doc == "" {
				t.Errorf("%s.%s has no doc", r.Name, c.Name)
			}
			seen[c.Name], payload = true, c.Payload || c.Aside
		}
		if Find(strings.ToUpper(r.Name)) != r {
			t.Errorf("%s is not found by its name in upper case", r.Name)
		}
	}
}

// TestEveryColumnIsComputed shows that each relation says how its rows are read,
// and that each column has code that computes it: either from a batch of rows or
// late.
func TestEveryColumnIsComputed(t *testing.T) {
	for _, r := range All() {
		if r.read == nil {
			t.Errorf("%s is not read", r.Name)
		}
		for _, c := range r.Columns {
			if (c.late != nil) != c.Late() || (c.fill != nil) == c.Late() {
				t.Errorf("%s.%s is not computed", r.Name, c.Name)
			}
		}
	}
}

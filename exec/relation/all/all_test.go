package all

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
	for _, r := range Relations() {
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

package fault

import (
	"testing"

	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// TestOperators shows that a statement uses each operator that a message may
// name as expected.
func TestOperators(t *testing.T) {
	s := scan.New("SELECT count(*), a.b || 'x' FROM captures IN 'a' .. 'b' WHERE (status = 200)", "")
	s.Next()
	if _, err := grammar.Parse(s.Tokens); err != nil {
		t.Fatal(err)
	}
	used := make(map[string]bool)
	for _, t := range s.Tokens {
		used[t.Value] = t.Type == scan.Op
	}
	for _, op := range operators {
		if !used[op] {
			t.Errorf("the statement does not use %s", op)
		}
	}
}

package scan

import "testing"

func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want State
	}{
		{"", State{Empty: true}},
		{" -- only a comment\n", State{Empty: true}},
		{";", State{Empty: true, Complete: true}},
		{"SELECT 1", State{}},
		{"SELECT 1;", State{Complete: true}},
		{"SELECT 1; -- done\n", State{Complete: true}},
		{"SELECT 1; SELECT", State{}},
		{"SELECT 'a;b", State{Open: "'"}},
		{"SELECT 'a;b'", State{}},
		{"SELECT 'a''", State{Open: "'"}},
		{`SELECT "a;`, State{Open: `"`}},
		{"SELECT 1 /* ;", State{Open: "*"}},
		{"/* ;", State{Open: "*"}},
		{"SELECT (1, -- ;\n", State{Open: "("}},
		{"SELECT (1;", State{Complete: true}},
		{"SELECT ('", State{Open: "'"}},
		{"SELECT 1; ?", State{}},
	} {
		if got := Complete(tt.src); got != tt.want {
			t.Errorf("Complete(%q) = %+v, want %+v", tt.src, got, tt.want)
		}
	}
}

package relation

import "testing"

// TestBeginning shows where abstracts end.
func TestBeginning(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"", 5, ""},
		{"one", 3, "one"},
		{"one two", 3, "one"},
		{"one two", 6, "one"},
		{"one\n two\tthree", 7, "one two"},
		{"北京大学计算机系", 4, "北京大学"},
		{"a 北京大学计算机系", 4, "a"},
	} {
		if got := Beginning(tt.text, tt.n); got != tt.want {
			t.Errorf("Beginning(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}
